package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerSessions() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: sessionID,
		Method:      http.MethodGet,
		Path:        "/acp/sessions/{id}",
		Tags:        commerceTag,
		Summary:     "Read a session",
		Description: "Returns the buyer's context, the agreed prices, the cart, and every offer with its answer, oldest first. " +
			"Reading counts as activity, but a session expires 24 hours after its creation at the latest. Prices are in the " +
			"shop's currency, for one piece. Errors: 404 session_not_found; 409 session_expired.",
		Errors: []int{http.StatusConflict},
	}), h.session)
	wire.AddAtomic(h.mount, h.operation(huma.Operation{
		OperationID: sessionExtendID,
		Method:      http.MethodPost,
		Path:        "/acp/sessions/{id}/extend",
		Tags:        commerceTag,
		Summary:     "Extend a session",
		Description: "Moves expires_at by this many minutes, at most to 24 hours after the session's creation (422 " +
			"validation_error). Errors: 404 session_not_found; 409 session_expired.",
		Errors: []int{http.StatusConflict},
	}), h.extend)
}

type extendInput struct {
	ID   wire.Ref[id.Session] `path:"id" thing:"session" doc:"The session's id."`
	Body extendRequest
}

type extendRequest struct {
	Minutes int `json:"duration_minutes" minimum:"1" maximum:"1440" example:"30"`
}

