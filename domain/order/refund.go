package order

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	// RefundLease is how long a worker has the exclusive right to ask the provider for a refund. It is longer than
	// the longest such call.
	RefundLease = 15 * time.Second
	// The pause between tries of a refund that the provider has not decided grows from firstRefundPause to
	// mostRefundPause.
	firstRefundPause = 2 * time.Second
	mostRefundPause  = time.Hour
	// MaxRefunds is the largest number of refunds of a payment.
	MaxRefunds = 1000
)

// RefundStatus is the status of a refund.
type RefundStatus struct{ name string }

var (
	RefundIsPending = RefundStatus{"pending"} // the provider is asked until it decides
	RefundSucceeded = RefundStatus{"succeeded"}
	RefundIsFailed  = RefundStatus{"failed"}
)

func (s RefundStatus) String() string { return s.name }

// RefundStatuses are all statuses by name.
var RefundStatuses = map[string]RefundStatus{"pending": RefundIsPending, "succeeded": RefundSucceeded, "failed": RefundIsFailed}

// RefundOrigin is where a refund was made.
type RefundOrigin struct{ name string }

var (
	// RequestedHere is the zero origin: we ask the provider for the refund under its ID.
	RequestedHere = RefundOrigin{}
	// MadeElsewhere is a refund made in the provider's dashboard or by the provider itself. We never ask for it.
	MadeElsewhere = RefundOrigin{"external"}
)

func (o RefundOrigin) String() string { return cmp.Or(o.name, "requested") }

// RefundOrigins are all origins by name.
var RefundOrigins = map[string]RefundOrigin{"requested": RequestedHere, "external": MadeElsewhere}

// Refund returns money of a payment to the buyer.
type Refund struct {
	ID         id.Refund
	Project    id.Project
	Order      id.Order
	Payment    id.Payment
	Return     id.Return // zero: not for a return
	Amount     money.Amount
	Origin     RefundOrigin
	Reason     string
	Status     RefundStatus
	Failure    string // why it failed, by the provider's code
	Problem    string // why the last request to the provider failed, in words for the merchant
	Provider   string // the provider's own id of the refund
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ReversedAt time.Time // when it failed after it had succeeded; zero: it did not
	Attempts   int       // how often the provider was asked without a decision
	DueAt      time.Time // when any worker may ask for a pending refund; zero once decided, and if made elsewhere
}

var (
	// ErrRefunded means that nothing of the payment is left, counting pending refunds.
	ErrRefunded = fault.New(fault.Conflict, "payment_refunded", "The payment has nothing left to refund.")
	// ErrStaleOutcome means that the refund was decided differently before.
	ErrStaleOutcome = fault.New(fault.Conflict, "refund_decided", "The refund has been decided.")
)

// Refund adds a pending refund of an amount, or of all that is left if amount is nil. The provider must then be asked
// for it.
func (c *Case) Refund(refund id.Refund, amount *money.Amount, reason string, now time.Time) error {
	return c.refund(refund, id.Return{}, amount, reason, now)
}

func (c *Case) refund(refund id.Refund, ret id.Return, amount *money.Amount, reason string, now time.Time) error {
	p := &c.Order.Payment
	left := p.Left()
	if !left.IsPositive() {
		return ErrRefunded
	}
	if amount == nil {
		amount = &left
	}
	check := fault.NewCheck()
	check.That(utf8.RuneCountInString(reason) <= 2000, "reason", "must have at most 2,000 characters")
	switch {
	case amount.Currency() != left.Currency():
		check.That(false, "amount", "must be in "+left.Currency().Code())
	case !amount.IsPositive():
		check.That(false, "amount", "must be more than 0")
	case amount.Minor() > left.Minor():
		check.That(false, "amount", "is more than the "+left.String()+" "+left.Currency().Code()+" that are left to refund")
	}
	if err := check.Err(); err != nil {
		return err
	}
	if len(c.Refunds) >= MaxRefunds {
		return fault.New(fault.Conflict, "too_many_refunds", "The payment has too many refunds.")
	}
	p.Refunding = money.Of(p.Refunding.Minor()+amount.Minor(), left.Currency())
	c.Refunds = append(c.Refunds, Refund{
		ID:        refund,
		Project:   c.Order.Project,
		Order:     c.Order.ID,
		Payment:   p.ID,
		Return:    ret,
		Amount:    *amount,
		Reason:    reason,
		Status:    RefundIsPending,
		CreatedAt: now,
		UpdatedAt: now,
		DueAt:     now.Add(RefundLease),
	})
	return nil
}

