// Package crm mirrors paid orders as deals in a CRM. It changes no stock and reads nothing back: staff may edit a deal, and the
// next change of its order overwrites the mirrored fields. Package writeback writes orders to e-commerce platforms.
//
// A deal (order.CRMDeal) is stored with its order, so a crash loses none. Each attempt writes the order's current state.
// The CRM keeps the order's id unique, so a repeated attempt finds the deal of an earlier one. The CRM is never called within a
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
	// lease is longer than an attempt can take, so that no other worker writes the same deal meanwhile.
	lease = 30 * time.Second
	// patience limits an attempt's calls of the CRM.
	patience = 20 * time.Second
)

// limits allow a CRM that hangs two of the slots, and all CRMs that hang half of the slots.
var limits = jobs.Limits{
	Slots: 8,
	Slow:  4,
	Each:  2,
	Long:  5 * time.Second,
}

// Worker writes deals. The caller runs its Job.
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

// Job returns the job that writes deals that are due.
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

// errLost means that the lease has ended, or that the deal was deleted.
var errLost = errors.New("the lease of the deal has ended")

// errPaused means that the integration may not write deals at present.
var errPaused = errors.New("the integration writes no deals")

// attempt is an attempt to write a deal. The deal's DueAt is the lease under which it is made.
type attempt struct {
	*Worker
	deal        *order.CRMDeal
	order       *order.Order
	state       order.DealState
	integration *integration.Integration
	asked       bool // the CRM was asked to write the state
}

// work executes an attempt. A shutdown does not interrupt it.
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
	if err = a.handleError(ctx, err); err != nil && !errors.Is(err, errLost) {
		return err // the deal is retried after its lease
	}
	return jobs.ErrFailed
}

// write writes the order's state to the deal, or names its buyer. If both are needed, the second is due at once, with a new
// lease.
func (a *attempt) write(ctx ports.Outbound) error {
	c, err := a.Orders.Case(ctx, a.deal.Project, a.deal.Order)
	if err != nil {
		return err
	}
	a.order, a.state = c.Order, c.Deal()
	if a.deal.UpToDate(c) {
		return a.change(ctx, a.Deals, func(c *order.Case, d *order.CRMDeal) { d.Rest(c, a.Clock.Now()) })
	}
	if a.integration, err = a.Integrations.ByID(ctx, a.deal.Project, a.deal.Integration); err != nil {
		return err
	}
	if !a.integration.WritesDeals() {
		return errPaused
	}
	if a.deal.ToName(c) {
		return a.nameBuyer(ctx)
	}
	return a.writeDeal(ctx)
}

// writeDeal creates or updates the deal in the CRM.
func (a *attempt) writeDeal(ctx ports.Outbound) error {
	p, err := a.Projects.ByProject(ctx, a.deal.Project)
	if err != nil {
		return err
	}
	var there ports.WrittenDeal
	a.asked = true
	if err := a.callCRM(ctx, func(ctx ports.Outbound, w ports.DealWriter, c ports.Connection) (err error) {
		there, err = w.WriteDeal(ctx, c, ports.DealDraft{
			Order:  a.order,
			State:  a.state,
			Shop:   p.Name,
			Live:   a.Live,
			Remote: a.deal.Remote,
		})
		return err
	}); err != nil {
		return err
	}
	if err := failpoint.At(ctx, failpoint.DealWritten); err != nil {
		return err
	}
	err = a.change(ctx, a.Deals, func(c *order.Case, d *order.CRMDeal) { d.Wrote(a.state, there.Remote, there.URL, c, a.Clock.Now()) })
	if errors.Is(err, errLost) {
		return errors.Join(err, a.recordUncertain(ctx))
	}
	if err != nil {
		return err
	}
	a.Log.InfoContext(ctx, "an order is mirrored as a deal", "order", a.deal.Order.String(), "platform", a.integration.Type.String(), "remote", there.Remote)
	return failpoint.At(ctx, failpoint.DealRecorded)
}

// nameBuyer associates the deal with the buyer's contact. The order was read just before, so no data of an erased buyer is sent.
func (a *attempt) nameBuyer(ctx ports.Outbound) error {
	if err := a.callCRM(ctx, func(ctx ports.Outbound, w ports.DealWriter, c ports.Connection) error {
		return w.NameBuyer(ctx, c, a.deal.Remote, a.order)
	}); err != nil {
		return err
	}
	return a.change(ctx, a.Deals, func(c *order.Case, d *order.CRMDeal) { d.NamedBuyer(c, a.Clock.Now()) })
}

// callCRM runs call with the CRM's writer and connection.
func (a *attempt) callCRM(ctx ports.Outbound, call func(ports.Outbound, ports.DealWriter, ports.Connection) error) error {
	w := a.Writers[a.integration.Type.String()]
	if w == nil { // a newer replica may have one
		return &ports.PlatformFailure{Reason: "This server writes no deals to " + a.integration.Type.Label() + "."}
	}
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	return a.Accounts.Use(bounded, a.integration, func(c ports.Connection) error { return call(bounded, w, c) })
}

