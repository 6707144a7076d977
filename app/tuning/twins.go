package tuning

import "math/rand/v2"

// Twins draws n simulated buyers for each record. The same seed gives the same twins.
func (m *Model) Twins(n int, seed uint64) []Twin {
	random := rand.New(rand.NewPCG(seed, 1))
	twins := make([]Twin, 0, n*len(m.records))
	for i, causes := range m.causes {
		weights, total := make([]float64, len(causes)), 0.
		for j, c := range causes {
			total += m.weight(c)
			weights[j] = total
		}
		for range n {
			if total > 0 {
				twins = append(twins, m.twin(i, pick(causes, weights, random.Float64()*total), random))
			}
		}
	}
	return twins
}

func pick(causes []cause, cumulated []float64, at float64) cause {
	for j, w := range cumulated {
		if at < w {
			return causes[j]
		}
	}
	return causes[len(causes)-1]
}

// twin returns a buyer by a cause, and draws what the cause leaves open.
func (m *Model) twin(record int, c cause, random *rand.Rand) Twin {
	r, k := &m.records[record], kinds[c.kind]
	t := Twin{
		Record:   record,
		Manner:   k.manner,
		Beta:     int(k.beta),
		First:    r.Rounds[0].Offer,
		Deadline: int(k.deadline),
		share:    1,
		Worth:    worthAt(int(c.worth)) + worthStep*(random.Float64()-.5),
	}
	low, price := evident(r), r.last().Price
	switch {
	case k.manner == Firm:
		t.Worth = m.firmWorth(r, random)
	case k.manner != Erratic:
		t.Worth = min(t.Worth, m.shown)
	case r.End == Walked:
		t.Worth = low + (price-low)*random.Float64()
	default:
		t.Worth = low
	}
	if r.End == Walked {
		t.Worth = min(t.Worth, price-same) // else it would have bought
	}
	t.Worth = max(t.Worth, low)
	if k.manner == Erratic {
		for _, round := range r.Rounds {
			t.Offers = append(t.Offers, round.Offer)
		}
	}
	return t
}

// borrow returns twins of the parent as buyers of this model's items. Together they weigh as much, beside the model's own, as
// shrinkage says.
func (m *Model) borrow(own, twins []Twin) []Twin {
	whole, borrowed := 0., 0.
	for i := range twins {
		at := i % len(m.records)
		borrowed += m.weigh[at] * m.parent.trust[twins[i].Record]
		twins[i].share *= m.parent.trust[twins[i].Record]
		twins[i].Record = at
	}
	for i := range own {
		whole += m.weigh[own[i].Record]
	}
	for i := range twins {
		twins[i].share *= whole * shrinkage / max(float64(m.sessions())*borrowed, 1e-9)
	}
	return twins
}
