package remoteagent

import (
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

type quoteData struct {
	Product      product       `json:"product"`
	Offer        decimal       `json:"offer"`
	Currency     string        `json:"currency"`
	ListPrice    decimal       `json:"list_price"`
	Bounds       bounds        `json:"bounds"`
	CurrentPrice decimal       `json:"standing_price"`
	Progress     progress      `json:"progress"`
	Suggestion   suggestion    `json:"suggestion"`
	Message      string        `json:"message"`
	BuyerContext *buyerContext `json:"buyer_context"`
	History      []spoken      `json:"history"`
}

type product struct {
	ID        string `json:"id"`
	VariantID string `json:"variant_id"`
	Name      string `json:"name"`
	Category  string `json:"category"`
	Quantity  int    `json:"quantity"`
}

type bounds struct {
	Floor   decimal `json:"floor"`
	Target  decimal `json:"target"`
	Opening decimal `json:"opening"`
}

type progress struct {
	Rounds    int     `json:"rounds"`
	Moves     int     `json:"moves"`
	BestOffer decimal `json:"best_offer"`
}

type suggestion struct {
	Status string  `json:"status"`
	Price  decimal `json:"price"`
}

// spoken is an earlier answer of the session.
type spoken struct {
	At        string  `json:"at"`
	ProductID string  `json:"product_id"`
	VariantID string  `json:"variant_id"`
	Quantity  int     `json:"quantity"`
	Offer     decimal `json:"offer"`
	Response  string  `json:"response"`
	Price     decimal `json:"price"`
}

// statuses maps outcomes to the protocol's names, which decide parses.
var statuses = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

func toAPIQuote(in agent.QuoteInput, history []negotiation.Entry) quoteData {
	b, p := in.Table.Bounds, in.Table.Progress
	data := quoteData{
		Product:      product{in.Product.ID.String(), in.Product.Variant.String(), in.Product.Name, in.Product.Category, in.Product.Quantity},
		Offer:        toAPIPrice(in.Offer()),
		Currency:     b.List().Currency().Code(),
		ListPrice:    toAPIMoney(b.List()),
		Bounds:       bounds{toAPIMoney(b.Floor()), toAPIMoney(b.Target()), toAPIMoney(b.Opening())},
		CurrentPrice: toAPIMoney(in.CurrentPrice()),
		Progress:     progress{Rounds: p.Rounds, Moves: p.Moves},
		Suggestion:   toAPISuggestion(negotiation.Decide(in.Table)),
		Message:      in.Message,
		BuyerContext: toAPIClaims(in.Session),
	}
	if p.BestOffer.IsPositive() {
		data.Progress.BestOffer = toAPIMoney(p.BestOffer)
	}
	for _, e := range history {
		data.History = append(data.History, spoken{
			toAPITime(e.At), e.Item.Product.String(), e.Item.Variant.String(), e.Item.Quantity,
			toAPIPrice(e.Offer), statuses[e.Outcome], toAPIPrice(e.Price),
		})
	}
	return data
}

func toAPISuggestion(d negotiation.Decision) suggestion {
	return suggestion{statuses[d.Outcome()], toAPIPrice(negotiation.PriceIn(d))}
}
