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

// mostNumbers is how many confirmation numbers an order draws that others have.
const mostNumbers = 3

// record is the second transaction: everything that follows from the outcome, or nothing. If the
// attempt was decided by somebody else meanwhile, their outcome is the answer.
func (s *Service) record(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	return s.recordAs(ctx, p, checkoutID, attempt, outcome, answer)
}

// errTaken keeps an attempt from its order: a person named its charge for another one. A person decides it, too.
var errTaken = fault.New(fault.Conflict, "charge_taken", "The provider charged the payment, but another order has that charge.")

// source is where an outcome comes from.
type source bool

const (
	answer source = false // the provider's to a request of whoever holds the attempt's lease
	notice source = true  // the provider reported it by itself
)

// recordAs is record for either source. A notice of an attempt that is just being charged is
// checkout.ErrProcessing: whoever charges it records the provider's answer, which says more, and if that process
// has died, the attempt lapses and is resolved.
func (s *Service) recordAs(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, by source) (Result, error) {
	var result Result
	err := failpoint.At(ctx, failpoint.BeforeRecord)
	if err == nil {
		result, err = s.settled(ctx, p, checkoutID, attempt, outcome, by)
	}
	for n := 1; n < mostNumbers && fault.Is(err, "confirmation_taken"); n++ {
		result, err = s.settled(ctx, p, checkoutID, attempt, outcome, by)
	}
	if errors.Is(err, checkout.ErrProcessing) {
		return nil, err
	}
	if errors.Is(err, checkout.ErrStale) {
		if by == notice { // it is recorded, or was decided by somebody else
			return nil, nil
		}
		if o, found := s.Orders.ByCheckout(ctx, p.ID, checkoutID); found == nil {
			return Placed{Order: o, elsewhere: true}, nil
		}
		return s.late(ctx, p, checkoutID, outcome)
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
	s.count(outcome, placed.Checkout)
	s.placed()
	return result, failpoint.At(ctx, failpoint.RecordCommitted)
}

// settled stores what follows from an outcome.
func (s *Service) settled(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, by source) (result Result, err error) {
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
			return s.orphan(ctx, tx, c, attempt, paid, by, now)
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
		s.placed()
		return result, checkout.ErrStale
	}
	return result, err
}

// count counts an attempt by its outcome, where nil is one that nobody knows, and the checkout that it completed; nil: none.
func (s *Service) count(outcome checkout.Outcome, completed *checkout.Checkout) {
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

// late answers an outcome that somebody else recorded first, and no order came of it.
func (s *Service) late(ctx context.Context, p *project.Project, checkoutID id.Checkout, outcome checkout.Outcome) (Result, error) {
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

// inLog names a checkout in the log. Its id is a capability and stays out of it (decisions 5).
func inLog(c id.Checkout) string { return id.Hash(c.String())[:12] }

// settle moves the checkout by the outcome and says what else is to be stored.
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
