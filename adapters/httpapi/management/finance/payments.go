// Package finance serves orders and money in the Management API: orders with their notes and their counterparts at platforms
// and in CRMs, returns, payments, refunds, disputes, orphaned charges, the ledger, exports and analytics. It decides nothing;
// the use cases are in app.
package finance

import (
	"cmp"
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on orders, returns, payments, the ledger and analytics.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerPayments()
	h.registerResolutions()
	h.registerOrphans()
	h.registerFinance()
	h.registerAnalytics()
	h.registerExports()
	h.registerOrders()
	h.registerNotes()
	h.registerPlatformOrders()
	h.registerCRMDeals()
	h.registerReturns()
	h.registerDisputes()
}

func (h *handlers) registerPayments() {
	const all, one, refunds = "/v1/finance/payments", "/v1/finance/payments/{payment_id}", "/v1/finance/refunds"
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.Register(g, "list-payments", "GET "+all, "List payments, newest first", operation.HandleKeyset(h.listPayments, placeOfPayment, wire.Identity))
	operation.Register(g, "get-payment", "GET "+one, "Get a payment with its refunds and disputes", wire.HandleOne(h.getPayment, wire.Identity))
	operation.Register(g, "list-payment-refunds", "GET "+one+"/refunds", "List the refunds of a payment, oldest first",
		operation.HandleList(h.listRefunds, toAPIRefund))
	operation.RegisterStaged(g, "refund-payment", "POST "+one+"/refund", "Refund a payment; omit the amount to refund the rest",
		h.refundPayment, operation.Created, operation.Errors(409))
	operation.Register(g, "get-refund", "GET "+refunds+"/{refund_id}", "Get a refund with its payment",
		wire.HandleOne(h.getRefund, wire.Identity))
	operation.Register(g, "list-refunds", "GET "+refunds, "List refunds, newest first", operation.HandleList(h.listAllRefunds, wire.Identity))
}

// PaymentView is a payment, without its refunds.
type PaymentView struct {
	ID             string     `json:"id" doc:"Empty: the attempt is unresolved, and becomes a payment if it was charged."`
	Status         string     `json:"status" enum:"succeeded,partially_refunded,refunded,unresolved" doc:"Follows from the refunds that succeeded. unresolved: it is unknown whether the attempt was charged."`
	Amount         wire.Money `json:"amount"`
	RefundedAmount wire.Money `json:"refunded_amount" doc:"By refunds that succeeded."`
	DisputedAmount wire.Money `json:"disputed_amount" doc:"Withdrawn by the provider for disputes that are open or lost; it cannot be refunded."`
	Currency       string     `json:"currency" example:"USD"`
	Method         string     `json:"method" enum:"psp_spt,wallet_ba"`
	Instrument     string     `json:"instrument" example:"Visa ending in 4242"`
	Provider       string     `json:"provider" example:"stripe"`
	OrderID        string     `json:"order_id" doc:"Empty: the attempt is unresolved."`
	CheckoutID     string     `json:"checkout_id"`
	CreatedAt      wire.Time  `json:"created_at" doc:"For an unresolved attempt, its start."`

	Unresolved *UnresolvedView `json:"unresolved,omitempty" doc:"Present in lists of unresolved attempts."`
}

type paymentDetail struct {
	PaymentView
	Refunds  []RefundView  `json:"refunds" doc:"Oldest first."`
	Disputes []DisputeView `json:"disputes" doc:"Oldest first."`
}

type RefundView struct {
	ID          string     `json:"id"`
	PaymentID   string     `json:"payment_id"`
	OrderID     string     `json:"order_id"`
	ReturnID    *string    `json:"return_id" nullable:"true" doc:"Null: not for a return."`
	Amount      wire.Money `json:"amount"`
	Currency    string     `json:"currency"`
	Origin      string     `json:"origin" enum:"requested,external" doc:"external: made in the provider's dashboard, or by the provider."`
	Status      string     `json:"status" enum:"pending,succeeded,failed" doc:"pending: the provider has not decided; its status is polled until it does."`
	Reason      string     `json:"reason"`
	FailureCode *string    `json:"failure_code" nullable:"true" doc:"The provider's code. Null: it did not fail."`
	ReversedAt  *wire.Time `json:"reversed_at" nullable:"true" doc:"When it failed after it had succeeded. Null: it did not."`
	CreatedAt   wire.Time  `json:"created_at"`

	Unresolved *UnresolvedView `json:"unresolved,omitempty" doc:"Present in lists of unresolved refunds."`
}

