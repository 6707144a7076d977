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
	// Note adds problems to a run, up to a thousand of them in all; more are counted only.
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
	// Wanting are integrations with wanted resources and no running run. The error tells of those that cannot be read,
	// beside the others; so do those of Scheduled and Expiring.
	Wanting(ctx context.Context, n int) ([]*integration.Integration, error)
	// Scheduled are connected integrations whose next sync is due, or not scheduled yet.
	Scheduled(ctx context.Context, now time.Time, n int) ([]*integration.Integration, error)
	// Expiring are connected integrations whose access token is refreshed by nobody and expires before a time.
	Expiring(ctx context.Context, before, now time.Time, n int) ([]*integration.Integration, error)
}

// Copies keeps what is known of platforms' records.
type Copies interface {
	// Find are those of some of the platform's ids, in any order.
	Find(ctx context.Context, of CopiesOf, remotes []string) ([]*syncrun.Copy, error)
	// Of are those, removed ones left out, of some of our ids.
	Of(ctx context.Context, of CopiesOf, locals []string) ([]*syncrun.Copy, error)
	// Save stores copies of one project, new ones and known ones.
	Save(ctx context.Context, copies []*syncrun.Copy) error
	// See notes that a full run saw copies that are as they were.
	See(ctx context.Context, of CopiesOf, run id.Sync, remotes []string) error
	// Unseen are up to n of those that are not removed and that a full run did not see, and how many of
	// them and of all that are not removed there are.
	Unseen(ctx context.Context, of CopiesOf, run id.Sync, n int) (list []*syncrun.Copy, unseen, all int, err error)
}

// CopyReader tells what is known of platforms' records.
type CopyReader interface {
	// List is in the order of the platform's ids; removed ones too.
	List(ctx context.Context, of CopiesOf, page Page) ([]*syncrun.Copy, int, error)
	// Customer is who has an e-mail address, in lower case, with any of the project's connected CRM or shop
	// platforms, the one with the most purchases first; nil: nobody has.
	Customer(ctx context.Context, project id.Project, email string) (*syncrun.Customer, error)
}

// CopiesOf names the copies of a resource of an integration.
type CopiesOf struct {
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

// StockPlace is where stock of a variant lies, or may.
type StockPlace struct {
	SKU      string
	Location string
}

// StockRoom moves stock as a platform tells.
type StockRoom interface {
	// Levels are those of places as they are now, in any order: zero where nothing lies yet. A place whose
	// sku no variant has is left out. It takes no lock, for what is sold meanwhile is to stay sold.
	Levels(ctx context.Context, project id.Project, places []StockPlace) ([]catalog.Shelf, error)
	// Shift moves what it can: the index of each shift whose sku no variant has comes back in unknown. A
	// location that has nothing yet begins at zero. Counts go neither below zero nor above catalog.MaxStock.
	Shift(ctx context.Context, project id.Project, shifts []StockShift) (unknown []int, err error)
}

// Announcements puts events into the outbox.
type Announcements interface {
	Announce(ctx context.Context, e *event.Event) error
}

// SyncStores are the stores that a page of records, or a delivery, is written to.
type SyncStores struct {
	Runs         SyncRuns
	Changes      SyncChanges
	Copies       Copies
	Products     BulkProducts
	StockRoom    StockRoom
	Integrations Integrations
	Orders       Orders
	Labels       Labels
	Platform     PlatformOrders
	Deals        CRMDeals
	Webhooks     IntegrationWebhooks
	Inbox        Inbox
	Events       Announcements
}

// SyncUnit writes to several stores at once.
type SyncUnit interface {
	// InTx runs work with stores of one transaction, and commits if it returns nil: all or nothing. work does
	// no other I/O, and may run more than once.
	InTx(ctx context.Context, project id.Project, work func(SyncStores) error) error
}

// IntegrationMetrics are figures of an integration (spec 2.3).
type IntegrationMetrics struct {
	Products int // that the platform has and that are here
	Orders   int
	Errors   int // records, runs and deliveries that failed since a time; forged calls are nobody's errors
}

// IntegrationFigures counts.
type IntegrationFigures interface {
	Metrics(ctx context.Context, project id.Project, integrations []id.Integration, since time.Time) (map[id.Integration]IntegrationMetrics, error)
}

// Authorizations keeps consents that were asked for.
type Authorizations interface {
	Begin(ctx context.Context, a *integration.Authorization) error
	// Change loads the authorization of a state's hash for exclusive use, and stores its Store, Callback and UsedAt if
	// change returns nil: of any number who redeem it at once, one sees it unused. It is no part of another transaction,
	// for a state is used up whatever becomes of its use. Unknown: integration.ErrState.
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
	// Check stores the result of a check of a webhook that is in hand: its Status, Problem and times and, if it was restored,
	// Remote and Signing. lease is its CheckAt as it was claimed. It is no longer in hand, or gone: NotFound
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

// Inbox keeps what came to webhooks.
type Inbox interface {
	// Keep stores deliveries, of any projects, in one transaction. One whose platform's id is known with its
	// webhook is stored as repeated; deliveries without such an id never are.
	Keep(ctx context.Context, list []*integration.Delivery) error
	// Record stores a delivery that is in hand, if it still is: lease is its DueAt as it was claimed.
	Record(ctx context.Context, d *integration.Delivery, lease time.Time) error
	// Log is newest first, without payloads.
	Log(ctx context.Context, project id.Project, integration id.Integration, f LogFilter, page Page) ([]*integration.Delivery, int, error)
	// Update loads a delivery for exclusive use and stores what change makes of it: NotFound delivery_not_found.
	Update(ctx context.Context, project id.Project, integration id.Integration, delivery id.WebhookLog,
		change func(*integration.Delivery) error) (*integration.Delivery, error)
}

// WebhookChecks leases webhooks whose platform is to be asked whether it still has them, in groups by integration. Their
// CheckAt is the end of the lease.
type WebhookChecks = Queue[*integration.Webhook]

// InboxQueue leases due deliveries with their payloads, in groups by integration. A delivery's DueAt is the
// end of its lease.
type InboxQueue interface {
	Queue[*integration.Delivery]
}
