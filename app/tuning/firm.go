package tuning

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A firm buyer shows what it would pay only at the end: it takes the last price or leaves. The model estimates from these
// buyers which share would pay at least a given multiple of its offer. It assumes that firm buyers whose offer was accepted
// are like them, and that none goes further than somebody did.

// stretch says which share of firm buyers would pay at least a multiple of their offer.
type stretch struct{ times, share float64 }

// trial is the end of a negotiation with a firm buyer who had to take the price or leave.
type trial struct {
	times  float64 // the last price, in multiples of the offer
	weight float64 // how likely it is that the buyer was firm
	took   float64 // the weight, if it took the price; else zero
}

// stretches returns the maximum-likelihood estimate: multiples ascend and shares fall.
func (m *Model) stretches() []stretch {
	trials := m.trials()
	if m.parent != nil { // as many as shrinkage says
		share := shrinkage / max(shrinkage, float64(m.parent.sessions()))
		for _, t := range m.parent.trials() {
			t.weight, t.took = t.weight*share, t.took*share
			trials = append(trials, t)
		}
	}
	slices.SortFunc(trials, func(a, b trial) int {
		return cmp.Or(cmp.Compare(a.times, b.times), cmp.Compare(a.took, b.took))
	})
	blocks := trials[:0]
	for _, t := range trials { // merge blocks that are small, or whose share would rise
		for n := len(blocks); n > 0; n-- {
			before := blocks[n-1]
			if before.weight >= priorRecords && before.took*t.weight > t.took*before.weight {
				break
			}
			t.weight, t.took, blocks = t.weight+before.weight, t.took+before.took, blocks[:n-1]
		}
		blocks = append(blocks, t)
	}
	all := make([]stretch, len(blocks))
	for i, b := range blocks {
		all[i] = stretch{b.times, b.took / b.weight}
	}
	return all
}

func (m *Model) trials() (all []trial) {
	for i, causes := range m.causes {
		r, whole, firm := &m.records[i], 0., 0.
		if r.End == Accepted {
			continue
		}
		for _, c := range causes {
			w := m.weight(c)
			whole += w
			if kinds[c.kind].manner == Firm {
				firm += w
			}
		}
		if firm <= 0 {
			continue
		}
		t := trial{times: r.last().Price / r.Rounds[0].Offer, weight: m.trust[i] * firm / whole}
		if r.End == Took {
			t.times, t.took = r.Price/r.Rounds[0].Offer, t.weight
		}
		all = append(all, t)
	}
	return all
}

// firmWorth draws the V of a firm buyer. For one that took a price it is that price. For one that left it lies between what
// others would have paid and the price that it left at.
func (m *Model) firmWorth(r *Record, random *rand.Rand) float64 {
	offer, price := r.Rounds[0].Offer, r.last().Price
	switch r.End {
	case Took:
		return r.Price
	case Walked:
		above := 0. // the share of buyers who would have paid that price
		if i := m.stretchIndex(price / offer); i < len(m.firm) {
			above = m.firm[i].share
		}
		low := offer * m.stretchAt(above+(1-above)*random.Float64())
		return low + max(price-low, 0)*random.Float64()
	}
	return offer * m.stretchAt(random.Float64())
}

// stretchAt returns the multiple of its offer that a share of firm buyers would pay at least.
func (m *Model) stretchAt(share float64) float64 {
	times := 1.
	for _, s := range m.firm {
		if s.share < share {
			break
		}
		times = max(times, s.times)
	}
	return times
}

// stretchIndex returns the index of the first stretch with at least this multiple.
func (m *Model) stretchIndex(times float64) int {
	i, _ := slices.BinarySearchFunc(m.firm, times, func(s stretch, times float64) int { return cmp.Compare(s.times, times) })
	return i
}

// highest returns the index of the highest V that is consistent with what a firm buyer did.
func highest(r *Record) int {
	switch shown := indexOf(evident(r)); r.End {
	case Accepted:
		return worths - 1
	case Walked:
		return max(shown, indexOf(r.last().Price))
	default:
		return shown
	}
}
