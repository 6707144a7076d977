package boot

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// wholeStores returns the stores outside any transaction, with the storefront cache and the limit on concurrent lookups of
// console sessions.
func (a *App) wholeStores() *ports.Stores {
	s := storesOn(a.store, a.index)
	s.Storefronts = a.storefront
	s.ConsoleSessions = a.sessions
	return s
}

// storesOn returns the stores of view, which is the root store or one transaction. Writes update index.
func storesOn(view *sqlstore.Store, index ports.Index) *ports.Stores {
	return &ports.Stores{
		Accounts:        view.Accounts(),
		Keys:            view.Keys(),
		Members:         view.Members(),
		ConsoleSessions: view.ConsoleSessions(),
		Authenticators:  view.Authenticators(),
		Audit:           view.Requests(),
		Projects:        view.Projects(),
		Statistics:      view.Projects(),
		Storefronts:     view.Storefronts(),
		Products:        view.Products(),
		BulkProducts:    view.Catalog(),
		Catalog:         view.Catalog(),
		Inventory:       view.Inventory(),
		Synonyms:        view.Synonyms(),
		Vectors:         view.Embeddings(),
		Index:           index,
		Agents:          view.Agents(),
		Versions:        view.Agents(),
		Record:          view.Decisions(),
		Threads:         view.Negotiations(),
		Sessions:        view.Sessions(),
		Haggling:        view.Haggling(),
		Carts:           view.Carts(),
		Checkouts:       view.Checkouts(),
		Orphans:         view.Orphans(),
		Orders:          view.Orders(),
		OrderLists:      view.Orders(),
		Platform:        view.Orders(),
		Deals:           view.Orders(),
		Refunds:         view.Orders(),
		Disputes:        view.Orders(),
		Labels:          view.Labels(),
		Notes:           view.OrderNotes(),
		Payments:        view.Payments(),
		Unresolved:      view.Unresolved(),
		Ledger:          view.Ledger(),
		Reconciliations: view.Reconciliations(),
		Analytics:       view.Analytics(),
		BuyerRecords:    view.BuyerRecords(),
		Attention:       view.Attention(),
		Integrations:    view.Integrations(),
		InUse:           view.Integrations(),
		Figures:         view.Integrations(),
		Authorizations:  view.Authorizations(),
		Webhooks:        view.Webhooks(),
		SyncRuns:        view.SyncRuns(),
		SyncChanges:     view.SyncChanges(),
		Inbox:           view.Inbox(),
		ExternalRecords: view.ExternalRecords(),
		SigningKeys:     view.SigningKeys(),
		AgentKeys:       view.AgentKeys(),
		Jobs:            view.Jobs(),
		Imports:         view.Imports(),
		Subscriptions:   view.Events(),
		Deliveries:      view.Events(),
		EventLog:        view.Events(),
	}
}

// pendingIndex collects a transaction's updates of the index, which flush applies after the commit.
type pendingIndex struct {
	ports.Index
	pending []func()
}

func (p *pendingIndex) Apply(project id.Project, changes ports.CatalogChanges) {
	p.pending = append(p.pending, func() { p.Index.Apply(project, changes) })
}

func (p *pendingIndex) Restock(project id.Project, totals map[id.Variant]int) {
	p.pending = append(p.pending, func() { p.Index.Restock(project, totals) })
}

func (p *pendingIndex) flush() {
	for _, news := range p.pending {
		news()
	}
}
