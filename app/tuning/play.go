package tuning

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

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

// tally sums up twins, by their weights.
type tally struct{ count, weight, deals, price, margin float64 }

func (t tally) result() Result {
	return Result{t.deals / max(t.count, 1e-9), t.price / max(t.deals, 1e-9), t.margin / max(t.weight, 1e-9)}
}

// tallies are those of each manner.
type tallies [manners]tally

func (t *tallies) add(other tallies) {
	for i, o := range other {
		s := &t[i]
		s.count, s.weight, s.deals, s.price, s.margin = s.count+o.count, s.weight+o.weight, s.deals+o.deals, s.price+o.price, s.margin+o.margin
	}
}

func (t *tallies) whole() (sum tally) {
	for _, o := range t {
		sum.count, sum.weight, sum.deals, sum.price, sum.margin = sum.count+o.count, sum.weight+o.weight, sum.deals+o.deals, sum.price+o.price, sum.margin+o.margin
	}
	return sum
}

// Evaluate runs negotiations of twins with a policy, by the rules that answer quotes.
func (m *Model) Evaluate(p negotiation.Policy, twins []Twin) Result {
	all := m.evaluate(p, twins)
	return all.whole().result()
}

func (m *Model) evaluate(p negotiation.Policy, twins []Twin) (all tallies) {
	parts := make([]tallies, (len(twins)+batch-1)/batch)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0)/2, 1), len(parts)) { // leave processors to a server's requests
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				parts[i] = m.tally(p, twins[i*batch:min((i+1)*batch, len(twins))])
			}
		})
	}
	workers.Wait()
	for _, part := range parts {
		all.add(part)
	}
	return all
}

// tally returns the sums over some twins.
func (m *Model) tally(p negotiation.Policy, twins []Twin) (all tallies) {
	for i := range twins {
		t := &twins[i]
		sums, counts, weight := &all[t.Manner], m.trust[t.Record]*t.share, m.weigh[t.Record]*t.share
		sums.count += counts
		sums.weight += weight
		if price, margin := m.play(p, t); price > 0 {
			sums.deals += counts
			sums.price += counts * price
			sums.margin += weight * margin
		}
	}
	return all
}

var noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// play runs one negotiation. The price is zero without a deal.
func (m *Model) play(p negotiation.Policy, t *Twin) (price, margin float64) {
	signals := m.records[t.Record].Signals
	list, exchange := signals.List.Minor(), seller{p, signals}.open()
	minor := func(share float64) int64 { return int64(math.Round(share * float64(list))) }
	most, paid, current := min(minor(t.Worth), list), int64(0), exchange.opening()
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
		offer := max(want, 1)
		decision := exchange.decide(offer)
		current = negotiation.PriceIn(decision).Minor()
		said := Round{Offer: float64(offer) / float64(list), Price: float64(current) / float64(list)}
		switch d := decision.(type) {
		case negotiation.Rejected:
			said.Rejected = true
		case negotiation.Accepted:
			paid = current
		case negotiation.Countered:
			if d.Final {
				n = t.Deadline
			}
		}
		state.answer(said)
	}
	price = float64(paid) / float64(list)
	return price, marginOf(signals, price)
}
