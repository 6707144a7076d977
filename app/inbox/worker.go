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
	// poll is how often due deliveries, those that other replicas stored too, are looked for.
	poll = 500 * time.Millisecond
	// lease is longer than working on a batch takes.
	lease = 30 * time.Second
	// reading bounds what a group of deliveries asks the platform.
	reading = 15 * time.Second
	// again is when deliveries are tried that this server could not work on.
	again = 2 * time.Second
)

// limits give a platform that hangs one of the places, and platforms that hang half of them.
var limits = jobs.Limits{
	Slots: 8,
	Slow:  4,
	Batch: 64,
	Long:  5 * time.Second,
}

// Worker works on deliveries: on one batch of an integration at a time, so that they are taken in the order of
// what they tell. Its Job is to be run.
type Worker struct {
	Queue        ports.InboxQueue
	Inbox        ports.Inbox
	Webhooks     ports.IntegrationWebhooks
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Platforms    map[string]ports.CalledConnector // by type
	Accounts     ports.IntegrationAccounts
	Taker        ports.Taker
	Clock        ports.Clock
	Log          *slog.Logger
	// Changed is told of products whose fields or stock have changed, once they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Wanted is told that an integration is to be read. It never waits.
	Wanted func()
}

// Job works on deliveries that are due.
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

// batch works on deliveries of one integration, and finishes when the worker is stopped.
func (w *Worker) batch(ctx ports.Outbound, t jobs.Task[*integration.Delivery]) error {
	ctx = ctx.WithoutCancel()
	at := *w
	at.Clock = t.Clock
	list := make([]*integration.Delivery, len(t.Items))
	for i, l := range t.Items {
		list[i] = l.Item
	}
	slices.SortStableFunc(list, func(a, b *integration.Delivery) int { return happened(a).Compare(happened(b)) })
	err := at.work(ctx, list)
	if err == nil || errors.Is(err, fault.ErrUnreadable) {
		return err
	}
	w.Log.WarnContext(ctx, "webhook deliveries are postponed", "integration", t.Group, "error", err)
	if at.postpone(ctx, list) != nil {
		return err // the leases end
	}
	return jobs.ErrFailed
}

// postpone makes deliveries due again that this server could not work on, which is no failure of theirs.
func (w *Worker) postpone(ctx context.Context, list []*integration.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, storing/2)
	defer cancel()
	for _, d := range list {
		put := *d
		put.Postpone(w.Clock.Now().Add(again))
		if err := w.Inbox.Record(ctx, &put, d.DueAt); err != nil {
			return err
		}
	}
	return nil
}

// happened is when what a delivery tells did, as far as anybody knows.
func happened(d *integration.Delivery) time.Time {
	if d.At.IsZero() {
		return d.ReceivedAt
	}
	return d.At
}

// topics are the webhooks of an integration by id.
func (w *Worker) topics(ctx context.Context, of *integration.Integration) (map[id.Webhook]*integration.Webhook, error) {
	list, err := w.Webhooks.List(ctx, of.Project, of.ID)
	all := make(map[id.Webhook]*integration.Webhook, len(list))
	for _, one := range list {
		all[one.ID] = one
	}
	return all, err
}
