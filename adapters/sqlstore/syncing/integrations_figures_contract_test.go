package syncing_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func copyFigures(s *porttest.Shop) {
	i, other, idle := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon), s.Connect(integration.HubSpot, porttest.Noon)
	figures := func(since time.Time) map[id.Integration]ports.IntegrationMetrics {
		s.T.Helper()
		got, err := s.Figures.Metrics(s.Ctx, s.Project.ID, []id.Integration{i.ID, other.ID, idle.ID}, since)
		s.Must(err)
		return got
	}
	products := copied(recorded(s, i.ID, syncrun.Products), 5)
	products[0].Removed, products[1].Local = true, ""
	saveRecords(s, products...)
	orders := copied(recorded(s, i.ID, syncrun.Orders), 4)
	orders[0].Removed, orders[1].Local = true, ""
	saveRecords(s, orders...)
	saveRecords(s, copied(recorded(s, i.ID, syncrun.Customers), 2)...)
	saveRecords(s, copied(recorded(s, other.ID, syncrun.Orders), 1)...)

	failed := s.Started(i.ID, porttest.Noon)
	s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, failed.ID, problems(0, 4))) // a second apart
	changeRun(s, failed, func(r *syncrun.Run) error { return r.Fail("Gone.", porttest.Noon.Add(2*time.Second)) })
	ended(s, i.ID, porttest.Noon.Add(2*time.Second)) // canceled, which is no error
	keepDeliveries(s, i)
	porttest.Same(s.T, "of all time", figures(porttest.Noon), map[id.Integration]ports.IntegrationMetrics{
		i.ID: {Products: 3, Orders: 3, Errors: 6}, other.ID: {Orders: 1}, idle.ID: {},
	})
	porttest.Same(s.T, "of late", figures(porttest.Noon.Add(2 * time.Second))[i.ID].Errors, 4)
	porttest.Same(s.T, "later", figures(porttest.Noon.Add(time.Hour))[i.ID].Errors, 0)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	got, err := s.Figures.Metrics(s.Ctx, neighbour.Project.ID, []id.Integration{i.ID}, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "of a foreign one", got, map[id.Integration]ports.IntegrationMetrics{i.ID: {}})
	got, err = s.Figures.Metrics(s.Ctx, s.Project.ID, nil, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "of none", len(got), 0)
}

// keepDeliveries stores a delivery that was rejected at noon, one that failed two seconds later, and one that
// waits.
func keepDeliveries(s *porttest.Shop, i *integration.Integration) {
	s.T.Helper()
	w, err := i.Webhook(porttest.Random[id.Webhook](), "products/update", nil, porttest.Noon)
	s.Must(err)
	s.Must(s.Webhooks.Add(s.Ctx, w))
	failed := w.Receive(porttest.Random[id.WebhookLog](), "1", porttest.Noon, []byte("{}"), porttest.Noon.Add(2*time.Second))
	failed.Status, failed.DueAt = integration.Undone, time.Time{}
	s.Must(s.Inbox.Keep(s.Ctx, []*integration.Delivery{
		w.Reject(porttest.Random[id.WebhookLog](), "Wrong.", 2, porttest.Noon), failed, w.Receive(porttest.Random[id.WebhookLog](), "2", porttest.Noon, []byte("{}"), porttest.Noon),
	}))
}
