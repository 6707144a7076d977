package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// HeardExternalRefund records a refund that was made elsewhere, as a provider reports it. Reports may repeat
// and come in any order. A charge that is no payment of the project: fault.NotFound. While a refund of ours may
// be the one that is reported: order.ErrRefundUndecided, and the report must be tried again later.
func (s *Service) HeardExternalRefund(ctx context.Context, project id.Project, e order.ExternalRefund) error {
	of, err := s.Payments.PaymentByCharge(ctx, project, e.Charge)
	if err != nil {
		return err
	}
	now, ids := s.Clock.Now(), order.RefundIDs{
		Refund:   id.New[id.Refund](s.Entropy.IDBits()),
		Announce: s.event(),
		Reversal: id.New[id.Transaction](s.Entropy.IDBits()),
	}
	_, err = s.Orders.Change(context.WithoutCancel(ctx), project, of.Order, func(c *order.Case) error {
		return c.ReportRefund(e, ids, now)
	})
	return err
}

// HeardDispute records how a dispute stands, as a provider reports it. Reports may repeat and come in any
// order. A charge that is no payment of the project: fault.NotFound.
func (s *Service) HeardDispute(ctx context.Context, project id.Project, d order.DisputeReport) error {
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
