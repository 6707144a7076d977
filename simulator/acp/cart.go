package acp

import (
	"context"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// CartRequest replaces the cart of a session, or creates one.
type CartRequest struct {
	SessionID string     `json:"session_id,omitempty"`
	Items     []CartItem `json:"items"`
}

// CartItem is a line to put into the cart. A line with an id is in the cart already.
type CartItem struct {
	CheckoutItem

	LineID string `json:"line_id,omitempty"`
}

// Cart is the cart of a session.
type Cart struct {
	SessionID   string          `json:"session_id"`
	Items       []CartLine      `json:"items"`
	Subtotal    decimal.Decimal `json:"subtotal"`
	Savings     decimal.Decimal `json:"savings"`
	Currency    string          `json:"currency"`
	ExpiresAt   time.Time       `json:"expires_at"`
	CheckoutID  string          `json:"checkout_id"`
	Warnings    []Warning       `json:"warnings"`
	NextActions []string        `json:"next_actions"`
}

// CartLine is one line at its current price.
type CartLine struct {
	LineID        string          `json:"line_id"`
	ProductID     string          `json:"product_id"`
	VariantID     string          `json:"variant_id"`
	Name          string          `json:"name"`
	Variant       string          `json:"variant"`
	Quantity      int             `json:"quantity"`
	UnitPrice     decimal.Decimal `json:"unit_price"`
	OriginalPrice decimal.Decimal `json:"original_price"`
	Discount      string          `json:"discount"`
	Agreed        bool            `json:"agreed"`
	QuoteID       string          `json:"quote_id"`
}

// Warning describes a difference from what the buyer may expect.
type Warning struct {
	Code        string           `json:"code"`
	Field       string           `json:"field"`
	Message     string           `json:"message"`
	QuoteID     string           `json:"quote_id"`
	AgreedPrice *decimal.Decimal `json:"agreed_price"`
}

// EmptyCart is the request to empty a cart, for observers.
type EmptyCart struct{ SessionID string }

// ReadCart is the request to read a cart, for observers.
type ReadCart struct{ SessionID string }

var (
	cartPaths = always(
		"session_id", "items[].line_id", "items[].product_id", "items[].variant_id", "items[].name", "items[].variant", "items[].quantity",
		"items[].unit_price", "items[].original_price", "items[].discount", "items[].agreed", "subtotal", "savings", "currency", "expires_at",
		"next_actions[]",
	)
	readCartOperation  = operation{"GET", "/acp/cart", cartPaths}
	putCartOperation   = operation{"PUT", "/acp/cart", cartPaths}
	emptyCartOperation = operation{"DELETE", "/acp/cart", cartPaths}
)

// Cart reads the cart of a session.
func (c *Client) Cart(ctx context.Context, session string, options ...Option) (Cart, error) {
	return call[Cart](ctx, c, readCartOperation, cartOf(session), ReadCart{session}, options)
}

// PutCart replaces a cart.
func (c *Client) PutCart(ctx context.Context, request CartRequest, options ...Option) (Cart, error) {
	return call[Cart](ctx, c, putCartOperation, "/acp/cart", request, options)
}

// EmptyCart empties the cart of a session.
func (c *Client) EmptyCart(ctx context.Context, session string, options ...Option) (Cart, error) {
	return call[Cart](ctx, c, emptyCartOperation, cartOf(session), EmptyCart{session}, options)
}

func cartOf(session string) string { return "/acp/cart?session_id=" + url.QueryEscape(session) }
