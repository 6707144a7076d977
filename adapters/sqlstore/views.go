package sqlstore

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/agentkeys"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/agents"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/announcements"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/attention"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/embeddings"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/events"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/finance"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/jobs"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/requests"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/retention"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/signingkeys"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/syncing"
	"github.com/haggle-commerce/haggle/ports"
)

// Accounts keeps accounts and keys.
func (s *Store) Accounts() accounts.Accounts { return accounts.Accounts{Store: s.db} }

// Keys keeps API keys, and finds the projects that they open.
func (s *Store) Keys() accounts.Keys { return accounts.Keys{Store: s.db} }

// Authenticators keeps authenticators and recovery codes.
func (s *Store) Authenticators() accounts.Authenticators { return accounts.Authenticators{Store: s.db} }

// Members keeps the people of accounts.
func (s *Store) Members() accounts.Members { return accounts.Members{Store: s.db} }

// ConsoleSessions keeps members' sessions.
func (s *Store) ConsoleSessions() accounts.ConsoleSessions {
	return accounts.ConsoleSessions{Store: s.db}
}

// Tries counts wrong codes, in transactions of its own even within Within.
func (s *Store) Tries() accounts.Tries { return accounts.Tries{Store: s.db.OutsideRequest()} }

// Agents keeps the agents of projects.
func (s *Store) Agents() agents.Agents { return agents.Agents{Store: s.db} }

// Analytics counts records.
func (s *Store) Analytics() analytics.Analytics { return analytics.Analytics{Store: s.db} }

// LateAnnouncements announces what becomes true with time or by several writes.
func (s *Store) LateAnnouncements() announcements.LateAnnouncements {
	return announcements.LateAnnouncements{Store: s.db}
}

// Attention finds records that wait for merchants.
func (s *Store) Attention() attention.Attention { return attention.Attention{Store: s.db} }

// Authorizations keeps consents until they are redeemed.
func (s *Store) Authorizations() syncing.Authorizations { return syncing.Authorizations{Store: s.db} }

// ImportedPeople erases imported personal data.
func (s *Store) ImportedPeople() retention.ImportedPeople {
	return retention.ImportedPeople{Store: s.db}
}

func (s *Store) BuyerRecords() retention.BuyerRecords { return retention.BuyerRecords{Store: s.db} }

// Carts keeps the carts that buyers write.
func (s *Store) Carts() purchase.Carts { return purchase.Carts{Store: s.db} }

// Catalog reads and writes many products at once.
func (s *Store) Catalog() catalogue.Catalog { return catalogue.Catalog{Store: s.db} }

// Checkouts keeps checkouts, and moves stock, tokens and orders with them.
func (s *Store) Checkouts() purchase.Checkouts { return purchase.Checkouts{Store: s.db} }

// LapsedCheckouts leases checkouts whose payment attempt no process works on.
func (s *Store) LapsedCheckouts() ports.LapsedCheckouts { return purchase.NewLapsedCheckouts(s.db) }

// ExternalRecords keeps external records.
func (s *Store) ExternalRecords() syncing.ExternalRecords {
	return syncing.ExternalRecords{Store: s.db}
}

// Decisions reads and seals the decision record.
func (s *Store) Decisions() haggling.Decisions { return haggling.Decisions{Store: s.db} }

// Embeddings keeps vectors, and leases projects whose texts need some.
func (s *Store) Embeddings() embeddings.Embeddings { return embeddings.Embeddings{Store: s.db} }

// Events keeps subscriptions, and lists announced events.
func (s *Store) Events() events.Events { return events.Events{Store: s.db} }

// Negotiations reads negotiations as merchants look at them.
func (s *Store) Negotiations() haggling.Negotiations { return haggling.Negotiations{Store: s.db} }

// Payments reads the payments of orders. Orders write them.
func (s *Store) Payments() finance.Payments { return finance.Payments{Store: s.db} }

// Haggling keeps negotiations.
func (s *Store) Haggling() haggling.Haggling { return haggling.Haggling{Store: s.db} }

// Inbox keeps incoming webhooks.
func (s *Store) Inbox() syncing.Inbox { return syncing.Inbox{Store: s.db} }

// InboxQueue leases incoming webhooks.
func (s *Store) InboxQueue() ports.InboxQueue { return syncing.NewInboxQueue(s.db) }

// Integrations keeps integrations, and finds them.
func (s *Store) Integrations() syncing.Integrations { return syncing.Integrations{Store: s.db} }

// Inventory keeps stock. Reuse the view, because it caches the places of lists.
func (s *Store) Inventory() catalogue.Inventory { return catalogue.NewInventory(s.db) }

// Jobs keeps background jobs.
func (s *Store) Jobs() jobs.Jobs { return jobs.Jobs{Store: s.db} }

// Imports keeps the files of imports and their refused products.
func (s *Store) Imports() jobs.Imports { return jobs.Imports{Store: s.db} }

// JobQueue leases jobs.
func (s *Store) JobQueue() ports.JobQueue { return jobs.NewQueue(s.db) }

// OrderNotes keeps merchants' notes about orders.
func (s *Store) OrderNotes() purchase.Notes { return purchase.Notes{Store: s.db} }

