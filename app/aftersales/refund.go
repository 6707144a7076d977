package aftersales

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// refundTimeout limits one call of a provider. It is well below order.RefundLease.
const refundTimeout = 8 * time.Second

// RefundRequest is a refund of all or part of a payment.
type RefundRequest struct {
	Payment id.Payment
	Amount  *money.Amount // nil: all that is left
	Reason  string
}

// RequestRefund creates a pending refund. It does not ask the provider yet; ExecuteRefund does, or the
// background job after order.RefundLease.
func (s *Service) RequestRefund(ctx context.Context, project id.Project, r RefundRequest) (*order.Refund, error) {
	payment, err := s.Payments.PaymentByID(ctx, project, r.Payment)
	if err != nil {
		return nil, err
	}
	now, refund := s.Clock.Now(), id.New[id.Refund](s.Entropy.IDBits())
	c, err := s.Orders.Change(ctx, project, payment.Order, func(c *order.Case) error {
		return cmp.Or(c.Refund(refund, r.Amount, r.Reason, now), s.checkRefundable(c, refund))
	})
	if err != nil {
		return nil, err
	}
	return c.FindRefund(refund), nil
}

// checkRefundable refuses an amount that the provider cannot refund, because a part of a payment may have decimals that the
// whole payment does not have. Without this check, the provider would refuse the pending refund.
func (s *Service) checkRefundable(c *order.Case, refund id.Refund) error {
	r := c.FindRefund(refund)
	rules, ok := s.Gateway.(ports.AmountRules)
	if r == nil || !ok || rules.CanCharge(c.Order.Payment.Route, r.Amount) {
		return nil
	}
	return fault.Field("amount", "would be "+r.Amount.String()+" "+r.Amount.Currency().Code()+
		", which the payment provider cannot refund: send another amount")
}

// ExecuteRefund asks the provider for a pending refund and records the outcome. It continues when
// the client disconnects. A decided refund is unchanged. If the outcome is unknown, the refund stays pending, which is not an
// error.
func (s *Service) ExecuteRefund(ctx ports.Outbound, project id.Project, refund id.Refund) (*order.Refund, error) {
	r, err := s.Refunds.RefundByID(ctx, project, refund)
	if err != nil || r.Status != order.RefundIsPending || r.Origin == order.MadeElsewhere {
		return r, err
	}
	if err := failpoint.At(ctx, failpoint.RefundRequested); err != nil {
		return nil, err
	}
	ctx = ctx.WithoutCancel()
	if err := s.execute(ctx, ports.DueRefund{
		Project: project,
		Order:   r.Order,
		Refund:  refund,
	}); err != nil {
		s.Log.WarnContext(ctx, "refund is not decided yet; the background goes on with it", "refund", refund.String(), "error", err)
	}
	return s.Refunds.RefundByID(ctx, project, refund)
}

// Refunding returns the job that executes pending refunds whose lease has ended.
func (s *Service) Refunding() jobs.Job[ports.DueRefund] {
	return jobs.Job[ports.DueRefund]{
		Name:  "execute refunds",
		Queue: s.Due,
		Limits: jobs.Limits{
			Slots: 16,
			Slow:  8,
			Each:  4,
			Long:  refundTimeout / 2,
		},
		Lease: order.RefundLease,
		Poll:  2 * time.Second,
		Clock: s.Clock,
		Log:   s.Log,
		Work: func(ctx ports.Outbound, t jobs.Task[ports.DueRefund]) error {
			at := *s
			at.Clock = t.Clock
			return at.execute(ctx.WithoutCancel(), t.Item())
		},
	}
}

// errUndecided means that the provider has accepted a refund and not decided it.
var errUndecided = errors.New("the provider has not decided the refund")

// execute asks a provider for a refund and records the outcome. The caller holds the lease.
func (s *Service) execute(ctx ports.Outbound, d ports.DueRefund) error {
	c, err := s.Orders.Case(ctx, d.Project, d.Order)
	if err != nil {
		return err
	}
	r := c.FindRefund(d.Refund)
	if r == nil {
		return fault.Missing("refund")
	}
	bounded, cancel := ctx.WithTimeout(refundTimeout)
	defer cancel()
	outcome, err := s.Gateway.Refund(bounded, ports.RefundRequest{
		Project:  d.Project,
		Route:    c.Order.Payment.Route,
		Key:      r.ID.String(),
		Charge:   c.Order.Payment.Provider,
		Amount:   r.Amount,
		Since:    r.CreatedAt,
		Checkout: c.Order.Checkout,
	})
	if err == nil {
		err = failpoint.At(ctx, failpoint.RefundSent)
	}
	if err != nil {
		return errors.Join(err, s.postpone(ctx, d, err))
	}
	return s.record(ctx, d, outcome)
}

// RecordRefund records the outcome of a refund, identified by its key, that a provider reported by webhook. A failure is also
// recorded if the refund had succeeded before. Known outcomes and keys that are not refunds of the project are ignored.
func (s *Service) RecordRefund(ctx context.Context, project id.Project, key string, outcome order.RefundOutcome) error {
	refund, err := id.Parse[id.Refund](key)
	if err != nil {
		return nil
	}
	r, err := s.Refunds.RefundByID(ctx, project, refund)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	}
	if failure, ok := outcome.(order.RefundFailed); ok {
		return s.reverse(context.WithoutCancel(ctx), r, failure)
	}
	err = s.record(context.WithoutCancel(ctx), ports.DueRefund{
		Project: project,
		Order:   r.Order,
		Refund:  refund,
	}, outcome)
	if errors.Is(err, errUndecided) || fault.Is(err, order.ErrStaleOutcome.Code) {
		return nil
	}
	return err
}

// reverse records that a refund failed, also after it had succeeded.
func (s *Service) reverse(ctx context.Context, r *order.Refund, failure order.RefundFailed) error {
	now, announce, entry := s.Clock.Now(), s.newEventID(), id.New[id.Transaction](s.Entropy.IDBits())
	_, err := s.Orders.Change(ctx, r.Project, r.Order, func(c *order.Case) error {
		return c.ReverseRefund(r.ID, failure, announce, entry, now)
	})
	return err
}

func (s *Service) postpone(ctx context.Context, d ports.DueRefund, cause error) error {
	now := s.Clock.Now()
	_, err := s.Orders.Change(ctx, d.Project, d.Order, func(c *order.Case) error {
		return c.PostponeRefund(d.Refund, ports.Problem(cause), now)
	})
	return err
}

// record stores the outcome. It has no effect if another process has stored the same outcome.
func (s *Service) record(ctx context.Context, d ports.DueRefund, outcome order.RefundOutcome) error {
	now, announce := s.Clock.Now(), s.newEventID()
	_, err := s.Orders.Change(ctx, d.Project, d.Order, func(c *order.Case) error {
		return cmp.Or(c.SettleRefund(d.Refund, outcome, announce, now), failpoint.At(ctx, failpoint.RefundRecorded))
	})
	if err != nil {
		return err
	}
	switch o := outcome.(type) {
	case order.RefundPending:
		return errUndecided
	case order.RefundFailed:
		s.Log.WarnContext(ctx, "the provider refused a refund", "refund", d.Refund.String(), "code", o.Code)
	}
	return nil
}
