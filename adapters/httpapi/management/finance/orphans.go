package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerOrphans() {
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.Register(g, "list-orphans", "GET /v1/finance/orphans", "List charges that no order comes of, newest first",
		operation.Lists(h.listOrphans, toAPIOrphan))
}

// orphanView is money that a provider took for a payment attempt that was given up.
type orphanView struct {
	ID               string     `json:"id" doc:"Also the key of its refund at the provider."`
	CheckoutID       string     `json:"checkout_id"`
	Attempt          int        `json:"attempt"`
	Status           string     `json:"status" enum:"detected,refunding,refunded,failed" doc:"detected: to be refunded. refunding: the provider was asked and has not decided. failed: a person has to see to it at the provider."`
	Amount           wire.Money `json:"amount"`
	Currency         string     `json:"currency" example:"USD"`
	Provider         string     `json:"provider" example:"stripe"`
	ProviderChargeID string     `json:"provider_charge_id"`
	ProviderRefundID *string    `json:"provider_refund_id" nullable:"true" doc:"Null: it is not refunded."`
	FailureCode      *string    `json:"failure_code" nullable:"true" doc:"The provider's, resolved_by_merchant, attempt_unknown or second_charge_of_attempt. The last two stay when a person has seen to the charge. Null: it did not fail."`
	Problem          *string    `json:"problem" nullable:"true" doc:"Why the provider could not be asked for the refund the last time. Null: it could, or was not asked yet."`
	DetectedAt       wire.Time  `json:"detected_at"`
	UpdatedAt        wire.Time  `json:"updated_at"`
}

type listOrphansInput struct {
	operation.Paging
	Status string `query:"status" enum:"detected,refunding,refunded,failed"`
}

func (h *handlers) listOrphans(ctx context.Context, rq operation.Request, in *listOrphansInput) ([]checkout.Orphan, int, error) {
	filter := ports.OrphanFilter{State: checkout.OrphanStates[in.Status]}
	return rq.Stores.Orphans.Orphans(ctx, rq.Caller.Project.ID, filter, in.Page())
}

func toAPIOrphan(o checkout.Orphan) orphanView {
	return orphanView{
		ID:               o.ID,
		CheckoutID:       o.Checkout.String(),
		Attempt:          o.Attempt,
		Status:           o.State.String(),
		Amount:           wire.ToMoney(o.Amount),
		Currency:         o.Amount.Currency().Code(),
		Provider:         o.Route.Provider,
		ProviderChargeID: o.Charge,
		ProviderRefundID: wire.ToOptional(o.Refund),
		FailureCode:      wire.ToOptional(o.Failure),
		Problem:          wire.ToOptional(o.Problem),
		DetectedAt:       wire.ToTime(o.DetectedAt),
		UpdatedAt:        wire.ToTime(o.UpdatedAt),
	}
}
