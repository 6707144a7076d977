// Package crm mirrors paid orders as deals in a CRM, beside the e-commerce platform that package writeback writes them to. It
// moves no stock and reads nothing back: staff may change a deal, and the next change of its order overwrites what it shows.
//
// A deal (order.CRMDeal) is stored with its order, so a crash loses none. What is written is the order's state as it is then.
// The CRM keeps the order's id unique, so a repeated attempt finds the deal of an earlier one. The CRM is never asked within a
// transaction.
package crm

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	poll = 500 * time.Millisecond
	// lease is longer than an attempt can take, so that nobody else writes the same deal meanwhile.
	lease = 30 * time.Second
	// patience bounds what an attempt asks the CRM.
	patience = 20 * time.Second
)

// limits give a CRM that hangs one of the places, and CRMs that hang half of them.
var limits = jobs.Limits{Slots: 8, Slow: 4, Each: 2, Long: 5 * time.Second}

// Worker works on deals. Its Job is to be run.
type Worker struct {
	Queue        ports.DueCRMDeals
	Orders       ports.Orders
	Deals        ports.CRMDeals
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Accounts     ports.IntegrationAccounts
	Writers      map[string]ports.DealWriter // by type
	Clock        ports.Clock
	Entropy      ports.Entropy
	Log          *slog.Logger
	Live         bool // orders are paid with real money
}

// Job works on deals that are due.
func (w *Worker) Job() jobs.Job[*order.CRMDeal] {
	return jobs.Job[*order.CRMDeal]{
		Name:   "write deals to CRMs",
		Queue:  w.Queue,
		Work:   w.work,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  w.Clock,
		Log:    w.Log,
	}
}

// errLost means that somebody else has the deal in hand by now, or that it is gone.
var errLost = errors.New("the deal is no longer in hand")

// attempt is an attempt to write a deal. The deal's DueAt is the lease under which it is made.
type attempt struct {
	*Worker
	deal        *order.CRMDeal
	order       *order.Order
	integration *integration.Integration
}

// work makes an attempt. One that has begun is finished when the program is told to stop.
func (w *Worker) work(until ports.Outbound, t jobs.Task[*order.CRMDeal]) error {
	at := *w
	at.Clock = t.Clock
	a, ctx := &attempt{Worker: &at, deal: t.Item()}, until.WithoutCancel()
	err := a.write(ctx)
	if err == nil || errors.Is(err, errLost) {
		return nil
	}
	if errors.Is(err, fault.ErrUnreadable) {
		return err
	}
	if err = a.trouble(ctx, err); err != nil && !errors.Is(err, errLost) {
		return err // the lease ends
	}
	return jobs.ErrFailed
}

func (a *attempt) write(ctx ports.Outbound) error {
	c, err := a.Orders.Case(ctx, a.deal.Project, a.deal.Order)
	if err != nil {
		return err
	}
	a.order = c.Order
	if a.deal.UpToDate(c) {
		return a.change(ctx, a.Deals, func(c *order.Case, d *order.CRMDeal) { d.Rest(c, a.Clock.Now()) })
	}
	if a.integration, err = a.Integrations.ByID(ctx, a.deal.Project, a.deal.Integration); err != nil {
		return err
	}
	if a.integration.Status == integration.Disconnected {
		return integration.ErrDisconnected()
	}
	p, err := a.Projects.ByProject(ctx, a.deal.Project)
	if err != nil {
		return err
	}
	state := c.Deal()
	there, err := a.ask(ctx, ports.DealDraft{
		Order:  c.Order,
		State:  state,
		Shop:   p.Name,
		Live:   a.Live,
		Remote: a.deal.Remote,
	})
	if err == nil {
		err = failpoint.At(ctx, failpoint.DealWritten)
	}
	if err != nil {
		return err
	}
	if err := a.change(ctx, a.Deals, func(c *order.Case, d *order.CRMDeal) {
		d.Wrote(state, there.Remote, there.URL, c, a.Clock.Now())
	}); err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "an order is mirrored as a deal", "order", a.deal.Order.String(), "platform", a.integration.Type.String(), "remote", there.Remote)
	return failpoint.At(ctx, failpoint.DealRecorded)
}

// ask has the CRM's deal show the order.
func (a *attempt) ask(ctx ports.Outbound, d ports.DealDraft) (there ports.WrittenDeal, err error) {
	w := a.Writers[a.integration.Type.String()]
	if w == nil { // a newer replica may have one
		return there, &ports.PlatformFailure{Reason: "This server writes no deals to " + a.integration.Type.Label() + "."}
	}
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	err = a.Accounts.Use(bounded, a.integration, func(c ports.Connection) (err error) {
		there, err = w.WriteDeal(bounded, c, d)
		return err
	})
	return there, err
}

// change changes the deal, if it is still in hand.
func (a *attempt) change(ctx context.Context, stores ports.CRMDeals, change func(*order.Case, *order.CRMDeal)) error {
	_, err := stores.ChangeCRMDeal(ctx, a.deal.Project, a.deal.Order, func(c *order.Case, d *order.CRMDeal) error {
		if !d.DueAt.Equal(a.deal.DueAt) {
			return errLost
		}
		change(c, d)
		return nil
	})
	if fault.KindOf(err) == fault.NotFound {
		err = errLost
	}
	return err
}

// trouble decides what becomes of a deal that could not be written. An error leaves it to its lease.
func (a *attempt) trouble(ctx context.Context, err error) error {
	var refusal *ports.PlatformRefusal
	reason, wait, passing := ports.RepeatAfter(err)
	switch {
	case passing:
	case errors.As(err, &refusal):
		return a.alert(ctx, refusal.Reason, (*order.CRMDeal).Refuse)
	case errors.Is(err, ports.ErrDealGone):
		label := a.integration.Type.Label()
		return a.alert(ctx, "The deal was deleted at "+label+", or merged into another. Retry creates a new one.", (*order.CRMDeal).Gone)
	case fault.Is(err, integration.ErrDisconnected().Code):
		return a.change(ctx, a.Deals, func(_ *order.Case, d *order.CRMDeal) { d.Pause(order.SkippedDisconnected, a.Clock.Now()) })
	case fault.KindOf(err) == fault.NotFound:
		return errLost
	default:
		a.Log.ErrorContext(ctx, "a deal could not be written", "order", a.deal.Order.String(), "error", err)
		reason = "This server has a problem of its own."
	}
	return a.change(ctx, a.Deals, func(_ *order.Case, d *order.CRMDeal) { d.Postpone(reason, wait, a.Clock.Now()) })
}

// alert records why the deal is not written, and tells the merchant once of each reason.
func (a *attempt) alert(ctx context.Context, reason string, record func(*order.CRMDeal, string, time.Time)) error {
	return a.Unit.InTx(ctx, a.deal.Project, func(s ports.SyncStores) error {
		told := false
		if err := a.change(ctx, s.Deals, func(_ *order.Case, d *order.CRMDeal) {
			before := d.Problem
			record(d, reason, a.Clock.Now())
			told = d.Problem == before
		}); err != nil || told {
			return err
		}
		return s.Events.Announce(ctx, event.New(a.Entropy.IDBits(), a.deal.Project, a.Clock.Now(), event.IntegrationError{
			Integration: a.deal.Integration,
			Platform:    a.integration.Type.String(),
			Name:        a.integration.Name,
			Error:       "The deal of order " + a.order.Confirmation + " is not written: " + reason,
		}))
	})
}
