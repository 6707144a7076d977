package boot

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
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
	"github.com/haggle-commerce/haggle/domain/id"
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
	reconciler *finance.Reconciler
	announcing *announcing.Service
	connecting *connecting.Service
	publishing *publishing.Service
	buyers     *buyers.Service
	syncing    *syncing.Service
	inbox      *inbox.Service
	shipping   *shipping.Service
	agents     *agents.Service
	view       *sqlstore.Store
}

// on puts the use cases together on a view of the store.
func (a *App) on(st *sqlstore.Store, index ports.Index) services {
	clock, entropy, tokens := a.clock, system.Entropy{}, ordertoken.Tokens{Secrets: a.vault}
	s := services{view: st}
	s.Access = a.accessOn(st)
	s.Projects = &projects.Service{
		Projects: st.Projects(), Statistics: st.Projects(), Connected: st.Integrations(), Clock: clock, Entropy: entropy,
		Addresses: delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
	}
	s.Catalogs = &catalogs.Service{
		Products: st.Products(), Bulk: st.Catalog(), Reader: st.Catalog(), Inventory: st.Inventory(), Synonyms: st.Synonyms(),
		Index: index, Clock: clock, Entropy: entropy, Growth: a.growth,
	}
	s.discovery = &discovery.Service{
		Agent: a.router, Mandates: a.router, Index: index, Catalog: st.Catalog(), Inventory: st.Inventory(), Sessions: st.Sessions(),
		Haggling: st.Haggling(), Clock: clock, Entropy: entropy, Loader: a.discovery,
		Learner: a.index, Sales: st.Sales(), StockNews: st.StockNews(), Model: a.embeddings.model, Vectors: st.Embeddings(),
	}
	s.haggling = &haggling.Service{
		Agent: a.router, Mandates: a.router, Sessions: st.Sessions(), Store: st.Haggling(), Index: index, Clock: clock, Entropy: entropy, Log: a.log, Fresh: s.discovery.Fresh,
		Meter: a.meter,
	}
	s.purchase = &purchase.Service{
		Agent: a.router, Mandates: a.router, Storefronts: st.Storefronts(), Checkouts: st.Checkouts(), Lapsed: st.LapsedCheckouts(), Orphans: st.Orphans(), DueOrphans: st.DueOrphans(), Payments: st.Payments(), Orders: st.Orders(), Sessions: st.Sessions(),
		Haggling: st.Haggling(), Catalog: st.Catalog(), Clock: clock, Entropy: entropy, Log: a.log, Meter: a.meter,
		Gateway: a.gateway, Tokens: tokens, Admission: a.admission, Sandbox: a.env == account.Sandbox, Placed: a.publisher.Wake, Waiting: a.edge.finalizes,
	}
	s.connecting = a.connectingOn(st)
	s.publishing = a.publishingOn(st)
	s.agents = a.agentsOn(st)
	s.buyers = &buyers.Service{
		Copies:  st.Copies(),
		Records: st.BuyerRecords(),
		Orders:  st.Orders(),
		Names:   a.vault,
		Vault:   a.vault.Tokens(),
		Clock:   clock,
	}
	s.syncing, s.inbox, s.shipping = a.syncingOn(st), a.inboxOn(st), a.shippingOn(a.store)
	s.aftersales = &aftersales.Service{
		Orders: st.Orders(), Payments: st.Payments(), Refunds: st.Orders(), Due: st.DueRefunds(), Inventory: st.Inventory(), Index: index,
		Gateway: a.gateway, Tokens: tokens, Clock: clock, Entropy: entropy, Log: a.log,
	}
	s.finance = &finance.Service{
		Payments: st.Payments(), Gateway: a.gateway, Results: st.Reconciliations(), Sandbox: a.env == account.Sandbox,
	}
	s.reconciler = &finance.Reconciler{
		Service: s.finance, Reconciliations: st.Reconciliations(), Balances: a.balances, Accounts: st.Reconciliations(), Purchases: s.purchase, Entropy: entropy, Log: a.log,
		Reports: payments.Ear{Purchases: s.purchase, Refunds: s.aftersales, Undecided: st.Checkouts()}, Announced: a.publisher.Wake,
	}
	s.announcing = &announcing.Service{Announcements: st.LateAnnouncements(), Entropy: entropy, Announced: a.publisher.Wake}
	return s
}

// manage runs a request of the Management API in one transaction. The index learns of its writes when
// they are committed.
func (a *App) manage(ctx context.Context, claim *ports.KeyUse, work func(management.Services, ports.Records) error) error {
	var index *pendingIndex
	err := a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		index = &pendingIndex{Index: a.index}
		return work(a.managementServices(a.on(view, index)), view.Requests())
	})
	if err == nil {
		index.tell()
		a.publisher.Wake()
		a.platforms.engine.Wake()
		a.platforms.worker.Wake()
	}
	return err
}

// trade runs a request of the ACP API in one transaction.
func (a *App) trade(ctx context.Context, claim *ports.KeyUse, work func(acp.Services, ports.Records) error) error {
	err := a.store.Within(ctx, claim, func(view *sqlstore.Store) error {
		return work(a.acpServices(a.on(view, a.index)), view.Requests())
	})
	if err == nil {
		a.publisher.Wake()
	}
	return err
}

// pendingIndex keeps what a transaction has to tell the index.
type pendingIndex struct {
	ports.Index
	news []func()
}

func (p *pendingIndex) Apply(project id.Project, changes ports.CatalogChanges) {
	p.news = append(p.news, func() { p.Index.Apply(project, changes) })
}

func (p *pendingIndex) Restock(project id.Project, totals map[id.Variant]int) {
	p.news = append(p.news, func() { p.Index.Restock(project, totals) })
}

func (p *pendingIndex) tell() {
	for _, news := range p.news {
		news()
	}
}
