package sqlstore

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest"
)

// An orphan charge that cannot be read delays no other one's refund.
func TestOrphansDue_unreadable(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		sale := porttest.NewSale(t, views(s))
		c := sale.Init(sale.Quote())
		for i, currency := range []string{"???", "USD"} {
			rewrite(t, s, `INSERT INTO orphan_charges (project_id, id, checkout_id, attempt, provider, integration_id, charge, currency, amount, status,
  failure, refund, detected_at, updated_at, attempts, due_at)
VALUES ($1, $2, $3, $4, 'stripe', '', $5, $6, 100, 'refunding', '', '', 1, 1, 0, $7)`,
				c.Snapshot().Project.String(), "orphan-"+currency, c.ID().String(), i+1, "ch_"+currency, currency, i+1)
		}
		due, err := s.Orphans().OrphansDue(t.Context(), 1)
		if err != nil || len(due) != 1 || due[0].ID != "orphan-USD" {
			t.Errorf("%v, %v", due, err)
		}
	})
}

// A project whose refunds are never decided keeps no other one from being closed, however few are looked at in a run.
func TestUnfinished_unsettledProjectsGoLast(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		var projects []string
		for range 2 {
			sale := porttest.NewSale(t, views(s))
			c := sale.Init(sale.Quote())
			projects = append(projects, c.Snapshot().Project.String())
		}
		slices.Sort(projects)
		rewrite(t, s, "UPDATE projects SET status = 'deleting', closing_at = 1")
		rewrite(t, s, "UPDATE checkouts SET status = 'processing', attempt = 1, lease_until = 1 WHERE project_id = $1", projects[0])
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
