package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ManualResolution is a person's decision about a refund that the provider does not decide.
type ManualResolution struct {
	Refund    id.Refund
	Succeeded bool
	Provider  string // the provider's id of the refund, if it succeeded
	Reason    string
}

// Decidable returns nil if a person can decide a refund now, or the reason why not.
func (s *Service) Decidable(ctx context.Context, of id.Project, refund id.Refund) error {
	r, err := s.Refunds.RefundByID(ctx, of, refund)
	if err != nil {
		return err
	}
	return r.Decidable(s.Clock.Now())
}

// ResolveManually records a person's decision about a refund as if it were the provider's response. It returns Conflict for a
// refund that the provider still decides, or that is too young (order.Refund.Decidable). If the provider reports a success
// later, it is booked as far as the payment has money left; a failure is booked as a reversal.
func (s *Service) ResolveManually(ctx context.Context, of id.Project, m ManualResolution) (*order.Refund, error) {
	if err := checkout.CheckDecision(m.Succeeded, m.Provider, "provider_refund_id", m.Reason); err != nil {
		return nil, err
	}
	r, err := s.Refunds.RefundByID(ctx, of, m.Refund)
	if err != nil {
		return nil, err
	}
	var outcome order.RefundOutcome = order.RefundFailed{Code: order.FailedManually}
	if m.Succeeded {
		outcome = order.Refunded{Provider: m.Provider}
		if err := s.checkProviderRefund(ctx, r, m.Provider); err != nil {
			return nil, err
		}
	}
	now, announce := s.Clock.Now(), s.newEventID()
	c, err := s.Orders.Change(ctx, of, r.Order, func(c *order.Case) error { return c.ResolveRefund(m.Refund, outcome, announce, now) })
	if err != nil {
		return nil, err
	}
	s.Log.WarnContext(ctx, "a person decided a refund", "project", of.String(), "refund", m.Refund.String(), "succeeded", m.Succeeded)
	return c.FindRefund(m.Refund), nil
}

// checkProviderRefund checks the id of a refund that a person entered. No other refund of the project or of an orphan charge may
// have it.
func (s *Service) checkProviderRefund(ctx context.Context, r *order.Refund, named string) error {
	payment, err := s.Payments.PaymentByID(ctx, r.Project, r.Payment)
	if err != nil {
		return err
	}
	if named == "" {
		if payment.Route.Provider == project.SandboxProvider {
			return nil
		}
		return fault.Field("provider_refund_id", "is required: reconciliation needs it")
	}
	known, err := s.Payments.FindMovements(ctx, r.Project, payment.Route, []ports.Movement{{Refund: true, Provider: named}})
	for _, k := range known {
		if k.Key != "" && k.Key != r.ID.String() && k.Provider == named {
			return order.ErrRefundTaken
		}
	}
	return err
}
