package market

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// gathering is a report in the making.
type gathering struct {
	run        *run
	report     *Report
	strategies []*tally // of all populations: the market's tactics, then those apart
	probes     [mostRounds][]probe
	rivals     rivalry // probers beside linear buyers
	crossing   rivalry // and those who scout in another session
	broken     map[Promise]*BrokenReport
}

func (m *run) gathering() *gathering {
	g := &gathering{run: m, broken: map[Promise]*BrokenReport{}, report: &Report{
		Seed: m.Seed, Buyers: m.Buyers, List: m.List, HeedHints: m.HeedHints, Negotiations: m.total,
		Settings: slices.Concat([]Setting{}, m.Settings), Probing: []ProbeRound{}, Paths: []Path{}, Broken: []BrokenReport{},
	}}
	for range len(m.Tactics) + len(m.Apart) {
		g.strategies = append(g.strategies, &tally{})
	}
	return g
}

// take adds a population whose visits are over: the market's, and one of each tactic apart.
func (g *gathering) take(p Population, visits []*visit) {
	m, item := g.run, p.Item(g.run.List)
	worths := make([]int64, m.Buyers)
	for i, o := range visits[0].outcomes {
		worths[i] = o.Buyer.Worth
	}
	base := baselines(item, m.secrets(item).Floor, worths)
	tallies := m.tallies(visits, item, &base)
	whole := &tally{}
	shown := Market{
		Name: p.Name(), Title: p.Title(), Cost: share(item.Cost, item.List), Secrets: m.shown(item),
		List: base.List.shown(item, m.Buyers), Best: base.Best.shown(item, m.Buyers), Optimum: base.Oracle.shown(item, m.Buyers),
	}
	if m.Secrets != nil {
		shown.BestWithin, shown.OptimumWithin = new(base.BestWithin.shown(item, m.Buyers)), new(base.OracleWithin.shown(item, m.Buyers))
	}
	for i, t := range tallies {
		if i < len(m.Tactics) {
			whole.merge(t)
		}
		g.strategies[i].merge(t)
		shown.Strategies = append(shown.Strategies, m.rowOf(i, t))
	}
	shown.Policy = m.row(whole, "all", false)
	shown.Probing = g.probing(visits, item)
	g.report.Populations = append(g.report.Populations, shown)
	g.compare(visits, item)
	g.note(p, visits)
}

// tallies are one for each tactic.
func (m *run) tallies(visits []*visit, item Item, base *Baselines) (all []*tally) {
	for range m.Tactics {
		all = append(all, &tally{})
	}
	for i, o := range visits[0].outcomes {
		all[i%len(m.Tactics)].add(o, item, base)
	}
	for _, v := range visits[1:] {
		t := &tally{}
		for _, o := range v.outcomes {
			t.add(o, item, base)
		}
		all = append(all, t)
	}
	return all
}

// rowOf is the row of a tactic: the market's come first, then those apart.
func (m *run) rowOf(i int, t *tally) Row {
	if i < len(m.Tactics) {
		return m.row(t, m.Tactics[i].Name, false)
	}
	return m.row(t, m.Apart[i-len(m.Tactics)].Name, true)
}

func (m *run) row(t *tally, strategy string, apart bool) Row {
	r := Row{
		Strategy: strategy, Apart: apart, Buyers: t.buyers, Deals: t.deals, DealRate: per(t.deals, t.buyers),
		Margin: tidy(t.policy.sum / float64(max(t.buyers, 1))), MeanPrice: tidy(t.price / float64(max(t.deals, 1))),
		Rounds: per(t.rounds, t.buyers), OfPosted: t.of(t.posted), OfOptimum: t.of(t.known), Discounts: []int{},
		Lowest: t.quantile(.1), Median: t.quantile(.5), Highest: t.quantile(.9),
	}
	if m.Secrets != nil {
		r.OfWithin = new(t.of(t.within))
	}
	for percent, deals := range t.discounts {
		if deals > 0 {
			r.Discounts = append(r.Discounts, t.discounts[len(r.Discounts):percent+1]...)
		}
	}
	return r
}

// shown are the secrets as shares of list, nil where nobody knows.
func (m *run) shown(item Item) *Shown {
	if m.Secrets == nil {
		return nil
	}
	s := m.Secrets(item)
	return &Shown{share(s.Floor, item.List), share(s.Hint, item.List)}
}

func (p Posted) shown(item Item, buyers int) Baseline {
	return Baseline{share(p.Price, item.List), per(p.Deals, buyers), tidy(float64(p.Margin) / float64(buyers) / float64(item.List))}
}

func (o Optimum) shown(item Item, buyers int) Baseline {
	return Baseline{0, per(o.Deals, buyers), tidy(float64(o.Margin) / float64(buyers) / float64(item.List))}
}

// note counts broken promises, and negotiations that were lost.
func (g *gathering) note(p Population, visits []*visit) {
	for _, v := range visits {
		for i, o := range v.outcomes {
			if o.Lost {
				g.report.Lost++
			}
			if o.Broken == kept {
				continue
			}
			b := g.broken[o.Broken]
			if b == nil {
				b = &BrokenReport{Promise: o.Broken.String(), First: fmt.Sprintf("%s, buyer %d, %s", p.Name(), v.number(i), v.tactic(i).Name)}
				g.broken[o.Broken] = b
			}
			b.Times++
		}
	}
}

// close sums up.
func (g *gathering) close() *Report {
	r, m := g.report, g.run
	for i, t := range g.strategies {
		r.Strategies = append(r.Strategies, m.rowOf(i, t))
	}
	r.Probing = rounds(&g.probes)
	r.Prober, r.CrossSession = g.rivals.comparison(), g.crossing.comparison()
	r.Paths = m.paths()
	for p := range Promise(len(promises)) {
		if b := g.broken[p]; b != nil {
			r.Broken = append(r.Broken, *b)
		}
	}
	r.Summary = summary(r.Populations)
	return r
}

func summary(populations []Market) (s Summary) {
	var posted, optimum, within []Ratio
	n := float64(len(populations))
	for _, p := range populations {
		posted, optimum = append(posted, p.Policy.OfPosted), append(optimum, p.Policy.OfOptimum)
		if p.Policy.OfWithin != nil {
			within = append(within, *p.Policy.OfWithin)
		}
		s.DealRate += p.Policy.DealRate / n
		s.MeanDiscount += (1 - p.Policy.MeanPrice) / n
		s.ListOfPosted += p.List.Margin / math.Max(p.Best.Margin, 1e-9) / n
		s.PostedOfKnown += p.Best.Margin / math.Max(p.Optimum.Margin, 1e-9) / n
	}
	worst := slices.MinFunc(populations, func(a, b Market) int { return cmp.Compare(a.Policy.OfPosted.Value, b.Policy.OfPosted.Value) })
	s.OfPosted, s.OfOptimum = meanOf(posted).tidy(), meanOf(optimum).tidy()
	if len(within) > 0 {
		s.OfWithin = new(meanOf(within).tidy())
	}
	s.Worst, s.WorstIn = worst.Policy.OfPosted, worst.Name
	s.DealRate, s.MeanDiscount = tidy(s.DealRate), tidy(s.MeanDiscount)
	s.ListOfPosted, s.PostedOfKnown = tidy(s.ListOfPosted), tidy(s.PostedOfKnown)
	return s
}
