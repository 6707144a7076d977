package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerReturns() {
	const all, one = "/v1/returns", "/v1/returns/{return_id}"
	g := h.Group("Returns", "finance", operation.HeaderProject)
	operation.Register(g, "list-returns", "GET "+all, "List returns, newest first", operation.HandleKeyset(h.listReturns, placeOfReturn, toAPIReturn))
	operation.Register(g, "get-return", "GET "+one, "Get a return with its refund", wire.HandleOne(h.getReturn, wire.Identity))
	operation.RegisterStaged(g, "approve-return", "POST "+one+"/approve", "Approve a return: refund it and restock its items",
		h.approveReturn, operation.Errors(409))
	operation.Register(g, "reject-return", "POST "+one+"/reject", "Reject a return", wire.HandleOne(h.rejectReturn, wire.Identity), operation.Errors(409))
}

// ReturnView is a return, with its refund's id.
type ReturnView struct {
	ID        string       `json:"id"`
	OrderID   string       `json:"order_id"`
	Status    string       `json:"status" enum:"requested,approved,rejected"`
	Items     []returnItem `json:"items"`
	Comment   string       `json:"comment" doc:"The buyer's comment."`
	Estimate  wire.Money   `json:"refund_estimate" doc:"The prices paid, with their share of the tax."`
	Currency  string       `json:"currency" example:"USD"`
	Reason    string       `json:"reason" doc:"The reason for rejecting it."`
	Restocked int          `json:"restocked" doc:"Pieces returned to stock."`
	RefundID  *string      `json:"refund_id" nullable:"true" doc:"Null: nothing was refunded for it."`
	CreatedAt wire.Time    `json:"created_at"`
	DecidedAt *wire.Time   `json:"decided_at" nullable:"true"`
}

type returnItem struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Quantity  int    `json:"quantity"`
	Reason    string `json:"reason"`
}

type returnDetail struct {
	ReturnView
	Refund *RefundView `json:"refund,omitempty" doc:"Omitted if nothing was refunded for it."`
}

type listReturnsInput struct {
	operation.Keyset[id.Return]
	operation.Period
	Sort   string             `query:"sort" enum:"newest,oldest" default:"newest" doc:"oldest: oldest first."`
	Status string             `query:"status" enum:"requested,approved,rejected"`
	Order  wire.Ref[id.Order] `query:"order_id"`
}

func (h *handlers) listReturns(ctx context.Context, rq operation.Request, in *listReturnsInput, page ports.Page) ([]order.Return, int, error) {
	page.Oldest = in.Sort == "oldest"
	from, to := in.Span(rq)
	filter := ports.ReturnFilter{
		Status: order.ReturnStatuses[in.Status],
		Order:  in.Order.ID,
		From:   from,
		To:     to,
	}
	return rq.Stores.OrderLists.Returns(ctx, rq.Caller.Project.ID, filter, page)
}

func placeOfReturn(r order.Return) ports.Place {
	return ports.Place{At: r.CreatedAt, ID: r.ID.String()}
}

type OnReturn struct {
	Return wire.Ref[id.Return] `path:"return_id"`
}

type returnOutput = wire.Output[returnDetail]

func (h *handlers) getReturn(ctx context.Context, rq operation.Request, in *OnReturn) (v returnDetail, err error) {
	found, err := rq.Stores.Orders.ReturnByID(ctx, rq.Caller.Project.ID, in.Return.ID)
	if err != nil {
		return v, err
	}
	if found.Refund.IsZero() {
		return toAPIReturnDetail(*found, nil), nil
	}
	refund, err := rq.Stores.Refunds.RefundByID(ctx, found.Project, found.Refund)
	if err != nil {
		return v, err
	}
	return toAPIReturnDetail(*found, refund), nil
}

type approveInput struct {
	OnReturn
	operation.WithMFA
	Body *struct {
		Amount  wire.Optional[wire.Decimal] `json:"amount,omitzero" doc:"The amount to refund. Omitted or null: the estimate, at most the rest of the payment."`
		Restock *bool                       `json:"restock,omitempty" doc:"Whether the goods return to stock. Default: true."`
	}
}

