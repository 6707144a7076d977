package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// orderCancelID is the operation that may give money back, outside of any transaction.
const orderCancelID = "acp-order-cancel"

func (h *handlers) registerOrderCancel() {
	add(h, huma.Operation{
		OperationID: orderCancelID, Method: http.MethodPost, Path: "/acp/orders/{id}/cancel", Tags: aftersalesTag,
		Summary: "Cancel an order",
		Description: "Ends an order that was not shipped and gives back what was paid; the refund may be pending still in the " +
			"answer. Sent again it answers the same. Shipped: 409 order_shipped (ask for a return instead); a return that the " +
			"merchant has not decided: 409 return_open. Unknown: 404 order_not_found.",
		Errors: []int{http.StatusConflict},
	}, (*handlers).cancelOrder)
}

type cancelOrderInput struct {
	ID   string `path:"id" doc:"Whoever knows the id may use it."`
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000" example:"Ordered twice"`
	} `required:"false"`
}

func (h *handlers) cancelOrder(ctx context.Context, shop *project.Project, in *cancelOrderInput) (*reply[orderAnswer], error) {
	of, err := wire.ID[id.Order](in.ID, "order")
	if err != nil {
		return nil, err
	}
	reason := "Canceled by the buyer"
	if in.Body != nil && in.Body.Reason != "" {
		reason += ": " + in.Body.Reason
	}
	_, refund, err := h.Aftersales.Cancel(ctx, shop.ID, of, reason)
	switch {
	case fault.Is(err, order.ErrCanceled.Code):
	case err != nil:
		return nil, err
	case !refund.IsZero():
		if _, err := h.Aftersales.ExecuteRefund(ctx, shop.ID, refund); err != nil {
			return nil, err
		}
	}
	c, err := h.Orders.Case(ctx, shop.ID, of)
	if err != nil {
		return nil, err
	}
	return &reply[orderAnswer]{h.toAPICase(shop, c)}, nil
}
