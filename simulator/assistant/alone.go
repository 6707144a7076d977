package assistant

import (
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// Alone is a Buyer that decides by itself and never pays more per piece than its budget.
type Alone struct {
	For    string
	Budget decimal.Decimal // per piece, before shipping and tax; zero: the list price
}

// opening is the first offer in percent of the buyer's limit. mostSteps is the number of offers from there to the limit.
const (
	opening   = 80
	mostSteps = 5
)

// Wants returns the search that it was created with.
func (a Alone) Wants() (string, error) { return a.For, nil }

// Product returns the first product that negotiation may bring within the budget.
func (a Alone) Product(found []ucp.Product) (int, error) {
	for i, p := range found {
		if most := a.most(p.PriceRange.Min.Currency); most == 0 || p.PriceRange.Min.Amount*3/4 <= most {
			return i, nil
		}
	}
	return 0, nil
}

// Variant returns the cheapest variant.
func (a Alone) Variant(stock []ucp.Variant) (int, error) {
	cheapest := 0
	for i, v := range stock {
		if v.Price.Amount < stock[cheapest].Price.Amount {
			cheapest = i
		}
	}
	return cheapest, nil
}

// most returns the budget in minor units; 0 means no budget.
func (a Alone) most(currency string) int64 { return minor(a.Budget, currency) }

func minor(d decimal.Decimal, currency string) int64 {
	for range decimal.Places(currency) {
		d = d.Times(10)
	}
	return d.Whole()
}

// Next offers equal steps from the opening to the limit, and accepts the shop's price once its own offer would be as
// high.
func (a Alone) Next(s Situation) (Move, error) {
	limit := s.List
	if most := a.most(s.Currency); most > 0 {
		limit = min(limit, most)
	}
	made := int64(len(s.Offers))
	first := limit * opening / 100
	if made > 0 {
		first = max(s.Offers[0], s.Hint)
	}
	steps := int64(max(2, min(mostSteps, s.Allowed)))
	offer := rounded(first+(limit-first)*min(made, steps-1)/(steps-1), s.Currency)
	offer = min(limit, max(offer, s.Hint))
	exhausted := s.Final || s.Hint > limit || made >= steps
	switch {
	case s.CurrentPrice <= offer, exhausted && s.CurrentPrice <= limit:
		return Move{Action: Accept}, nil
	case exhausted:
		return Move{Action: WalkAway}, nil
	}
	return Move{Offer, offer}, nil
}

// rounded drops the cents of amounts of twenty and more, as people do.
func rounded(amount int64, currency string) int64 {
	whole := minor(decimal.FromInt(1), currency)
	if amount < 20*whole {
		return amount
	}
	return amount / whole * whole
}

// Pays always agrees. The price is within the budget, and shipping and tax are added to it.
func (a Alone) Pays(ucp.Money) (bool, error) { return true, nil }
