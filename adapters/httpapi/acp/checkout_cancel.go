package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerCheckoutCancel() {
	wire.AddAtomic(h.mount, h.operation(huma.Operation{
		OperationID: "acp-checkout-cancel", Method: http.MethodPost, Path: "/acp/checkout/cancel", Tags: commerceTag,
		Summary: "Give up a checkout",
		Description: "Ends a checkout that is not being paid; its tokens may be used in another one. Sent again it answers the " +
			"same. A payment under way: 409 checkout_processing; paid: 409 checkout_completed (cancel its order instead); " +
			"past valid_until: 409 checkout_expired.",
		Errors: []int{http.StatusConflict},
	}), h.cancelCheckout)
}

type cancelCheckoutRequest struct {
	CheckoutID string `json:"checkout_id" minLength:"1" example:"chk_06fszq2d8v3m5xk9t1c7w4hpeg"`
}

type cancelCheckoutAnswer struct {
	CheckoutID string `json:"checkout_id"`
	Status     string `json:"status" enum:"canceled"`
}

func (h *handlers) cancelCheckout(ctx context.Context, rq Request, in *wire.Input[cancelCheckoutRequest]) (*wire.Output[cancelCheckoutAnswer], error) {
	shop := rq.Caller.Shop
	of, err := wire.ID[id.Checkout](in.Body.CheckoutID, "checkout")
	if err != nil {
		return nil, err
	}
	c, err := h.Purchase.In(rq.Stores).Cancel(ctx, shop, of)
	if err != nil {
		return nil, err
	}
	return &wire.Output[cancelCheckoutAnswer]{Body: cancelCheckoutAnswer{c.ID().String(), c.Status().String()}}, nil
}
