package haggling_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// However many quotes a project has, and without statistics, counting what a client tried out looks sessions up.
func TestProbingLooksSessionsUp(t *testing.T) {
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
