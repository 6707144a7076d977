package acp

import (
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// These are the answers to an offer, by status (features/PROTOCOL.md#quotes).

// agreedTo is the second product of a deal.
type agreedTo struct {
	ProductID string     `json:"product_id"`
	VariantID string     `json:"variant_id"`
	Quantity  int        `json:"quantity" minimum:"1"`
	Price     wire.Money `json:"price" minimum:"0"`
}

func toAPIAgreedBundle(q negotiation.Snapshot) *agreedTo {
	if !q.WithBundle {
		return nil
	}
	return &agreedTo{q.Bundle.Product.String(), q.Bundle.Variant.String(), 1, wire.ToMoney(q.Bundle.Price)}
}

// Quoted is the item that an answer's prices are for. It is exported because Huma ignores embedded types that are not.
type Quoted struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Quantity  int    `json:"quantity" minimum:"1"`
	Currency  string `json:"currency" example:"USD"`

	Personalization *commerce.Personalization `json:"personalization,omitempty"`

	Warnings []warning `json:"warnings,omitempty"`
}

func toAPIQuoted(a haggling.Answer, warnings []warning) Quoted {
	q := a.Quote
	return Quoted{
		ProductID:       q.Item.Product.String(),
		VariantID:       q.Item.Variant.String(),
		Quantity:        q.Item.Quantity,
		Currency:        q.Bounds.List().Currency().Code(),
		Personalization: commerce.ToAPIPersonalization(a.Personalized),
		Warnings:        warnings,
	}
}

type acceptAnswer struct {
	Status        string     `json:"status" enum:"accept"`
	SessionID     string     `json:"session_id"`
	QuoteID       string     `json:"quote_id"`
	FinalPrice    wire.Money `json:"final_price" minimum:"0"`
	Message       string     `json:"message"`
	ValidUntil    wire.Time  `json:"valid_until"`
	CheckoutToken string     `json:"checkout_token" doc:"Redeems the price at checkout, once. Store it: no later response shows it."`
	Bundle        *agreedTo  `json:"bundle,omitempty" doc:"The bundled item, which the checkout_token also covers."`

	Quoted

	NextActions nextActions `json:"next_actions,omitempty"`
}

type counterAnswer struct {
	Status          string        `json:"status" enum:"counter_offer"`
	SessionID       string        `json:"session_id"`
	QuoteID         string        `json:"quote_id"`
	Product         quotedProduct `json:"product"`
	OriginalPrice   wire.Money    `json:"original_price" minimum:"0"`
	YourOffer       wire.Money    `json:"your_offer" minimum:"0"`
	CounterPrice    wire.Money    `json:"counter_price" minimum:"0"`
	DiscountApplied string        `json:"discount_applied" example:"12.5%"`
	Reasoning       string        `json:"reasoning"`
	ValidUntil      wire.Time     `json:"valid_until"`
	Bundle          *bundle       `json:"bundle_suggestion,omitempty"`
	NextActions     []string      `json:"next_actions" enum:"accept,counter,decline,add_bundle" doc:"To accept, send counter_price as offer_price. Without counter in the list, the price is final."`

	Quoted
}

type quotedProduct struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type bundle struct {
	ProductID    string     `json:"product_id"`
	Name         string     `json:"name"`
	RegularPrice wire.Money `json:"regular_price" minimum:"0"`
	BundlePrice  wire.Money `json:"bundle_price" minimum:"0"`
	BundleTotal  wire.Money `json:"bundle_total" minimum:"0" doc:"Counter price × quantity, plus one bundled piece, whatever the quantity."`
	TotalSavings wire.Money `json:"total_savings" minimum:"0" doc:"Savings of the counter, plus regular_price − bundle_price, against list prices."`
}

type rejectAnswer struct {
	Status    string `json:"status" enum:"reject"`
	SessionID string `json:"session_id"`
	QuoteID   string `json:"quote_id"`
	Reason    string `json:"reason"`
	FloorHint string `json:"floor_hint" pattern:"^[0-9]+(\\.[0-9]+)?$" example:"75" doc:"A plain number. Lower offers are unlikely to succeed."`
	// A rejection keeps the price that is on the table, as a quote has it.
	OfferedPrice wire.Money `json:"offered_price" minimum:"0"`
	ValidUntil   wire.Time  `json:"valid_until"`

	Quoted

	NextActions nextActions `json:"next_actions,omitempty"`
}

type quotedAnswer struct {
	Status       string     `json:"status" enum:"quote"`
	SessionID    string     `json:"session_id"`
	QuoteID      string     `json:"quote_id"`
	ListPrice    wire.Money `json:"list_price" minimum:"0"`
	OfferedPrice wire.Money `json:"offered_price" minimum:"0"`
	Reasoning    string     `json:"reasoning"`
	ValidUntil   wire.Time  `json:"valid_until"`

	Quoted

	NextActions nextActions `json:"next_actions,omitempty"`
}

