package ucp

import (
	"context"

	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// CartRequest is a whole cart. An update removes everything that it omits.
type CartRequest struct {
	ID        string     `json:"id,omitempty"` // 2026-04-08 requires it in the body of an update
	Lines     []Line     `json:"line_items"`
	Buyer     *Buyer     `json:"buyer,omitempty"`
	Discounts *Discounts `json:"discounts,omitempty"`
}

// CheckoutRequest is a whole checkout except for the payment.
type CheckoutRequest struct {
	CartID      string       `json:"cart_id,omitempty"` // for a new checkout
	Lines       []Line       `json:"line_items"`
	Buyer       *Buyer       `json:"buyer,omitempty"`
	Discounts   *Discounts   `json:"discounts,omitempty"`
	Fulfillment *Fulfillment `json:"fulfillment,omitempty"`
}

// CompleteRequest pays a checkout.
type CompleteRequest struct {
	Payment Payment `json:"payment"`
}

// CreateCart opens a cart.
func (c *Client) CreateCart(ctx context.Context, request CartRequest, options ...CallOption) (Cart, error) {
	return call[Cart](ctx, c, judge.CreateCart, "", request, options)
}

// UpdateCart replaces a cart.
func (c *Client) UpdateCart(ctx context.Context, id string, request CartRequest, options ...CallOption) (Cart, error) {
	if c.config.Version == schema.V20260408 {
		request.ID = id
	}
	return call[Cart](ctx, c, judge.UpdateCart, id, request, options)
}

// Cart reads a cart.
func (c *Client) Cart(ctx context.Context, id string, options ...CallOption) (Cart, error) {
	return call[Cart](ctx, c, judge.GetCart, id, nil, options)
}

// CancelCart cancels a cart and returns it.
func (c *Client) CancelCart(ctx context.Context, id string, options ...CallOption) (Cart, error) {
	return call[Cart](ctx, c, judge.CancelCart, id, nil, options)
}

// CreateCheckout opens a checkout.
func (c *Client) CreateCheckout(ctx context.Context, request CheckoutRequest, options ...CallOption) (Checkout, error) {
	if request.Lines == nil {
		request.Lines = []Line{} // required even if a cart has the lines
	}
	return call[Checkout](ctx, c, judge.CreateCheckout, "", request, options)
}

// UpdateCheckout replaces a checkout.
func (c *Client) UpdateCheckout(ctx context.Context, id string, request CheckoutRequest, options ...CallOption) (Checkout, error) {
	return call[Checkout](ctx, c, judge.UpdateCheckout, id, request, options)
}

// Checkout reads a checkout.
func (c *Client) Checkout(ctx context.Context, id string, options ...CallOption) (Checkout, error) {
	return call[Checkout](ctx, c, judge.GetCheckout, id, nil, options)
}

// CompleteCheckout pays a checkout. A declined payment is an answer, not an error.
func (c *Client) CompleteCheckout(ctx context.Context, id string, request CompleteRequest, options ...CallOption) (Checkout, error) {
	return call[Checkout](ctx, c, judge.CompleteCheckout, id, request, options)
}

// CancelCheckout cancels a checkout.
func (c *Client) CancelCheckout(ctx context.Context, id string, options ...CallOption) (Checkout, error) {
	return call[Checkout](ctx, c, judge.CancelCheckout, id, nil, options)
}

// Order reads an order.
func (c *Client) Order(ctx context.Context, id string, options ...CallOption) (Order, error) {
	return call[Order](ctx, c, judge.GetOrder, id, nil, options)
}
