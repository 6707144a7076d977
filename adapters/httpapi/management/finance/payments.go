package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const financeTag = "Finance"

func (h *handlers) registerPayments() {
	const all, one, refunds = "/v1/finance/payments", "/v1/finance/payments/{payment_id}", "/v1/finance/refunds"
	operation.RegisterRead(h.API, financeTag, operation.Spec{
		ID: "list-payments", Method: "GET", Path: all, Scope: "finance:read", On: operation.HeaderProject,
		Summary: "List payments, newest first",
	}, h.listPayments)
	operation.RegisterRead(h.API, financeTag, operation.Spec{
		ID: "get-payment", Method: "GET", Path: one, Scope: "finance:read", On: operation.HeaderProject,
		Summary: "Get a payment with its refunds and disputes",
	}, h.getPayment)
	operation.RegisterRead(h.API, financeTag, operation.Spec{
		ID: "list-payment-refunds", Method: "GET", Path: one + "/refunds", Scope: "finance:read", On: operation.HeaderProject,
		Summary: "List the refunds of a payment, oldest first",
	}, h.listRefunds)
	operation.RegisterStaged(h.API, financeTag, operation.Spec{
		ID: "refund-payment", Method: "POST", Path: one + "/refund", Scope: "finance:write", On: operation.HeaderProject,
		Status: 201, Errors: []int{409}, Summary: "Give money back; left out, the amount is all that is left",
	}, h.refundPayment)
	operation.RegisterRead(h.API, financeTag, operation.Spec{
		ID: "get-refund", Method: "GET", Path: refunds + "/{refund_id}", Scope: "finance:read", On: operation.HeaderProject,
		Summary: "Get a refund with its payment",
	}, h.getRefund)
	operation.RegisterRead(h.API, financeTag, operation.Spec{
		ID: "list-refunds", Method: "GET", Path: refunds, Scope: "finance:read", On: operation.HeaderProject,
		Summary: "List refunds, newest first",
	}, h.listAllRefunds)
}

// PaymentView is a payment, without its refunds.
type PaymentView struct {
	ID             string     `json:"id" doc:"Empty: it is unresolved, and becomes a payment if it was charged."`
	Status         string     `json:"status" enum:"succeeded,partially_refunded,refunded,unresolved" doc:"By the refunds that succeeded. unresolved: nobody knows whether it was charged."`
	Amount         wire.Money `json:"amount"`
	RefundedAmount wire.Money `json:"refunded_amount" doc:"By refunds that succeeded."`
	DisputedAmount wire.Money `json:"disputed_amount" doc:"Taken by the provider for disputes that are open or lost; it can't be refunded."`
	Currency       string     `json:"currency" example:"USD"`
	Method         string     `json:"method" enum:"psp_spt,wallet_ba"`
	Instrument     string     `json:"instrument" example:"Visa ending in 4242"`
	Provider       string     `json:"provider" example:"stripe"`
	OrderID        string     `json:"order_id" doc:"Empty: it is unresolved."`
	CheckoutID     string     `json:"checkout_id"`
	CreatedAt      wire.Time  `json:"created_at" doc:"If it is unresolved: when the attempt began."`

	Unresolved *UnresolvedView `json:"unresolved,omitempty" doc:"In lists of what is unresolved."`
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
	Status      string     `json:"status" enum:"pending,succeeded,failed" doc:"pending: the provider has not decided, and is asked until it does."`
	Reason      string     `json:"reason"`
	FailureCode *string    `json:"failure_code" nullable:"true" doc:"The provider's. Null: it did not fail."`
	ReversedAt  *wire.Time `json:"reversed_at" nullable:"true" doc:"When it failed after it had succeeded. Null: it did not."`
	CreatedAt   wire.Time  `json:"created_at"`

	Unresolved *UnresolvedView `json:"unresolved,omitempty" doc:"In lists of what is unresolved."`
}

// DisputeView is a dispute, as the provider's newest report has it.
type DisputeView struct {
	ID                string     `json:"id"`
	ProviderID        string     `json:"provider_id"`
	Status            string     `json:"status" enum:"open,won,lost"`
	Reason            string     `json:"reason" example:"fraudulent" doc:"The provider's code."`
	Amount            wire.Money `json:"amount" doc:"What the buyer disputes."`
	Currency          string     `json:"currency"`
	Withdrawn         wire.Money `json:"withdrawn_amount" doc:"What the provider has taken out of the balance for it so far."`
	WithdrawnCurrency string     `json:"withdrawn_currency"`
	Fee               wire.Money `json:"fee_amount" doc:"What the provider charges for it so far."`
	FeeCurrency       string     `json:"fee_currency"`
	CreatedAt         wire.Time  `json:"created_at"`
	UpdatedAt         wire.Time  `json:"updated_at"`
}

