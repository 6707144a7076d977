package boot

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// stores are the stores of the use cases, on the whole store or on one transaction of it.
type stores struct {
	view  *sqlstore.Store
	index ports.Index // that writes are reported to
}

func (s stores) Access() access.Stores {
	return access.Stores{
		Accounts:       s.view.Accounts(),
		Keys:           s.view.Keys(),
		Reach:          s.view.Keys(),
		Authenticators: s.view.Authenticators(),
	}
}

func (s stores) Projects() projects.Stores {
	return projects.Stores{
		Projects:   s.view.Projects(),
		Statistics: s.view.Projects(),
		Connected:  s.view.Integrations(),
	}
}

func (s stores) Catalogs() catalogs.Stores {
	return catalogs.Stores{
		Products:  s.view.Products(),
		Bulk:      s.view.Catalog(),
		Reader:    s.view.Catalog(),
		Inventory: s.view.Inventory(),
		Synonyms:  s.view.Synonyms(),
		Index:     s.index,
	}
}

func (s stores) Discovery() discovery.Stores {
	return discovery.Stores{
		Catalog:   s.view.Catalog(),
		Inventory: s.view.Inventory(),
		Sessions:  s.view.Sessions(),
		Haggling:  s.view.Haggling(),
		Vectors:   s.view.Embeddings(),
	}
}

func (s stores) Haggling() haggling.Stores {
	return haggling.Stores{
		Haggling: s.view.Haggling(),
		Sessions: s.view.Sessions(),
	}
}

func (s stores) Purchase() purchase.Stores {
	return purchase.Stores{
		Storefronts: s.view.Storefronts(),
		Checkouts:   s.view.Checkouts(),
		Lapsed:      s.view.LapsedCheckouts(),
		Orders:      s.view.Orders(),
		Orphans:     s.view.Orphans(),
		DueOrphans:  s.view.DueOrphans(),
		Payments:    s.view.Payments(),
		Sessions:    s.view.Sessions(),
		Haggling:    s.view.Haggling(),
		Catalog:     s.view.Catalog(),
	}
}

func (s stores) Aftersales() aftersales.Stores {
	return aftersales.Stores{
		Orders:    s.view.Orders(),
		Payments:  s.view.Payments(),
		Refunds:   s.view.Orders(),
		Due:       s.view.DueRefunds(),
		Inventory: s.view.Inventory(),
		Index:     s.index,
	}
}

func (s stores) Finance() finance.Stores {
	return finance.Stores{
		Payments: s.view.Payments(),
		Results:  s.view.Reconciliations(),
	}
}

func (s stores) Connecting() connecting.Stores {
	return connecting.Stores{
		Integrations:   s.view.Integrations(),
		InUse:          s.view.Integrations(),
		Authorizations: s.view.Authorizations(),
		Webhooks:       s.view.Webhooks(),
		Runs:           s.view.SyncRuns(),
		Transaction:    s.view,
	}
}

func (s stores) Syncing() syncing.Stores {
	return syncing.Stores{
		Integrations: s.view.Integrations(),
		Runs:         s.view.SyncRuns(),
	}
}

func (s stores) Inbox() inbox.Stores {
	return inbox.Stores{
		Integrations: s.view.Integrations(),
		Webhooks:     s.view.Webhooks(),
		Inbox:        s.view.Inbox(),
		Transaction:  s.view,
	}
}

func (s stores) Shipping() shipping.Stores {
	return shipping.Stores{
		Integrations: s.view.Integrations(),
		Orders:       s.view.Orders(),
		Labels:       s.view.Labels(),
	}
}

func (s stores) Publishing() publishing.Stores {
	return publishing.Stores{
		Subscriptions: s.view.Events(),
		Deliveries:    s.view.Events(),
	}
}

func (s stores) Buyers() buyers.Stores {
	return buyers.Stores{
		Copies:  s.view.Copies(),
		Records: s.view.BuyerRecords(),
		Orders:  s.view.Orders(),
	}
}

func (s stores) Agents() agents.Stores {
	return agents.Stores{
		Agents:    s.view.Agents(),
		Versions:  s.view.Agents(),
		Record:    s.view.Decisions(),
		Products:  s.view.Products(),
		Inventory: s.view.Inventory(),
	}
}

// Management returns the stores of the Management API's handlers.
func (s stores) Management() *management.Stores {
	return &management.Stores{
		Access:       s.Access(),
		Projects:     s.Projects(),
		Catalogs:     s.Catalogs(),
		Discovery:    s.Discovery(),
		Connecting:   s.Connecting(),
		Syncing:      s.Syncing(),
		Inbox:        s.Inbox(),
		Purchase:     s.Purchase(),
		Aftersales:   s.Aftersales(),
		Finance:      s.Finance(),
		Shipping:     s.Shipping(),
		Publishing:   s.Publishing(),
		Buyers:       s.Buyers(),
		Agents:       s.Agents(),
		ProjectStore: s.view.Projects(),
		Inventory:    s.view.Inventory(),
		Integrations: s.view.Integrations(),
		Figures:      s.view.Integrations(),
		SyncRuns:     s.view.SyncRuns(),
		Copies:       s.view.Copies(),
		Webhooks:     s.view.Webhooks(),
		WebhookLog:   s.view.Inbox(),
		Catalog:      s.view.Catalog(),
		Audit:        s.view.Requests(),
		Orders:       s.view.Orders(),
		OrderLists:   s.view.Orders(),
		Payments:     s.view.Payments(),
		Refunds:      s.view.Orders(),
		Orphans:      s.view.Orphans(),
		Unresolved:   s.view.Unresolved(),
		Ledger:       s.view.Ledger(),
		EventLog:     s.view.Events(),
		Analytics:    s.view.Analytics(),
	}
}

// Commerce returns the stores of the buyers' protocols' handlers.
func (s stores) Commerce() *commerce.Stores {
	return &commerce.Stores{
		Discovery:  s.Discovery(),
		Haggling:   s.Haggling(),
		Purchase:   s.Purchase(),
		Aftersales: s.Aftersales(),
		Buyers:     s.Buyers(),
		Sessions:   s.view.Sessions(),
		Orders:     s.view.Orders(),
	}
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
