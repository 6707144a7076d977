package tuning

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Result is what a policy earns per twin, as shares of list.
type Result struct {
	Deals float64 // share of twins that bought
	Price float64 // mean of the deals
	// Margin is the mean of price − cost, zero for twins that do not buy, weighted by the money at stake. If no cost is known, it
	// is the mean price.
	Margin float64
}

// batch is how many twins one goroutine evaluates at a time. It is fixed, so that sums do not depend on the number of processors.
const batch = 512

// Evaluate runs negotiations of twins with a policy, by the rules that answer quotes.
func (m *Model) Evaluate(p negotiation.Policy, twins []Twin) Result {
	parts := make([]Result, (len(twins)+batch-1)/batch)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0)/2, 1), len(parts)) { // leave processors to a server's requests
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				parts[i] = m.evaluate(p, twins[i*batch:min((i+1)*batch, len(twins))])
			}
		})
	}
	workers.Wait()
	var r Result
	for _, part := range parts {
		r.Deals, r.Price, r.Margin = r.Deals+part.Deals, r.Price+part.Price, r.Margin+part.Margin
	}
	count, weight := 0., 0.
	for i := range twins {
		count += m.trust[twins[i].Record]
		weight += m.weigh[twins[i].Record]
	}
	return Result{r.Deals / max(count, 1e-9), r.Price / max(r.Deals, 1e-9), r.Margin / max(weight, 1e-9)}
}

// evaluate returns the sums over some twins.
func (m *Model) evaluate(p negotiation.Policy, twins []Twin) (r Result) {
	for i := range twins {
		if price, margin := m.play(p, &twins[i]); price > 0 {
			counts := m.trust[twins[i].Record]
			r.Deals += counts
			r.Price += counts * price
			r.Margin += margin * m.weigh[twins[i].Record]
		}
	}
	return r
}

var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// play runs one negotiation. The price is zero without a deal.
func (m *Model) play(p negotiation.Policy, t *Twin) (price, margin float64) {
	signals := m.records[t.Record].Signals
	list := signals.List.Minor()
	quote := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: signals.Quantity}, p, signals, nil, noon)
	terms, minor := p.Terms(signals), func(share float64) int64 { return int64(math.Round(share * float64(list))) }
	most := min(minor(t.Worth), list)
	paid, current := int64(0), quote.Table(terms, nil).Bounds.Opening().Minor()
	state := newCourse(float64(current) / float64(list))
	for n := 1; paid == 0; n++ {
		want := min(minor(t.aspire(n, &state)), most)
		if n > t.Deadline {
			want = most
		}
		if current <= want {
			paid = current
			break
		}
		if n > t.Deadline {
			return 0, 0
		}
		offer := money.Of(max(want, 1), signals.List.Currency())
		table := quote.Table(terms, &offer)
		decision := negotiation.Decide(table)
		quote.Record(table, decision, noon)
		answered := negotiation.PriceIn(decision).Minor()
		said := Round{Offer: float64(offer.Minor()) / float64(list), Price: float64(answered) / float64(list)}
		switch d := decision.(type) {
		case negotiation.Rejected:
			said.Rejected = true
		case negotiation.Accepted:
			paid = answered
		case negotiation.Countered:
			if d.Final {
				n = t.Deadline
			}
		}
		state.answer(said)
		current = answered
	}
	price = float64(paid) / float64(list)
	if signals.Cost != nil {
		return price, price - float64(signals.Cost.Minor())/float64(list)
	}
	return price, price
}