// Labels keeps shipping labels.
func (s *Store) Labels() purchase.Labels { return purchase.Labels{Store: s.db} }

// Ledger reads the double-entry book. Orders write it.
func (s *Store) Ledger() ledger.Ledger { return ledger.Ledger{Store: s.db} }

// Orders keeps orders with their returns, refunds and disputes.
func (s *Store) Orders() purchase.Orders { return purchase.Orders{Store: s.db} }

// Outbox leases deliveries of events.
func (s *Store) Outbox() events.Outbox { return events.NewOutbox(s.db) }

// Products keeps products. Reuse the view, because it caches the places of lists.
func (s *Store) Products() catalogue.Products { return catalogue.NewProducts(s.db) }

// Projects keeps projects, and counts their records.
func (s *Store) Projects() accounts.Projects { return accounts.Projects{Store: s.db} }

// WebhookChecks leases webhooks that are to be checked at their platforms.
func (s *Store) WebhookChecks() ports.WebhookChecks { return syncing.NewWebhookChecks(s.db) }

// DueCRMDeals leases deals that are to be written to CRMs.
func (s *Store) DueCRMDeals() ports.DueCRMDeals { return purchase.NewDueCRMDeals(s.db) }

// DuePlatformOrders leases orders that are to be written to platforms.
func (s *Store) DuePlatformOrders() ports.DuePlatformOrders {
	return purchase.NewDuePlatformOrders(s.db)
}

// Orphans keeps charges without an order.
func (s *Store) Orphans() purchase.Orphans { return purchase.Orphans{Store: s.db} }

// DueOrphans leases orphans whose refund is due.
func (s *Store) DueOrphans() ports.DueOrphans { return purchase.NewDueOrphans(s.db) }

// Reconciliations keeps the continuous comparison of books and its results.
func (s *Store) Reconciliations() finance.Reconciliations {
	return finance.Reconciliations{Store: s.db}
}

// DueRefunds leases refunds that no process works on.
func (s *Store) DueRefunds() ports.DueRefunds { return purchase.NewDueRefunds(s.db) }

// Requests keeps answers by idempotency key, and audit events.
func (s *Store) Requests() requests.Requests { return requests.Requests{Store: s.db} }

// Retention removes records after their retention period.
func (s *Store) Retention() retention.Retention { return retention.Retention{Store: s.db} }

// Sales sums up orders.
func (s *Store) Sales() analytics.Sales { return analytics.Sales{Store: s.db} }

// SandboxLedger keeps the sandbox provider's charges, refunds and disputes.
func (s *Store) SandboxLedger() finance.SandboxLedger { return finance.SandboxLedger{Store: s.db} }

// Sessions keeps buyers' sessions.
func (s *Store) Sessions() haggling.Sessions { return haggling.Sessions{Store: s.db} }

// SigningKeys keeps the keys with which projects sign.
func (s *Store) SigningKeys() signingkeys.SigningKeys { return signingkeys.SigningKeys{Store: s.db} }

// AgentKeys keeps the keys that projects give to agents.
func (s *Store) AgentKeys() agentkeys.AgentKeys { return agentkeys.AgentKeys{Store: s.db} }

// AvailabilityChanges lists variants whose stock changed to or from zero.
func (s *Store) AvailabilityChanges() catalogue.AvailabilityChanges {
	return catalogue.AvailabilityChanges{Store: s.db}
}

// StockAdjuster moves stock as platforms report it.
func (s *Store) StockAdjuster() catalogue.StockAdjuster { return catalogue.StockAdjuster{Store: s.db} }

// Storefronts finds projects.
func (s *Store) Storefronts() accounts.Storefronts { return accounts.Storefronts{Store: s.db} }

// ActiveProjects finds active projects.
func (s *Store) ActiveProjects() accounts.ActiveProjects { return accounts.ActiveProjects{Store: s.db} }

// SyncRuns keeps sync runs.
func (s *Store) SyncRuns() syncing.SyncRuns { return syncing.SyncRuns{Store: s.db} }

// SyncChanges keeps the changes that syncs have found.
func (s *Store) SyncChanges() syncing.SyncChanges { return syncing.SyncChanges{Store: s.db} }

// SyncQueue leases sync runs.
func (s *Store) SyncQueue() ports.SyncQueue { return syncing.NewSyncQueue(s.db) }

// SyncUnit writes to several stores at once.
func (s *Store) SyncUnit() syncing.SyncUnit { return syncing.SyncUnit{Store: s.db} }

// Announcements stores events.
func (s *Store) Announcements() syncing.Announcements { return syncing.Announcements{Store: s.db} }

// Synonyms keeps the synonyms of projects.
func (s *Store) Synonyms() catalogue.Synonyms { return catalogue.Synonyms{Store: s.db} }

// Unresolved finds payments and refunds whose outcome is unknown.
func (s *Store) Unresolved() finance.Unresolved { return finance.Unresolved{Store: s.db} }

// Webhooks keeps the webhooks of integrations.
func (s *Store) Webhooks() syncing.Webhooks { return syncing.Webhooks{Store: s.db} }
