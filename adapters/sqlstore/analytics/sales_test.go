package analytics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
)

// If there are more lines than are summed up, the newest orders count.
func TestSales_manyOrders(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		const lines = 50
		orders := analytics.MostSold/lines + 5
		p, old, recent := storetest.StoreProject(t, s, 1), storetest.Numbered[id.Product](1), storetest.Numbered[id.Product](2)
		storeOrders(t, s, p.ID, orders, lines, func(order, _ int) string {
			if order < 5 {
				return old.String()
			}
			return recent.String()
		})
		sales, err := s.Sales().Sales(t.Context(), p.ID, time.UnixMilli(0), 5)
		if err != nil || len(sales.Sold) != 1 || sales.Sold[recent] != analytics.MostSold {
			t.Errorf("%v, %v", sales.Sold, err)
		}
		newest, err := s.Sales().Sales(t.Context(), p.ID, time.UnixMilli(int64(orders-3)*1000), 5)
		if err != nil || newest.Sold[recent] != 3*lines {
			t.Errorf("of the last three orders: %v, %v", newest.Sold, err)
		}
	})
}

// Orders come in the order of an index, from where the page before ended: no page is sorted, and none reads
// what others have.
func TestSales_index(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		storeOrders(t, s, p.ID, 3000, 1, func(order, _ int) string { return storetest.Numbered[id.Product](order).String() })
		explain, want := "EXPLAIN QUERY PLAN ", []string{"USING INDEX orders_newest (project_id=? AND created_at>? AND (created_at,id)<(?,?))"}
		if s.DB.Dialect.OneTrip {
			explain, want = "EXPLAIN (COSTS OFF) ", []string{"Scan Backward using orders_newest", "Index Cond:", "ROW(created_at, id) < ROW("}
			if _, err := s.DB.WritePool().ExecContext(t.Context(), "ANALYZE orders"); err != nil { // as it does by itself after a minute
				t.Fatal(err)
			}
		}
		plan := storetest.PlanOf(t, s, p.ID, explain+analytics.SelectSold, p.ID.String(), 0, 2_000_000, "", 1000)
		for _, part := range want {
			if !strings.Contains(plan, part) {
				t.Errorf("%q is not in the plan:\n%s", part, plan)
			}
		}
		if upper := strings.ToUpper(plan); strings.Contains(upper, "SORT") || strings.Contains(upper, "TEMP B-TREE") {
			t.Errorf("what is read is sorted:\n%s", plan)
		}
	})
}