// recordUncertain records that an attempt whose lease has ended called the CRM. It needs no lease.
func (a *attempt) recordUncertain(ctx context.Context) error {
	_, err := a.Deals.ChangeCRMDeal(ctx, a.deal.Project, a.deal.Order, func(_ *order.Case, d *order.CRMDeal) error {
		d.MarkUnsure(a.Clock.Now())
		return nil
	})
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// change changes the deal, if its lease has not ended.
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

// handleError postpones, refuses or pauses a deal that could not be written. If it returns an error, the deal is retried after its
// lease.
func (a *attempt) handleError(ctx context.Context, err error) error {
	var refusal *ports.PlatformRefusal
	var withdrawn *ports.DealsNotPermitted
	var slow ports.Throttled
	reason, wait, passing := ports.RepeatAfter(err)
	switch {
	case errors.Is(err, errPaused), fault.Is(err, integration.ErrDisconnected().Code):
		return a.pause(ctx, "")
	case errors.As(err, &withdrawn):
		return a.pause(ctx, withdrawn.Reason)
	case passing:
	case errors.As(err, &refusal):
		return a.refuse(ctx, refusal.Reason, func(c *order.Case, d *order.CRMDeal) { d.Refuse(refusal.Reason, a.state, c, a.Clock.Now()) })
	case errors.Is(err, ports.ErrDealGone):
		gone := "The deal was deleted at " + a.integration.Type.Label() + ", or merged into another. retry-crm-deal creates a new one."
		return a.refuse(ctx, gone, func(_ *order.Case, d *order.CRMDeal) { d.Gone(gone, a.Clock.Now()) })
	case fault.KindOf(err) == fault.NotFound: // the project is being closed; without the order there is no deal to change
		return a.change(ctx, a.Deals, func(_ *order.Case, d *order.CRMDeal) { d.Pause("The project is closed.", a.Clock.Now()) })
	default:
		a.Log.ErrorContext(ctx, "a deal could not be written", "order", a.deal.Order.String(), "error", err)
		reason = "The server has an internal error."
	}
	unanswered := a.asked && !errors.As(err, &slow) && !errors.Is(err, ports.ErrCredentialsRefused)
	err = a.change(ctx, a.Deals, func(_ *order.Case, d *order.CRMDeal) { d.Postpone(reason, unanswered, wait, a.Clock.Now()) })
	if unanswered && errors.Is(err, errLost) {
		return a.recordUncertain(ctx)
	}
	return err
}

// Reasons why a deal is paused.
const (
	reasonOff          = "Writing is turned off."
	reasonNotPermitted = "The account does not permit it."
)

// pause pauses the deal until the integration may write deals again. It locks the integration first, like the change that resumes
// deals does, so that no deal stays paused although the integration may write. withdrawn is the CRM's reason for no longer
// permitting deals; the merchant is alerted once.
func (a *attempt) pause(ctx context.Context, withdrawn string) error {
	return a.Unit.InTx(ctx, a.deal.Project, func(s ports.SyncStores) error {
		alert := false
		i, err := s.Integrations.Update(ctx, a.deal.Project, a.deal.Integration, func(i *integration.Integration) error {
			alert = withdrawn != "" && i.DealsWithdrawn(a.integration.UpdatedAt, a.Clock.Now())
			return nil
		})
		if err != nil {
			return err
		}
		reason := reasonNotPermitted
		switch {
		case i.Status == integration.Disconnected:
			reason = order.SkippedDisconnected
		case i.Config.Skip.Writing:
			reason = reasonOff
		}
		if err := a.change(ctx, s.Deals, func(_ *order.Case, d *order.CRMDeal) {
			if i.WritesDeals() { // again
				d.DueAt = a.Clock.Now()
				return
			}
			d.Pause(reason, a.Clock.Now())
		}); err != nil || !alert {
			return err
		}
		return a.alert(ctx, s, "Deals are no longer written: "+withdrawn)
	})
}

// refuse records that the CRM refuses the deal, and alerts the merchant unless the deal had the same problem before.
func (a *attempt) refuse(ctx context.Context, reason string, record func(*order.Case, *order.CRMDeal)) error {
	return a.Unit.InTx(ctx, a.deal.Project, func(s ports.SyncStores) error {
		known := false
		if err := a.change(ctx, s.Deals, func(c *order.Case, d *order.CRMDeal) {
			before := d.Problem
			record(c, d)
			known = d.Problem == before
		}); err != nil || known {
			return err
		}
		return a.alert(ctx, s, "The deal of order "+a.order.Confirmation+" is not written: "+reason)
	})
}

func (a *attempt) alert(ctx context.Context, s ports.SyncStores, what string) error {
	return s.Events.Announce(ctx, event.New(a.Entropy.IDBits(), a.deal.Project, a.Clock.Now(), event.IntegrationError{
		Integration: a.deal.Integration,
		Platform:    a.integration.Type.String(),
		Name:        a.integration.Name,
		Error:       what,
	}))
}
