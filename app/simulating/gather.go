package simulating

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/market"
)

// reportBuilder collects the results of a run for its report.
type reportBuilder struct {
	run        *run
	report     *Report
	strategies []*market.Tally // over all populations: the market's tactics, then those of Apart
	probes     [market.MostRounds][]probe
	rivals     rivalry // probers against linear buyers
	crossing   rivalry // buyers who scout in another session against linear buyers
	broken     map[market.Promise]*BrokenReport
}

func (m *run) newReportBuilder() *reportBuilder {
	g := &reportBuilder{
		run:    m,
		broken: map[market.Promise]*BrokenReport{},
		report: &Report{
			Seed:         m.Seed,
			Buyers:       m.Buyers,
			List:         m.List,
			HeedHints:    m.HeedHints,
			Negotiations: m.total,
			Settings:     slices.Concat([]Setting{}, m.Settings),
			Probing:      []ProbeRound{},
			Paths:        []Path{},
			Broken:       []BrokenReport{},
		},
	}
	for range len(m.Tactics) + len(m.Apart) {
		g.strategies = append(g.strategies, &market.Tally{})
	}
	return g
}

// add adds the results of a population: the group of the market, and a group for each tactic of Apart.
func (g *reportBuilder) add(p market.Population, groups []*group) {
	m, item := g.run, p.Item(g.run.List)
	worths := make([]int64, m.Buyers)
	for i, o := range groups[0].outcomes {
		worths[i] = o.Buyer.Worth
	}
	base := market.NewBaselines(item, m.secrets(item).Floor, worths)
	tallies := m.tallies(groups, item, &base)
	whole := &market.Tally{}
	shown := Market{
		Name:    p.Name(),
		Title:   p.Title(),
		Cost:    market.Share(item.Cost, item.List),
		Secrets: m.shown(item),
		List:    baseline(base.List, item, m.Buyers),
		Best:    baseline(base.Best, item, m.Buyers),
		Optimum: baseline(base.Oracle, item, m.Buyers),
	}
	if m.Secrets != nil {
		shown.BestWithin, shown.OptimumWithin = new(baseline(base.BestWithin, item, m.Buyers)), new(baseline(base.OracleWithin, item, m.Buyers))
	}
	for i, t := range tallies {
		if i < len(m.Tactics) {
			whole.Merge(t)
		}
		g.strategies[i].Merge(t)
		shown.Strategies = append(shown.Strategies, m.rowOf(i, t))
	}
	shown.Policy = m.row(whole, "all", false)
	shown.Probing = g.probing(groups, item)
	g.report.Populations = append(g.report.Populations, shown)
	g.compare(groups, item)
	g.note(p, groups)
}

// tallies returns one tally for each tactic.
func (m *run) tallies(groups []*group, item market.Item, base *market.Baselines) (all []*market.Tally) {
	for range m.Tactics {
		all = append(all, &market.Tally{})
	}
	for i, o := range groups[0].outcomes {
		all[i%len(m.Tactics)].Add(o, item, base)
	}
	for _, v := range groups[1:] {
		t := &market.Tally{}
		for _, o := range v.outcomes {
			t.Add(o, item, base)
		}
		all = append(all, t)
	}
	return all
}

// rowOf returns the row of tactic i: the market's come first, then those of Apart.
func (m *run) rowOf(i int, t *market.Tally) Row {
	if i < len(m.Tactics) {
		return m.row(t, m.Tactics[i].Name, false)
	}
	return m.row(t, m.Apart[i-len(m.Tactics)].Name, true)
}

func (m *run) row(t *market.Tally, strategy string, apart bool) Row {
	s := t.Score()
	r := Row{
		Strategy:  strategy,
		Apart:     apart,
		Buyers:    s.Buyers,
		Deals:     s.Deals,
		DealRate:  s.DealRate,
		MeanPrice: s.MeanPrice,
		Margin:    s.Margin,
		Rounds:    s.Rounds,
		OfPosted:  Ratio(s.OfPosted),
		OfOptimum: Ratio(s.OfOptimum),
		Discounts: s.Discounts,
		Lowest:    market.Quantile(s.Discounts, .1),
		Median:    market.Quantile(s.Discounts, .5),
		Highest:   market.Quantile(s.Discounts, .9),
	}
	if m.Secrets != nil {
		r.OfWithin = new(Ratio(s.OfWithin))
	}
	return r
}

// shown returns the secrets as shares of list, or nil if they are unknown.
func (m *run) shown(item market.Item) *Shown {
	if m.Secrets == nil {
		return nil
	}
	s := m.Secrets(item)
	return &Shown{market.Share(s.Floor, item.List), market.Share(s.Hint, item.List)}
}

func baseline(p market.Posted, item market.Item, buyers int) Baseline {
	return Baseline{market.Share(p.Price, item.List), market.Per(p.Deals, buyers), market.Tidy(float64(p.Margin) / float64(buyers) / float64(item.List))}
}

// note counts broken promises and lost negotiations.
func (g *reportBuilder) note(p market.Population, groups []*group) {
	for _, v := range groups {
		for i, o := range v.outcomes {
			if o.Lost {
				g.report.Lost++
			}
			if o.Broken == market.Kept {
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

// finish computes the sums over all populations and returns the report.
func (g *reportBuilder) finish() *Report {
	r, m := g.report, g.run
	for i, t := range g.strategies {
		r.Strategies = append(r.Strategies, m.rowOf(i, t))
	}
	r.Probing = rounds(&g.probes)
	r.Prober, r.CrossSession = g.rivals.comparison(), g.crossing.comparison()
	r.Paths = m.paths()
	for _, p := range market.Promises() {
		if b := g.broken[p]; b != nil {
			r.Broken = append(r.Broken, *b)
		}
	}
	r.Summary = summary(r.Populations)
	return r
}

func summary(populations []Market) (s Summary) {
	var posted, optimum, within []market.Ratio
	n := float64(len(populations))
	for _, p := range populations {
		posted, optimum = append(posted, market.Ratio(p.Policy.OfPosted)), append(optimum, market.Ratio(p.Policy.OfOptimum))
		if p.Policy.OfWithin != nil {
			within = append(within, market.Ratio(*p.Policy.OfWithin))
		}
		s.DealRate += p.Policy.DealRate / n
		s.MeanDiscount += (1 - p.Policy.MeanPrice) / n
		s.ListOfPosted += p.List.Margin / math.Max(p.Best.Margin, 1e-9) / n
		s.PostedOfKnown += p.Best.Margin / math.Max(p.Optimum.Margin, 1e-9) / n
	}
	worst := slices.MinFunc(populations, func(a, b Market) int { return cmp.Compare(a.Policy.OfPosted.Value, b.Policy.OfPosted.Value) })
	s.OfPosted, s.OfOptimum = Ratio(market.MeanOf(posted)), Ratio(market.MeanOf(optimum))
	if len(within) > 0 {
		s.OfWithin = new(Ratio(market.MeanOf(within)))
	}
	s.Worst, s.WorstIn = worst.Policy.OfPosted, worst.Name
	s.DealRate, s.MeanDiscount = market.Tidy(s.DealRate), market.Tidy(s.MeanDiscount)
	s.ListOfPosted, s.PostedOfKnown = market.Tidy(s.ListOfPosted), market.Tidy(s.PostedOfKnown)
	return s
}
