package market

// paths shows one buyer of the first population, with every tactic in turn.
func (m *run) paths() []Path {
	p := m.Populations[0]
	v := m.visit(p, m.Tactics, 0, 1, 0)
	number, random := m.typical(p), newStream(m.Seed, p.Name())
	paths := []Path{}
	for _, t := range append(append([]Tactic{}, m.Tactics...), m.Apart...) {
		random.start(number)
		buyer := p.draw(random.Rand, m.Habits, m.List)
		path := Path{
			Population: p.Name(), Strategy: t.Name, Worth: share(buyer.Worth, m.List), Deadline: buyer.Deadline,
			Secrets: m.shown(p.Item(m.List)),
		}
		r := m.rules(v)
		r.watch = func(_, _ int, s Step) { path.Steps = append(path.Steps, s.shown(m.List)) }
		path.Price = share(r.haggle(0, buyer, t, random.Rand).Price, m.List)
		paths = append(paths, path)
	}
	return paths
}

// typical is the first buyer with time enough and with V in the middle third between floor and list, if there is one.
func (m *run) typical(p Population) int {
	floor, random := m.secrets(p.Item(m.List)).Floor, newStream(m.Seed, p.Name())
	for i := range m.Buyers {
		random.start(i)
		b := p.draw(random.Rand, m.Habits, m.List)
		if third := (m.List - floor) / 3; b.Deadline >= 6 && b.Worth >= floor+third && b.Worth <= m.List-third {
			return i
		}
	}
	return 0
}

var answers = [...]string{Rejected: "reject", Countered: "counter_offer", Accepted: "accept"}

func (s Step) shown(list int64) PathStep {
	step := PathStep{Offer: share(s.Offer, list), Took: s.Took, Answer: answers[s.Answer.Verdict]}
	if price := s.Answer.commits(); price > 0 {
		step.Price = share(price, list)
	}
	return step
}
