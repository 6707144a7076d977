package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// The stock of the products that a search found is looked up by its key, with and without statistics of a large
// catalogue.
func TestSelectTotals_byKey(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := storetest.StoreProject(t, s, 1).ID
		scattered(t, s, shop, 3000)
		explain, want := "EXPLAIN QUERY PLAN ", "SEARCH stock USING PRIMARY KEY (project_id=? AND variant_id=?)"
		if s.DB.Dialect.OneTrip {
			explain, want = "EXPLAIN (COSTS OFF) ", "stock_pkey"
		}
		some := strings.Repeat("'var_1', ", 20) + "'var_2'"
		values := strings.NewReplacer("$1", "'"+shop.String()+"'")
		for _, state := range []string{"without statistics", "with statistics"} {
			for name, statement := range map[string]string{
				"totals":            fmt.Sprintf(catalogue.SelectTotals, "("+some+")"),
				"variants in stock": "SELECT " + catalogue.StockedColumns + catalogue.OfProducts + "('prod_1')" + catalogue.ByPosition,
			} {
				plan := storetest.PlanOf(t, s, shop, explain+values.Replace(statement))
				if !strings.Contains(plan, want) || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN stock") {
					t.Errorf("%s, %s, are not read by the key of stock:\n%s", name, state, plan)
				}
			}
			if err := s.Analyze(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
