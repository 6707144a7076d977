package finance

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// People decide payments and refunds that their provider does not decide (features/MANAGEMENT.md#finance).
func (h *handlers) registerResolutions() {
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.RegisterPrepared(g, "resolve-payment", "POST /v1/finance/payments/{checkout_id}/resolve", "Resolve a payment attempt for which the "+
		"provider does not report the outcome",
		h.resolvePayment, operation.Errors(409), operation.Books)
	operation.Register(g, "resolve-refund", "POST /v1/finance/refunds/{refund_id}/resolve", "Resolve a refund for which the provider "+
		"does not report the outcome",
		wire.HandleOne(h.resolveRefund, wire.Identity), operation.Errors(409), operation.Books)
	operation.Register(g, "resolve-orphan", "POST /v1/finance/orphans/{orphan_id}/resolve", "Resolve the refund of an orphaned charge",
		wire.HandleOne(h.resolveOrphan, toAPIOrphan), operation.Errors(409), operation.Books)
}

type resolvePaymentInput struct {
	Checkout wire.Ref[id.Checkout] `path:"checkout_id"`
	operation.WithMFA
	Body struct {
		Outcome string `json:"outcome" enum:"charged,not_charged"`
		Charge  string `json:"provider_charge_id,omitempty" doc:"The provider's id of the charge, for refunds and reconciliation: Stripe's payment intent (pi_…), PayPal's capture. Required if charged, except in the sandbox."`
		Attempt int    `json:"attempt,omitempty" minimum:"0" doc:"The number of the attempt to resolve. 409 if another one is in progress. Default: the one in progress."`
		Reason  string `json:"reason" doc:"The reason for the audit log: what you checked, and where. At most 2,000 characters. Do not name the buyer."`
	}
}

type resolvedPayment struct {
	CheckoutID string     `json:"checkout_id"`
	Attempt    int        `json:"attempt"`
	Outcome    string     `json:"outcome" enum:"charged,not_charged"`
	Amount     wire.Money `json:"amount"`
	Currency   string     `json:"currency" example:"USD"`
	Provider   string     `json:"provider" example:"stripe"`
	OrderID    *string    `json:"order_id" nullable:"true" doc:"The order created. Null: not charged."`
	PaymentID  *string    `json:"payment_id" nullable:"true" doc:"The order's payment. Null: not charged."`
}

type resolvePaymentOutput = wire.Output[resolvedPayment]

func (h *handlers) resolvePayment(ctx ports.Outbound, rq operation.Request, in *resolvePaymentInput) (made operation.Plan[resolvePaymentOutput], err error) {
	wanted := in.Checkout.ID
	if err := h.Purchase.In(rq.Stores).Decidable(ctx, rq.Caller.Project.ID, wanted, in.Body.Attempt); err != nil {
		return made, err
	}
	if err := h.ConfirmAlways(ctx, rq, in.MFACode); err != nil {
		return made, err
	}
	decision := purchase.ManualResolution{
		Checkout: wanted,
		Attempt:  in.Body.Attempt,
		Charged:  in.Body.Outcome == "charged",
		Charge:   in.Body.Charge,
		Reason:   in.Body.Reason,
	}
	if err := h.Purchase.In(rq.Stores).CheckResolution(ctx, rq.Caller.Project.ID, decision); err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*resolvePaymentOutput, error) {
		resolved, err := h.Purchase.In(st).ResolveManually(ctx, rq.Caller.Project, decision)
		if err != nil {
			return nil, err
		}
		return toAPIResolved(rq, in, resolved), nil
	}
	return made, nil
}

func toAPIResolved(rq operation.Request, in *resolvePaymentInput, resolved purchase.Resolved) *resolvePaymentOutput {
	view := resolvedPayment{
		CheckoutID: in.Checkout.ID.String(),
		Attempt:    resolved.Attempt,
		Outcome:    in.Body.Outcome,
		Amount:     wire.ToMoney(resolved.Amount),
		Currency:   resolved.Amount.Currency().Code(),
		Provider:   resolved.Route.Provider,
	}
	if resolved.Order != nil {
		view.OrderID, view.PaymentID = wire.ToOptionalID(resolved.Order.ID), wire.ToOptionalID(resolved.Order.Payment.ID)
	}
	noteDecision(rq, statusUnresolved, resolved.Amount, loggedDecision{
		Outcome:   in.Body.Outcome,
		Attempt:   view.Attempt,
		Reference: in.Body.Charge,
		Reason:    in.Body.Reason,
	})
	return &resolvePaymentOutput{Body: view}
}

