package inbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often the worker looks for due deliveries, including those that other replicas stored.
	poll = 500 * time.Millisecond
	// lease is longer than working on a batch takes.
	lease = 30 * time.Second
	// readTimeout bounds the requests to the platform for a batch of deliveries.
	readTimeout = 15 * time.Second
	// retryPause is the pause before deliveries that this server could not work on are tried again.
	retryPause = 2 * time.Second
)

// limits let a platform that hangs occupy one of the workers, and all such platforms half of them.
var limits = jobs.Limits{
	Slots: 8,
	Slow:  4,
	Batch: 64,
	Long:  5 * time.Second,
}

// Worker works on deliveries. It works on one batch of an integration at a time, so that changes are imported in the order in
// which they happened. The caller runs its Job.
type Worker struct {
	Queue        ports.InboxQueue
	Inbox        ports.Inbox
	Webhooks     ports.IntegrationWebhooks
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Platforms    map[string]ports.CalledConnector // by type
	Accounts     ports.IntegrationAccounts
	Importer     ports.Importer
	Clock        ports.Clock
	Log          *slog.Logger
	// Changed is called with the products whose fields or stock have changed, after they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Wanted is called when an integration has a sync to do. It must not block.
	Wanted func()
}

// Job works on the deliveries that are due.
func (w *Worker) Job() jobs.Job[*integration.Delivery] {
	return jobs.Job[*integration.Delivery]{
		Name:   "work on webhooks",
		Queue:  w.Queue,
		Work:   w.batch,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  w.Clock,
		Log:    w.Log,
	}
}

// batch works on deliveries of one integration. It finishes even if the worker is stopped.
func (w *Worker) batch(ctx ports.Outbound, t jobs.Task[*integration.Delivery]) error {
	ctx = ctx.WithoutCancel()
	at := *w
	at.Clock = t.Clock
	list := make([]*integration.Delivery, len(t.Items))
	for i, l := range t.Items {
		list[i] = l.Item
	}
	slices.SortStableFunc(list, func(a, b *integration.Delivery) int { return eventTime(a).Compare(eventTime(b)) })
	err := at.work(ctx, list)
	if err == nil || errors.Is(err, fault.ErrUnreadable) {
		return err
	}
	w.Log.WarnContext(ctx, "webhook deliveries are postponed", "integration", t.Group, "error", err)
	if at.postpone(ctx, list) != nil {
		return err // they become due when their leases end
	}
	return jobs.ErrFailed
}

// postpone makes deliveries due again that this server could not work on. That does not count as a failed attempt.
func (w *Worker) postpone(ctx context.Context, list []*integration.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout/2)
	defer cancel()
	for _, d := range list {
		put := *d
		put.Postpone(w.Clock.Now().Add(retryPause))
		if err := w.Inbox.Record(ctx, &put, d.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// eventTime returns when the change of a delivery happened, as far as it is known.
func eventTime(d *integration.Delivery) time.Time {
	if d.At.IsZero() {
		return d.ReceivedAt
	}
	return d.At
}

// webhooksOf returns the webhooks of an integration by id.
func (w *Worker) webhooksOf(ctx context.Context, of *integration.Integration) (map[id.Webhook]*integration.Webhook, error) {
	list, err := w.Webhooks.List(ctx, of.Project, of.ID)
	all := make(map[id.Webhook]*integration.Webhook, len(list))
	for _, one := range list {
		all[one.ID] = one
	}
	return all, err
}
