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

// orphan stores money of an attempt that no order comes of, with its event. The charge that an order was made
// of is none.
func (s *Service) orphan(ctx context.Context, tx ports.Purchase, c *checkout.Checkout, attempt int, paid checkout.Paid, by source, now time.Time) error {
	o := c.Orphaned(attempt, paid.Provider, now)
	again := attempt == c.Attempt() && c.Status() == checkout.Completed
	if again && (by == notice || c.Snapshot().Manual == attempt) {
		o.Doubt(checkout.ErrSecondCharge, now)
	}
	stored, err := tx.Orphan(ctx, o, s.orphaned(o, now))
	if stored {
		s.Log.ErrorContext(ctx, "the provider took money for an attempt that was given up",
			"project", o.Project.String(), "charge", o.Charge, "checkout", inLog(o.Checkout), "attempt", attempt, "refund", o.State.String())
	}
	return err
}

// orphaned is the event of how far the refund of an orphan charge is.
func (s *Service) orphaned(o *checkout.Orphan, now time.Time) *event.Event {
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

// OrphanRefunds asks the providers to give orphan charges back.
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

// refundOrphan asks the provider for the refund and records what it answers. The caller holds the lease. An
// unknown outcome is no failure: the same request is made again later, under the same key.
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
	return errors.Join(unknown, s.orphanRefund(ctx, o.Project, o.ID, outcome, unknown))
}

// orphanRefund records what is known of an orphan's refund now. Without an outcome, cause is why the provider was not
// asked in fact.
func (s *Service) orphanRefund(ctx context.Context, of id.Project, orphan string, outcome order.RefundOutcome, cause error) error {
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
		return s.orphaned(o, now), nil
	})
	if err == nil && decided {
		s.placed()
	}
	return err
}

// HeardOrphanRefund records what a provider reports by itself of the refund of an orphan charge: also that one failed
// which had succeeded. Unknown: NotFound orphan_not_found.
func (s *Service) HeardOrphanRefund(ctx context.Context, of id.Project, orphan string, outcome order.RefundOutcome) error {
	if _, undecided := outcome.(order.RefundPending); undecided {
		return nil
	}
	return s.orphanRefund(context.WithoutCancel(ctx), of, orphan, outcome, nil)
}
