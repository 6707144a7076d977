package tuning

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// The model explains every buyer by a manner that it knows, and is wrong about the others. So a proposal is also played against
// the families of package market, whether or not the records have any of them.

// adverseBuyers is how many buyers of a family a proposal is judged with. The search plays fewer, because it plays many curves.
const adverseBuyers, adverseBuyersInSearch = 1000, 60

// adverse is a sample of buyers whose V are distributed as a model's, and of the model's items. Every policy meets the same ones.
type adverse struct {
	families []market.Tactic
	items    []negotiation.Signals
	worths   []float64
	seed     uint64
}

func (m *Model) adverse(o Options, buyers int) (a adverse) {
	a.families, a.seed = o.Adverse, o.Seed
	random := rand.New(rand.NewPCG(o.Seed, 3))
	sums, trusts := m.worth, slices.Clone(m.trust)
	for i := 1; i < len(sums); i++ {
		sums[i] += sums[i-1]
	}
	for i := 1; i < len(trusts); i++ {
		trusts[i] += trusts[i-1]
	}
	for range buyers {
		worth, _ := slices.BinarySearch(sums[:], random.Float64()*sums[len(sums)-1])
		item, _ := slices.BinarySearch(trusts, random.Float64()*trusts[len(trusts)-1])
		a.worths = append(a.worths, worthAt(min(worth, worths-1))+worthStep*(random.Float64()-.5))
		a.items = append(a.items, m.records[min(item, len(m.records)-1)].Signals)
	}
	return a
}

// play returns the mean margin from each family, in shares of list.
func (a adverse) play(p negotiation.Policy) []float64 {
	means, source := make([]float64, len(a.families)), rand.NewPCG(0, 0)
	random, habits := rand.New(source), market.UsualHabits()
	for f, family := range a.families {
		for i, s := range a.items {
			source.Seed(a.seed, uint64(i))
			list := float64(s.List.Minor())
			buyer := market.Buyer{
				Worth:    max(1, int64(math.Round(a.worths[i]*list))),
				Deadline: habits.Shortest + random.IntN(habits.Longest-habits.Shortest+1),
			}
			first := habits.LowestFirst + (habits.HighestFirst-habits.LowestFirst)*random.Float64()
			buyer.First = max(1, int64(first*float64(buyer.Worth)))
			rules := market.Rules{
				Seller: seller{p, s},
				Item:   market.Item{List: s.List.Minor()},
				Firm:   habits.Firm,
			}
			if price := rules.Haggle(i, buyer, family, random).Price; price > 0 {
				means[f] += marginOf(s, float64(price)/list) / float64(len(a.items))
			}
		}
	}
	return means
}

// marginOf returns price less cost as a share of list; without a known cost it is the price.
func marginOf(s negotiation.Signals, price float64) float64 {
	if s.Cost == nil {
		return price
	}
	return price - float64(s.Cost.Minor())/float64(s.List.Minor())
}

// seller answers offers for one item by the rules that answer quotes.
type seller struct {
	policy  negotiation.Policy
	signals negotiation.Signals
}

func (s seller) Open(market.Item) market.Negotiation { return s.open() }

func (s seller) open() *exchange {
	return &exchange{
		quote:    negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: s.signals.Quantity}, s.policy, s.signals, nil, noon),
		terms:    s.policy.Terms(s.signals),
		currency: s.signals.List.Currency(),
	}
}

// exchange is one negotiation.
type exchange struct {
	quote    *negotiation.Quote
	terms    negotiation.Terms
	currency money.Currency
}

func (t *exchange) opening() int64 { return t.quote.Table(t.terms, nil).Bounds.Opening().Minor() }

func (t *exchange) decide(price int64) negotiation.Decision {
	offer := money.Of(price, t.currency)
	table := t.quote.Table(t.terms, &offer)
	d := negotiation.Decide(table)
	t.quote.Record(table, d, noon)
	return d
}

func (t *exchange) Offer(price int64) market.Answer {
	d := t.decide(price)
	a := market.Answer{
		Verdict: market.Accepted,
		Price:   negotiation.PriceIn(d).Minor(),
	}
	switch d := d.(type) {
	case negotiation.Rejected:
		a.Verdict, a.Price, a.CurrentPrice = market.Rejected, d.Hint.Minor(), a.Price
	case negotiation.Countered:
		a.Verdict, a.Over = market.Countered, d.Final
	}
	return a
}
