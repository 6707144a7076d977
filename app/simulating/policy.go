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
}

// plenty is a stock that moves no price.
const plenty = 20

// signals are those of one piece, of which there are enough, for a buyer of whom nothing is known.
func (s PolicySeller) signals(item market.Item) negotiation.Signals {
	cost := money.Of(item.Cost, s.Currency)
	return negotiation.Signals{
		List:       money.Of(item.List, s.Currency),
		Cost:       &cost,
		Negotiable: true,
		Quantity:   1,
		Stock:      plenty,
		CartValue:  money.Zero(s.Currency),
	}
}

// Secrets are the floor and the hint of the policy for an item.
func (s PolicySeller) Secrets(item market.Item) market.Secrets {
	bounds := negotiation.Bound(s.Policy, s.signals(item))
	return market.Secrets{Floor: bounds.Floor().Minor(), Hint: bounds.Hint().Minor()}
}

// Open starts a quote.
func (s PolicySeller) Open(item market.Item) market.Negotiation {
	h := start(s.Policy, s.signals(item))
	return &h
}

// itemSeller answers with the same rules about one item of which the signals are known.
type itemSeller struct {
	policy  negotiation.Policy
	signals negotiation.Signals
}

// Open starts a quote on the item, whatever is asked for.
func (s itemSeller) Open(market.Item) market.Negotiation {
	h := start(s.policy, s.signals)
	return &h
}

func start(p negotiation.Policy, s negotiation.Signals) haggling {
	return haggling{
		currency: s.List.Currency(),
		terms:    p.Terms(s),
		quote:    negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, noon),
	}
}

// noon is when everything happens: no quote expires on a simulated buyer.
var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// haggling is one quote, decided on and recorded as the application does.
type haggling struct {
	currency money.Currency
	terms    negotiation.Terms
	quote    *negotiation.Quote
	offer    money.Amount
}

func (h *haggling) Offer(price int64) market.Answer {
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
			Verdict:  market.Rejected,
			Price:    d.Hint.Minor(),
			Standing: d.Price.Minor(),
		}
	}
	panic("simulating: an offer was answered by " + decision.Outcome().String())
}
