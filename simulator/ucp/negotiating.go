package ucp

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// The states of a negotiation.
const (
	Open      = "open"
	Countered = "countered"
	Rejected  = "rejected"
	Accepted  = "accepted"
	Expired   = "expired"
	Closed    = "closed"
	Declined  = "declined"
)

// StartRequest opens a negotiation about one item, with or without an offer per piece.
type StartRequest struct {
	Item     Item            `json:"item"`
	Quantity int             `json:"quantity"`
	CartID   string          `json:"cart_id,omitempty"`
	Offer    *Money          `json:"offer,omitempty"`
	Message  string          `json:"message,omitempty"`
	Context  json.RawMessage `json:"context,omitempty"`
}

// OfferRequest offers another price per piece.
type OfferRequest struct {
	Offer     Money  `json:"offer"`
	Message   string `json:"message,omitempty"`
	AddBundle bool   `json:"add_bundle,omitempty"`
}

// AcceptRequest accepts the merchant's price, which it must repeat.
type AcceptRequest struct {
	Price Money `json:"price"`
}

// DeclineRequest ends a negotiation without an agreement.
type DeclineRequest struct {
	Reason string `json:"reason,omitempty"`
}

// Negotiation is the state of a negotiation.
type Negotiation struct {
	UCP    Envelope `json:"ucp"`
	ID     string   `json:"id"`
	CartID string   `json:"cart_id"`
	Status string   `json:"status"`
	Item   struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		ListPrice Money  `json:"list_price"`
	} `json:"item"`
	Quantity     int    `json:"quantity"`
	CurrentPrice *Money `json:"standing_price"`
	Final        bool   `json:"final"`
	Hint         *Money `json:"hint"`
	Rounds       struct {
		Used    int `json:"used"`
		Allowed int `json:"allowed"`
	} `json:"rounds"`
	Deal *struct {
		Code      string    `json:"code"`
		UnitPrice Money     `json:"unit_price"`
		Quantity  int       `json:"quantity"`
		ExpiresAt time.Time `json:"expires_at"`
	} `json:"deal"`
	ExpiresAt    time.Time `json:"expires_at"`
	BuyerActions []string  `json:"buyer_actions"`
	Messages     Messages  `json:"messages"`
}

// May reports whether action is allowed next: make_offer, accept_offer or decline_offer.
func (n Negotiation) May(action string) bool { return slices.Contains(n.BuyerActions, action) }

// StartNegotiation asks for a price.
func (c *Client) StartNegotiation(ctx context.Context, request StartRequest, options ...CallOption) (Negotiation, error) {
	return call[Negotiation](ctx, c, judge.StartNegotiation, "", request, options)
}

// MakeOffer offers a price.
func (c *Client) MakeOffer(ctx context.Context, id string, request OfferRequest, options ...CallOption) (Negotiation, error) {
	return call[Negotiation](ctx, c, judge.MakeOffer, id, request, options)
}

// AcceptOffer accepts the merchant's price.
func (c *Client) AcceptOffer(ctx context.Context, id string, request AcceptRequest, options ...CallOption) (Negotiation, error) {
	return call[Negotiation](ctx, c, judge.AcceptOffer, id, request, options)
}

// Negotiation reads the state of a negotiation.
func (c *Client) Negotiation(ctx context.Context, id string, options ...CallOption) (Negotiation, error) {
	return call[Negotiation](ctx, c, judge.GetNegotiation, id, nil, options)
}

// DeclineOffer ends a negotiation without an agreement.
func (c *Client) DeclineOffer(ctx context.Context, id string, request DeclineRequest, options ...CallOption) (Negotiation, error) {
	return call[Negotiation](ctx, c, judge.DeclineOffer, id, request, options)
}
