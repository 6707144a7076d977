package porttest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// claimed are the ids of the runs that are due at a time, which are leased for half a minute.
func claimed(t *testing.T, stores Stores, now time.Time) (ids []string) {
	t.Helper()
	runs, err := claimAt(stores, stores.SyncQueue, now, 30*time.Second, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range runs {
		same(t, "lease", []time.Time{l.Until, l.Item.DueAt}, []time.Time{now.Add(30 * time.Second), now.Add(30 * time.Second)})
		stored, err := stores.SyncRuns.ByID(t.Context(), l.Project, l.Item.Integration, l.Item.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "claimed", l.Item, stored)
		ids = append(ids, l.Key)
	}
	slices.Sort(ids)
	return ids
}

func claimAgain(t *testing.T, stores Stores) {
	s := openShop(t, stores)
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	same(t, "claimed", claimed(t, stores, noon), []string{r.ID.String()})
	same(t, "within the lease", len(claimed(t, stores, noon.Add(30*time.Second-1))), 0)
	same(t, "after it", claimed(t, stores, noon.Add(30*time.Second)), []string{r.ID.String()})
	s.changeRun(r, func(r *syncrun.Run) error { return r.Postpone(noon.Add(time.Hour), "", noon) })
	same(t, "put off", len(claimed(t, stores, noon.Add(time.Hour-1))), 0)
	same(t, "due once more", claimed(t, stores, noon.Add(time.Hour)), []string{r.ID.String()})
	s.changeRun(r, func(r *syncrun.Run) error { return r.Cancel(noon) })
	same(t, "ended", len(claimed(t, stores, noon.Add(9*time.Hour))), 0)
}

func (s *shop) changeIntegration(i *integration.Integration, change func(*integration.Integration)) *integration.Integration {
	s.t.Helper()
	changed, err := s.Integrations.Update(s.ctx, s.project.ID, i.ID, func(i *integration.Integration) error {
		change(i)
		return nil
	})
	s.must(err)
	return changed
}

func idsOf(list []*integration.Integration, err error) string {
	if err != nil {
		return err.Error()
	}
	names := make([]string, len(list))
	for n, i := range list {
		names[n] = i.ID.String()
	}
	return strings.Join(names, " ")
}

func wantingRuns(t *testing.T, stores Stores) {
	s, neighbour := openShop(t, stores), openShop(t, stores)
	i, other := s.connect(integration.Shopify, noon), neighbour.connect(integration.Custom, noon)
	s.connect(integration.HubSpot, noon)
	wanting := func(n int) string {
		list, err := stores.SyncQueue.Wanting(t.Context(), n)
		return idsOf(list, err)
	}
	same(t, "nobody wants anything", wanting(9), "")
	s.changeIntegration(i, func(i *integration.Integration) {
		i.Want(syncrun.Orders, syncrun.Products)
		i.LastSync = noon
	})
	neighbour.changeIntegration(other, func(i *integration.Integration) { i.Want(syncrun.Customers) })
	same(t, "all", wanting(9), other.ID.String()+" "+i.ID.String())
	same(t, "one that never had a run", wanting(1), other.ID.String())
	r := neighbour.started(other.ID, noon)
	same(t, "while one runs", wanting(9), i.ID.String())
	neighbour.changeRun(r, func(r *syncrun.Run) error { return r.Cancel(noon) })
	s.changeIntegration(i, func(i *integration.Integration) { i.Wanted = nil })
	same(t, "later", wanting(9), other.ID.String())
	s.must(neighbour.disconnect(other.ID))
	same(t, "disconnected", wanting(9), "")
}

func expiringTokens(t *testing.T, stores Stores) {
	s, neighbour := openShop(t, stores), openShop(t, stores)
	i, other := s.connect(integration.Shopify, noon), neighbour.connect(integration.HubSpot, noon)
	s.connect(integration.HubSpot, noon) // whose token does not expire
	expiring := func(before, now time.Time, n int) string {
		list, err := stores.SyncQueue.Expiring(t.Context(), before, now, n)
		return idsOf(list, err)
	}
	expires := func(s *shop, i *integration.Integration, at time.Time) {
		s.changeIntegration(i, func(i *integration.Integration) { s.must(i.Refreshed([]byte("new"), at)) })
	}
	expires(s, i, noon.Add(10*time.Minute))
	expires(neighbour, other, noon.Add(5*time.Minute))
	both := other.ID.String() + " " + i.ID.String()
	same(t, "none yet", expiring(noon.Add(5*time.Minute), noon, 9), "")
	same(t, "both, the first first", expiring(noon.Add(time.Hour), noon, 9), both)
	same(t, "one", expiring(noon.Add(time.Hour), noon, 1), other.ID.String())
	neighbour.changeIntegration(other, func(i *integration.Integration) { i.Refreshing = noon.Add(time.Second) })
	same(t, "while somebody refreshes one", expiring(noon.Add(time.Hour), noon, 9), i.ID.String())
	same(t, "nobody does any more", expiring(noon.Add(time.Hour), noon.Add(time.Second), 9), both)
	neighbour.changeIntegration(other, func(i *integration.Integration) { i.Failed(i.UpdatedAt, "Refused.", noon) })
	same(t, "refused", expiring(noon.Add(time.Hour), noon.Add(time.Second), 9), i.ID.String())
	s.must(s.disconnect(i.ID))
	same(t, "disconnected", expiring(noon.Add(time.Hour), noon.Add(time.Second), 9), "")
}
