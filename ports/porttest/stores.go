// Package porttest is the contract of storage ports with several adapters: one suite for each, run by every adapter. A
// suite knows the promises of package ports and nothing of how they are kept. The tests of adapters/sqlstore cover
// storage that has only one adapter, and use the shops of this package. Ports that are not storage have their suites in
// adaptertest.
package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Stores is one database behind all of its ports.
type Stores struct {
	Accounts    ports.Accounts
	Projects    ports.Projects
	Closings    ports.ProjectClosings
	Storefronts ports.Storefronts
	Statistics  ports.ProjectStatistics
	Products    ports.Products
	Bulk        ports.BulkProducts
	Catalog     ports.CatalogReader
	Inventory   ports.Inventory
	Synonyms    ports.Synonyms
	Sessions    ports.Sessions
	Haggling    ports.Haggling
	Carts       ports.Carts
	Agents      ports.Agents
	Active      ports.ActiveAgents
	Policies    ports.PolicyVersions
	Decisions   ports.Decisions
	Sealer      ports.Sealer
	Threads     ports.Negotiations
	Checkouts   ports.Checkouts
	Undecided   ports.UndecidedAttempts
	Lapsed      ports.LapsedCheckouts
	DueRefunds  ports.DueRefunds
	Orphans     ports.OrphanCharges
	DueOrphans  ports.DueOrphans
	Orders      ports.Orders
	OrderLists  ports.OrderLists
	Refunds     ports.Refunds
	Disputes    ports.Disputes
	Labels      ports.Labels
	Platform    ports.PlatformOrders
	Deals       ports.CRMDeals
	Notes       ports.OrderNotes
	Payments    ports.Payments
	Ledger      ports.Ledger
	Sandbox     ports.SandboxLedger
	Keys        ports.IdempotencyKeys
	Records     ports.Records
	Audit       ports.AuditLog

	Integrations ports.Integrations
	InUse        ports.IntegrationsInUse

	Authorizations ports.Authorizations
	Webhooks       ports.IntegrationWebhooks
	Sealed         ports.Sealed[id.Webhook]
	Inbox          ports.Inbox
	InboxQueue     ports.InboxQueue

	Figures       ports.IntegrationFigures
	SyncRuns      ports.SyncRuns
	SyncChanges   ports.SyncChanges
	SyncQueue     ports.SyncQueue
	Copies        ports.ExternalRecords
	CopyReader    ports.ExternalRecordReader
	StockAdjuster ports.StockAdjuster
	SyncUnit      ports.SyncUnit
	Log           ports.EventLog

	Sales               ports.SalesReader
	AvailabilityChanges ports.AvailabilityChanges
	Analytics           ports.Analytics

	Late            ports.LateAnnouncements
	Unresolved      ports.Unresolved
	Reconciliations ports.Reconciliations

	Vectors    ports.Vectors
	Embeddings ports.EmbeddingQueue

	// SetClock stops the stores' clock at a time; zero: it goes on.
	SetClock func(time.Time)
}

// Open makes a fresh, empty database that lasts as long as the test.
type Open func(testing.TB) Stores
