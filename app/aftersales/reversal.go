package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// RecordExternalRefund records a refund that was not requested here, such as one made at the provider's dashboard. Reports may
// repeat and come in any order. If the charge is not a payment of the project, it returns fault.NotFound. While the report may be
// about a pending refund of ours, it returns order.ErrRefundUndecided, and the report must be repeated later.
func (s *Service) RecordExternalRefund(ctx context.Context, project id.Project, e order.ExternalRefund) error {
	of, err := s.Payments.PaymentByCharge(ctx, project, e.Charge)
	if err != nil {
		return err
	}
	now, ids := s.Clock.Now(), order.RefundIDs{
		Refund:   id.New[id.Refund](s.Entropy.IDBits()),
		Announce: s.newEventID(),
		Reversal: id.New[id.Transaction](s.Entropy.IDBits()),
	}
	_, err = s.Orders.Change(context.WithoutCancel(ctx), project, of.Order, func(c *order.Case) error {
		return c.ReportRefund(e, ids, now)
	})
	return err
}

// RecordDispute records the state of a dispute that a provider reported. Reports may repeat and come in any
// order. If the charge is not a payment of the project, it returns fault.NotFound.
func (s *Service) RecordDispute(ctx context.Context, project id.Project, d order.DisputeReport) error {
	of, err := s.Payments.PaymentByCharge(ctx, project, d.Charge)
	if err != nil {
		return err
	}
	now, ids := s.Clock.Now(), s.disputeIDs()
	_, err = s.Orders.Change(context.WithoutCancel(ctx), project, of.Order, func(c *order.Case) error {
		return c.ReportDispute(d, ids, now)
	})
	return err
}
