package assistant

import (
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// Alone buys by itself, and never pays more per piece than its budget.
type Alone struct {
	For    string
	Budget decimal.Decimal // per piece, before shipping and tax; zero: the list price
}

// opening is the first offer, in percent of what the buyer would pay at most. mostSteps are the offers up to that.
const (
	opening   = 80
	mostSteps = 5
)

// Wants is what it was sent for.
func (a Alone) Wants() (string, error) { return a.For, nil }

// Product is the first that haggling may bring under the budget.
func (a Alone) Product(found []ucp.Product) (int, error) {
	for i, p := range found {
		if most := a.most(p.PriceRange.Min.Currency); most == 0 || p.PriceRange.Min.Amount*3/4 <= most {
			return i, nil
		}
	}
	return 0, nil
}

// Variant is the cheapest.
func (a Alone) Variant(stock []ucp.Variant) (int, error) {
	cheapest := 0
	for i, v := range stock {
		if v.Price.Amount < stock[cheapest].Price.Amount {
			cheapest = i
		}
	}
	return cheapest, nil
}

// most is the budget in minor units; 0 where there is none.
func (a Alone) most(currency string) int64 { return minor(a.Budget, currency) }

func minor(d decimal.Decimal, currency string) int64 {
	for range decimal.Places(currency) {
		d = d.Times(10)
	}
	return d.Whole()
}

// Next goes from the opening to the limit in equal steps, and accepts what stands once it would offer as much.
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
	case s.Standing <= offer, exhausted && s.Standing <= limit:
		return Move{Action: Accept}, nil
	case exhausted:
		return Move{Action: WalkAway}, nil
	}
	return Move{Offer, offer}, nil
}

// rounded is an amount that people say: without cents where there are tens.
func rounded(amount int64, currency string) int64 {
	whole := minor(decimal.FromInt(1), currency)
	if amount < 20*whole {
		return amount
	}
	return amount / whole * whole
}

// Pays agrees: the price was kept within the budget, and shipping and tax come on top.
func (a Alone) Pays(ucp.Money) (bool, error) { return true, nil }
