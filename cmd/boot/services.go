package boot

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
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

// services are the use cases on one view of the store: the whole store, or one transaction of it.
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
	shipping   *shipping.Service // on the whole store, always
	agents     *agents.Service
	tuner      *agents.Tuner
	view       *sqlstore.Store
}

// openServices puts the use cases together on the whole store.
func (a *App) openServices() {
	whole := stores{
		view:  a.store,
		index: a.index,
	}
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
		view:       a.store,
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

func (a *App) projectsOn(s stores) *projects.Service {
	return &projects.Service{
		Stores:    s.Projects(),
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Addresses: delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
	}
}

func (a *App) catalogsOn(s stores) *catalogs.Service {
	return &catalogs.Service{
		Stores:  s.Catalogs(),
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Growth:  a.growth,
	}
}

func (a *App) discoveryOn(s stores) *discovery.Service {
	return discovery.New(discovery.Service{
		Stores:    s.Discovery(),
		Agent:     a.router,
		Mandates:  a.router,
		Index:     a.index,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Learner:   a.index,
		Sales:     s.view.Sales(),
		StockNews: s.view.StockNews(),
		Model:     a.embeddings.model,
	})
}

func (a *App) hagglingOn(s stores, find *discovery.Service) *haggling.Service {
	return &haggling.Service{
		Stores:   s.Haggling(),
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

func (a *App) purchaseOn(s stores) *purchase.Service {
	return &purchase.Service{
		Stores:    s.Purchase(),
		Agent:     a.router,
		Mandates:  a.router,
		Gateway:   a.gateway,
		Tokens:    a.orderTokens(),
		Admission: a.admission,
		Sandbox:   a.env == account.Sandbox,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Log:       a.log,
		Meter:     a.meter,
		Placed:    a.publisher.Wake,
		Waiting:   a.edge.finalizes,
	}
}

func (a *App) aftersalesOn(s stores) *aftersales.Service {
	return &aftersales.Service{
		Stores:  s.Aftersales(),
		Gateway: a.gateway,
		Tokens:  a.orderTokens(),
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
	}
}

func (a *App) financeOn(s stores) *finance.Service {
	return &finance.Service{
		Stores:  s.Finance(),
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

func (a *App) buyersOn(s stores) *buyers.Service {
	return &buyers.Service{
		Stores: s.Buyers(),
		Names:  a.vault,
		Vault:  a.vault.Tokens(),
		Clock:  a.clock,
	}
}

// manage runs a request of the Management API in one transaction. The index learns of its writes when
// they are committed.
func (a *App) manage(ctx context.Context, claim *ports.KeyUse, work func(*management.Stores, ports.Records) error) (committed bool, err error) {
	var index *pendingIndex
	err = a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		index, committed = &pendingIndex{Index: a.index}, false
		view.AfterEnd(func(done bool) { committed = done })
		return work(stores{view, index}.Management(), view.Requests())
	})
	if err == nil {
		index.tell()
		a.publisher.Wake()
		a.platforms.engine.Wake()
		a.platforms.worker.Wake()
	}
	return committed, err
}

// trade runs a buyer's request in one transaction.
func (a *App) trade(ctx context.Context, claim *ports.KeyUse, work func(*commerce.Stores, ports.Records) error) (committed bool, err error) {
	err = a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		committed = false
		view.AfterEnd(func(done bool) { committed = done })
		return work(stores{view, a.index}.Commerce(), view.Requests())
	})
	if err == nil {
		a.publisher.Wake()
	}
	return committed, err
}
