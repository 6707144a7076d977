package finance

import (
	"context"

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

// Decisions of people about payments and refunds that their provider does not decide (decisions 15).
func (h *handlers) registerResolutions() {
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.RegisterPrepared(g, "resolve-payment", "POST /v1/finance/payments/{checkout_id}/resolve", "Decide a payment attempt whose outcome the provider does not tell",
		h.resolvePayment, operation.Errors(409), operation.Books)
	operation.Register(g, "resolve-refund", "POST /v1/finance/refunds/{refund_id}/resolve", "Decide a refund that the provider does not decide",
		wire.Shows(h.resolveRefund, wire.Itself), operation.Errors(409), operation.Books)
	operation.Register(g, "resolve-orphan", "POST /v1/finance/orphans/{orphan_id}/resolve", "Decide the refund of an orphaned charge",
		wire.Shows(h.resolveOrphan, toAPIOrphan), operation.Errors(409), operation.Books)
}

type resolvePaymentInput struct {
	Checkout wire.Ref[id.Checkout] `path:"checkout_id"`
	operation.WithMFA
	Body struct {
		Outcome string `json:"outcome" enum:"charged,not_charged"`
		Charge  string `json:"provider_charge_id,omitempty" doc:"The provider's id of the charge, by which it is refunded and reconciled: Stripe's payment intent (pi_…), PayPal's capture. Required if charged, but for the sandbox."`
		Attempt int    `json:"attempt,omitempty" minimum:"0" doc:"The attempt that is decided. 409 if another one is in flight. Without it, the one in flight."`
		Reason  string `json:"reason" doc:"Why, for the audit log: what was looked up, and where. At most 2,000 characters. Do not name the buyer."`
	}
}

type resolvedPayment struct {
	CheckoutID string     `json:"checkout_id"`
	Attempt    int        `json:"attempt"`
	Outcome    string     `json:"outcome" enum:"charged,not_charged"`
	Amount     wire.Money `json:"amount"`
	Currency   string     `json:"currency" example:"USD"`
	Provider   string     `json:"provider" example:"stripe"`
	OrderID    *string    `json:"order_id" nullable:"true" doc:"The order that was made. Null: not charged."`
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
		Refund  string `json:"provider_refund_id,omitempty" doc:"The provider's id of the refund. Required if it succeeded, but for the sandbox."`
		Reason  string `json:"reason" doc:"Why, for the audit log: what was looked up, and where. At most 2,000 characters. Do not name the buyer."`
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
		Outcome string `json:"outcome" enum:"succeeded,failed" doc:"Of the refund. succeeded also settles a charge that failed: a person gave the money back."`
		Refund  string `json:"provider_refund_id,omitempty" doc:"The provider's id of the refund. Required if it succeeded, but for the sandbox."`
		Reason  string `json:"reason" doc:"Why, for the audit log: what was looked up, and where. At most 2,000 characters. Do not name the buyer."`
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

// loggedDecision is what the audit log learns of a person's decision.
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
