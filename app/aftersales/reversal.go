package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// HeardExternalRefund logs a refund that was made at the provider.
func (s *Service) HeardExternalRefund(ctx context.Context, project id.Project, r order.ExternalRefund) error {
	s.Log.ErrorContext(ctx, "a refund was made at the provider", "project", project.String(), "charge", r.Charge, "refund", r.Provider)
	return nil
}

// HeardDispute logs a dispute.
func (s *Service) HeardDispute(ctx context.Context, project id.Project, d order.DisputeReport) error {
	s.Log.ErrorContext(ctx, "a buyer disputes a payment", "project", project.String(), "charge", d.Charge, "dispute", d.Provider, "status", d.Status.String())
	return nil
}
