package boot

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/announcing"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/ports"
)

// services are the use cases on the whole store. Requests run them on the stores of their transaction.
type services struct {
	Access   *access.Service
	Projects *projects.Service
	Catalogs *catalogs.Service

	discovery  *discovery.Service
	haggling   *haggling.Service
	purchase   *purchase.Service
	aftersales *aftersales.Service
	finance    *finance.Service
	connecting *connecting.Service
	publishing *publishing.Service
	buyers     *buyers.Service
	syncing    *syncing.Service
	inbox      *inbox.Service
	shipping   *shipping.Service
	agents     *agents.Service
	tuner      *agents.Tuner
}

// openServices puts the use cases together on the whole store.
func (a *App) openServices() {
	whole := storesOn(a.store, a.index)
	a.services = services{
		Access:     a.accessOn(whole),
		Projects:   a.projectsOn(whole),
		Catalogs:   a.catalogsOn(whole),
		discovery:  a.discoveryOn(whole),
		purchase:   a.purchaseOn(whole),
		aftersales: a.aftersalesOn(whole),
		finance:    a.financeOn(whole),
		connecting: a.connectingOn(whole),
		publishing: a.publishingOn(whole),
		buyers:     a.buyersOn(whole),
		syncing:    a.syncingOn(whole),
		inbox:      a.inboxOn(whole),
		shipping:   a.shippingOn(whole),
		agents:     a.agentsOn(whole),
		tuner:      a.tunerOn(whole),
	}
	a.haggling = a.hagglingOn(whole, a.discovery)
	a.reconciler = a.reconcilerOf(a.services)
	a.announcing = &announcing.Service{
		Announcements: a.store.LateAnnouncements(),
		Entropy:       system.Entropy{},
		Announced:     a.publisher.Wake,
	}
	a.tunes = &agents.SelfTuner{
		Tuner:    *a.tuner,
		Active:   a.store.Agents(),
		Projects: a.store.ActiveProjects(),
		TookBack: a.tookBack,
	}
}

func (a *App) orderTokens() ordertoken.Tokens { return ordertoken.Tokens{Secrets: a.vault} }

func (a *App) projectsOn(s *ports.Stores) *projects.Service {
	return &projects.Service{
		Stores:    s,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Addresses: delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
	}
}

func (a *App) catalogsOn(s *ports.Stores) *catalogs.Service {
	return &catalogs.Service{
		Stores:  s,
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Growth:  a.growth,
	}
}

func (a *App) discoveryOn(s *ports.Stores) *discovery.Service {
	return discovery.New(discovery.Service{
		Stores:    s,
		Agent:     a.router,
		Mandates:  a.router,
		Index:     a.index,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Learner:   a.index,
		Sales:     a.store.Sales(),
		StockNews: a.store.StockNews(),
		Model:     a.embeddings.model,
	})
}

func (a *App) hagglingOn(s *ports.Stores, find *discovery.Service) *haggling.Service {
	return &haggling.Service{
		Stores:   s,
		Agent:    a.router,
		Mandates: a.router,
		Index:    a.index,
		Clock:    a.clock,
		Entropy:  system.Entropy{},
		Log:      a.log,
		Meter:    a.meter,
		Fresh:    find.Fresh,
	}
}

func (a *App) purchaseOn(s *ports.Stores) *purchase.Service {
	return &purchase.Service{
		Stores:     s,
		Agent:      a.router,
		Mandates:   a.router,
		Gateway:    a.gateway,
		Tokens:     a.orderTokens(),
		Admission:  a.admission,
		Sandbox:    a.env == account.Sandbox,
		Clock:      a.clock,
		Entropy:    system.Entropy{},
		Log:        a.log,
		Meter:      a.meter,
		Placed:     a.publisher.Wake,
		Waiting:    a.edge.finalizes,
		Lapsed:     a.store.LapsedCheckouts(),
		DueOrphans: a.store.DueOrphans(),
	}
}

func (a *App) aftersalesOn(s *ports.Stores) *aftersales.Service {
	return &aftersales.Service{
		Stores:  s,
		Gateway: a.gateway,
		Tokens:  a.orderTokens(),
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
		Due:     a.store.DueRefunds(),
	}
}

func (a *App) financeOn(s *ports.Stores) *finance.Service {
	return &finance.Service{
		Stores:  s,
		Gateway: a.gateway,
		Sandbox: a.env == account.Sandbox,
	}
}

// reconcilerOf compares books in the background.
func (a *App) reconcilerOf(s services) *finance.Reconciler {
	return &finance.Reconciler{
		Service:         s.finance,
		Reconciliations: a.store.Reconciliations(),
		Balances:        a.balances,
		Accounts:        a.store.Reconciliations(),
		Purchases:       s.purchase,
		Entropy:         system.Entropy{},
		Log:             a.log,
		Reports: payments.Ear{
			Purchases: s.purchase,
			Refunds:   s.aftersales,
			Undecided: a.store.Checkouts(),
		},
		Announced: a.publisher.Wake,
	}
}

func (a *App) buyersOn(s *ports.Stores) *buyers.Service {
	return &buyers.Service{
		Stores: s,
		Names:  a.vault,
		Vault:  a.vault.Tokens(),
		Clock:  a.clock,
	}
}

// trade runs a buyer's request in one transaction. The index learns of its writes when they are committed.
func (a *App) trade(ctx context.Context, claim *ports.KeyUse, work func(*ports.Stores, ports.Records) error) (committed bool, err error) {
	var index *pendingIndex
	err = a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		index, committed = &pendingIndex{Index: a.index}, false
		view.AfterEnd(func(done bool) { committed = done })
		return work(storesOn(view, index), view.Requests())
	})
	if err == nil {
		index.tell()
		a.publisher.Wake()
	}
	return committed, err
}

// manage runs a request of the Management API in one transaction.
func (a *App) manage(ctx context.Context, claim *ports.KeyUse, work func(*ports.Stores, ports.Records) error) (committed bool, err error) {
	if committed, err = a.trade(ctx, claim, work); err == nil {
		a.platforms.engine.Wake()
		a.platforms.worker.Wake()
	}
	return committed, err
}
