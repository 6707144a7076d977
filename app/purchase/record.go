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
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// mostNumbers is how many confirmation numbers an order draws that others have.
const mostNumbers = 3

// record is the second transaction: everything that follows from the outcome, or nothing. If the
// attempt was decided by somebody else meanwhile, their outcome is the answer.
func (s *Service) record(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	return s.recordIf(ctx, p, checkoutID, attempt, outcome, func(*checkout.Checkout, time.Time) bool { return true })
}

// recordIf is record for a checkout that is as it must be. Otherwise it returns checkout.ErrProcessing.
func (s *Service) recordIf(
	ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, fits func(*checkout.Checkout, time.Time) bool,
) (Result, error) {
	var result Result
	err := failpoint.At(ctx, failpoint.BeforeRecord)
	if err == nil {
		result, err = s.settled(ctx, p, checkoutID, attempt, outcome, fits)
	}
	for n := 1; n < mostNumbers && fault.Is(err, "confirmation_taken"); n++ {
		result, err = s.settled(ctx, p, checkoutID, attempt, outcome, fits)
	}
	if errors.Is(err, checkout.ErrProcessing) {
		return Result{}, err
	}
	if errors.Is(err, checkout.ErrStale) {
		if o, found := s.Orders.ByCheckout(ctx, p.ID, checkoutID); found == nil {
			if paid, ok := outcome.(checkout.Paid); ok && paid.Provider != o.Payment.Provider {
				s.overpaid(ctx, p, checkoutID, attempt, paid)
			}
			return Result{Order: o}, nil
		}
		return s.late(ctx, p, checkoutID, attempt, outcome)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "payment outcome not recorded yet; the reconciler will", "checkout", inLog(checkoutID), "error", err)
		return Result{}, ErrUnresolved
	}
	s.count(outcome)
	s.placed()
	return result, failpoint.At(ctx, failpoint.RecordCommitted)
}

// settled stores what follows from an outcome.
func (s *Service) settled(
	ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome, fits func(*checkout.Checkout, time.Time) bool,
) (result Result, err error) {
	err = s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, checkoutID)
		if err != nil {
			return err
		}
		if c.Status() == checkout.Processing && !fits(c, now) {
			return checkout.ErrProcessing
		}
		result = Result{}
		settlement, err := s.settle(p, c, attempt, outcome, now)
		if err != nil {
			return err
		}
		if declined, ok := outcome.(checkout.Declined); ok {
			result.Declined = &Declined{declined, c.ID(), c.Status(), c.Status() == checkout.Pending}
		}
		result.Order = settlement.Order
		if err := tx.Settle(ctx, settlement); err != nil {
			return err
		}
		return failpoint.At(ctx, failpoint.Recorded)
	})
	return result, err
}

// count counts an attempt by its outcome; nil is one that nobody knows.
func (s *Service) count(outcome checkout.Outcome) {
	if s.Meter == nil {
		return
	}
	result := "unresolved"
	switch outcome.(type) {
	case checkout.Paid:
		result = "paid"
	case checkout.Declined:
		result = "declined"
	case checkout.NotCharged:
		result = "not_charged"
	}
	s.Meter.Paid(result)
}

// late answers an outcome that somebody else recorded first, and no order came of it.
func (s *Service) late(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	switch o := outcome.(type) {
	case checkout.Paid:
		s.overpaid(ctx, p, checkoutID, attempt, o)
	case checkout.Declined:
		c, err := s.Checkouts.Get(ctx, p.ID, checkoutID)
		if err == nil && (c.Status() == checkout.Pending || c.Status() == checkout.Canceled) {
			return Result{Declined: &Declined{o, c.ID(), c.Status(), c.Status() == checkout.Pending}}, nil
		}
	}
	return Result{}, ErrUnresolved
}

// overpaid tells of money that no order was made of. The reconciliation report shows it too.
func (s *Service) overpaid(ctx context.Context, p *project.Project, of id.Checkout, attempt int, paid checkout.Paid) {
	s.Log.ErrorContext(ctx, "the provider took money for an attempt that was given up: refund it at the provider",
		"project", p.ID.String(), "charge", paid.Provider, "checkout", inLog(of), "attempt", attempt)
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
