package memstore_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

func open(testing.TB) porttest.Stores { return stores(memstore.New(time.Now)) }

func stores(s *memstore.Store) porttest.Stores {
	projects, products := memstore.Projects{Store: s}, memstore.Products{Store: s}
	return porttest.Stores{
		Accounts:    memstore.Accounts{},
		Projects:    projects,
		Closings:    projects,
		Storefronts: projects,
		Products:    products,
		Catalog:     products,
		Inventory:   memstore.Inventory{Store: s},
		Sessions:    memstore.Sessions{Store: s},
		Haggling:    memstore.Haggling{Store: s},
		Carts:       memstore.Carts{Store: s},
		Checkouts:   memstore.Checkouts{Store: s},
		Undecided:   memstore.Checkouts{Store: s},
		Lapsed:      s.Lapsed(),
		DueRefunds:  s.DueRefunds(),
		Orphans:     memstore.Orphans{Store: s},
		Orders:      memstore.Orders{Store: s},
		OrderLists:  memstore.Orders{Store: s},
		Refunds:     memstore.Orders{Store: s},
		Disputes:    memstore.Orders{Store: s},
		Payments:    memstore.Payments{Store: s},
		Ledger:      memstore.Ledger{Store: s},
		SetClock:    s.SetClock,
	}
}

func TestCarts(t *testing.T)         { t.Parallel(); porttest.Carts(t, open) }
func TestCheckouts(t *testing.T)     { t.Parallel(); porttest.Checkouts(t, open) }
func TestPurchase(t *testing.T)      { t.Parallel(); porttest.Purchase(t, open) }
func TestOrders(t *testing.T)        { t.Parallel(); porttest.Orders(t, open) }
func TestOrphans(t *testing.T)       { t.Parallel(); porttest.Orphans(t, open) }
func TestSessions(t *testing.T)      { t.Parallel(); porttest.Sessions(t, open) }
func TestOrders_Change(t *testing.T) { t.Parallel(); porttest.Cases(t, open) }

func TestEvents(t *testing.T) {
	t.Parallel()
	porttest.Publishing(t, func(t testing.TB) porttest.PublishingStores {
		s := memstore.New(time.Now)
		events := memstore.Events{Store: s}
		return porttest.PublishingStores{
			Stores:        stores(s),
			Subscriptions: events,
			EventLog:      events,
			Deliveries:    events,
			Outbox:        s.Outbox(),
		}
	})
}
