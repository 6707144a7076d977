package order

import (
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// PlatformState is the order's current state at its platform.
type PlatformState struct {
	Canceled bool
	Refunds  []PlatformRefund // oldest first
}

// PlatformRefund is a refund that a platform recorded. The platform moved no money, because the payment was taken here.
type PlatformRefund struct {
	Remote string       // the platform's id
	Ours   id.Refund    // our refund that was written to the platform; zero: the merchant recorded it there
	Amount money.Amount // zero: it only restocks goods
}

// Consequences are the actions required here after a change at the platform. Money never moves: a refund that is
// recorded there leads only to an alert.
type Consequences struct {
	Cancel bool
	Alerts []string // sentences for the merchant
}

// Apply cancels the order if it was canceled at the platform, whose label is given.
func (d Consequences) Apply(c *Case, label string, announce id.Event, now time.Time) error {
	if d.Cancel {
		return c.CancelElsewhere("Canceled at "+label+".", announce, now)
	}
	return nil
}

// Reading is a platform's response about an order.
type Reading struct {
	State   PlatformState
	Changes int    // Told.Changes before the platform was asked
	Label   string // of the platform
	// Stocked returns those takes whose stock the platform counts too.
	Stocked func([]catalog.Reservation) []catalog.Reservation
}

// Change records that the platform has reported a change of the order: its cancellation, or a refund.
func (w *PlatformOrder) Change(now time.Time) {
	if w.Status == PlatformRefused || w.Status == PlatformSkipped {
		return
	}
	w.Told.Changes, w.UpdatedAt = w.Told.Changes+1, now
	if w.DueAt.IsZero() {
		w.DueAt = now
	}
}

// Read returns the consequences of changes at the platform, each once: it remembers refunds by their IDs at the
// platform. It does not change the case; Consequences.Apply does that, in the same transaction.
func (w *PlatformOrder) Read(c *Case, r Reading, now time.Time) (d Consequences) {
	w.clearChanges(r.Changes)
	w.Told.Unread = false
	for _, one := range r.State.Refunds {
		if ours := c.FindRefund(one.Ours); ours != nil {
			w.markWritten(ours.ID)
		}
	}
	for _, one := range r.State.Refunds {
		if c.FindRefund(one.Ours) != nil || slices.Contains(w.Told.Read, one.Remote) {
			continue
		}
		w.Told.Read = append(slices.Clone(w.Told.Read), one.Remote)
		if one.Amount.IsPositive() {
			w.readRefund(c, r, one.Amount, &d)
		}
	}
	if r.State.Canceled && !w.Told.Canceled {
		w.readCancellation(c, r, &d)
	}
	w.done(now)
	return d
}

// clearChanges clears the changes that were known before the platform was asked. If the platform has reported another one
// since, its response may be older than that change, so the order is read again.
func (w *PlatformOrder) clearChanges(changes int) {
	if w.Told.Changes == changes {
		w.Told.Changes = 0
	}
}

// Unreadable records that the platform refuses to show the order. The other steps continue. It reports whether to alert
// the merchant: once, until the order can be read again.
func (w *PlatformOrder) Unreadable(changes int, now time.Time) (alert bool) {
	w.clearChanges(changes)
	alert, w.Told.Unread = !w.Told.Unread, true
	w.done(now)
	return alert
}

func (w *PlatformOrder) markWritten(refund id.Refund) {
	if !slices.Contains(w.Told.Refunds, refund) {
		w.Told.Refunds = append(slices.Clone(w.Told.Refunds), refund)
	}
}

// readRefund handles a refund that was recorded at the platform. If a refund here has the same amount and was not
// written to the platform yet, both count as one: the merchant has recorded it there by hand. Otherwise the merchant is
// alerted.
func (w *PlatformOrder) readRefund(c *Case, r Reading, amount money.Amount, d *Consequences) {
	for _, ours := range c.Refunds {
		if ours.Status != RefundIsFailed && ours.Amount == amount && !slices.Contains(w.Told.Refunds, ours.ID) {
			w.markWritten(ours.ID)
			w.recordPutBack(r.Stocked(c.restockedFor(ours.Return)))
			return
		}
	}
	w.Told.Recorded = append(slices.Clone(w.Told.Recorded), amount.Minor())
	d.Alerts = append(d.Alerts, "A refund of "+amount.String()+" "+amount.Currency().Code()+" is recorded at "+r.Label+
		", which holds no money: refund the payment here.")
}

// readCancellation cancels the order here if it can be canceled. Our stock follows the platform's, whether the platform
// has restocked the goods or not.
func (w *PlatformOrder) readCancellation(c *Case, r Reading, d *Consequences) {
	w.Told.Canceled = true
	if c.Order.Status != Canceled {
		if err := c.Cancelable(); err != nil {
			d.Alerts = append(d.Alerts, r.Label+" canceled the order, which cannot be canceled here: "+words(err))
			return
		}
		d.Cancel = true
		left := c.Order.Payment.Left()
		due := left.Minor()
		for _, recorded := range w.Told.Recorded { // the merchant was alerted of these
			due -= recorded
		}
		if due > 0 {
			text := money.Of(due, left.Currency()).String() + " " + left.Currency().Code()
			d.Alerts = append(d.Alerts, "It was canceled at "+r.Label+". "+text+" of its payment are not refunded: refund them here if they are due.")
		}
	}
	w.recordPutBack(r.Stocked(c.out()))
}

func words(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err.Error()
	}
	return known.Description()
}
