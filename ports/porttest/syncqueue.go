package porttest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// claimed are the ids of what a claim has at a time, which is due again half a minute later.
func claimed(t *testing.T, stores Stores, now time.Time, n int) (ids []string) {
	t.Helper()
	runs, err := stores.SyncQueue.Claim(t.Context(), now, now.Add(30*time.Second), n)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		same(t, "lease", r.DueAt, now.Add(30*time.Second))
		stored, err := stores.SyncRuns.ByID(t.Context(), r.Project, r.Integration, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "claimed", r, stored)
		ids = append(ids, r.ID.String())
	}
	slices.Sort(ids)
	return ids
}

func claimOrder(t *testing.T, stores Stores) {
	one, two := openShop(t, stores), openShop(t, stores)
	var waiting []string
	for n, c := range []struct {
		of   *shop
		kind integration.Type
	}{{two, integration.Shopify}, {one, integration.Shopify}, {two, integration.HubSpot}, {one, integration.HubSpot}} {
		r := c.of.started(c.of.connect(c.kind, noon).ID, noon.Add(time.Duration(n)*time.Second))
		waiting = append(waiting, r.ID.String())
	}
	one.ended(one.connect(integration.ShipStation, noon).ID, noon.Add(-time.Hour))
	same(t, "before any is due", len(claimed(t, stores, noon.Add(-1), 9)), 0)
	same(t, "the first", claimed(t, stores, noon.Add(2*time.Second), 1), waiting[:1])
	same(t, "the next", claimed(t, stores, noon.Add(2*time.Second), 1), waiting[1:2])
	same(t, "those that are due", claimed(t, stores, noon.Add(2*time.Second), 9), waiting[2:3])
	same(t, "all in hand", len(claimed(t, stores, noon.Add(2*time.Second), 9)), 0)
}

func claimRace(t *testing.T, stores Stores) {
	s := openShop(t, stores)
	kinds := []integration.Type{integration.Shopify, integration.HubSpot, integration.ShipStation, integration.Custom}
	for _, kind := range kinds {
		s.started(s.connect(kind, noon).ID, noon)
	}
	hands := make([][]string, racers)
	s.must(atOnce(racers, func(n int) error {
		runs, err := stores.SyncQueue.Claim(t.Context(), noon, noon.Add(time.Minute), 2)
		for _, r := range runs {
			hands[n] = append(hands[n], r.ID.String())
		}
		return err
	}))
	all := slices.Concat(hands...)
	// What another was about to claim is passed by, so one more may be needed to see that none is left.
	all = append(all, claimed(t, stores, noon, 9)...)
	slices.Sort(all)
	same(t, "claimed once each", len(slices.Compact(slices.Clone(all))), len(kinds))
	same(t, "claimed in all", len(all), len(kinds))
}

func claimAgain(t *testing.T, stores Stores) {
	s := openShop(t, stores)
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	same(t, "claimed", claimed(t, stores, noon, 9), []string{r.ID.String()})
	same(t, "within the lease", len(claimed(t, stores, noon.Add(30*time.Second-1), 9)), 0)
	same(t, "after it", claimed(t, stores, noon.Add(30*time.Second), 9), []string{r.ID.String()})
	s.changeRun(r, func(r *syncrun.Run) error { return r.Postpone(noon.Add(time.Hour), "", noon) })
	same(t, "put off", len(claimed(t, stores, noon.Add(time.Hour-1), 9)), 0)
	same(t, "due once more", claimed(t, stores, noon.Add(time.Hour), 9), []string{r.ID.String()})
	s.changeRun(r, func(r *syncrun.Run) error { return r.Cancel(noon) })
	same(t, "ended", len(claimed(t, stores, noon.Add(9*time.Hour), 9)), 0)
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
