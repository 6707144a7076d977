package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Stores are the stores of the use cases: the whole store, or one transaction of it.
type Stores struct {
	Accounts        Accounts
	Keys            Keys
	Members         Members
	ConsoleSessions ConsoleSessions
	Authenticators  Authenticators
	Audit           AuditLog

	Projects    Projects
	Statistics  ProjectStatistics
	Storefronts Storefronts

	Products     Products
	BulkProducts BulkProducts
	Catalog      CatalogReader
	Inventory    Inventory
	Synonyms     Synonyms
	Vectors      Vectors
	// Index is notified of writes. Writes within a transaction reach it once the transaction has committed.
	Index Index

	Agents   Agents
	Versions PolicyVersions
	Record   Decisions
	Threads  Negotiations
	Sessions Sessions
	Haggling Haggling
	Carts    Carts

	Checkouts  Checkouts
	Orphans    OrphanCharges
	Orders     Orders
	OrderLists OrderLists
	Platform   PlatformOrders
	Deals      CRMDeals
	Refunds    Refunds
	Disputes   Disputes
	Labels     Labels
	Notes      OrderNotes

	Payments        Payments
	Unresolved      Unresolved
	Ledger          Ledger
	Reconciliations Reconciliations
	Analytics       Analytics
	BuyerRecords    BuyerRecords
	Attention       Attention

	Integrations    Integrations
	InUse           IntegrationsInUse
	Figures         IntegrationFigures
	Authorizations  Authorizations
	Webhooks        IntegrationWebhooks
	SyncRuns        SyncRuns
	SyncChanges     SyncChanges
	Inbox           Inbox
	ExternalRecords ExternalRecordReader

	SigningKeys SigningKeys
	AgentKeys   AgentKeys
	Jobs        Jobs
	Imports     Imports

	Subscriptions Subscriptions
	Deliveries    Deliveries
	EventLog      EventLog
}

// Restock updates the index with the present stock of products, if it has a copy of their catalogue. A failure may be
// ignored, because every answer to a buyer reads the stock itself.
func (s *Stores) Restock(ctx context.Context, project id.Project, products []id.Product) {
	if s.Index.Version(project) == 0 {
		return
	}
	if levels, err := s.Inventory.LevelsOf(ctx, project, products); err == nil {
		s.Index.Restock(project, catalog.Totals(levels))
	}
}
