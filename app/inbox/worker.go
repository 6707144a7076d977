package inbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often due deliveries, those that other replicas stored too, are looked for.
	poll = 500 * time.Millisecond
	// lease is how long a delivery is in hand. It is longer than working on it can take.
	lease = 30 * time.Second
	// reading bounds what a group of deliveries asks the platform.
	reading = 15 * time.Second
	// claimed are how many deliveries are taken in hand at once, and waiting how many may be.
	claimed = 64
	waiting = 256
	// again is when deliveries are tried that this server could not work on.
	again = 2 * time.Second
	// atOnce are how many integrations are worked on at once.
	atOnce = 8
	// kept is how long the log is, and forgotten how many rows of it are removed at once.
	kept      = 30 * 24 * time.Hour
	forgotten = 1000
)

// Taker takes records within a transaction, and holds their integration from its start.
type Taker interface {
	Take(ctx context.Context, stores ports.SyncStores, on ports.Taking, records []syncrun.Record) (ports.Taken, error)
}

// Projects finds the project of a delivery.
type Projects interface {
	ByProject(ctx context.Context, project id.Project) (*project.Project, error)
}

// Parts are what a worker works with.
type Parts struct {
	Queue        ports.InboxQueue
	Inbox        ports.Inbox
	Webhooks     ports.IntegrationWebhooks
	Integrations ports.Integrations
	Projects     Projects
	Unit         ports.SyncUnit
	Platforms    map[string]ports.CalledConnector // by type
	Accounts     Accounts
	Taker        Taker
	Clock        ports.Clock
	Log          *slog.Logger
	// Changed is told of products whose fields or stock have changed, once they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Wanted is told that an integration is to be read. It never waits.
	Wanted func()
	// Ran is told after each round of work, with what went wrong.
	Ran func(error)
}

// Worker works on deliveries, as long as it runs. Any number of them share the work. Of one integration it
// works on one group of deliveries at a time, so that they are taken in the order of what they tell.
type Worker struct {
	Parts
	wake    chan struct{}
	done    chan id.Integration
	waiting map[id.Integration][]*integration.Delivery
	busy    map[id.Integration]bool
}

// NewWorker puts one together. Run starts it.
func NewWorker(p Parts) *Worker {
	return &Worker{
		Parts: p, wake: make(chan struct{}, 1), done: make(chan id.Integration, atOnce),
		waiting: map[id.Integration][]*integration.Delivery{}, busy: map[id.Integration]bool{},
	}
}

// Wake tells that there may be something to do. It never waits.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends, and then finishes what it has begun. What it has not is handed out again when
// its lease is over.
func (w *Worker) Run(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		var more bool
		err := fault.Survive(func() (err error) {
			more, err = w.step(ctx)
			return err
		})
		if ctx.Err() == nil {
			w.Ran(err)
		}
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			for range len(w.busy) {
				<-w.done
			}
			return
		case <-w.wake:
		case <-tick.C:
		case i := <-w.done:
			delete(w.busy, i)
		}
	}
}

// step takes due deliveries in hand and starts on them, as far as there is room. It tells whether there is
// room for more that may be due.
func (w *Worker) step(ctx context.Context) (more bool, err error) {
	held := 0
	for _, list := range w.waiting {
		held += len(list)
	}
	if held+claimed <= waiting && len(w.busy) < atOnce {
		now := w.Clock.Now()
		list, err := w.Queue.Claim(ctx, now, now.Add(lease), claimed, w.slow())
		if err != nil {
			return false, err
		}
		for _, d := range list {
			w.waiting[d.Integration] = append(w.waiting[d.Integration], d)
		}
		more = len(list) == claimed
	}
	for of := range w.waiting {
		if len(w.busy) < atOnce && !w.busy[of] {
			w.start(ctx, of)
		}
	}
	return more, nil
}

// slow are the integrations of which enough waits here: their platforms keep no others waiting.
func (w *Worker) slow() (list []id.Integration) {
	for of, waits := range w.waiting {
		if len(waits) >= claimed {
			list = append(list, of)
		}
	}
	return list
}

// start works on what waits of an integration. What has waited too long is left to its lease.
func (w *Worker) start(ctx context.Context, of id.Integration) {
	list, now := w.waiting[of], w.Clock.Now()
	delete(w.waiting, of)
	list = slices.DeleteFunc(list, func(d *integration.Delivery) bool { return late(d, now) })
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b *integration.Delivery) int { return happened(a).Compare(happened(b)) })
	w.busy[of] = true
	go func() {
		defer func() { w.done <- of }()
		for group := range slices.Chunk(list, claimed) {
			if ctx.Err() != nil {
				return
			}
			group = slices.DeleteFunc(group, func(d *integration.Delivery) bool { return late(d, w.Clock.Now()) })
			if len(group) == 0 {
				continue
			}
			err := fault.Survive(func() error { return w.work(context.WithoutCancel(ctx), group) })
			if err != nil {
				w.Log.WarnContext(ctx, "webhook deliveries are put off", "integration", of.String(), "error", err)
				w.release(context.WithoutCancel(ctx), group, err)
			}
		}
	}()
}

// late tells whether a delivery's lease may end before the work on it does.
func late(d *integration.Delivery, now time.Time) bool { return d.DueAt.Sub(now) < reading+storing/2 }

// release puts deliveries off that this server could not work on, which is no failure of theirs unless they
// brought out a mistake of ours. Those of which it cannot even store that are left to their lease.
func (w *Worker) release(ctx context.Context, list []*integration.Delivery, why error) {
	ctx, cancel := context.WithTimeout(ctx, storing/2)
	defer cancel()
	for _, d := range list {
		put := *d
		put.Postpone(w.Clock.Now().Add(again))
		if errors.Is(why, fault.ErrPanic) {
			put.Failed("This server has a problem of its own with it.", w.Clock.Now())
		}
		if w.Inbox.Record(ctx, &put, d.DueAt) != nil {
			return
		}
	}
}

// happened is when what a delivery tells did, as far as anybody knows.
func happened(d *integration.Delivery) time.Time {
	if d.At.IsZero() {
		return d.ReceivedAt
	}
	return d.At
}

// Forget removes what is too old for the log.
func (w *Worker) Forget(ctx context.Context) error {
	for {
		n, err := w.Queue.Forget(ctx, w.Clock.Now().Add(-kept), forgotten)
		if err != nil || n < forgotten {
			return err
		}
	}
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