type refundDetail struct {
	RefundView
	Payment PaymentView `json:"payment" doc:"The payment's current state."`
}

type listPaymentsInput struct {
	operation.Keyset[id.Payment]
	operation.Period
	Status string             `query:"status" enum:"succeeded,partially_refunded,refunded,unresolved" doc:"unresolved: payment attempts for which the provider did not report the outcome. Other lists of payments do not have them."`
	Method string             `query:"method" enum:"psp_spt,wallet_ba"`
	Order  wire.Ref[id.Order] `query:"order_id"`
}

// Part reads cursors of unresolved payments, which are checkouts.
func (in *listPaymentsInput) Part() (ports.Page, error) {
	if in.Status == statusUnresolved {
		return (*operation.Keyset[id.Checkout])(&in.Keyset).Part()
	}
	return in.Keyset.Part()
}

func placeOfPayment(p PaymentView) ports.Place {
	return ports.Place{At: p.CreatedAt.Time, ID: cmp.Or(p.ID, p.CheckoutID)}
}

func (h *handlers) listPayments(ctx context.Context, rq operation.Request, in *listPaymentsInput, page ports.Page) ([]PaymentView, int, error) {
	from, to := in.Span(rq)
	filter := ports.PaymentFilter{
		Status: order.PaymentStatuses[in.Status],
		Method: commerce.ValueOf(in.Method, commerce.PaymentMethods),
		Order:  in.Order.ID,
		From:   from,
		To:     to,
	}
	if in.Status == statusUnresolved {
		found, total, err := rq.Stores.Unresolved.UnresolvedPayments(ctx, rq.Caller.Project.ID, filter, page)
		return wire.Each(found, toAPIUnresolvedPayment), total, err
	}
	found, total, err := rq.Stores.Payments.Payments(ctx, rq.Caller.Project.ID, filter, page)
	return wire.Each(found, toAPIPayment), total, err
}

type OnPayment struct {
	Payment wire.Ref[id.Payment] `path:"payment_id"`
}

func (h *handlers) findPayment(ctx context.Context, rq operation.Request, in OnPayment) (*ports.OrderPayment, error) {
	return rq.Stores.Payments.PaymentByID(ctx, rq.Caller.Project.ID, in.Payment.ID)
}

func (h *handlers) getPayment(ctx context.Context, rq operation.Request, in *OnPayment) (v paymentDetail, err error) {
	found, err := h.findPayment(ctx, rq, *in)
	if err != nil {
		return v, err
	}
	refunds, err := rq.Stores.Payments.RefundsOf(ctx, found.Project, found.ID)
	if err != nil {
		return v, err
	}
	disputes, err := rq.Stores.Payments.DisputesOf(ctx, found.Project, found.ID)
	return paymentDetail{toAPIPayment(*found), wire.Each(refunds, toAPIRefund), wire.Each(disputes, ToAPIDispute)}, err
}

type listAllRefundsInput struct {
	operation.Paging
	operation.Period
	Status string             `query:"status" enum:"pending,succeeded,failed,unresolved" doc:"unresolved: pending refunds for which the provider did not report the outcome when last asked."`
	Order  wire.Ref[id.Order] `query:"order_id"`
}

func (h *handlers) listAllRefunds(ctx context.Context, rq operation.Request, in *listAllRefundsInput) ([]RefundView, int, error) {
	from, to := in.Span(rq)
	filter := ports.RefundFilter{
		Status: order.RefundStatuses[in.Status],
		Order:  in.Order.ID,
		From:   from,
		To:     to,
	}
	if in.Status == statusUnresolved {
		found, total, err := rq.Stores.Unresolved.UnresolvedRefunds(ctx, rq.Caller.Project.ID, filter, in.Page())
		return wire.Each(found, toAPIUnresolvedRefund), total, err
	}
	found, total, err := rq.Stores.OrderLists.Refunds(ctx, rq.Caller.Project.ID, filter, in.Page())
	return wire.Each(found, toAPIRefund), total, err
}

type listRefundsInput struct {
	OnPayment
	operation.Paging
}

func (h *handlers) listRefunds(ctx context.Context, rq operation.Request, in *listRefundsInput) ([]order.Refund, int, error) {
	found, err := h.findPayment(ctx, rq, in.OnPayment)
	if err != nil {
		return nil, 0, err
	}
	refunds, err := rq.Stores.Payments.RefundsOf(ctx, found.Project, found.ID)
	return operation.Part(refunds, in.Paging), len(refunds), err
}

type OnRefund struct {
	Refund wire.Ref[id.Refund] `path:"refund_id"`
}

