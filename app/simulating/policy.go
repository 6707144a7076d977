package simulating

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// PolicySeller is a market.Seller that answers simulated buyers with the rules that answer real quotes.
type PolicySeller struct {
	Policy   negotiation.Policy
	Currency money.Currency
	Quantity int // pieces; zero: one
}

// ampleStock is a stock that does not affect the price.
const ampleStock = 20

// signals returns the signals of an item with ample stock and an unknown buyer.
func (s PolicySeller) signals(item market.Item) negotiation.Signals {
	cost := money.Of(item.Cost, s.Currency)
	return negotiation.Signals{
		List:       money.Of(item.List, s.Currency),
		Cost:       &cost,
		Negotiable: true,
		Quantity:   max(s.Quantity, 1),
		Stock:      ampleStock,
		CartValue:  money.Zero(s.Currency),
	}
}

// Secrets returns the floor and the hint of the policy for an item.
func (s PolicySeller) Secrets(item market.Item) market.Secrets {
	bounds := negotiation.Bound(s.Policy, s.signals(item))
	return market.Secrets{Floor: bounds.Floor().Minor(), Hint: bounds.Hint().Minor()}
}

// Open starts a quote.
func (s PolicySeller) Open(item market.Item) market.Negotiation {
	h := startQuote(s.Policy, s.signals(item))
	return &h
}

// itemSeller answers by the same rules about one item with given signals.
type itemSeller struct {
	policy  negotiation.Policy
	signals negotiation.Signals
}

// Open starts a quote for the item. It ignores its argument.
func (s itemSeller) Open(market.Item) market.Negotiation {
	h := startQuote(s.policy, s.signals)
	return &h
}

func startQuote(p negotiation.Policy, s negotiation.Signals) quoteNegotiation {
	return quoteNegotiation{
		currency: s.List.Currency(),
		terms:    p.Terms(s),
		quote:    negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, noon),
	}
}

// noon is the time of every event, so that no quote expires.
var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// quoteNegotiation is one quote, which it decides and records as the application does.
type quoteNegotiation struct {
	currency money.Currency
	terms    negotiation.Terms
	quote    *negotiation.Quote
	offer    money.Amount
}

func (h *quoteNegotiation) Offer(price int64) market.Answer {
	h.offer = money.Of(price, h.currency)
	table := h.quote.Table(h.terms, &h.offer)
	decision := negotiation.Guard(table, negotiation.Decide(table))
	h.quote.Record(table, decision, noon)
	switch d := decision.(type) {
	case negotiation.Accepted:
		return market.Answer{
			Verdict: market.Accepted,
			Price:   d.Price.Minor(),
			Over:    true,
		}
	case negotiation.Countered:
		return market.Answer{
			Verdict: market.Countered,
			Price:   d.Price.Minor(),
			Over:    d.Final,
		}
	case negotiation.Rejected:
		return market.Answer{
			Verdict:      market.Rejected,
			Price:        d.Hint.Minor(),
			CurrentPrice: d.Price.Minor(),
		}
	}
	panic("simulating: an offer was answered by " + decision.Outcome().String())
}
