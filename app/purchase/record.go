package purchase

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// maxNumberTries is how many random confirmation numbers are tried for an order before giving up.
const maxNumberTries = 3

// record is the second transaction: it stores everything that follows from the outcome, or nothing. If another
// process has decided the attempt meanwhile, record returns that result.
func (s *Service) record(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	return s.recordFrom(ctx, p, checkoutID, attempt, outcome, response)
}

// errTaken means that an attempt cannot become an order, because a person assigned its charge to another order. A person has to
// decide it, too.
var errTaken = fault.New(fault.Conflict, "charge_taken", "The provider charged the payment, but another order has that charge.")

// source is where an outcome comes from.
type source bool

const (
	response source = false // a provider's response to the holder of the attempt's lease
	notice   source = true  // a provider's webhook
)

// recordFrom is record for either source. For a notice of an attempt that is being charged it returns checkout.ErrProcessing:
// the process that charges it records the provider's response, which has more details. If that process has died, the attempt
// lapses and is resolved.
func (s *Service) recordFrom(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, by source) (Result, error) {
	var result Result
	err := failpoint.At(ctx, failpoint.BeforeRecord)
	if err == nil {
		result, err = s.storeOutcome(ctx, p, checkoutID, attempt, outcome, by)
	}
	for n := 1; n < maxNumberTries && fault.Is(err, "confirmation_taken"); n++ {
		result, err = s.storeOutcome(ctx, p, checkoutID, attempt, outcome, by)
	}
	if errors.Is(err, checkout.ErrProcessing) {
		return nil, err
	}
	if errors.Is(err, checkout.ErrStale) {
		if by == notice { // it is recorded already, or decided otherwise
			return nil, nil
		}
		if o, found := s.Orders.ByCheckout(ctx, p.ID, checkoutID); found == nil {
			return Placed{Order: o, recordedElsewhere: true}, nil
		}
		return s.staleResult(ctx, p, checkoutID, outcome)
	}
	if fault.Is(err, errTaken.Code) {
		err = errTaken
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "payment outcome not recorded yet; the reconciler will", "checkout", inLog(checkoutID), "error", err)
		if errors.Is(err, errTaken) {
			return nil, fmt.Errorf("%w: %w", ErrUnresolved, err)
		}
		return nil, ErrUnresolved
	}
	placed, _ := result.(Placed)
	s.countOutcome(outcome, placed.Checkout)
	s.outboxWritten()
	return result, failpoint.At(ctx, failpoint.RecordCommitted)
}

// storeOutcome stores what follows from an outcome, in one transaction.
func (s *Service) storeOutcome(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, by source) (result Result, err error) {
	stale := false
	err = s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, checkoutID)
		if err != nil {
			return err
		}
		if by == notice && c.Status() == checkout.Processing && c.Attempt() == attempt && !c.Lapsed(now) {
			return checkout.ErrProcessing
		}
		result, stale = nil, false
		settlement, err := s.settle(p, c, attempt, outcome, now)
		if paid, ok := outcome.(checkout.Paid); ok && errors.Is(err, checkout.ErrStale) {
			stale = true
			return s.storeOrphan(ctx, tx, c, attempt, paid, by, now)
		}
		if err != nil {
			return err
		}
		switch o := outcome.(type) {
		case checkout.Paid:
			result = Placed{Order: settlement.Order, Checkout: c}
		case checkout.Declined:
			result = declined(o, c)
		}
		if err := tx.Settle(ctx, settlement); err != nil {
			return err
		}
		return failpoint.At(ctx, failpoint.Recorded)
	})
	if err == nil && stale {
		s.outboxWritten()
		return result, checkout.ErrStale
	}
	return result, err
}

// countOutcome updates the metrics for an attempt. A nil outcome is an unknown one; completed is the checkout that the attempt
// completed, or nil.
func (s *Service) countOutcome(outcome checkout.Outcome, completed *checkout.Checkout) {
	if s.Meter == nil {
		return
	}
	label := "unresolved"
	switch outcome.(type) {
	case checkout.Paid:
		label = "paid"
	case checkout.Declined:
		label = "declined"
	case checkout.NotCharged:
		label = "not_charged"
	}
	s.Meter.Paid(label)
	if completed != nil {
		total, savings := completed.Total(), completed.Snapshot().Savings
		s.Meter.Sold(total, money.Of(max(0, savings.Minor()), total.Currency()))
	}
}

// staleResult returns the result for an attempt that another process has decided, without an order.
func (s *Service) staleResult(ctx context.Context, p *project.Project, checkoutID id.Checkout, outcome checkout.Outcome) (Result, error) {
	if o, ok := outcome.(checkout.Declined); ok {
		c, err := s.Checkouts.Get(ctx, p.ID, checkoutID)
		if err == nil && (c.Status() == checkout.Pending || c.Status() == checkout.Canceled) {
			return declined(o, c), nil
		}
	}
	return nil, ErrUnresolved
}

func declined(o checkout.Declined, c *checkout.Checkout) Declined {
	return Declined{o, c.ID(), c.Status(), c.Revision(), c.Total()}
}

// inLog returns a short hash that identifies a checkout in the log. The id itself grants access, so it is not logged.
func inLog(c id.Checkout) string { return id.Hash(c.String())[:12] }

// settle applies the outcome to the checkout and returns everything that has to be stored.
func (s *Service) settle(p *project.Project, c *checkout.Checkout, attempt int, outcome checkout.Outcome, now time.Time) (ports.Settlement, error) {
	settlement := ports.Settlement{Checkout: c}
	var err error
	switch o := outcome.(type) {
	case checkout.Paid:
		if err = c.Complete(attempt); err != nil {
			return settlement, err
		}
		settlement.Order, settlement.Event = s.place(p, c, o, now)
	case checkout.Declined:
		settlement.PutBack, err = c.Decline(attempt, !o.Final)
		settlement.Declined = now
	case checkout.NotCharged:
		settlement.PutBack, err = c.PutBack(attempt)
	default:
		err = fmt.Errorf("purchase: unknown outcome %T", outcome)
	}
	return settlement, err
}
