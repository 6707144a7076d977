package tuning

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A buyer who holds firm shows what it would pay only where it is put to it in the end: whether it takes the price that
// stands, or leaves. From all who were, the share that goes so many times as high as its offer is estimated; those whose
// offer was accepted are taken to be like them, and to go no further than somebody did.

// stretch is how many times their offer a share of firm buyers would pay.
type stretch struct{ times, share float64 }

// trial is a firm buyer who was put to it.
type trial struct {
	times  float64 // the price that stood, in offers
	weight float64 // how likely it is that the buyer was firm
	took   float64 // the weight, if it took the price; else zero
}

// stretches are ascending, with shares that fall: the estimate most likely to bring about what was seen.
func (m *Model) stretches() []stretch {
	trials := m.trials()
	slices.SortFunc(trials, func(a, b trial) int {
		return cmp.Or(cmp.Compare(a.times, b.times), cmp.Compare(a.took, b.took))
	})
	blocks := trials[:0]
	for _, t := range trials { // few are taken together with the next ones, and so are more who went further than less
		for n := len(blocks); n > 0; n-- {
			before := blocks[n-1]
			if before.weight >= few && before.took*t.weight > t.took*before.weight {
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
			w := m.weight(r, c)
			whole += w
			if kinds[c.kind].manner == Firm {
				firm += w
			}
		}
		if firm <= 0 {
			continue
		}
		t := trial{times: r.last().Standing / r.Rounds[0].Offer, weight: m.trust[i] * firm / whole}
		if r.End == Took {
			t.times, t.took = r.Price/r.Rounds[0].Offer, t.weight
		}
		all = append(all, t)
	}
	return all
}

// firmWorth draws the V of a firm buyer. One that took a price has paid it; one that left would have gone as far as
// others did, and any part of the way from there to the price that it left at.
func (m *Model) firmWorth(r *Record, random *rand.Rand) float64 {
	offer, standing := r.Rounds[0].Offer, r.last().Standing
	switch r.End {
	case Took:
		return r.Price
	case Walked:
		above := 0. // the share of those who would have paid what it did not
		if i := m.reaching(standing / offer); i < len(m.firm) {
			above = m.firm[i].share
		}
		low := offer * m.endured(above+(1-above)*random.Float64())
		return low + max(standing-low, 0)*random.Float64()
	}
	return offer * m.endured(random.Float64())
}

// endured is how many times their offer such a share would pay at least.
func (m *Model) endured(share float64) float64 {
	times := 1.
	for _, s := range m.firm {
		if s.share < share {
			break
		}
		times = max(times, s.times)
	}
	return times
}

// reaching is the index of the first stretch that is as far.
func (m *Model) reaching(times float64) int {
	i, _ := slices.BinarySearchFunc(m.firm, times, func(s stretch, times float64) int { return cmp.Compare(s.times, times) })
	return i
}

// highest is the index of the most that a firm buyer may pay after what it did.
func highest(r *Record) int {
	switch shown := indexOf(evident(r)); r.End {
	case Accepted:
		return worths - 1
	case Walked:
		return max(shown, indexOf(r.last().Standing))
	default:
		return shown
	}
}