func (h *handlers) approveReturn(ctx context.Context, rq operation.Request, in *approveInput) (*returnOutput, operation.Stage[returnOutput], error) {
	p := rq.Caller.Project
	consent, err := fromAPIApproval(in, p.Settings.Currency)
	if err != nil {
		return nil, nil, err
	}
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return nil, nil, err
	}
	decided, refund, err := h.Aftersales.In(rq.Stores).ApproveReturn(ctx, p.ID, consent)
	if err != nil {
		return nil, nil, err
	}
	operation.NoteChange(rq, nil, loggedReturn(decided, consent.Return))
	out := &returnOutput{Body: toAPIReturnDetail(*decided.FindReturn(consent.Return), decided.FindRefund(refund))}
	if refund.IsZero() {
		return out, nil, nil
	}
	return out, func(ctx ports.Outbound, rq operation.Request) (*returnOutput, error) {
		executed, err := h.Aftersales.In(rq.Stores).ExecuteRefund(ctx, p.ID, refund)
		if err != nil {
			return nil, err
		}
		return &returnOutput{Body: toAPIReturnDetail(*decided.FindReturn(consent.Return), executed)}, nil
	}, nil
}

type rejectInput struct {
	OnReturn
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"At most 2,000 characters."`
	}
}

func (h *handlers) rejectReturn(ctx context.Context, rq operation.Request, in *rejectInput) (v returnDetail, err error) {
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	decided, err := h.Aftersales.In(rq.Stores).RejectReturn(ctx, rq.Caller.Project.ID, in.Return.ID, reason)
	if err != nil {
		return v, err
	}
	operation.NoteChange(rq, nil, loggedReturn(decided, in.Return.ID))
	return toAPIReturnDetail(*decided.FindReturn(in.Return.ID), nil), nil
}

// fromAPIApproval restocks by default. Amounts are in the project's currency, which cannot change once the
// project has orders.
func fromAPIApproval(in *approveInput, c money.Currency) (consent aftersales.Approval, err error) {
	consent = aftersales.Approval{Return: in.Return.ID, Restock: true}
	if in.Body == nil {
		return consent, nil
	}
	if in.Body.Restock != nil {
		consent.Restock = *in.Body.Restock
	}
	consent.Amount, err = fromAPIAmount(in.Body.Amount, c)
	return consent, err
}

// loggedReturn is a return as the audit log records it, without comments and reasons, which may name a buyer.
func loggedReturn(c *order.Case, ret id.Return) map[string]any {
	view := toAPIReturn(*c.FindReturn(ret))
	logged := map[string]any{"status": view.Status, "order_id": view.OrderID, "restocked": view.Restocked}
	if r := c.FindRefund(c.FindReturn(ret).Refund); r != nil {
		logged["refund"] = loggedRefund(*r)
	}
	return logged
}

func toAPIReturn(r order.Return) ReturnView {
	view := ReturnView{
		ID:      r.ID.String(),
		OrderID: r.Order.String(),
		Status:  r.Status.String(),
		Comment: r.Comment,
		Reason:  r.Reason,
		Items: wire.Each(r.Items, func(i order.ReturnItem) returnItem {
			return returnItem{i.Product.String(), i.Variant.String(), i.Quantity, i.Reason}
		}),
		Estimate:  wire.ToMoney(r.Estimate),
		Currency:  r.Estimate.Currency().Code(),
		RefundID:  wire.ToOptionalID(r.Refund),
		CreatedAt: wire.ToTime(r.CreatedAt),
		DecidedAt: wire.ToKnownTime(r.DecidedAt),
	}
	for _, t := range r.Restocked {
		view.Restocked += t.Quantity
	}
	return view
}

// toAPIReturnDetail shows a return with its refund, which is nil if there is none.
func toAPIReturnDetail(r order.Return, refund *order.Refund) returnDetail {
	detail := returnDetail{ReturnView: toAPIReturn(r)}
	if refund != nil {
		detail.Refund = new(toAPIRefund(*refund))
	}
	return detail
}
