package acp

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// The payment methods and the two outcomes of finalize (features/PROTOCOL.md#checkout).
const (
	PSPToken      = "psp_spt"
	WalletBA      = "wallet_ba"
	Success       = "success"
	PaymentFailed = "payment_failed"
)

// Address is the shipping address.
type Address struct {
	Name       string `json:"name"`
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
	Phone      string `json:"phone,omitempty"`
}

// InitRequest is defined in features/PROTOCOL.md#checkout.
type InitRequest struct {
	SessionID             string         `json:"session_id"`
	CheckoutToken         string         `json:"checkout_token,omitempty"`
	FromCart              bool           `json:"from_cart,omitempty"` // buys the cart instead of items
	Items                 []CheckoutItem `json:"items,omitempty"`
	ShippingAddress       Address        `json:"shipping_address"`
	BillingSameAsShipping bool           `json:"billing_same_as_shipping"`
}

// CheckoutItem is one line to buy. Without a token it sells at list price (features/PROTOCOL.md#checkout).
type CheckoutItem struct {
	ProductID       string           `json:"product_id"`
	VariantID       string           `json:"variant_id,omitempty"`
	Quantity        int              `json:"quantity"`
	NegotiatedPrice *decimal.Decimal `json:"negotiated_price,omitempty"`
	CheckoutToken   string           `json:"checkout_token,omitempty"`
}

// ReviseRequest replaces the cart of a checkout (adapters/httpapi/ucp/README.md, D2).
type ReviseRequest struct {
	CheckoutToken string        `json:"checkout_token,omitempty"`
	Items         []RevisedItem `json:"items"`
}

// RevisedItem is a line of a revised cart. A line with an id is in the checkout already.
type RevisedItem struct {
	CheckoutItem

	LineID string `json:"line_id,omitempty"`
}

// Checkout is the answer to init and to a revision.
type Checkout struct {
	CheckoutID string `json:"checkout_id"`
	Status     string `json:"status"`
	Revision   int    `json:"revision"` // of a revised checkout
	Summary    struct {
		Subtotal decimal.Decimal `json:"subtotal"`
		Shipping decimal.Decimal `json:"shipping"`
		Tax      decimal.Decimal `json:"tax"`
		Total    decimal.Decimal `json:"total"`
		Savings  decimal.Decimal `json:"savings"`
		Currency string          `json:"currency"`
	} `json:"summary"`
	Items           []CheckoutLine   `json:"items"`
	ShippingOptions []ShippingOption `json:"shipping_options"`
	PaymentMethods  []struct {
		Type  string `json:"type"`
		Ready bool   `json:"ready"`
	} `json:"payment_methods"`
	ValidUntil  time.Time `json:"valid_until"`
	NextActions []string  `json:"next_actions"`
}

// CheckoutLine is one line as the merchant prices it.
type CheckoutLine struct {
	ProductID     string          `json:"product_id"`
	Name          string          `json:"name"`
	Variant       string          `json:"variant"`
	Quantity      int             `json:"quantity"`
	UnitPrice     decimal.Decimal `json:"unit_price"`
	OriginalPrice decimal.Decimal `json:"original_price"`
	Discount      any             `json:"discount"`
}

// ShippingOption is one way to ship.
type ShippingOption struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Price    decimal.Decimal `json:"price"`
	Estimate string          `json:"estimate"`
	Selected bool            `json:"selected"`
}

// FinalizeRequest is defined in features/PROTOCOL.md#checkout.
type FinalizeRequest struct {
	CheckoutID     string  `json:"checkout_id"`
	Payment        Payment `json:"payment"`
	ShippingOption string  `json:"shipping_option,omitempty"`
	BuyerEmail     string  `json:"buyer_email"`
	Notes          string  `json:"notes,omitempty"`
}

// Payment is the buyer's payment method and token.
type Payment struct {
	Method string `json:"method"`
	Token  string `json:"token"`
}