func toAPIDispute(d order.Dispute) DisputeView {
	return DisputeView{
		ID: d.ID.String(), ProviderID: d.Provider, Status: d.Status.String(), Reason: d.Reason,
		Amount: wire.ToMoney(d.Amount), Currency: d.Amount.Currency().Code(),
		Withdrawn: wire.ToMoney(d.Withdrawn), WithdrawnCurrency: d.Withdrawn.Currency().Code(),
		Fee: wire.ToMoney(d.Fee), FeeCurrency: d.Fee.Currency().Code(),
		CreatedAt: wire.ToTime(d.CreatedAt), UpdatedAt: wire.ToTime(d.UpdatedAt),
	}
}

type refundDetail struct {
	RefundView
	Payment PaymentView `json:"payment" doc:"As it stands now."`
}

type listPaymentsInput struct {
	operation.Paging
	operation.Period
	Status string `query:"status" enum:"succeeded,partially_refunded,refunded,unresolved" doc:"unresolved: attempts whose provider was asked in vain. They are in no other list of payments."`
	Method string `query:"method" enum:"psp_spt,wallet_ba"`
	Order  string `query:"order_id"`
}

func (h *handlers) listPayments(ctx context.Context, rq operation.Request, in *listPaymentsInput) (*operation.ListOutput[PaymentView], error) {
	filter := ports.PaymentFilter{Status: order.PaymentStatuses[in.Status], Method: operation.ValueOf(in.Method, operation.PaymentMethods)}
	filter.From, filter.To = in.Span(rq)
	if in.Order != "" {
		wanted, err := wire.ID[id.Order](in.Order, "order")
		if err != nil {
			return operation.ToAPIList(nil, toAPIPayment, in.Paging, 0), nil
		}
		filter.Order = wanted
	}
	if in.Status == statusUnresolved {
		return h.listUnresolvedPayments(ctx, rq, filter, in.Paging)
	}
	found, total, err := rq.Stores.Payments.Payments(ctx, rq.Caller.Project.ID, filter, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPIPayment, in.Paging, total), nil
}

type OnPayment struct {
	Payment string `path:"payment_id"`
}

func (h *handlers) findPayment(ctx context.Context, rq operation.Request, in OnPayment) (*ports.OrderPayment, error) {
	wanted, err := wire.ID[id.Payment](in.Payment, "payment")
	if err != nil {
		return nil, err
	}
	return rq.Stores.Payments.PaymentByID(ctx, rq.Caller.Project.ID, wanted)
}

type paymentOutput struct{ Body paymentDetail }

func (h *handlers) getPayment(ctx context.Context, rq operation.Request, in *OnPayment) (*paymentOutput, error) {
	found, err := h.findPayment(ctx, rq, *in)
	if err != nil {
		return nil, err
	}
	refunds, err := rq.Stores.Payments.RefundsOf(ctx, found.Project, found.ID)
	if err != nil {
		return nil, err
	}
	disputes, err := rq.Stores.Payments.DisputesOf(ctx, found.Project, found.ID)
	if err != nil {
		return nil, err
	}
	return &paymentOutput{paymentDetail{toAPIPayment(*found), operation.Each(refunds, toAPIRefund), operation.Each(disputes, toAPIDispute)}}, nil
}

type listAllRefundsInput struct {
	operation.Paging
	operation.Period
	Status string `query:"status" enum:"pending,succeeded,failed,unresolved" doc:"unresolved: of the pending ones, those whose provider did not tell the outcome when it was last asked."`
	Order  string `query:"order_id"`
}

