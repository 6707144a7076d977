package syncing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// claimed are the ids of the runs that are due at a time, which are leased for half a minute.
func claimed(t *testing.T, stores porttest.Stores, now time.Time) (ids []string) {
	t.Helper()
	runs, err := porttest.ClaimAt(stores, stores.SyncQueue, now, 30*time.Second, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range runs {
		porttest.Same(t, "lease", []time.Time{l.Until, l.Item.DueAt}, []time.Time{now.Add(30 * time.Second), now.Add(30 * time.Second)})
		stored, err := stores.SyncRuns.ByID(t.Context(), l.Project, l.Item.Integration, l.Item.ID)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "claimed", l.Item, stored)
		ids = append(ids, l.Key)
	}
	slices.Sort(ids)
	return ids
}

func claimAgain(t *testing.T, stores porttest.Stores) {
	s := porttest.OpenShop(t, stores)
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	porttest.Same(t, "claimed", claimed(t, stores, porttest.Noon), []string{r.ID.String()})
	porttest.Same(t, "within the lease", len(claimed(t, stores, porttest.Noon.Add(30*time.Second-1))), 0)
	porttest.Same(t, "after it", claimed(t, stores, porttest.Noon.Add(30*time.Second)), []string{r.ID.String()})
	changeRun(s, r, func(r *syncrun.Run) error { return r.Postpone(porttest.Noon.Add(time.Hour), "", porttest.Noon) })
	porttest.Same(t, "put off", len(claimed(t, stores, porttest.Noon.Add(time.Hour-1))), 0)
	porttest.Same(t, "due once more", claimed(t, stores, porttest.Noon.Add(time.Hour)), []string{r.ID.String()})
	changeRun(s, r, func(r *syncrun.Run) error { return r.Cancel(porttest.Noon) })
	porttest.Same(t, "ended", len(claimed(t, stores, porttest.Noon.Add(9*time.Hour))), 0)
}