type resolveRefundInput struct {
	OnRefund
	operation.WithMFA
	Body struct {
		Outcome string `json:"outcome" enum:"succeeded,failed"`
		Refund  string `json:"provider_refund_id,omitempty" doc:"The provider's id of the refund. Required if it succeeded, except in the sandbox."`
		Reason  string `json:"reason" doc:"The reason for the audit log: what you checked, and where. At most 2,000 characters. Do not name the buyer."`
	}
}

func (h *handlers) resolveRefund(ctx context.Context, rq operation.Request, in *resolveRefundInput) (v refundDetail, err error) {
	if err := h.Aftersales.In(rq.Stores).Decidable(ctx, rq.Caller.Project.ID, in.Refund.ID); err != nil {
		return v, err
	}
	if err := h.ConfirmAlways(ctx, rq, in.MFACode); err != nil {
		return v, err
	}
	resolved, err := h.Aftersales.In(rq.Stores).ResolveManually(ctx, rq.Caller.Project.ID, aftersales.ManualResolution{
		Refund:    in.Refund.ID,
		Succeeded: in.Body.Outcome == order.RefundSucceeded.String(),
		Provider:  in.Body.Refund,
		Reason:    in.Body.Reason,
	})
	if err != nil {
		return v, err
	}
	noteDecision(rq, order.RefundIsPending.String(), resolved.Amount, loggedDecision{
		Outcome:   in.Body.Outcome,
		Reference: in.Body.Refund,
		Reason:    in.Body.Reason,
	})
	return h.toAPIRefundDetail(ctx, rq, resolved)
}

type resolveOrphanInput struct {
	Orphan string `path:"orphan_id"`
	operation.WithMFA
	Body struct {
		Outcome string `json:"outcome" enum:"succeeded,failed" doc:"The outcome of the refund. succeeded also resolves a failed one that a person has refunded."`
		Refund  string `json:"provider_refund_id,omitempty" doc:"The provider's id of the refund. Required if it succeeded, except in the sandbox."`
		Reason  string `json:"reason" doc:"The reason for the audit log: what you checked, and where. At most 2,000 characters. Do not name the buyer."`
	}
}

func (h *handlers) resolveOrphan(ctx context.Context, rq operation.Request, in *resolveOrphanInput) (v checkout.Orphan, err error) {
	decision := purchase.OrphanResolution{
		Orphan:    in.Orphan,
		Succeeded: in.Body.Outcome == order.RefundSucceeded.String(),
		Refund:    in.Body.Refund,
		Reason:    in.Body.Reason,
	}
	before, err := h.Purchase.In(rq.Stores).OrphanDecidable(ctx, rq.Caller.Project.ID, decision)
	if err != nil {
		return v, err
	}
	if err := h.ConfirmAlways(ctx, rq, in.MFACode); err != nil {
		return v, err
	}
	resolved, err := h.Purchase.In(rq.Stores).ResolveOrphan(ctx, rq.Caller.Project.ID, decision)
	if err != nil {
		return v, err
	}
	noteDecision(rq, before.State.String(), resolved.Amount, loggedDecision{
		Outcome:   in.Body.Outcome,
		Reference: in.Body.Refund,
		Reason:    in.Body.Reason,
	})
	return *resolved, nil
}

// loggedDecision is a person's decision as the audit log records it.
type loggedDecision struct {
	Outcome   string      `json:"outcome"`
	Attempt   int         `json:"attempt,omitempty"`
	Amount    *wire.Money `json:"amount,omitempty"`
	Currency  string      `json:"currency,omitempty"`
	Reference string      `json:"provider_id,omitempty"`
	Reason    string      `json:"reason,omitempty"`
}