// FindRefund returns a refund of the case, or nil.
func (c *Case) FindRefund(refund id.Refund) *Refund {
	i := slices.IndexFunc(c.Refunds, func(r Refund) bool { return r.ID == refund })
	if i < 0 {
		return nil
	}
	return &c.Refunds[i]
}

// SettleRefund records the provider's outcome of a refund. announce is the ID of the event if the refund is decided.
// The same outcome again changes nothing. A different one returns ErrStaleOutcome, except as described at lateSuccess.
func (c *Case) SettleRefund(refund id.Refund, outcome RefundOutcome, announce id.Event, now time.Time) error {
	r := c.FindRefund(refund)
	if r == nil {
		return fault.Missing("refund")
	}
	if r.Status != RefundIsPending {
		if o, ok := outcome.(Refunded); ok && r.Status == RefundIsFailed {
			return c.lateSuccess(r, o, announce, now)
		}
		return r.settledAs(outcome)
	}
	switch o := outcome.(type) {
	case Refunded:
		c.succeeded(r, o.Provider, announce, now)
	case RefundPending:
		r.Provider = o.Provider
		r.postpone("", now)
	case RefundFailed:
		c.failed(r, o, announce, now)
	}
	return nil
}

func (r *Refund) settledAs(outcome RefundOutcome) error {
	_, refunded := outcome.(Refunded)
	_, failed := outcome.(RefundFailed)
	if refunded && r.Status == RefundSucceeded || failed && r.Status == RefundIsFailed {
		return nil
	}
	return ErrStaleOutcome
}

func (c *Case) succeeded(r *Refund, provider string, announce id.Event, now time.Time) {
	o, p := c.Order, &c.Order.Payment
	c.stopRefunding(r.Amount)
	p.Refunded = money.Of(p.Refunded.Minor()+r.Amount.Minor(), p.Amount.Currency())
	r.Status, r.Provider, r.Problem, r.DueAt, r.UpdatedAt = RefundSucceeded, provider, "", time.Time{}, now
	c.Ledger = append(c.Ledger, ledger.Refund(c.givenBack(r, now), r.Amount))
	o.followPayment()
	c.announce(announce, now, func(n int) event.Data {
		return event.OrderRefunded{
			Refund:   r.ID,
			Order:    o.ID,
			Sequence: n,
			Payment:  p.ID,
			Amount:   r.Amount,
			Refunded: p.Refunded,
			Reason:   r.Reason,
			External: r.Origin == MadeElsewhere,
			Return:   r.Return,
		}
	})
}

func (c *Case) givenBack(r *Refund, now time.Time) ledger.Transaction {
	return ledger.Transaction{
		Project:  r.Project,
		Order:    r.Order,
		Payment:  r.Payment,
		Refund:   r.ID,
		Provider: c.Order.Payment.Route.Provider,
		At:       now,
	}
}

func (c *Case) stopRefunding(amount money.Amount) {
	p := &c.Order.Payment
	p.Refunding = money.Of(p.Refunding.Minor()-amount.Minor(), p.Amount.Currency())
}

// PostponeRefund records that the outcome of a refund is unknown, and why, so that the provider is asked again later.
// It does not change a refund that was decided meanwhile.
func (c *Case) PostponeRefund(refund id.Refund, problem string, now time.Time) error {
	r := c.FindRefund(refund)
	if r == nil {
		return fault.Missing("refund")
	}
	if r.Status == RefundIsPending {
		r.postpone(problem, now)
	}
	return nil
}

func (r *Refund) postpone(problem string, now time.Time) {
	pause := min(firstRefundPause<<min(r.Attempts, 12), mostRefundPause)
	r.Attempts++
	r.Problem, r.DueAt, r.UpdatedAt = problem, now.Add(pause), now
}
