package order

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// PlatformState is an order as its platform has it now.
type PlatformState struct {
	Canceled bool
	Refunds  []PlatformRefund // oldest first
}

// PlatformRefund is a refund as a platform has recorded it. The payment was taken here, so the platform moved no money.
type PlatformRefund struct {
	Remote string       // the platform's id of it
	Ours   id.Refund    // the refund of ours that the platform was told of; zero: it was made there
	Amount money.Amount // zero: it restocks goods alone
}

// Consequences are what is to be done here for what was done at the platform.
type Consequences struct {
	Cancel  bool
	Refunds []PlannedRefund
	Alerts  []string // sentences for the merchant
}

// PlannedRefund is a refund that is to be requested here.
type PlannedRefund struct {
	ID     id.Refund
	Amount money.Amount
}

// Apply does it. The platform is label.
func (d Consequences) Apply(c *Case, label string, announce id.Event, now time.Time) error {
	for _, r := range d.Refunds {
		if err := c.Refund(r.ID, &r.Amount, "Refunded at "+label+".", now); err != nil {
			return err
		}
		c.FindRefund(r.ID).DueAt = now // nobody else asks the provider for it
	}
	if d.Cancel {
		return c.CancelElsewhere("Canceled at "+label+".", announce, now)
	}
	return nil
}

// Reading is how the state of a platform's order is read.
type Reading struct {
	State PlatformState
	Label string // of the platform
	// Refund has money given back here for refunds that were made there; else the merchant is alerted.
	Refund bool
	// Stocked returns those takes whose stock the platform counts, too.
	Stocked func([]catalog.Take) []catalog.Take
}

// refundFor is the id of the refund here that one at the platform leads to. It is always the same one, so that there is one
// at most, even if a server of a release before drops what Told knows of it.
func (w *PlatformOrder) refundFor(remote string) id.Refund {
	sum := sha256.Sum256([]byte(w.Project.String() + "\n" + w.Order.String() + "\n" + w.Integration.String() + "\n" + remote))
	return id.New[id.Refund]([16]byte(sum[:16]))
}

// Change records that the platform has reported a change of the order: its cancellation, or a refund.
func (w *PlatformOrder) Change(now time.Time) {
	if w.Status == PlatformRefused || w.Status == PlatformSkipped {
		return
	}
	w.Told.Changed, w.UpdatedAt = true, now
	if w.DueAt.IsZero() {
		w.DueAt = now
	}
}

// Read draws the consequences of what was done at the platform, each once: it remembers refunds by the platform's ids of
// them. The case is not changed; Consequences.Apply does that, in the same transaction.
func (w *PlatformOrder) Read(c *Case, r Reading, now time.Time) (d Consequences) {
	w.Told.Changed = false
	left := c.Order.Payment.Left()
	for _, one := range r.State.Refunds {
		if ours := c.FindRefund(one.Ours); ours != nil {
			w.knows(ours.ID)
		}
	}
	for _, one := range r.State.Refunds {
		if c.FindRefund(one.Ours) != nil || slices.Contains(w.Told.Read, one.Remote) {
			continue
		}
		w.Told.Read = append(slices.Clone(w.Told.Read), one.Remote)
		switch planned := w.refundFor(one.Remote); {
		case c.FindRefund(planned) != nil:
			w.knows(planned)
		case one.Amount.IsPositive():
			left = w.readRefund(c, r, PlannedRefund{planned, one.Amount}, left, &d)
		}
	}
	if r.State.Canceled && !w.Told.Canceled {
		w.readCancellation(c, r, left, &d)
	}
	w.done(now)
	return d
}

func (w *PlatformOrder) knows(refund id.Refund) {
	if !slices.Contains(w.Told.Refunds, refund) {
		w.Told.Refunds = append(slices.Clone(w.Told.Refunds), refund)
	}
}

// readRefund deals with a refund that was made at the platform. One of ours that is as much, and that the platform was not
// told of, is taken for the same: two persons may have refunded at once, and giving too little back can be mended.
func (w *PlatformOrder) readRefund(c *Case, r Reading, planned PlannedRefund, left money.Amount, d *Consequences) (rest money.Amount) {
	amount := planned.Amount
	for _, ours := range c.Refunds {
		if ours.Status != RefundIsFailed && ours.Amount == amount && !slices.Contains(w.Told.Refunds, ours.ID) {
			w.knows(ours.ID)
			w.put(r.Stocked(c.restockedFor(ours.Return)))
			return left
		}
	}
	text := amount.String() + " " + amount.Currency().Code()
	give := money.Of(min(amount.Minor(), left.Minor()), left.Currency())
	switch {
	case !r.Refund:
		w.Told.Recorded = append(slices.Clone(w.Told.Recorded), amount.Minor())
		d.Alerts = append(d.Alerts, "A refund of "+text+" is recorded at "+r.Label+", which holds no money: refund the payment here.")
		return left
	case !give.IsPositive() || len(c.Refunds)+len(d.Refunds) >= MaxRefunds:
		d.Alerts = append(d.Alerts, "A refund of "+text+" is recorded at "+r.Label+", but nothing can be refunded here any more.")
		return left
	case give.Minor() < amount.Minor():
		d.Alerts = append(d.Alerts, "A refund of "+text+" is recorded at "+r.Label+", but only "+give.String()+" were left to refund.")
	}
	planned.Amount = give
	w.knows(planned.ID)
	d.Refunds = append(d.Refunds, planned)
	return money.Of(left.Minor()-give.Minor(), left.Currency())
}

// readCancellation cancels the order here, unless it is canceled or cannot be. Our stock follows the platform's, whether it
// has restocked the goods or not.
func (w *PlatformOrder) readCancellation(c *Case, r Reading, left money.Amount, d *Consequences) {
	w.Told.Canceled = true
	if c.Order.Status != Canceled {
		if err := c.Cancelable(); err != nil {
			d.Alerts = append(d.Alerts, r.Label+" canceled the order, which cannot be canceled here: "+words(err))
			return
		}
		d.Cancel = true
		due := left.Minor()
		for _, recorded := range w.Told.Recorded { // the merchant was alerted of these
			due -= recorded
		}
		if due > 0 {
			text := money.Of(due, left.Currency()).String() + " " + left.Currency().Code()
			d.Alerts = append(d.Alerts, "It was canceled at "+r.Label+". "+text+" of its payment are not given back: refund them here, if they are due.")
		}
	}
	w.put(r.Stocked(c.out()))
}

func words(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err.Error()
	}
	return known.Description()
}
