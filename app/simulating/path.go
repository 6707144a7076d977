package simulating

import "github.com/haggle-commerce/haggle/domain/market"

// paths returns the negotiations of one buyer of the first population, one for every tactic.
func (m *run) paths() []Path {
	p := m.Populations[0]
	v := m.newGroup(p, m.Tactics, 0, 1, 0)
	number, random := m.typical(p), newStream(m.Seed, p.Name())
	paths := []Path{}
	for _, t := range append(append([]market.Tactic{}, m.Tactics...), m.Apart...) {
		random.start(number)
		buyer := p.Draw(random.Rand, m.Habits, m.List)
		path := Path{
			Population: p.Name(),
			Strategy:   t.Name,
			Worth:      market.Share(buyer.Worth, m.List),
			Deadline:   buyer.Deadline,
			Secrets:    m.shown(p.Item(m.List)),
		}
		r := m.rules(v)
		r.Watch = func(_, _ int, s market.Step) { path.Steps = append(path.Steps, stepOf(s, m.List)) }
		path.Price = market.Share(r.Haggle(0, buyer, t, random.Rand).Price, m.List)
		paths = append(paths, path)
	}
	return paths
}

// typical returns the number of the first buyer with a deadline of at least six rounds and a V in the middle third between floor
// and list, or 0 if there is none.
func (m *run) typical(p market.Population) int {
	floor, random := m.secrets(p.Item(m.List)).Floor, newStream(m.Seed, p.Name())
	for i := range m.Buyers {
		random.start(i)
		b := p.Draw(random.Rand, m.Habits, m.List)
		if third := (m.List - floor) / 3; b.Deadline >= 6 && b.Worth >= floor+third && b.Worth <= m.List-third {
			return i
		}
	}
	return 0
}

// Answers of a PathStep.
const (
	Reject       = "reject"
	CounterOffer = "counter_offer"
	Accept       = "accept"
)

var answers = [...]string{market.Rejected: Reject, market.Countered: CounterOffer, market.Accepted: Accept}

func stepOf(s market.Step, list int64) PathStep {
	step := PathStep{
		Offer:  market.Share(s.Offer, list),
		Took:   s.Took,
		Answer: answers[s.Answer.Verdict],
	}
	if price := s.Answer.Commits(); price > 0 {
		step.Price = market.Share(price, list)
	}
	return step
}
