package jobs_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// The queues of the in-memory store, which simulations use, fulfil the contract of queues.
func TestWorker_memstoreQueues(t *testing.T) {
	t.Parallel()
	porttest.QueueSuite{Open: openMemory, Work: work}.Run(t)
}

func openMemory(testing.TB) porttest.PublishingStores {
	s := memstore.New(time.Now)
	events, projects := memstore.Events{Store: s}, memstore.Projects{Store: s}
	products, orders := memstore.Products{Store: s}, memstore.Orders{Store: s}
	return porttest.PublishingStores{
		Stores: porttest.Stores{
			Accounts:    memstore.Accounts{},
			Projects:    projects,
			Storefronts: projects,
			Products:    products,
			Catalog:     products,
			Inventory:   memstore.Inventory{Store: s},
			Sessions:    memstore.Sessions{Store: s},
			Haggling:    memstore.Haggling{Store: s},
			Checkouts:   memstore.Checkouts{Store: s},
			Lapsed:      s.Lapsed(),
			DueRefunds:  s.DueRefunds(),
			Orphans:     memstore.Orphans{Store: s},
			DueOrphans:  s.DueOrphans(),
			Orders:      orders,
			OrderLists:  orders,
			Refunds:     orders,
			Payments:    memstore.Payments{Store: s},
			SetClock:    s.SetClock,
		},
		Subscriptions: events,
		EventLog:      events,
		Deliveries:    events,
		Outbox:        s.Outbox(),
	}
}

func work(ctx context.Context, q ports.Queue[any], work func(context.Context, ports.Leased[any]) error) (wake func(), done <-chan struct{}) {
	w := jobs.NewWorker(jobs.Job[any]{
		Name:   "test",
		Queue:  q,
		Work:   func(ctx ports.Outbound, t jobs.Task[any]) error { return work(ctx, t.Items[0]) },
		Limits: jobs.Limits{Slots: 8, Each: 4},
		Lease:  15 * time.Second,
		Poll:   time.Hour,
		Clock:  clock{},
		Log:    slog.New(slog.DiscardHandler),
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	return w.Wake, ended
}
