package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// SyncRuns keeps runs. An unknown one, or another integration's: NotFound sync_not_found.
type SyncRuns interface {
	// Start stores a run. While another one of the integration is running: Conflict sync_in_progress.
	Start(ctx context.Context, r *syncrun.Run) error
	ByID(ctx context.Context, project id.Project, integration id.Integration, run id.Sync) (*syncrun.Run, error)
	// List is newest first.
	List(ctx context.Context, project id.Project, integration id.Integration, page Page) ([]*syncrun.Run, int, error)
	// Update loads the run for exclusive use, runs change on it, stores it if change returns nil, and
	// returns it. change does no I/O and may run more than once.
	Update(ctx context.Context, project id.Project, run id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error)
	// Note adds problems to a run, up to a thousand in all; more are only counted.
	Note(ctx context.Context, project id.Project, run id.Sync, problems []syncrun.Problem) error
	// Problems are in the order in which they were noted.
	Problems(ctx context.Context, project id.Project, run id.Sync, page Page) ([]syncrun.Problem, int, error)
}

// SyncChanges keeps the changes that runs and webhooks' records have found. Those of an unknown run are none.
type SyncChanges interface {
	// Add stores changes. One of the same run, record, kind and, for a conflict, field is replaced.
	Add(ctx context.Context, project id.Project, integration id.Integration, changes []syncrun.Change) error
	// Clear deletes a run's changes of a resource.
	Clear(ctx context.Context, project id.Project, integration id.Integration, run id.Sync, resource syncrun.Resource) error
	// List returns a run's changes in the order of resources and the platform's ids.
	List(ctx context.Context, project id.Project, integration id.Integration, run id.Sync, f ChangeFilter, page Page) ([]syncrun.Change, int, error)
	// Conflicts are those of all runs that were no previews and of webhooks' records, newest first.
	Conflicts(ctx context.Context, project id.Project, integration id.Integration, page Page) ([]syncrun.Change, int, error)
}

// ChangeFilter narrows a list of changes. Zero fields narrow nothing.
type ChangeFilter struct {
	Kind     syncrun.ChangeKind
	Resource syncrun.Resource
}

// SyncQueue leases running runs, in groups by project. A run's DueAt is the end of its lease.
type SyncQueue interface {
	Queue[*syncrun.Run]
	// Wanting are integrations with wanted resources and no running run. The error reports those that cannot be read;
	// the others are returned with it. The same applies to Scheduled and Expiring.
	Wanting(ctx context.Context, n int) ([]*integration.Integration, error)
	// Scheduled are connected integrations whose next sync is due, or not scheduled yet.
	Scheduled(ctx context.Context, now time.Time, n int) ([]*integration.Integration, error)
	// Expiring returns connected integrations whose access token expires before a time and which no process refreshes.
	Expiring(ctx context.Context, before, now time.Time, n int) ([]*integration.Integration, error)
}

// ExternalRecords stores external records: what is known of the records of platforms.
type ExternalRecords interface {
	// Find returns the records with some of the platform's ids, in any order.
	Find(ctx context.Context, of RecordSet, remotes []string) ([]*syncrun.ExternalRecord, error)
	// Of returns the records, except removed ones, with some of our ids.
	Of(ctx context.Context, of RecordSet, locals []string) ([]*syncrun.ExternalRecord, error)
	// Save stores records of one project, new ones and known ones.
	Save(ctx context.Context, records []*syncrun.ExternalRecord) error
	// MarkSeen notes that a full run saw unchanged records.
	MarkSeen(ctx context.Context, of RecordSet, run id.Sync, remotes []string) error
	// NotSeenIn returns up to n of the records that are not removed and that a full run did not see, with the number of
	// all of these, and of all records that are not removed.
	NotSeenIn(ctx context.Context, of RecordSet, run id.Sync, n int) (list []*syncrun.ExternalRecord, notSeen, all int, err error)
}

// ExternalRecordReader reads external records.
type ExternalRecordReader interface {
	// List is in the order of the platform's ids; removed ones too.
	List(ctx context.Context, of RecordSet, page Page) ([]*syncrun.ExternalRecord, int, error)
	// Customer returns the customer with an e-mail address, in lower case, at any of the project's connected CRM or
	// shop platforms; of several, the one with the most purchases; nil: there is none.
	Customer(ctx context.Context, project id.Project, email string) (*syncrun.Customer, error)
}

// RecordSet identifies the external records of a resource of an integration.
type RecordSet struct {
	Project     id.Project
	Integration id.Integration
	Resource    syncrun.Resource
}

// StockShift moves the stock of a variant at a location, not below zero.
type StockShift struct {
	SKU      string
	Location string
	Delta    int
}

// StockPlace is a variant at a location, which may have no stock.
type StockPlace struct {
	SKU      string
	Location string
}

