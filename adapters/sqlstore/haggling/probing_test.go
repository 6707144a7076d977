package haggling_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Counting a client's probes looks its sessions up by indexes, even with many quotes and without statistics.
func TestSelectProbed_indexes(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		past := storetest.NewPast(5, p.ID, time.UnixMilli(0), time.Hour)
		for len(past.Decisions) < 2000 {
			past.Visit()
		}
		past.Store(t, s)
		explain, want := "EXPLAIN QUERY PLAN ", "quotes_item (session_id=? AND product_id=?)"
		if s.DB.Dialect.OneTrip {
			explain, want = "EXPLAIN (COSTS OFF) ", "(session_id = tried.session_id) AND (product_id = "
		}
		values := strings.NewReplacer("$1", "'"+p.ID.String()+"'", "$2", "'session'", "$3", "''", "$4", "'product'", "$5", "''",
			"$6", "1", "$7", "'client'", "$8", "0", "$9", "40")
		plan := storetest.PlanOf(t, s, p.ID, explain+values.Replace(haggling.SelectProbedVariants))
		if !strings.Contains(plan, want) {
			t.Errorf("quotes are not looked up by session: %q is not in\n%s", want, plan)
		}
		if !strings.Contains(plan, "decisions_probes") {
			t.Errorf("more decisions are read than there are sessions to count:\n%s", plan)
		}
	})
}

// A client's probes of a product are counted in the statement that reads the stock.
func TestHaggling_Load_probedInStockStatement(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	p := storetest.StoreProject(t, s, 1)
	for _, visit := range []id.Session{{}, storetest.Numbered[id.Session](1)} {
		statements := func(client string) int64 {
			return count(func() {
				ask := ports.HaggleAsk{
					Session:      visit,
					Product:      storetest.Numbered[id.Product](1),
					Quantity:     1,
					Client:       client,
					ProductSince: time.UnixMilli(0),
					Sessions:     40,
				}
				if _, err := s.Haggling().Load(t.Context(), p.ID, ask); err != nil {
					t.Error(err)
				}
			})
		}
		if with, without := statements("client"), statements(""); with != without {
			t.Errorf("an ask of a client takes %d statements, one of nobody %d", with, without)
		}
	}
}
