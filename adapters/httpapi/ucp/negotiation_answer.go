package ucp

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// NegotiationBody is a negotiation. It is exported because its schema is published.
type NegotiationBody struct {
	UCP          envelope         `json:"ucp"`
	ID           string           `json:"id"`
	CartID       string           `json:"cart_id" doc:"The cart for the deal."`
	Status       string           `json:"status" enum:"open,countered,rejected,accepted,expired,closed,declined"`
	Item         negotiatedItem   `json:"item"`
	Quantity     int              `json:"quantity" minimum:"1"`
	Lines        []negotiatedLine `json:"lines" minItems:"1" doc:"item and quantity are a short form of one line."`
	Terms        map[string]any   `json:"terms" doc:"Reserved."`
	CurrentPrice *price           `json:"standing_price" doc:"For one piece; the buyer can accept it until expires_at."`
	Final        bool             `json:"final" doc:"Whether no offer lowers the price any more."`
	Hint         *price           `json:"hint" doc:"Of a rejection: lower offers are rejected."`
	Rounds       rounds           `json:"rounds"`
	Bundle       *bundleOffered   `json:"bundle"`
	Deal         *deal            `json:"deal" doc:"Present in the response that accepts, and when that is repeated."`
	ExpiresAt    *wire.Time       `json:"expires_at,omitempty"`
	BuyerActions []string         `json:"buyer_actions" enum:"make_offer,accept_offer,decline_offer,create_checkout,start_negotiation"`
	Messages     []message        `json:"messages,omitempty"`

	Personalization *commerce.Personalization `json:"personalization,omitempty" doc:"Present if personal signals moved the price."`
}

type negotiatedItem struct {
	ID        string `json:"id" doc:"The id of the variant."`
	Title     string `json:"title,omitempty"`
	ListPrice *price `json:"list_price,omitempty"`
}

type negotiatedLine struct {
	Item     negotiatedItem `json:"item"`
	Quantity int            `json:"quantity" minimum:"1"`
}

type rounds struct {
	Used    int `json:"used"`
	Allowed int `json:"allowed" doc:"The number of the final counteroffer."`
}

// bundleOffered is a second product, one piece, which is sold with the item. add_bundle takes it.
type bundleOffered struct {
	Item      negotiatedItem `json:"item"`
	Price     price          `json:"price"`
	Included  bool           `json:"included" doc:"Whether the deal includes it."`
	ExpiresAt *wire.Time     `json:"expires_at,omitempty"`
}

type deal struct {
	Code      string     `json:"code" doc:"Redeems the price, once, in discounts.codes of a checkout. The negotiation's cart has it already."`
	UnitPrice price      `json:"unit_price"`
	Quantity  int        `json:"quantity" minimum:"1"`
	ExpiresAt *wire.Time `json:"expires_at"`
}

// toAPIKnownPrice returns nil for an amount without a currency.
func toAPIKnownPrice(a money.Amount) *price {
	if a.Currency() == (money.Currency{}) {
		return nil
	}
	return new(toAPIPrice(a))
}

// The statuses of a negotiation.
const (
	statusOpen      = "open"
	statusCountered = "countered"
	statusRejected  = "rejected"
	statusAccepted  = "accepted"
	statusExpired   = "expired"
	statusClosed    = "closed"
	statusDeclined  = "declined"
)

// statusOf returns the status of a negotiation after its last answer.
func statusOf(v *haggling.View) string {
	switch v.Quote.State {
	case negotiation.Agreed:
		return statusAccepted
	case negotiation.Superseded:
		return statusClosed
	case negotiation.Declined:
		return statusDeclined
	}
	if v.Expired {
		return statusExpired
	}
	switch v.Outcome {
	case negotiation.OutcomeCountered:
		return statusCountered
	case negotiation.OutcomeRejected:
		return statusRejected
	}
	return statusOpen
}

func (h *handlers) toAPIAnswer(rq Request, a haggling.Answer) NegotiationBody {
	v := haggling.View{
		Quote:    a.Quote,
		Product:  a.Product,
		Expired:  a.Expired,
		Final:    a.Final,
		RoundCap: a.RoundCap,

		Personalized: a.Personalized,
	}
	if a.Decision != nil {
		v.Outcome = a.Decision.Outcome()
	}
	body := h.toAPIView(rq, &v)
	switch {
	case a.Why == "":
	case body.Status == statusAccepted:
		body.Messages[0].Content += " " + a.Why
	default:
		body.Messages[0].Content = a.Why
	}
	if a.Token != "" {
		body.Deal = &deal{
			Code:      a.Token,
			UnitPrice: toAPIPrice(a.Quote.FinalPrice),
			Quantity:  a.Quote.Item.Quantity,
			ExpiresAt: wire.ToKnownTime(a.Quote.ValidUntil),
		}
	}
	return body
}

