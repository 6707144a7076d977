// Package writeback writes each paid order once to the e-commerce platform that its goods come from, and sends later changes of
// the order there. It never calls a platform within a transaction.
//
// An order's counterpart (order.PlatformOrder) is stored with the order, so a crash loses none. Each attempt looks the order up
// at the platform first, because the response to an earlier attempt may have been lost. Once the order is written, the platform
// has reduced its own stock, and the sale has reduced ours; settle corrects the double count.
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
	// lease is renewed with each step. It is longer than a step can take, so that no other worker writes the same order meanwhile.
	lease = 30 * time.Second
	// patience limits the calls of the platform in a step.
	patience = 20 * time.Second
	// maxSteps is how many steps of one order are executed before other orders are due.
	maxSteps = 50
)

// limits allow a platform that hangs two of the slots, and all platforms that hang half of the slots.
var limits = jobs.Limits{
	Slots: 8,
	Slow:  4,
	Each:  2,
	Long:  5 * time.Second,
}

// Worker writes platform orders. The caller runs its Job.
type Worker struct {
	Queue           ports.DuePlatformOrders
	Orders          ports.Orders
	Platform        ports.PlatformOrders
	ExternalRecords ports.ExternalRecords
	Integrations    ports.Integrations
	Projects        ports.ProjectFinder
	Unit            ports.SyncUnit
	Accounts        ports.IntegrationAccounts
	Writers         map[string]ports.OrderWriter // by type
	Importer        ports.Importer
	Clock           ports.Clock
	Entropy         ports.Entropy
	Log             *slog.Logger
	Live            bool // orders are paid with real money
	// Changed is called with products whose stock has changed, after the change is stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
}

// Job returns the job that writes platform orders that are due.
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

// uncertainError means that the platform may still process an earlier request, for wait at most.
type uncertainError struct{ wait time.Duration }

func (u uncertainError) Error() string { return "the platform may still do what it was asked for" }

// errLost means that another worker has leased the order meanwhile, or that it was deleted.
var errLost = errors.New("the platform order is no longer in hand")

// claimedOrder is a leased platform order. Its DueAt, as last stored, is the end of the lease.
type claimedOrder struct {
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
	h := &claimedOrder{Worker: &at, of: t.Item()}
	defer func() { t.Extended(h.of.DueAt) }()
	err := h.steps(ctx)
	switch {
	case err == nil, errors.Is(err, errLost):
		return nil
	case errors.Is(err, fault.ErrUnreadable):
		return err
	}
	if err = h.handleError(ctx.WithoutCancel(), err); err != nil && !errors.Is(err, errLost) {
		return err // the order is retried after its lease
	}
	return jobs.ErrFailed
}

// steps executes the order's steps until none is left. A shutdown does not interrupt a step.
func (h *claimedOrder) steps(until ports.Outbound) error {
	ctx := until.WithoutCancel()
	if err := h.load(ctx); err != nil {
		return err
	}
	for n := 0; n < maxSteps && until.Err() == nil; n++ {
		step := h.of.Next(h.c)
		if step == nil {
			return h.finish(ctx)
		}
		if err := h.execute(ctx, step); err != nil {
			return err
		}
		if h.of.DueAt.IsZero() {
			return nil // refused or skipped
		}
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error { // continue after other orders
		w.DueAt = h.Clock.Now()
		return nil
	})
}

// load reads the order, its integration and its lines.
func (h *claimedOrder) load(ctx context.Context) (err error) {
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

func (h *claimedOrder) execute(ctx ports.Outbound, step order.PlatformStep) error {
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
	return h.sendChange(ctx, step)
}

// callPlatform runs call with a connection to the platform.
func (h *claimedOrder) callPlatform(ctx ports.Outbound, call func(ports.Outbound, ports.Connection) error) error {
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	return h.Accounts.Use(bounded, h.integration, func(c ports.Connection) error { return call(bounded, c) })
}

// finish ends the work on an order without further steps. If the order has changed meanwhile, it is due again.
func (h *claimedOrder) finish(ctx context.Context) error {
	return h.change(ctx, func(c *order.Case, w *order.PlatformOrder) error {
		w.DueAt = h.Clock.Now()
		w.Rest(c, h.Clock.Now())
		return nil
	})
}

// change changes the platform order, if its lease has not ended.
func (h *claimedOrder) change(ctx context.Context, change func(*order.Case, *order.PlatformOrder) error) error {
	committed, err := h.changeIn(ctx, h.Platform, change)
	if err == nil {
		committed()
	}
	return err
}

// changeIn is change within a transaction. The caller must call committed after the commit.
func (h *claimedOrder) changeIn(ctx context.Context, stores ports.PlatformOrders,
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

// renewLease renews the lease after a step.
func (h *claimedOrder) renewLease(w *order.PlatformOrder) { w.DueAt = h.Clock.Now().Add(lease) }

// handleError postpones, refuses or skips an order that could not be written or updated. If it returns an error, the order is
// retried after its lease.
func (h *claimedOrder) handleError(ctx context.Context, err error) error {
	var uncertain uncertainError
	var refusal *ports.PlatformRefusal
	postpone := func(reason string, wait time.Duration) error {
		return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Postpone(reason, wait, h.Clock.Now())
			return nil
		})
	}
	reason, wait, temporary := ports.RepeatAfter(err)
	switch {
	case temporary:
		return postpone(reason, wait)
	case errors.As(err, &uncertain):
		return postpone("The platform has not responded, and may still write the order.", uncertain.wait)
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
	return postpone("The server has an internal error.", 0)
}
