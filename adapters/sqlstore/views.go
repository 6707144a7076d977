package sqlstore

import "github.com/haggle-commerce/haggle/ports"

// Accounts keeps accounts and keys.
func (s *Store) Accounts() Accounts { return NewAccounts(s.db) }

// Keys keeps API keys, and finds what they reach.
func (s *Store) Keys() Keys { return NewKeys(s.db) }

// Authenticators keeps authenticators and recovery codes.
func (s *Store) Authenticators() Authenticators { return NewAuthenticators(s.db) }

// Tries counts wrong codes, in transactions of its own even within Within.
func (s *Store) Tries() Tries { return NewTries(s.db) }

// Agents keeps the agents of projects.
func (s *Store) Agents() Agents { return NewAgents(s.db) }

// Analytics counts what is in the records.
func (s *Store) Analytics() Analytics { return NewAnalytics(s.db) }

// LateAnnouncements announces what becomes true with time or by several writes.
func (s *Store) LateAnnouncements() LateAnnouncements { return NewLateAnnouncements(s.db) }

// Authorizations keeps consents until they are redeemed.
func (s *Store) Authorizations() Authorizations { return NewAuthorizations(s.db) }

// BuyerRecords finds and erases what is kept of buyers.
func (s *Store) BuyerRecords() BuyerRecords { return NewBuyerRecords(s.db) }

// Catalog reads and writes many products at once. The view caches the category counts of some projects: keep it.
func (s *Store) Catalog() Catalog { return NewCatalog(s.db) }

// Checkouts keeps checkouts and what moves with them.
func (s *Store) Checkouts() Checkouts { return NewCheckouts(s.db) }

// LapsedCheckouts leases checkouts whose payment attempt nobody works on.
func (s *Store) LapsedCheckouts() ports.LapsedCheckouts { return NewLapsedCheckouts(s.db) }

// Copies keeps the copies of platforms' records.
func (s *Store) Copies() Copies { return NewCopies(s.db) }

// Decisions reads and seals the decision record.
func (s *Store) Decisions() Decisions { return NewDecisions(s.db) }

// Embeddings keeps vectors, and leases projects whose texts need some.
func (s *Store) Embeddings() Embeddings { return NewEmbeddings(s.db) }

// Events keeps subscriptions, and lists announced events.
func (s *Store) Events() Events { return NewEvents(s.db) }

// Payments reads the payments of orders. Orders write them.
func (s *Store) Payments() Payments { return NewPayments(s.db) }

// Haggling keeps negotiations.
func (s *Store) Haggling() Haggling { return NewHaggling(s.db) }

// Inbox keeps incoming webhooks.
func (s *Store) Inbox() Inbox { return NewInbox(s.db) }

// InboxQueue leases incoming webhooks.
func (s *Store) InboxQueue() ports.InboxQueue { return NewInboxQueue(s.db) }

// Integrations keeps integrations, and finds them.
func (s *Store) Integrations() Integrations { return NewIntegrations(s.db) }

// Inventory keeps stock. The view remembers where lists were left: keep it.
func (s *Store) Inventory() Inventory { return NewInventory(s.db) }

// Labels keeps shipping labels.
func (s *Store) Labels() Labels { return NewLabels(s.db) }

// Ledger reads the double-entry book. Orders write it.
func (s *Store) Ledger() Ledger { return NewLedger(s.db) }

// Orders keeps orders and what follows them.
func (s *Store) Orders() Orders { return NewOrders(s.db) }

// Outbox leases what is to be delivered.
func (s *Store) Outbox() Outbox { return NewOutbox(s.db) }

// Products keeps products. The view remembers where lists were left: keep it.
func (s *Store) Products() Products { return NewProducts(s.db) }

// Projects keeps projects, and counts what is in them.
func (s *Store) Projects() Projects { return NewProjects(s.db) }

// Orphans keeps charges that no order comes of.
func (s *Store) Orphans() Orphans { return NewOrphans(s.db) }

// DueOrphans leases orphans whose refund is due.
func (s *Store) DueOrphans() ports.DueOrphans { return NewDueOrphans(s.db) }

// Reconciliations keeps the continuous comparison of books and its results.
func (s *Store) Reconciliations() Reconciliations { return NewReconciliations(s.db) }

// DueRefunds leases refunds that nobody works on.
func (s *Store) DueRefunds() ports.DueRefunds { return NewDueRefunds(s.db) }

// Requests keeps answers by idempotency key, and audit events.
func (s *Store) Requests() Requests { return NewRequests(s.db) }

// Retention removes what is older than it may be kept.
func (s *Store) Retention() Retention { return NewRetention(s.db) }

// Sales sums up orders.
func (s *Store) Sales() Sales { return NewSales(s.db) }

// SandboxLedger keeps the sandbox provider's memory.
func (s *Store) SandboxLedger() SandboxLedger { return NewSandboxLedger(s.db) }

// Sessions keeps buyers' sessions.
func (s *Store) Sessions() Sessions { return NewSessions(s.db) }

// StockNews lists stock that turned to or from zero.
func (s *Store) StockNews() StockNews { return NewStockNews(s.db) }

// StockRoom moves stock as platforms report it.
func (s *Store) StockRoom() StockRoom { return NewStockRoom(s.db) }

// Storefronts finds projects.
func (s *Store) Storefronts() Storefronts { return NewStorefronts(s.db) }

// ActiveProjects finds active projects.
func (s *Store) ActiveProjects() ActiveProjects { return NewActiveProjects(s.db) }

// SyncRuns keeps sync runs.
func (s *Store) SyncRuns() SyncRuns { return NewSyncRuns(s.db) }

// SyncQueue leases sync runs.
func (s *Store) SyncQueue() ports.SyncQueue { return NewSyncQueue(s.db) }

// SyncUnit writes to several stores at once.
func (s *Store) SyncUnit() SyncUnit { return NewSyncUnit(s.db) }

// Announcements stores events.
func (s *Store) Announcements() Announcements { return NewAnnouncements(s.db) }

// Synonyms keeps the synonyms of projects.
func (s *Store) Synonyms() Synonyms { return NewSynonyms(s.db) }

// Unresolved finds payments and refunds whose outcome is unknown.
func (s *Store) Unresolved() Unresolved { return NewUnresolved(s.db) }

// Webhooks keeps the webhooks of integrations.
func (s *Store) Webhooks() Webhooks { return NewWebhooks(s.db) }