type expiredAnswer struct {
	Status    string `json:"status" enum:"expired"`
	SessionID string `json:"session_id"`
	QuoteID   string `json:"quote_id"`
	Message   string `json:"message"`

	Quoted

	NextActions nextActions `json:"next_actions,omitempty"`
}

// toAPIQuote is the only place that knows every decision. It panics on an unknown one, which is a bug and must not become an
// answer.
func toAPIQuote(a haggling.Answer, warnings []warning) any {
	item := toAPIQuoted(a, warnings)
	if a.Expired {
		return expiredAnswer{
			Status:      "expired",
			SessionID:   a.Session.String(),
			QuoteID:     a.Quote.ID.String(),
			Message:     "The quote has expired. Ask for a new one.",
			Quoted:      item,
			NextActions: afterQuote(a),
		}
	}
	visit, quote := a.Session.String(), a.Quote.ID.String()
	switch d := a.Decision.(type) {
	case negotiation.Accepted:
		return acceptAnswer{
			Status:        commerce.Responses[d.Outcome()],
			SessionID:     visit,
			QuoteID:       quote,
			FinalPrice:    wire.ToMoney(d.Price),
			Message:       a.Message,
			ValidUntil:    wire.ToTime(a.Quote.ValidUntil),
			CheckoutToken: a.Token,
			Bundle:        toAPIAgreedBundle(a.Quote),
			Quoted:        item,
			NextActions:   afterQuote(a),
		}
	case negotiation.Countered:
		return toAPICounter(a, d, item)
	case negotiation.Rejected:
		return rejectAnswer{
			Status:       commerce.Responses[d.Outcome()],
			SessionID:    visit,
			QuoteID:      quote,
			Reason:       a.Reasoning,
			FloorHint:    toAPIHint(d.Hint),
			OfferedPrice: wire.ToMoney(d.Price),
			ValidUntil:   wire.ToTime(a.Quote.ValidUntil),
			Quoted:       item,
			NextActions:  afterQuote(a),
		}
	case negotiation.Quoted:
		return quotedAnswer{
			Status:       commerce.Responses[d.Outcome()],
			SessionID:    visit,
			QuoteID:      quote,
			ListPrice:    wire.ToMoney(a.Quote.Bounds.List()),
			OfferedPrice: wire.ToMoney(d.Price),
			Reasoning:    a.Reasoning,
			ValidUntil:   wire.ToTime(a.Quote.ValidUntil),
			Quoted:       item,
			NextActions:  afterQuote(a),
		}
	default:
		panic(fmt.Sprintf("acp: no answer for the decision %T", d))
	}
}

// toAPIHint formats a hint as a plain number without trailing zeros: "75", "12.95".
func toAPIHint(a money.Amount) string {
	return string(wire.ToDecimal(a.Minor(), a.Currency().Digits()))
}

func toAPICounter(a haggling.Answer, d negotiation.Countered, item Quoted) counterAnswer {
	list := a.Quote.Bounds.List()
	answer := counterAnswer{
		Status:          commerce.Responses[d.Outcome()],
		SessionID:       a.Session.String(),
		QuoteID:         a.Quote.ID.String(),
		Product:         quotedProduct{a.Product.ID.String(), a.Product.Name},
		OriginalPrice:   wire.ToMoney(list),
		YourOffer:       wire.ToMoney(*a.Offer),
		CounterPrice:    wire.ToMoney(d.Price),
		DiscountApplied: money.Off(list, d.Price).String(),
		Reasoning:       a.Reasoning,
		ValidUntil:      wire.ToTime(a.Quote.ValidUntil),
		Quoted:          item,
		NextActions:     afterQuote(a),
	}
	if a.Quote.Bundle != nil {
		answer.Bundle = toAPIBundle(a.Quote, d.Price)
		answer.NextActions = append(answer.NextActions, actAddBundle)
	}
	return answer
}

// toAPIBundle computes the total of item and bundle. Prices are below 10^12 minor units and quantities at most 1,000, so nothing
// overflows.
func toAPIBundle(q negotiation.Snapshot, counter money.Amount) *bundle {
	b, quantity := q.Bundle, int64(q.Item.Quantity)
	of := func(minor int64) wire.Money { return wire.ToMoney(money.Of(minor, counter.Currency())) }
	return &bundle{
		ProductID: b.Product.String(), Name: b.Name,
		RegularPrice: wire.ToMoney(b.Regular), BundlePrice: wire.ToMoney(b.Price),
		BundleTotal:  of(counter.Minor()*quantity + b.Price.Minor()),
		TotalSavings: of((q.Bounds.List().Minor()-counter.Minor())*quantity + b.Regular.Minor() - b.Price.Minor()),
	}
}
