package order

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
)

var (
	// ErrRefundUndecided asks to report a refund made elsewhere again later, once it is known not to be one of ours.
	ErrRefundUndecided = fault.New(fault.Conflict, "refund_undecided", "A refund of the payment is not decided yet.")
	// ErrRefundExceedsPayment refuses a report of more than was paid. Either the books or the report are wrong, so a
	// person must check it. The reconciliation shows the difference.
	ErrRefundExceedsPayment = fault.New(fault.Conflict, "refund_exceeds_payment", "More was given back than was paid.")
)

// ReverseRefund records that a refund failed at the provider. If it had succeeded before, the provider has the money
// again, and the buyer does not get it. A refund that is recorded as failed does not change, and neither does one that
// succeeded by another refund at the provider that a person named.
func (c *Case) ReverseRefund(refund id.Refund, f RefundFailed, announce id.Event, entry id.Transaction, now time.Time) error {
	r := c.FindRefund(refund)
	switch {
	case r == nil:
		return fault.Missing("refund")
	case r.Status == RefundIsFailed:
		return nil
	case r.Status == RefundIsPending:
		c.failed(r, f, announce, now)
		return nil
	case f.Provider != "" && r.Provider != "" && f.Provider != r.Provider:
		return nil
	}
	o, p := c.Order, &c.Order.Payment
	p.Refunded = money.Of(p.Refunded.Minor()-r.Amount.Minor(), p.Amount.Currency())
	r.Status, r.Failure, r.ReversedAt, r.UpdatedAt = RefundIsFailed, f.Code, now, now
	back := c.givenBack(r, now)
	back.ID = entry
	c.Ledger = append(c.Ledger, ledger.Reversal(back, r.Amount))
	o.followPayment()
	c.announceFailure(r, announce, now)
	return nil
}

// failed ends a pending refund of which nothing was refunded.
func (c *Case) failed(r *Refund, f RefundFailed, announce id.Event, now time.Time) {
	c.stopRefunding(r.Amount)
	if f.Provider != "" {
		r.Provider = f.Provider
	}
	r.Status, r.Failure, r.Problem, r.DueAt, r.UpdatedAt = RefundIsFailed, f.Code, "", time.Time{}, now
	c.announceFailure(r, announce, now)
}

func (c *Case) announceFailure(r *Refund, announce id.Event, now time.Time) {
	c.announce(announce, now, func(n int) event.Data {
		return event.RefundFailed{
			Refund:    r.ID,
			Order:     r.Order,
			Sequence:  n,
			Payment:   r.Payment,
			Amount:    r.Amount,
			Refunded:  c.Order.Payment.Refunded,
			Failure:   r.Failure,
			Succeeded: !r.ReversedAt.IsZero(),
			Return:    r.Return,
		}
	})
}

// RefundIDs are new IDs for the records that the report of a refund made elsewhere may create.
type RefundIDs struct {
	Refund   id.Refund
	Announce id.Event
	Reversal id.Transaction
}

// ReportRefund records a refund that was made elsewhere. It is booked in full, even if pending refunds of ours are for
// the same money, because the provider will refuse those. A repeated or late report changes nothing: a refund that
// failed never succeeds.
func (c *Case) ReportRefund(e ExternalRefund, ids RefundIDs, now time.Time) error {
	i := slices.IndexFunc(c.Refunds, func(r Refund) bool { return r.Provider == e.Provider })
	if e.Whole {
		left := c.Order.Payment.Amount.Minor() - c.Order.Payment.Refunded.Minor()
		e.Amount = money.Of(min(e.Amount.Minor(), left), e.Amount.Currency())
	}
	if i < 0 && e.Whole && e.Amount.IsZero() {
		return nil // all of it was refunded before
	}
	if i < 0 {
		var err error
		if i, err = c.recordElsewhere(e, ids.Refund, now); err != nil {
			return err
		}
	}
	r := &c.Refunds[i]
	switch o := e.Outcome.(type) {
	case Refunded:
		if r.Status == RefundIsPending {
			if c.Order.Payment.Refunded.Minor()+r.Amount.Minor() > c.Order.Payment.Amount.Minor() {
				return ErrRefundExceedsPayment
			}
			c.succeeded(r, e.Provider, ids.Announce, now)
		}
	case RefundFailed:
		return c.ReverseRefund(r.ID, o, ids.Announce, ids.Reversal, now)
	}
	return nil
}

// recordElsewhere adds a refund that is not known yet, and returns its index. A failed refund is recorded too, because
// a late report of its success must find it.
func (c *Case) recordElsewhere(e ExternalRefund, refund id.Refund, now time.Time) (int, error) {
	p := &c.Order.Payment
	check := fault.NewCheck()
	check.That(e.Provider != "", "provider", "must name the refund")
	check.That(e.Amount.Currency() == p.Amount.Currency(), "amount", "must be in "+p.Amount.Currency().Code())
	check.That(e.Amount.IsPositive(), "amount", "must be more than 0")
	if err := check.Err(); err != nil {
		return 0, err
	}
	for _, r := range c.Refunds {
		if r.Status == RefundIsPending && r.Provider == "" && r.Amount == e.Amount {
			return 0, ErrRefundUndecided // it may be this one, whose response was lost or is still to come
		}
	}
	r := Refund{
		ID:        refund,
		Project:   c.Order.Project,
		Order:     c.Order.ID,
		Payment:   p.ID,
		Amount:    e.Amount,
		Origin:    MadeElsewhere,
		Status:    RefundIsPending,
		Provider:  e.Provider,
		CreatedAt: now,
		UpdatedAt: now,
	}
	if !e.At.IsZero() && e.At.Before(now) {
		r.CreatedAt = e.At
	}
	switch o := e.Outcome.(type) {
	case RefundFailed:
		r.Status, r.Failure = RefundIsFailed, o.Code
	case RefundPending:
		if e.Amount.Minor() > p.Left().Minor() {
			return 0, ErrRefundUndecided // it and our pending ones cannot all succeed
		}
		p.Refunding = money.Of(p.Refunding.Minor()+e.Amount.Minor(), p.Amount.Currency())
	default:
		if p.Refunded.Minor()+e.Amount.Minor() > p.Amount.Minor() {
			return 0, ErrRefundExceedsPayment
		}
		p.Refunding = money.Of(p.Refunding.Minor()+e.Amount.Minor(), p.Amount.Currency()) // until ReportRefund settles it
	}
	c.Refunds = append(c.Refunds, r)
	return len(c.Refunds) - 1, nil
}
