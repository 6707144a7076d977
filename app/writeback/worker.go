// Package writeback writes paid orders to the e-commerce platform that their goods come from, each once, and tells the
// platform of what happens to them later. It never asks a platform within a transaction.
//
// An order's counterpart (order.PlatformOrder) is stored with the order, so a crash loses none. Whoever writes it asks the
// platform for it first, for the answer to an earlier attempt may be lost. Once it is written, the platform has counted its
// own stock down, as the sale counted ours: settle makes one of the two.
package writeback

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	poll = 500 * time.Millisecond
	// lease is renewed with each step. It is longer than a step can take, so that nobody else writes the same order meanwhile.
	lease = 30 * time.Second
	// patience bounds what a step asks the platform.
	patience = 20 * time.Second
	// mostSteps of one order are done in one go.
	mostSteps = 50
)

// limits give a platform that hangs one of the places, and platforms that hang half of them.
var limits = jobs.Limits{
	Slots: 8,
	Slow:  4,
	Each:  2,
	Long:  5 * time.Second,
}

// Worker works on platform orders. Its Job is to be run.
type Worker struct {
	Queue        ports.DuePlatformOrders
	Orders       ports.Orders
	Platform     ports.PlatformOrders
	Copies       ports.Copies
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Accounts     ports.IntegrationAccounts
	Writers      map[string]ports.OrderWriter // by type
	Taker        ports.Taker
	Clock        ports.Clock
	Entropy      ports.Entropy
	Log          *slog.Logger
	Live         bool // orders are paid with real money
	// Changed is told of products whose stock has changed, once it is stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
}

// Job works on platform orders that are due.
func (w *Worker) Job() jobs.Job[*order.PlatformOrder] {
	return jobs.Job[*order.PlatformOrder]{
		Name:   "write orders to platforms",
		Queue:  w.Queue,
		Work:   w.work,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  w.Clock,
		Log:    w.Log,
	}
}

// unsure means that the platform may still do what it was asked for before.
type unsure struct{ wait time.Duration }

func (u unsure) Error() string { return "the platform may still do what it was asked for" }

// errLost means that somebody else has the order in hand by now, or that it is gone.
var errLost = errors.New("the platform order is no longer in hand")

// writing is a platform order in hand. Its DueAt, as it was stored last, is the lease under which it is.
type writing struct {
	*Worker
	of          *order.PlatformOrder
	c           *order.Case
	integration *integration.Integration
	writer      ports.OrderWriter
	lines       []line
}

func (w *Worker) work(ctx ports.Outbound, t jobs.Task[*order.PlatformOrder]) error {
	at := *w
	at.Clock = t.Clock
	h := &writing{Worker: &at, of: t.Item()}
	defer func() { t.Extended(h.of.DueAt) }()
	err := h.steps(ctx)
	switch {
	case err == nil, errors.Is(err, errLost):
		return nil
	case errors.Is(err, fault.ErrUnreadable):
		return err
	}
	if err = h.trouble(ctx.WithoutCancel(), err); err != nil && !errors.Is(err, errLost) {
		return err // the lease ends
	}
	return jobs.ErrFailed
}

// steps does what is to be done for the order, one step after the other, until nothing is left. A step that has begun is
// finished when the program is told to stop.
func (h *writing) steps(until ports.Outbound) error {
	ctx := until.WithoutCancel()
	if err := h.open(ctx); err != nil {
		return err
	}
	for n := 0; n < mostSteps && until.Err() == nil; n++ {
		step := h.of.Next(h.c)
		if step == nil {
			return h.rest(ctx)
		}
		if err := h.do(ctx, step); err != nil {
			return err
		}
		if h.of.DueAt.IsZero() {
			return nil // refused or skipped
		}
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error { // others have their turn
		w.DueAt = h.Clock.Now()
		return nil
	})
}