func (h *handlers) toAPIView(rq Request, v *haggling.View) NegotiationBody {
	q, status := v.Quote, statusOf(v)
	body := NegotiationBody{
		UCP:    h.success(rq, h.config.Negotiation),
		ID:     q.ID.String(),
		CartID: q.Item.Session.String(),
		Status: status,
		Item: negotiatedItem{
			ID:        q.Item.Variant.String(),
			Title:     titleOf(v),
			ListPrice: toAPIKnownPrice(q.Bounds.List()),
		},
		Quantity:  q.Item.Quantity,
		Terms:     map[string]any{},
		Rounds:    rounds{min(q.Progress.Rounds, v.RoundCap), v.RoundCap},
		Final:     v.Final,
		ExpiresAt: wire.ToKnownTime(q.ValidUntil),
	}
	body.Lines = []negotiatedLine{{body.Item, body.Quantity}}
	switch status {
	case statusOpen, statusCountered, statusRejected, statusAccepted:
		body.CurrentPrice = toAPIKnownPrice(q.Standing())
		body.Bundle = toAPIBundle(q)
		body.Personalization = commerce.ToAPIPersonalization(v.Personalized)
	}
	if status == statusRejected {
		body.Hint = toAPIKnownPrice(q.Bounds.Hint())
	}
	body.BuyerActions = actions(status, v.Final)
	body.Messages = []message{h.toAPIWords(body)}
	if body.Personalization != nil {
		body.Messages = append(body.Messages, personalized(v.Personalized, "$.standing_price"))
	}
	return body
}

func titleOf(v *haggling.View) string {
	if v.Product == nil {
		return ""
	}
	variant, ok := v.Product.Variant(v.Quote.Item.Variant)
	if !ok {
		variant = catalog.Variant{}
	}
	return title(v.Product.Name, variant.Label())
}

func toAPIBundle(q negotiation.Snapshot) *bundleOffered {
	b := q.Bundle
	if b == nil || b.Digital && !q.WithBundle || q.State == negotiation.Agreed && !q.WithBundle {
		return nil
	}
	return &bundleOffered{
		Item: negotiatedItem{
			ID:        b.Variant.String(),
			Title:     commerce.PlainLine(b.Name),
			ListPrice: toAPIKnownPrice(b.Regular),
		},
		Price:     toAPIPrice(b.Price),
		Included:  q.WithBundle,
		ExpiresAt: wire.ToKnownTime(b.ValidUntil),
	}
}

// actions returns the buyer's possible next actions.
func actions(status string, final bool) []string {
	switch status {
	case statusAccepted:
		return []string{"create_checkout"}
	case statusExpired, statusClosed, statusDeclined:
		return []string{startNegotiationID}
	}
	if final {
		return []string{acceptOfferID, declineOfferID}
	}
	return []string{makeOfferID, acceptOfferID, declineOfferID}
}

// toAPIWords describes the state of a negotiation in generated words, without any text of a merchant or a buyer.
func (h *handlers) toAPIWords(b NegotiationBody) message {
	code := map[string]string{
		statusOpen:      "quote",
		statusCountered: commerce.Responses[negotiation.OutcomeCountered],
		statusRejected:  commerce.Responses[negotiation.OutcomeRejected],
		statusAccepted:  commerce.Responses[negotiation.OutcomeAccepted],
		statusExpired:   "quote_expired",
		statusClosed:    "quote_closed",
		statusDeclined:  "quote_declined",
	}[b.Status]
	stands := words(b.CurrentPrice)
	content := map[string]string{
		statusOpen:      "The price is " + stands + " for one piece. An offer may lower it.",
		statusCountered: "We can do " + stands + " for one piece.",
		statusRejected:  "The offer is too low: no offer below " + words(b.Hint) + " is considered. The price of " + stands + " stands.",
		statusAccepted:  "The price is agreed: " + stands + " for one piece, quantity " + strconv.Itoa(b.Quantity) + ". It is in the cart.",
		statusExpired:   "The negotiation has expired. Start a new one.",
		statusClosed:    "A newer negotiation about the same item replaced this one.",
		statusDeclined:  "The negotiation is declined.",
	}[b.Status]
	if b.Status == statusOpen && b.Final {
		content = "The price is " + stands + " for one piece, and final."
	}
	if b.Status == statusCountered && b.Final {
		content += " This is the final price."
	}
	return message{
		Type:    "info",
		Code:    code,
		Content: content,
	}
}

// words formats a price: 224.00 USD.
func words(p *price) string {
	if p == nil {
		return ""
	}
	currency, err := money.ParseCurrency(p.Currency)
	if err != nil {
		return ""
	}
	return money.Of(p.Amount, currency).String() + " " + p.Currency
}

// negotiationAnswer documents the answer, which may be the envelope of an error as well.
func (h *handlers) negotiationAnswer(status int) map[string]*huma.Response {
	schemas := h.mount.API.OpenAPI().Components.Schemas
	schema := &huma.Schema{AnyOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[NegotiationBody](), true, ""), schemas.Schema(reflect.TypeFor[failure](), true, ""),
	}}
	return map[string]*huma.Response{strconv.Itoa(status): {
		Description: http.StatusText(status),
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
}

// negotiationName is the name of the capability.
func (h *handlers) negotiationName() string { return h.negotiationService() + ".quote" }

func (h *handlers) negotiationService() string { return h.config.Authority + ".negotiation" }
