package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// orderCancelID is an operation that may refund money, outside of any transaction.
	orderCancelID = "acp-order-cancel"

	checkoutCancelID = "acp-checkout-cancel"
)

func (h *handlers) registerOrderCancel() {
	wire.AddPhased(h.mount, h.operation(huma.Operation{
		OperationID: orderCancelID,
		Method:      http.MethodPost,
		Path:        "/acp/orders/{id}/cancel",
		Tags:        aftersalesTag,
		Summary:     "Cancel an order",
		Description: "Cancels an order that has not shipped and refunds the payment; the refund may still be pending in the " +
			"response. Requires the order's manage_token, which finalize returned, or the session_id in which the order was " +
			"placed. A repeated request returns the same response. Errors: 403 order_token_required; 404 order_not_found; 409 " +
			"order_shipped (request a return instead); 409 return_open (the merchant has not decided a return yet).",
		Errors: []int{http.StatusForbidden, http.StatusConflict},
	}), h.cancelOrder)
}

type cancelOrderInput struct {
	ID   wire.Ref[id.Order] `path:"id" thing:"order" doc:"The order's id."`
	Body *struct {
		ManageToken string `json:"manage_token,omitempty" maxLength:"100" example:"om_7k2m9qxa7k2m9qxa7k2m9qxa7k2m9qxa" doc:"As finalize returned it. Required without session_id."`
		SessionID   string `json:"session_id,omitempty" maxLength:"100" doc:"The session in which the order was placed."`
		Reason      string `json:"reason,omitempty" maxLength:"1000" example:"Ordered twice"`
	} `required:"false"`
}

func (h *handlers) cancelOrder(ctx ports.Outbound, rq Request, in *cancelOrderInput) (*wire.Output[orderAnswer], error) {
	shop := rq.Caller.Shop
	reason, proof := "Canceled by the buyer", aftersales.Proof{}
	if in.Body != nil {
		proof = aftersales.Proof{ManageToken: in.Body.ManageToken, Session: in.Body.SessionID}
		if in.Body.Reason != "" {
			reason += ": " + in.Body.Reason
		}
	}
	c, err := h.Aftersales.In(rq.Stores).CancelAsBuyer(ctx, shop.ID, in.ID.ID, proof, reason)
	if err != nil {
		return nil, err
	}
	return &wire.Output[orderAnswer]{Body: toAPICase(shop, c, h.Clock.Now())}, nil
}

func (h *handlers) registerCheckoutCancel() {
	wire.AddAtomic(h.mount, h.operation(huma.Operation{
		OperationID: checkoutCancelID,
		Method:      http.MethodPost,
		Path:        "/acp/checkout/cancel",
		Tags:        commerceTag,
		Summary:     "Cancel a checkout",
		Description: "Cancels a checkout that has no payment in progress; its tokens can be used in another checkout. A repeated " +
			"request returns the same response. Errors: 409 checkout_processing; 409 checkout_completed (cancel the order instead); 409 checkout_expired.",
		Errors: []int{http.StatusConflict},
	}), h.cancelCheckout)
}

type cancelCheckoutRequest struct {
	CheckoutID string `json:"checkout_id" minLength:"1" example:"chk_06fszq2d8v3m5xk9t1c7w4hpeg"`
}

type cancelCheckoutAnswer struct {
	CheckoutID string `json:"checkout_id"`
	Status     string `json:"status" enum:"canceled"`

	NextActions nextActions `json:"next_actions,omitempty"`
}

func (h *handlers) cancelCheckout(ctx context.Context, rq Request, in *wire.Input[cancelCheckoutRequest]) (*wire.Output[cancelCheckoutAnswer], error) {
	shop := rq.Caller.Shop
	of, err := wire.ID[id.Checkout](in.Body.CheckoutID, "checkout")
	if err != nil {
		return nil, err
	}
	c, err := h.Purchase.In(rq.Stores).Cancel(ctx, shop, purchase.Named{Checkout: of, Agent: rq.Caller.Agent})
	if err != nil {
		return nil, err
	}
	return &wire.Output[cancelCheckoutAnswer]{Body: cancelCheckoutAnswer{c.ID().String(), c.Status().String(), nextActions{actInitCheckout}}}, nil
}