type extendAnswer struct {
	SessionID    string    `json:"session_id"`
	NewExpiresAt wire.Time `json:"new_expires_at"`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type sessionAnswer struct {
	SessionID    string                `json:"session_id"`
	Status       string                `json:"status" enum:"active"`
	CreatedAt    wire.Time             `json:"created_at"`
	LastActivity wire.Time             `json:"last_activity" doc:"Accurate to a minute."`
	ExpiresAt    wire.Time             `json:"expires_at" doc:"The session does not expire before this time, but up to a minute later."`
	BuyerContext sessionBuyer          `json:"buyer_context" doc:"As the buyer's agent last sent it."`
	Cart         cart                  `json:"cart" doc:"Lines of accepted quotes and of the buyer."`
	History      []historyEntry        `json:"negotiation_history"`
	Shown        []shownRecommendation `json:"recommendations_shown"`
	Quotes       []sessionQuote        `json:"quotes" doc:"The state of each quote after its last answer, in the order of their creation. A new quote for the same item replaces the previous one."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type sessionBuyer struct {
	LoyaltyTier     string `json:"loyalty_tier"`
	PurchaseHistory int    `json:"purchase_history" minimum:"0"`
	Location        string `json:"location,omitempty"`
	Urgency         string `json:"urgency,omitempty"`
}

type cart struct {
	Items    []cartItem `json:"items"`
	Subtotal wire.Money `json:"subtotal" minimum:"0"`
}

type cartItem struct {
	ProductID       string     `json:"product_id"`
	VariantID       string     `json:"variant_id"`
	Name            string     `json:"name"`
	Quantity        int        `json:"quantity" minimum:"1"`
	NegotiatedPrice wire.Money `json:"negotiated_price" minimum:"0"`
	AtListPrice     bool       `json:"at_list_price,omitzero" doc:"No price was agreed: it is the current list price."`
}

type historyEntry struct {
	Timestamp    wire.Time   `json:"timestamp"`
	Type         string      `json:"type" enum:"quote_request"`
	Offer        *wire.Money `json:"offer" nullable:"true" minimum:"0" doc:"Null: the buyer asked for a price."`
	Response     string      `json:"response" enum:"quote,counter_offer,accept,reject"`
	Counter      *wire.Money `json:"counter,omitempty" minimum:"0" doc:"Of a counter_offer."`
	FinalPrice   *wire.Money `json:"final_price,omitempty" minimum:"0" doc:"Of an accept."`
	OfferedPrice *wire.Money `json:"offered_price,omitempty" minimum:"0" doc:"Of a quote or a reject."`
}

type sessionQuote struct {
	QuoteID   string      `json:"quote_id"`
	ProductID string      `json:"product_id"`
	VariantID string      `json:"variant_id"`
	Quantity  int         `json:"quantity" minimum:"1"`
	Response  string      `json:"response" enum:"quote,counter_offer,accept,reject" doc:"The answer to the last request."`
	Price     *wire.Money `json:"price,omitempty" minimum:"0" doc:"For one piece: quoted, countered, agreed, or offered in a rejection."`
}

type shownRecommendation struct {
	ProductID string `json:"product_id"`
	Accepted  bool   `json:"accepted" doc:"Whether it was bought."`
}

type onSession struct {
	ID wire.Ref[id.Session] `path:"id" thing:"session" doc:"Anyone who has the id can use it."`
}

func (h *handlers) session(ctx context.Context, rq Request, in *onSession) (*wire.Output[sessionAnswer], error) {
	shop := rq.Caller.Shop
	now := h.Clock.Now()
	visit, err := rq.Stores.Sessions.Visit(ctx, shop.ID, in.ID.ID)
	if err != nil {
		return nil, err
	}
	if err := visit.Session.CheckFor(rq.Caller.Agent); err != nil {
		return nil, err
	}
	touched, err := visit.Session.Touch(nil, shop.Settings.SessionTimeout(), now)
	if err != nil {
		return nil, err
	}
	if err := rq.Stores.Sessions.Keep(ctx, visit.Session, touched); err != nil {
		return nil, err
	}
	return &wire.Output[sessionAnswer]{Body: toAPISession(visit, visit.Session.Status(now), shop.Settings.Currency)}, nil
}

func (h *handlers) extend(ctx context.Context, rq Request, in *extendInput) (*wire.Output[extendAnswer], error) {
	shop := rq.Caller.Shop
	now := h.Clock.Now()
	s, err := rq.Stores.Sessions.Update(ctx, shop.ID, in.ID.ID, func(s *session.Session) error {
		if err := s.CheckFor(rq.Caller.Agent); err != nil {
			return err
		}
		return s.Extend(in.Body.Minutes, now)
	})
	if err != nil {
		return nil, err
	}
	return &wire.Output[extendAnswer]{Body: extendAnswer{s.ID.String(), wire.ToTime(s.ExpiresAt), nextActions{actReadSession}}}, nil
}

func toAPISession(v ports.Visit, status session.Status, currency money.Currency) sessionAnswer {
	s := v.Session
	answer := sessionAnswer{
		SessionID:    s.ID.String(),
		Status:       status.String(),
		CreatedAt:    wire.ToTime(s.CreatedAt),
		LastActivity: wire.ToTime(s.LastActivity),
		ExpiresAt:    wire.ToTime(s.ExpiresAt),
		BuyerContext: sessionBuyer{
			LoyaltyTier: s.Claims.LoyaltyTier, PurchaseHistory: s.Claims.PurchaseHistory,
			Location: s.Claims.Location, Urgency: s.Claims.Urgency,
		},
		Cart: cart{Subtotal: wire.ToMoney(session.Value(v.Cart, id.Variant{}, currency))},
	}
	for _, item := range v.Cart {
		answer.Cart.Items = append(answer.Cart.Items, cartItem{
			ProductID:       item.Product.String(),
			VariantID:       item.Variant.String(),
			Name:            item.Name,
			Quantity:        item.Quantity,
			NegotiatedPrice: wire.ToMoney(item.Price),
			AtListPrice:     item.AtList(),
		})
	}
	for _, e := range v.History {
		answer.History = append(answer.History, toAPIEntry(e))
	}
	answer.Quotes = toAPISessionQuotes(v.History)
	for _, shown := range v.Shown {
		answer.Shown = append(answer.Shown, shownRecommendation{shown.Product.String(), shown.Accepted})
	}
	answer.NextActions = afterSession(answer)
	return answer
}

// toAPISessionQuotes shows each quote of a history with its last answer.
func toAPISessionQuotes(history []negotiation.Entry) []sessionQuote {
	var quotes []sessionQuote
	at := map[id.Quote]int{}
	for _, e := range history {
		i, known := at[e.Quote]
		if !known {
			i, at[e.Quote] = len(quotes), len(quotes)
			quotes = append(quotes, sessionQuote{
				QuoteID:   e.Quote.String(),
				ProductID: e.Item.Product.String(),
				VariantID: e.Item.Variant.String(),
				Quantity:  e.Item.Quantity,
			})
		}
		quotes[i].Response, quotes[i].Price = commerce.Responses[e.Outcome], wire.ToOptionalMoney(e.Price)
	}
	return quotes
}

// toAPIEntry shows the price of an answer under its name in that answer, without the reasons.
func toAPIEntry(e negotiation.Entry) historyEntry {
	entry := historyEntry{
		Timestamp: wire.ToTime(e.At),
		Type:      "quote_request",
		Offer:     wire.ToOptionalMoney(e.Offer),
		Response:  commerce.Responses[e.Outcome],
	}
	price := wire.ToOptionalMoney(e.Price)
	switch e.Outcome {
	case negotiation.OutcomeCountered:
		entry.Counter = price
	case negotiation.OutcomeAccepted:
		entry.FinalPrice = price
	case negotiation.OutcomeQuoted, negotiation.OutcomeRejected:
		entry.OfferedPrice = price
	}
	return entry
}