// StockAdjuster adjusts stock as a platform reports it.
type StockAdjuster interface {
	// Levels returns the current levels of places, in any order: zero where there is none yet. A place whose sku no
	// variant has is left out. It takes no lock, because stock that is sold meanwhile is to stay sold.
	Levels(ctx context.Context, project id.Project, places []StockPlace) ([]catalog.Shelf, error)
	// Shift moves what it can: the index of each shift whose sku no variant has comes back in unknown. A
	// location that has nothing yet begins at zero. Counts go neither below zero nor above catalog.MaxStock.
	Shift(ctx context.Context, project id.Project, shifts []StockShift) (unknown []int, err error)
}

// Announcements puts events into the outbox.
type Announcements interface {
	Announce(ctx context.Context, e *event.Event) error
}

// SyncStores are the stores to which a page of records, or a delivery, is written.
type SyncStores struct {
	Runs            SyncRuns
	Changes         SyncChanges
	ExternalRecords ExternalRecords
	Products        BulkProducts
	StockAdjuster   StockAdjuster
	Integrations    Integrations
	Orders          Orders
	Labels          Labels
	Platform        PlatformOrders
	Deals           CRMDeals
	Webhooks        IntegrationWebhooks
	Inbox           Inbox
	Events          Announcements
}

// SyncUnit writes to several stores at once.
type SyncUnit interface {
	// InTx runs work with stores of one transaction, and commits if it returns nil: all or nothing. work does
	// no other I/O, and may run more than once.
	InTx(ctx context.Context, project id.Project, work func(SyncStores) error) error
}

// IntegrationMetrics are figures of an integration (features/MANAGEMENT.md#integrations).
type IntegrationMetrics struct {
	Products int // that the platform has and that are here
	Orders   int
	Errors   int // records, runs and deliveries that failed since a time; forged calls are nobody's errors
}

// IntegrationFigures counts.
type IntegrationFigures interface {
	Metrics(ctx context.Context, project id.Project, integrations []id.Integration, since time.Time) (map[id.Integration]IntegrationMetrics, error)
}

// Authorizations stores requested consents.
type Authorizations interface {
	Begin(ctx context.Context, a *integration.Authorization) error
	// Change loads the authorization of a state's hash for exclusive use, and stores its Store, Callback and UsedAt if
	// change returns nil: of any number of callers that redeem it at once, one sees it unused. It is no part of another
	// transaction, because a state stays used up even if its use fails. Unknown: integration.ErrState.
	Change(ctx context.Context, state string, change func(*integration.Authorization) error) (*integration.Authorization, error)
	// Forget removes those from before a time.
	Forget(ctx context.Context, before time.Time) error
}

// Webhooks of integrations. An unknown one, or another integration's: NotFound webhook_not_found.
type IntegrationWebhooks interface {
	// Add stores a webhook. One of the same topic: Conflict webhook_exists. More than
	// integration.MaxWebhooks: Conflict too_many_webhooks. Of a disconnected integration: Conflict
	// integration_disconnected.
	Add(ctx context.Context, w *integration.Webhook) error
	// List is in the order of the topics.
	List(ctx context.Context, project id.Project, integration id.Integration) ([]*integration.Webhook, error)
	Remove(ctx context.Context, project id.Project, integration id.Integration, webhook id.Webhook) error
	// Check stores the result of a check of a leased webhook: its Status, Problem and times and, if it was restored,
	// Remote and Signing. lease is its CheckAt as it was claimed. If it is no longer leased, or gone: NotFound
	// webhook_not_found.
	Check(ctx context.Context, w *integration.Webhook, lease time.Time, restored bool) error
	// Called finds a webhook of any project, with its integration.
	Called(ctx context.Context, webhook id.Webhook) (*integration.Webhook, *integration.Integration, error)
}

// LogFilter narrows a log. Zero fields narrow nothing.
type LogFilter struct {
	Since  time.Time
	Status integration.LogStatus
}

// Inbox stores the deliveries that webhooks received.
type Inbox interface {
	// Keep stores deliveries, of any projects, in one transaction. One whose platform's id is known with its
	// webhook is stored as repeated; deliveries without such an id never are.
	Keep(ctx context.Context, list []*integration.Delivery) error
	// Record stores a delivery if it is still leased: lease is its DueAt as it was claimed.
	Record(ctx context.Context, d *integration.Delivery, lease time.Time) error
	// Log is newest first, without payloads.
	Log(ctx context.Context, project id.Project, integration id.Integration, f LogFilter, page Page) ([]*integration.Delivery, int, error)
	// Update loads a delivery for exclusive use and stores the result of change: NotFound delivery_not_found.
	Update(ctx context.Context, project id.Project, integration id.Integration, delivery id.WebhookLog,
		change func(*integration.Delivery) error) (*integration.Delivery, error)
}

// WebhookChecks leases webhooks that are to be checked with their platform, in groups by integration. Their CheckAt is
// the end of the lease.
type WebhookChecks = Queue[*integration.Webhook]

// InboxQueue leases due deliveries with their payloads, in groups by integration. A delivery's DueAt is the
// end of its lease.
type InboxQueue interface {
	Queue[*integration.Delivery]
}