// Finalized is the answer to finalize: an order, or a refused payment.
type Finalized struct {
	Status string `json:"status"`
	OrderRecord

	Error struct {
		Code        string `json:"code"`
		Message     string `json:"message"`
		DeclineCode string `json:"decline_code"`
	} `json:"error"`
	CheckoutID     string `json:"checkout_id"`
	CheckoutStatus string `json:"checkout_status"`
	RetryAllowed   bool   `json:"retry_allowed"`

	NextActions []string `json:"next_actions"`
}

// OrderRecord is an order with its payment and fulfillment.
type OrderRecord struct {
	Order struct {
		ID                 string    `json:"id"`
		ManageToken        string    `json:"manage_token"` // only in the answer to finalize
		ConfirmationNumber string    `json:"confirmation_number"`
		Status             string    `json:"status"`
		CreatedAt          time.Time `json:"created_at"`
	} `json:"order"`
	Payment struct {
		ID       string          `json:"id"`
		Status   string          `json:"status"`
		Amount   decimal.Decimal `json:"amount"`
		Currency string          `json:"currency"`
		Method   string          `json:"method"`
	} `json:"payment"`
	Fulfillment struct {
		Status            string `json:"status"`
		EstimatedShipDate string `json:"estimated_ship_date"`
		EstimatedDelivery string `json:"estimated_delivery"`
	} `json:"fulfillment"`
	ReceiptURL string `json:"receipt_url"`
	Tracking   struct {
		Available bool    `json:"available"`
		URL       *string `json:"url"`
		Message   string  `json:"message"`
	} `json:"tracking"`
	Summary struct {
		Items []struct {
			Name     string          `json:"name"`
			Quantity int             `json:"quantity"`
			Price    decimal.Decimal `json:"price"`
		} `json:"items"`
		Subtotal decimal.Decimal `json:"subtotal"`
		Shipping decimal.Decimal `json:"shipping"`
		Tax      decimal.Decimal `json:"tax"`
		Total    decimal.Decimal `json:"total"`
	} `json:"summary"`
}

var (
	orderPaths = []string{
		"order.id", "order.confirmation_number", "order.status", "order.created_at", "payment.id", "payment.status",
		"payment.amount", "payment.currency", "payment.method", "fulfillment.status", "tracking.available", "tracking.url?",
		"summary.items[].name", "summary.items[].quantity", "summary.items[].price", "summary.subtotal",
		"summary.shipping", "summary.tax", "summary.total",
	}
	initOperation = operation{"POST", "/acp/checkout/init", always(
		"checkout_id", "status", "summary.subtotal", "summary.shipping", "summary.tax", "summary.total",
		"summary.savings", "summary.currency", "items[].product_id", "items[].name", "items[].variant", "items[].quantity",
		"items[].unit_price", "items[].original_price", "items[].discount", "shipping_options[].id",
		"shipping_options[].name", "shipping_options[].price", "shipping_options[].estimate", "payment_methods[].type",
		"payment_methods[].ready", "valid_until", "next_actions[]",
	)}
	finalizeOperation = operation{"POST", "/acp/checkout/finalize", byStatus(map[string][]string{
		Success:       append([]string{"receipt_url", "fulfillment.estimated_ship_date", "fulfillment.estimated_delivery", "next_actions[]"}, orderPaths...),
		PaymentFailed: {"error.code", "error.message", "error.decline_code", "checkout_id", "checkout_status", "retry_allowed", "next_actions[]"},
	})}
)

// InitCheckout opens a checkout.
func (c *Client) InitCheckout(ctx context.Context, request InitRequest, options ...Option) (Checkout, error) {
	return call[Checkout](ctx, c, initOperation, "/acp/checkout/init", request, options)
}

// Finalize pays a checkout. A declined payment is an answer, not an error.
func (c *Client) Finalize(ctx context.Context, request FinalizeRequest, options ...Option) (Finalized, error) {
	return call[Finalized](ctx, c, finalizeOperation, "/acp/checkout/finalize", request, options)
}
