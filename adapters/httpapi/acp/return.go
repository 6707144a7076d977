package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

const returnCreateID = "acp-return-create"

func (h *handlers) registerReturns() {
	wire.AddAtomic(h.mount, h.operation(huma.Operation{
		OperationID:   returnCreateID,
		Method:        http.MethodPost,
		Path:          "/acp/returns",
		Tags:          aftersalesTag,
		Summary:       "Request a return",
		DefaultStatus: http.StatusCreated,
		Description: "Requests the return of items of an order; the merchant decides. A return cannot be withdrawn, and an order with an open return cannot be canceled: cancel an unshipped order instead. Errors: 404 " +
			"order_not_found; 409 order_canceled; 422 validation_error after the return window, for items that are not part " +
			"of the order, or for more pieces than were bought and not yet returned.",
		Errors: []int{http.StatusConflict},
	}), wire.HandleOne(h.requestReturn, toAPIReturn))
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: returnReadID,
		Method:      http.MethodGet,
		Path:        "/acp/returns/{id}",
		Tags:        aftersalesTag,
		Summary:     "Read a return",
		Description: "Errors: 404 return_not_found.",
	}), wire.HandleOne(h.findReturn, toAPIReturn))
}

type returnRequest struct {
	OrderID string       `json:"order_id" minLength:"1" example:"ord_06fszq2d8v3m5xk9t1c7w4hpeg"`
	Items   []returnItem `json:"items" minItems:"1" maxItems:"50"`
	Comment string       `json:"comment,omitempty" maxLength:"2000"`
}

type returnItem struct {
	ProductID string `json:"product_id" minLength:"1" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg"`
	VariantID string `json:"variant_id,omitempty" doc:"Optional if the order has one variant of the product."`
	Quantity  int    `json:"quantity" minimum:"1" maximum:"1000"`
	Reason    string `json:"reason,omitempty" maxLength:"2000" example:"Too small"`
}

type returnAnswer struct {
	ReturnID       string     `json:"return_id"`
	Status         string     `json:"status" enum:"requested,approved,rejected"`
	RefundEstimate wire.Money `json:"refund_estimate" minimum:"0" doc:"Paid for the items, with their share of the tax."`
	Currency       string     `json:"currency" example:"USD"`
	Instructions   string     `json:"instructions"`
	RefundID       string     `json:"refund_id,omitempty" doc:"Of an approved return. The order shows the state of the refund."`
	Reason         string     `json:"reason,omitempty" doc:"The merchant's reason for rejecting it."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

func (h *handlers) requestReturn(ctx context.Context, rq Request, in *wire.Input[returnRequest]) (*order.Return, error) {
	of, err := wire.ID[id.Order](in.Body.OrderID, "order")
	if err != nil {
		return nil, err
	}
	items, err := fromAPIReturn(in.Body.Items)
	if err != nil {
		return nil, err
	}
	return h.Aftersales.In(rq.Stores).RequestReturn(ctx, rq.Caller.Shop, of, items, in.Body.Comment)
}

type onReturn struct {
	ID wire.Ref[id.Return] `path:"id" thing:"return" doc:"Anyone who has the id can use it."`
}

func (h *handlers) findReturn(ctx context.Context, rq Request, in *onReturn) (*order.Return, error) {
	return rq.Stores.Orders.ReturnByID(ctx, rq.Caller.Shop.ID, in.ID.ID)
}

// fromAPIReturn reads items. It refuses a malformed id in the words in which the domain refuses an id that is not in the order.
func fromAPIReturn(items []returnItem) ([]order.ReturnItem, error) {
	list, check := make([]order.ReturnItem, len(items)), fault.NewCheck()
	for i, item := range items {
		at := check.In("items").At(i)
		product, err := id.Parse[id.Product](item.ProductID)
		at.That(err == nil, "product_id", "is not part of the order")
		variant, err := wire.OptionalID[id.Variant](item.VariantID, "variant")
		at.That(err == nil, "variant_id", "is not part of the order")
		list[i] = order.ReturnItem{
			Product:  product,
			Variant:  variant,
			Quantity: item.Quantity,
			Reason:   item.Reason,
		}
	}
	return list, check.Err()
}

func toAPIReturn(r *order.Return) returnAnswer {
	return returnAnswer{
		ReturnID:       r.ID.String(),
		Status:         r.Status.String(),
		RefundEstimate: wire.ToMoney(r.Estimate),
		Currency:       r.Estimate.Currency().Code(),
		Instructions:   r.Instructions,
		RefundID:       r.Refund.String(),
		Reason:         r.Reason,
		NextActions:    afterReturn(r),
	}
}
