package accounts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A project whose refunds are never decided does not keep others from being closed, even if a run looks at few
// projects.
func TestUnfinished_unsettledProjectsGoLast(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		var projects []string
		for range 2 {
			sale := porttest.NewSale(t, storetest.Views(s))
			c := sale.Init(sale.Quote())
			projects = append(projects, c.Snapshot().Project.String())
		}
		slices.Sort(projects)
		storetest.Rewrite(t, s, "UPDATE projects SET status = 'deleting', closing_at = 1")
		storetest.Rewrite(t, s, "UPDATE checkouts SET status = 'processing', attempt = 1, lease_until = 1 WHERE project_id = $1", projects[0])
		list, err := s.Projects().Unfinished(t.Context(), time.Minute, 1)
		if err != nil || len(list) != 1 || list[0].String() != projects[0] {
			t.Fatal(list, err)
		}
		settled, err := s.Projects().Settle(t.Context(), list[0])
		if err != nil || settled.Ready {
			t.Fatal(settled, err)
		}
		list, err = s.Projects().Unfinished(t.Context(), time.Minute, 1)
		if err != nil || len(list) != 1 || list[0].String() != projects[1] {
			t.Errorf("then %v, %v; want %s", list, err, projects[1])
		}
	})
}