func (h *handlers) listAllRefunds(ctx context.Context, rq operation.Request, in *listAllRefundsInput) (*operation.ListOutput[RefundView], error) {
	filter := ports.RefundFilter{Status: order.RefundStatuses[in.Status]}
	filter.From, filter.To = in.Span(rq)
	if in.Order != "" {
		wanted, err := wire.ID[id.Order](in.Order, "order")
		if err != nil {
			return operation.ToAPIList(nil, toAPIRefund, in.Paging, 0), nil
		}
		filter.Order = wanted
	}
	if in.Status == statusUnresolved {
		return h.listUnresolvedRefunds(ctx, rq, filter, in.Paging)
	}
	found, total, err := rq.Stores.OrderLists.Refunds(ctx, rq.Caller.Project.ID, filter, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(found, toAPIRefund, in.Paging, total), nil
}

type listRefundsInput struct {
	OnPayment
	operation.Paging
}

func (h *handlers) listRefunds(ctx context.Context, rq operation.Request, in *listRefundsInput) (*operation.ListOutput[RefundView], error) {
	found, err := h.findPayment(ctx, rq, in.OnPayment)
	if err != nil {
		return nil, err
	}
	refunds, err := rq.Stores.Payments.RefundsOf(ctx, found.Project, found.ID)
	if err != nil {
		return nil, err
	}
	return operation.ToAPIPart(operation.Each(refunds, toAPIRefund), in.Paging), nil
}

type OnRefund struct {
	Refund string `path:"refund_id"`
}

type refundOutput struct{ Body refundDetail }

func (h *handlers) getRefund(ctx context.Context, rq operation.Request, in *OnRefund) (*refundOutput, error) {
	wanted, err := wire.ID[id.Refund](in.Refund, "refund")
	if err != nil {
		return nil, err
	}
	found, err := rq.Stores.Refunds.RefundByID(ctx, rq.Caller.Project.ID, wanted)
	if err != nil {
		return nil, err
	}
	return h.refundWithPayment(ctx, rq, found)
}

func (h *handlers) refundWithPayment(ctx context.Context, rq operation.Request, r *order.Refund) (*refundOutput, error) {
	of, err := rq.Stores.Payments.PaymentByID(ctx, r.Project, r.Payment)
	if err != nil {
		return nil, err
	}
	return &refundOutput{refundDetail{toAPIRefund(*r), toAPIPayment(*of)}}, nil
}

type refundInput struct {
	OnPayment
	operation.WithMFA
	Body *struct {
		Amount wire.Optional[wire.Decimal] `json:"amount,omitzero" doc:"Left out or null: all that is left."`
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
	promised, err := h.aftersales(rq).RequestRefund(ctx, of.Project, wanted)
	if err != nil {
		return nil, nil, err
	}
	operation.NoteTarget(rq, of.ID.String())
	operation.NoteChange(rq, nil, toLoggedRefund(*promised))
	out, err := h.refundWithPayment(ctx, rq, promised)
	return out, func(ctx ports.Outbound, rq operation.Request) (*refundOutput, error) {
		executed, err := h.aftersales(rq).ExecuteRefund(ctx, of.Project, promised.ID)
		if err != nil {
			return nil, err
		}
		return h.refundWithPayment(ctx, rq, executed)
	}, err
}

// loggedRefund is what the audit log learns of a refund. The reason may name a buyer.
type loggedRefund struct {
	RefundID string     `json:"refund_id"`
	Amount   wire.Money `json:"amount"`
	Currency string     `json:"currency"`
}

func toLoggedRefund(r order.Refund) loggedRefund {
	return loggedRefund{r.ID.String(), wire.ToMoney(r.Amount), r.Amount.Currency().Code()}
}

// fromAPIAmount is nil for an amount that is left out or null.
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
		ID: p.ID.String(), Status: p.Status().String(), Amount: wire.ToMoney(p.Amount), RefundedAmount: wire.ToMoney(p.Refunded),
		DisputedAmount: wire.ToMoney(p.Disputed), Currency: p.Amount.Currency().Code(), Method: operation.PaymentMethods[p.Method], Instrument: p.Label, Provider: p.Route.Provider,
		OrderID: p.Order.String(), CheckoutID: p.Checkout.String(), CreatedAt: wire.ToTime(p.CreatedAt),
	}
}

func toAPIRefund(r order.Refund) RefundView {
	return RefundView{
		ID: r.ID.String(), PaymentID: r.Payment.String(), OrderID: r.Order.String(), ReturnID: operation.ToOptionalID(r.Return),
		Amount: wire.ToMoney(r.Amount), Currency: r.Amount.Currency().Code(), Status: r.Status.String(), Reason: r.Reason,
		Origin: r.Origin.String(), FailureCode: operation.ToOptionalText(r.Failure), ReversedAt: operation.ToKnownTime(r.ReversedAt),
		CreatedAt: wire.ToTime(r.CreatedAt),
	}
}