func (h *writing) open(ctx context.Context) (err error) {
	if h.c, err = h.Orders.Case(ctx, h.of.Project, h.of.Order); err != nil {
		return err
	}
	if h.integration, err = h.Integrations.ByID(ctx, h.of.Project, h.of.Integration); err != nil {
		return err
	}
	if h.integration.Status == integration.Disconnected {
		return integration.ErrDisconnected()
	}
	if h.writer = h.Writers[h.integration.Type.String()]; h.writer == nil {
		// A newer replica may have one.
		return &ports.PlatformFailure{Reason: "This server has no connection to " + h.integration.Type.Label() + "."}
	}
	h.lines, err = h.linesOf(ctx)
	return err
}

func (h *writing) do(ctx ports.Outbound, step order.PlatformStep) error {
	switch s := step.(type) {
	case order.WriteStep:
		return h.write(ctx)
	case order.SkipStep:
		return h.skip(ctx, s.Reason)
	case order.SettleStep:
		return h.settle(ctx)
	case order.ReadStep:
		return h.read(ctx)
	}
	return h.tell(ctx, step)
}

// asking asks the platform.
func (h *writing) asking(ctx ports.Outbound, ask func(ports.Outbound, ports.Connection) error) error {
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	return h.Accounts.Use(bounded, h.integration, func(c ports.Connection) error { return ask(bounded, c) })
}

// rest leaves an order of which nothing is to be done. If it has changed meanwhile, it is due again.
func (h *writing) rest(ctx context.Context) error {
	return h.change(ctx, func(c *order.Case, w *order.PlatformOrder) error {
		w.DueAt = h.Clock.Now()
		w.Rest(c, h.Clock.Now())
		return nil
	})
}

// change changes the platform order, if it is still in hand.
func (h *writing) change(ctx context.Context, change func(*order.Case, *order.PlatformOrder) error) error {
	committed, err := h.changeIn(ctx, h.Platform, change)
	if err == nil {
		committed()
	}
	return err
}

// changeIn is change within a transaction. committed is to be called once that is committed.
func (h *writing) changeIn(ctx context.Context, stores ports.PlatformOrders,
	change func(*order.Case, *order.PlatformOrder) error) (committed func(), err error) {
	var now *order.Case
	after, err := stores.ChangePlatformOrder(ctx, h.of.Project, h.of.Order, func(c *order.Case, w *order.PlatformOrder) error {
		if !w.DueAt.Equal(h.of.DueAt) {
			return errLost
		}
		now = c
		return change(c, w)
	})
	if fault.KindOf(err) == fault.NotFound {
		err = errLost
	}
	return func() { h.of, h.c = after, now }, err
}

// keep takes the lease anew after a step.
func (h *writing) keep(w *order.PlatformOrder) { w.DueAt = h.Clock.Now().Add(lease) }

// trouble decides what becomes of an order that could not be written, or told of. An error leaves it to its lease.
func (h *writing) trouble(ctx context.Context, err error) error {
	var unknown unsure
	var refusal *ports.PlatformRefusal
	postpone := func(reason string, wait time.Duration) error {
		return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Postpone(reason, wait, h.Clock.Now())
			return nil
		})
	}
	reason, wait, passing := ports.RepeatAfter(err)
	switch {
	case passing:
		return postpone(reason, wait)
	case errors.As(err, &unknown):
		return postpone("The platform has not answered, and may still do it.", unknown.wait)
	case errors.As(err, &refusal):
		return h.refuse(ctx, refusal.Reason)
	case fault.Is(err, integration.ErrDisconnected().Code):
		return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Skip(order.SkippedDisconnected, h.Clock.Now())
			return nil
		})
	case fault.KindOf(err) == fault.NotFound:
		return errLost
	}
	h.Log.ErrorContext(ctx, "an order could not be written to its platform", "order", h.of.Order.String(), "error", err)
	return postpone("This server has a problem of its own.", 0)
}
