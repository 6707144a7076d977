package acp

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// The statuses of an answer to a quote request.
const (
	Accept       = "accept"
	CounterOffer = "counter_offer"
	Reject       = "reject"
	Expired      = "expired"
	Quoted       = "quote"
)

// QuoteRequest is defined in features/PROTOCOL.md#quotes. A follow-up names an earlier quote and may leave out product,
// variant and quantity.
type QuoteRequest struct {
	SessionID    string           `json:"session_id,omitempty"`
	QuoteID      string           `json:"quote_id,omitempty"`
	ProductID    string           `json:"product_id,omitempty"`
	VariantID    string           `json:"variant_id,omitempty"`
	Quantity     int              `json:"quantity,omitempty"`
	OfferPrice   *decimal.Decimal `json:"offer_price"` // per unit; nil asks for a quote
	Message      string           `json:"message,omitempty"`
	AddBundle    bool             `json:"add_bundle,omitempty"`
	BuyerContext *BuyerContext    `json:"buyer_context,omitempty"`
}

// Quote is the answer in every status. Only the fields of its status are set (features/PROTOCOL.md#quotes).
type Quote struct {
	Status    string `json:"status"`
	SessionID string `json:"session_id"`
	QuoteID   string `json:"quote_id"`
	Message   string `json:"message"`

	ValidUntil    time.Time       `json:"valid_until"`
	FinalPrice    decimal.Decimal `json:"final_price"`
	CheckoutToken string          `json:"checkout_token"`

	Product struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"product"`
	OriginalPrice    decimal.Decimal   `json:"original_price"`
	YourOffer        decimal.Decimal   `json:"your_offer"`
	CounterPrice     decimal.Decimal   `json:"counter_price"`
	DiscountApplied  string            `json:"discount_applied"`
	Reasoning        string            `json:"reasoning"`
	BundleSuggestion *BundleSuggestion `json:"bundle_suggestion"`
	NextActions      []string          `json:"next_actions"`

	Reason    string `json:"reason"`
	FloorHint string `json:"floor_hint"`

	ListPrice    decimal.Decimal `json:"list_price"`
	OfferedPrice decimal.Decimal `json:"offered_price"` // the price of a quote, or the price that still holds after a rejection
}

// BundleSuggestion is a second product at a lower price.
type BundleSuggestion struct {
	ProductID    string          `json:"product_id"`
	Name         string          `json:"name"`
	RegularPrice decimal.Decimal `json:"regular_price"`
	BundlePrice  decimal.Decimal `json:"bundle_price"`
	BundleTotal  decimal.Decimal `json:"bundle_total"`
	TotalSavings decimal.Decimal `json:"total_savings"`
}

// CurrentPrice returns the price that the merchant is bound to until ValidUntil: the counter, the quoted price, or the price
// that still holds after a rejection. A buyer gets it by offering it. Standing is zero if the answer has none.
func (q Quote) CurrentPrice() decimal.Decimal {
	if q.Status == CounterOffer {
		return q.CounterPrice
	}
	return q.OfferedPrice
}

// Offers reports whether an action is among the next actions.
func (q Quote) Offers(action string) bool { return slices.Contains(q.NextActions, action) }

var quoteOperation = operation{"POST", "/acp/quote", byStatus(map[string][]string{
	Accept: {"session_id", "quote_id", "final_price", "message", "valid_until", "checkout_token", "next_actions[]"},
	CounterOffer: {
		"session_id", "quote_id", "product.id", "product.name", "original_price", "your_offer", "counter_price",
		"discount_applied", "reasoning", "valid_until", "next_actions[]",
	},
	Reject:  {"reason", "floor_hint", "offered_price", "valid_until", "next_actions[]"},
	Expired: {"next_actions[]"},
	Quoted:  {"list_price", "offered_price", "valid_until", "next_actions[]"},
})}

// Quote asks for a price, makes an offer or follows up on one.
func (c *Client) Quote(ctx context.Context, request QuoteRequest, options ...Option) (Quote, error) {
	return call[Quote](ctx, c, quoteOperation, "/acp/quote", request, options)
}
