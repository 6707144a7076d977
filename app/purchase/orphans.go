package purchase

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// storeOrphan stores an orphan charge, which is money for an attempt that was given up, with its event. The charge of an
// existing order is not stored as one.
func (s *Service) storeOrphan(ctx context.Context, tx ports.Purchase, c *checkout.Checkout, attempt int, paid checkout.Paid, by source, now time.Time) error {
	o := c.Orphaned(attempt, paid.Provider, now)
	again := attempt == c.Attempt() && c.Status() == checkout.Completed
	if again && (by == notice || c.Snapshot().Manual == attempt) {
		o.MarkUncertain(checkout.ErrSecondCharge, now)
	}
	stored, err := tx.Orphan(ctx, o, s.orphanEvent(o, now))
	if stored {
		s.Log.ErrorContext(ctx, "the provider took money for an attempt that was given up",
			"project", o.Project.String(), "charge", o.Charge, "checkout", inLog(o.Checkout), "attempt", attempt, "refund", o.State.String())
	}
	return err
}

// orphanEvent returns the event with the state of an orphan charge's refund.
func (s *Service) orphanEvent(o *checkout.Orphan, now time.Time) *event.Event {
	refund := "pending"
	switch o.State {
	case checkout.OrphanRefunded:
		refund = "succeeded"
	case checkout.OrphanFailed:
		refund = "failed"
	}
	return event.New(s.Entropy.IDBits(), o.Project, now, event.PaymentOrphaned{
		Checkout: o.Checkout,
		Attempt:  o.Attempt,
		Provider: o.Route.Provider,
		Charge:   o.Charge,
		Amount:   o.Amount,
		Refund:   refund,
	})
}

// OrphanRefunds returns the job that refunds orphan charges.
func (s *Service) OrphanRefunds() jobs.Job[*checkout.Orphan] {
	return jobs.Job[*checkout.Orphan]{
		Name:  "refund orphan charges",
		Queue: s.DueOrphans,
		Limits: jobs.Limits{
			Slots: 8,
			Slow:  4,
			Each:  2,
			Long:  chargeTimeout / 2,
		},
		Lease: checkout.OrphanLease,
		Poll:  2 * time.Second,
		Clock: s.Clock,
		Log:   s.Log,
		Work: func(ctx ports.Outbound, t jobs.Task[*checkout.Orphan]) error {
			return s.refundOrphan(ctx.WithoutCancel(), t.Item())
		},
	}
}

// refundOrphan asks the provider for the refund and records the outcome. The caller holds the lease. An
// unknown outcome is not a failure: the same request is sent again later, under the same key.
func (s *Service) refundOrphan(ctx ports.Outbound, o *checkout.Orphan) error {
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	outcome, unknown := s.Gateway.Refund(bounded, ports.RefundRequest{
		Project:  o.Project,
		Route:    o.Route,
		Key:      o.ID,
		Charge:   o.Charge,
		Amount:   o.Amount,
		Since:    o.DetectedAt,
		Checkout: o.Checkout,
	})
	return errors.Join(unknown, s.storeOrphanRefund(ctx, o.Project, o.ID, outcome, unknown))
}

// storeOrphanRefund records the outcome of an orphan charge's refund. Without an outcome it postpones the refund, with cause as
// the problem.
func (s *Service) storeOrphanRefund(ctx context.Context, of id.Project, orphan string, outcome order.RefundOutcome, cause error) error {
	decided := false
	err := s.Orphans.ChangeOrphan(ctx, of, orphan, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		decided = false
		switch outcome := outcome.(type) {
		case order.Refunded:
			decided = o.Refunded(outcome.Provider, now)
		case order.RefundFailed:
			decided = o.RefundFailed(outcome.Provider, outcome.Code, now)
		default:
			problem := ""
			if cause != nil {
				problem = ports.Problem(cause)
			}
			o.Postpone(problem, now)
		}
		if !decided {
			return nil, nil
		}
		return s.orphanEvent(o, now), nil
	})
	if err == nil && decided {
		s.outboxWritten()
	}
	return err
}

// RecordOrphanRefund records the outcome of an orphan charge's refund that a provider reported by webhook, also the failure of
// one that had succeeded. For an unknown orphan it returns NotFound, orphan_not_found.
func (s *Service) RecordOrphanRefund(ctx context.Context, of id.Project, orphan string, outcome order.RefundOutcome) error {
	if _, undecided := outcome.(order.RefundPending); undecided {
		return nil
	}
	return s.storeOrphanRefund(context.WithoutCancel(ctx), of, orphan, outcome, nil)
}