func noteDecision(rq operation.Request, before string, amount money.Amount, after loggedDecision) {
	shown := wire.ToMoney(amount)
	after.Amount, after.Currency = &shown, amount.Currency().Code()
	operation.NoteChange(rq, loggedDecision{Outcome: before}, after)
}

func (h *handlers) registerOrphans() {
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.Register(g, "list-orphans", "GET /v1/finance/orphans", "List orphaned charges, newest first",
		operation.HandleList(h.listOrphans, toAPIOrphan))
}

// orphanView is money that a provider took for a payment attempt that was given up.
type orphanView struct {
	ID               string     `json:"id" doc:"Also the idempotency key of its refund at the provider."`
	CheckoutID       string     `json:"checkout_id"`
	Attempt          int        `json:"attempt"`
	Status           string     `json:"status" enum:"detected,refunding,refunded,failed" doc:"detected: to be refunded. refunding: requested from the provider, which has not decided. failed: a person must handle it at the provider."`
	Amount           wire.Money `json:"amount"`
	Currency         string     `json:"currency" example:"USD"`
	Provider         string     `json:"provider" example:"stripe"`
	ProviderChargeID string     `json:"provider_charge_id"`
	ProviderRefundID *string    `json:"provider_refund_id" nullable:"true" doc:"Null: not refunded."`
	FailureCode      *string    `json:"failure_code" nullable:"true" doc:"The provider's code, resolved_by_merchant, attempt_unknown or second_charge_of_attempt. The last two remain after a person has resolved the charge. Null: it did not fail."`
	Problem          *string    `json:"problem" nullable:"true" doc:"The error of the last request for the refund. Null: no error, or not requested yet."`
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

// statusUnresolved filters payments and refunds whose outcome is unknown.
const statusUnresolved = "unresolved"

// UnresolvedView says since when and why the outcome of a payment attempt or a refund is unknown.
type UnresolvedView struct {
	Attempt    int        `json:"attempt,omitempty" doc:"For a payment: the number of the attempt of its checkout."`
	Provider   string     `json:"provider" example:"stripe"`
	AgeSeconds int64      `json:"age_seconds" doc:"Since created_at."`
	TimesAsked int        `json:"times_asked" doc:"How many times the provider was asked for the outcome."`
	Problem    string     `json:"problem" doc:"The reason why the provider did not report the outcome when last asked."`
	AlertedAt  *wire.Time `json:"alerted_at" nullable:"true" doc:"The last alert to the merchant: an hour after it began, and every day since. Null: none yet."`
}

func toAPIUnresolvedPayment(u ports.UnresolvedPayment) PaymentView {
	charge, s := u.Checkout.Charge(), u.Checkout.Snapshot()
	none := wire.ToMoney(money.Zero(charge.Amount.Currency()))
	return PaymentView{
		Status:         statusUnresolved,
		Amount:         wire.ToMoney(charge.Amount),
		RefundedAmount: none,
		DisputedAmount: none,
		Currency:       charge.Amount.Currency().Code(),
		Method:         commerce.PaymentMethods[charge.Method],
		Provider:       charge.Route.Provider,
		CheckoutID:     s.ID.String(),
		CreatedAt:      wire.ToTime(charge.Since),
		Unresolved: &UnresolvedView{
			Attempt:    s.Attempt,
			Provider:   charge.Route.Provider,
			AgeSeconds: int64(u.Age / time.Second),
			TimesAsked: s.Unresolved,
			Problem:    s.Problem,
			AlertedAt:  wire.ToKnownTime(u.AlertedAt),
		},
	}
}

func toAPIUnresolvedRefund(u ports.UnresolvedRefund) RefundView {
	view := toAPIRefund(u.Refund)
	view.Unresolved = &UnresolvedView{
		Provider:   u.Route.Provider,
		AgeSeconds: int64(u.Age / time.Second),
		TimesAsked: u.Attempts,
		Problem:    u.Problem,
		AlertedAt:  wire.ToKnownTime(u.AlertedAt),
	}
	return view
}