func changeIntegration(s *porttest.Shop, i *integration.Integration, change func(*integration.Integration)) *integration.Integration {
	s.T.Helper()
	changed, err := s.Integrations.Update(s.Ctx, s.Project.ID, i.ID, func(i *integration.Integration) error {
		change(i)
		return nil
	})
	s.Must(err)
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

func wantingRuns(t *testing.T, stores porttest.Stores) {
	s, neighbour := porttest.OpenShop(t, stores), porttest.OpenShop(t, stores)
	i, other := s.Connect(integration.Shopify, porttest.Noon), neighbour.Connect(integration.Custom, porttest.Noon)
	s.Connect(integration.HubSpot, porttest.Noon)
	wanting := func(n int) string {
		list, err := stores.SyncQueue.Wanting(t.Context(), n)
		return idsOf(list, err)
	}
	porttest.Same(t, "nobody wants anything", wanting(9), "")
	changeIntegration(s, i, func(i *integration.Integration) {
		i.Want(syncrun.Orders, syncrun.Products)
		i.LastSync = porttest.Noon
	})
	changeIntegration(neighbour, other, func(i *integration.Integration) { i.Want(syncrun.Customers) })
	porttest.Same(t, "all", wanting(9), other.ID.String()+" "+i.ID.String())
	porttest.Same(t, "one that never had a run", wanting(1), other.ID.String())
	r := neighbour.Started(other.ID, porttest.Noon)
	porttest.Same(t, "while one runs", wanting(9), i.ID.String())
	changeRun(neighbour, r, func(r *syncrun.Run) error { return r.Cancel(porttest.Noon) })
	changeIntegration(s, i, func(i *integration.Integration) { i.Wanted = nil })
	porttest.Same(t, "later", wanting(9), other.ID.String())
	s.Must(disconnect(neighbour, other.ID))
	porttest.Same(t, "disconnected", wanting(9), "")
}

func scheduledSyncs(t *testing.T, stores porttest.Stores) {
	s, neighbour := porttest.OpenShop(t, stores), porttest.OpenShop(t, stores)
	i, other := s.Connect(integration.Shopify, porttest.Noon), neighbour.Connect(integration.Custom, porttest.Noon)
	s.Connect(integration.HubSpot, porttest.Noon)
	scheduled := func(now time.Time, n int) string {
		list, err := stores.SyncQueue.Scheduled(t.Context(), now, n)
		return idsOf(list, err)
	}
	porttest.Same(t, "without a schedule", scheduled(porttest.Noon, 9), "")
	plan := func(next time.Time) func(*integration.Integration) {
		return func(i *integration.Integration) { i.Config.Schedule, i.NextSync = "@hourly", next }
	}
	changeIntegration(s, i, plan(time.Time{}))
	changed := changeIntegration(neighbour, other, plan(porttest.Noon.Add(time.Hour)))
	porttest.Same(t, "stored", changed.Config.Schedule+changed.NextSync.String(), "@hourly"+porttest.Noon.Add(time.Hour).String())
	porttest.Same(t, "one without a time", scheduled(porttest.Noon.Add(time.Hour-1), 9), i.ID.String())
	both := i.ID.String() + " " + other.ID.String()
	porttest.Same(t, "both", scheduled(porttest.Noon.Add(time.Hour), 9), both)
	porttest.Same(t, "one", scheduled(porttest.Noon.Add(time.Hour), 1), i.ID.String())
	changeIntegration(s, i, func(i *integration.Integration) { i.Status = integration.Failing })
	porttest.Same(t, "whose credentials are refused", scheduled(porttest.Noon.Add(time.Hour), 9), other.ID.String())
	s.Must(disconnect(neighbour, other.ID))
	porttest.Same(t, "disconnected", scheduled(porttest.Noon.Add(time.Hour), 9), "")
}

func expiringTokens(t *testing.T, stores porttest.Stores) {
	s, neighbour := porttest.OpenShop(t, stores), porttest.OpenShop(t, stores)
	i, other := s.Connect(integration.Shopify, porttest.Noon), neighbour.Connect(integration.HubSpot, porttest.Noon)
	s.Connect(integration.HubSpot, porttest.Noon) // whose token does not expire
	expiring := func(before, now time.Time, n int) string {
		list, err := stores.SyncQueue.Expiring(t.Context(), before, now, n)
		return idsOf(list, err)
	}
	expires := func(s *porttest.Shop, i *integration.Integration, at time.Time) {
		changeIntegration(s, i, func(i *integration.Integration) { s.Must(i.Refreshed([]byte("new"), at)) })
	}
	expires(s, i, porttest.Noon.Add(10*time.Minute))
	expires(neighbour, other, porttest.Noon.Add(5*time.Minute))
	both := other.ID.String() + " " + i.ID.String()
	porttest.Same(t, "none yet", expiring(porttest.Noon.Add(5*time.Minute), porttest.Noon, 9), "")
	porttest.Same(t, "both, the first first", expiring(porttest.Noon.Add(time.Hour), porttest.Noon, 9), both)
	porttest.Same(t, "one", expiring(porttest.Noon.Add(time.Hour), porttest.Noon, 1), other.ID.String())
	changeIntegration(neighbour, other, func(i *integration.Integration) { i.Refreshing = porttest.Noon.Add(time.Second) })
	porttest.Same(t, "while somebody refreshes one", expiring(porttest.Noon.Add(time.Hour), porttest.Noon, 9), i.ID.String())
	porttest.Same(t, "nobody does any more", expiring(porttest.Noon.Add(time.Hour), porttest.Noon.Add(time.Second), 9), both)
	changeIntegration(neighbour, other, func(i *integration.Integration) { i.Failed(i.UpdatedAt, "Refused.", porttest.Noon) })
	porttest.Same(t, "refused", expiring(porttest.Noon.Add(time.Hour), porttest.Noon.Add(time.Second), 9), i.ID.String())
	s.Must(disconnect(s, i.ID))
	porttest.Same(t, "disconnected", expiring(porttest.Noon.Add(time.Hour), porttest.Noon.Add(time.Second), 9), "")
}