type refundOutput = wire.Output[refundDetail]

func (h *handlers) getRefund(ctx context.Context, rq operation.Request, in *OnRefund) (v refundDetail, err error) {
	found, err := rq.Stores.Refunds.RefundByID(ctx, rq.Caller.Project.ID, in.Refund.ID)
	if err != nil {
		return v, err
	}
	return h.toAPIRefundDetail(ctx, rq, found)
}

func (h *handlers) toAPIRefundDetail(ctx context.Context, rq operation.Request, r *order.Refund) (v refundDetail, err error) {
	of, err := rq.Stores.Payments.PaymentByID(ctx, r.Project, r.Payment)
	if err != nil {
		return v, err
	}
	return refundDetail{toAPIRefund(*r), toAPIPayment(*of)}, nil
}

type refundInput struct {
	OnPayment
	operation.WithMFA
	Body *struct {
		Amount wire.Optional[wire.Decimal] `json:"amount,omitzero" doc:"Omitted or null: the rest of the payment."`
		Reason string                      `json:"reason,omitempty" doc:"At most 2,000 characters."`
	}
}

func (h *handlers) refundPayment(ctx context.Context, rq operation.Request, in *refundInput) (*refundOutput, operation.Stage[refundOutput], error) {
	of, err := h.findPayment(ctx, rq, in.OnPayment)
	if err != nil {
		return nil, nil, err
	}
	wanted := aftersales.RefundRequest{Payment: of.ID}
	if in.Body != nil {
		wanted.Reason = in.Body.Reason
		if wanted.Amount, err = fromAPIAmount(in.Body.Amount, of.Amount.Currency()); err != nil {
			return nil, nil, err
		}
	}
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return nil, nil, err
	}
	promised, err := h.Aftersales.In(rq.Stores).RequestRefund(ctx, of.Project, wanted)
	if err != nil {
		return nil, nil, err
	}
	operation.NoteChange(rq, nil, loggedRefund(*promised))
	view, err := h.toAPIRefundDetail(ctx, rq, promised)
	return &refundOutput{Body: view}, func(ctx ports.Outbound, rq operation.Request) (*refundOutput, error) {
		executed, err := h.Aftersales.In(rq.Stores).ExecuteRefund(ctx, of.Project, promised.ID)
		if err != nil {
			return nil, err
		}
		view, err := h.toAPIRefundDetail(ctx, rq, executed)
		return &refundOutput{Body: view}, err
	}, err
}

// loggedRefund is a refund as the audit log records it, without the reason, which may name a buyer.
func loggedRefund(r order.Refund) map[string]any {
	return map[string]any{
		"refund_id": r.ID.String(),
		"amount":    wire.ToMoney(r.Amount),
		"currency":  r.Amount.Currency().Code(),
	}
}

// fromAPIAmount returns nil for an amount that is left out or null.
func fromAPIAmount(o wire.Optional[wire.Decimal], c money.Currency) (*money.Amount, error) {
	written, given := o.Value()
	if !given {
		return nil, nil
	}
	check := fault.NewCheck()
	amount := written.Amount(c, "amount", check)
	return &amount, check.Err()
}

func toAPIPayment(p ports.OrderPayment) PaymentView {
	return PaymentView{
		ID:             p.ID.String(),
		Status:         p.Status().String(),
		Amount:         wire.ToMoney(p.Amount),
		RefundedAmount: wire.ToMoney(p.Refunded),
		DisputedAmount: wire.ToMoney(p.Disputed),
		Currency:       p.Amount.Currency().Code(),
		Method:         commerce.PaymentMethods[p.Method],
		Instrument:     p.Label,
		Provider:       p.Route.Provider,
		OrderID:        p.Order.String(),
		CheckoutID:     p.Checkout.String(),
		CreatedAt:      wire.ToTime(p.CreatedAt),
	}
}

func toAPIRefund(r order.Refund) RefundView {
	return RefundView{
		ID:          r.ID.String(),
		PaymentID:   r.Payment.String(),
		OrderID:     r.Order.String(),
		ReturnID:    wire.ToOptionalID(r.Return),
		Amount:      wire.ToMoney(r.Amount),
		Currency:    r.Amount.Currency().Code(),
		Status:      r.Status.String(),
		Reason:      r.Reason,
		Origin:      r.Origin.String(),
		FailureCode: wire.ToOptional(r.Failure),
		ReversedAt:  wire.ToKnownTime(r.ReversedAt),
		CreatedAt:   wire.ToTime(r.CreatedAt),
	}
}
