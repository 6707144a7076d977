package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// RefundDecidableAfter is how old a pending refund must be before a person may decide it.
const RefundDecidableAfter = 10 * time.Minute

// FailedManually is the failure code of a refund that a person declared failed.
const FailedManually = "resolved_by_merchant"

// Decidable returns why a person cannot decide the refund now, or nil. A person decides only if the provider did not
// report the refund's state when it was last asked.
func (r *Refund) Decidable(now time.Time) error {
	switch age := now.Sub(r.CreatedAt); {
	case r.Status != RefundIsPending:
		return ErrStaleOutcome
	case r.Origin == MadeElsewhere:
		return fault.New(fault.Conflict, "refund_external", "The refund was made at the provider, which will report its outcome.")
	case age < RefundDecidableAfter:
		return fault.New(fault.Conflict, "refund_too_recent", "The refund is less than 10 minutes old, and the provider may still "+
			"report its outcome. Try again later.").
			After(RefundDecidableAfter - age)
	case r.Attempts == 0:
		return fault.New(fault.Conflict, "refund_not_asked", "The payment provider has not been asked for the refund yet. Try again.").
			After(RefundLease)
	case r.Problem == "":
		return fault.New(fault.Conflict, "refund_at_provider", "The payment provider has accepted the refund and will decide it.").
			After(mostRefundPause)
	}
	return nil
}

// ResolveRefund records a person's decision on a refund: Refunded, or RefundFailed with FailedManually.
func (c *Case) ResolveRefund(refund id.Refund, outcome RefundOutcome, announce id.Event, now time.Time) error {
	r := c.FindRefund(refund)
	if r == nil {
		return fault.Missing("refund")
	}
	if err := r.Decidable(now); err != nil {
		return err
	}
	if o, ok := outcome.(Refunded); ok && o.Provider != "" {
		for i := range c.Refunds {
			if c.Refunds[i].Provider == o.Provider && c.Refunds[i].ID != refund {
				return ErrRefundTaken
			}
		}
	}
	return c.SettleRefund(refund, outcome, announce, now)
}

// UnresolvedEvent returns the payload that announces a refund with an unknown outcome.
func (r *Refund) UnresolvedEvent(provider string) event.RefundUnresolved {
	return event.RefundUnresolved{
		Refund:   r.ID,
		Order:    r.Order,
		Payment:  r.Payment,
		Amount:   r.Amount,
		Provider: provider,
		Since:    r.CreatedAt,
		Asked:    r.Attempts,
		Problem:  r.Problem,
	}
}

// ErrRefundTaken means that another refund has the provider's id.
var ErrRefundTaken = fault.New(fault.Conflict, "refund_taken", "Another refund has this provider id.")

// lateSuccess books a refund that the provider made after all. Either a person had declared it failed, or the provider
// had refused it without making a refund (then it has no ID) and accepted the same request from another server later:
// PayPal refuses while a dispute is open, and does not remember refused requests. A refund that was made and failed
// never succeeds, because that report is older. Like a refund made elsewhere it is booked in full, even if pending
// refunds are for the same money.
func (c *Case) lateSuccess(r *Refund, o Refunded, announce id.Event, now time.Time) error {
	p := &c.Order.Payment
	switch {
	case !r.ReversedAt.IsZero(), r.Failure != FailedManually && r.Provider != "":
		return ErrStaleOutcome
	case p.Refunded.Minor()+r.Amount.Minor() > p.Amount.Minor():
		return ErrRefundExceedsPayment
	}
	p.Refunding = money.Of(p.Refunding.Minor()+r.Amount.Minor(), p.Amount.Currency())
	r.Failure = ""
	c.succeeded(r, o.Provider, announce, now)
	return nil
}
