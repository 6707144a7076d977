package management

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerOrphans() {
	registerRead(h, financeTag, operation{id: "list-orphans", method: "GET", path: "/v1/finance/orphans", scope: "finance:read", on: headerProject,
		summary: "List charges that no order comes of, newest first"}, (*handlers).listOrphans)
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
	Paging
	Status string `query:"status" enum:"detected,refunding,refunded,failed"`
}

func (h *handlers) listOrphans(ctx context.Context, rq Request, in *listOrphansInput) (*listOutput[orphanView], error) {
	filter := ports.OrphanFilter{State: checkout.OrphanStates[in.Status]}
	found, total, err := rq.Stores.Orphans.Orphans(ctx, rq.Caller.project.ID, filter, in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(found, toAPIOrphan, in.Paging, total), nil
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
		ProviderRefundID: toOptionalText(o.Refund),
		FailureCode:      toOptionalText(o.Failure),
		Problem:          toOptionalText(o.Problem),
		DetectedAt:       wire.ToTime(o.DetectedAt),
		UpdatedAt:        wire.ToTime(o.UpdatedAt),
	}
}
