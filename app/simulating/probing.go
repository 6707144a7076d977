package simulating

import (
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/market"
)

// probe is one prober's estimate of the floor after a round, with the floor and the hint, as shares of list.
type probe struct{ estimate, floor, hint float64 }

func (p probe) err() float64 { return p.estimate - p.floor }

// probing returns the estimates of a population's probers by round.
func (g *reportBuilder) probing(groups []*group, item market.Item) []ProbeRound {
	var here [market.MostRounds][]probe
	secrets, list := g.run.secrets(item), float64(item.List)
	for _, v := range groups {
		for i, estimates := range v.estimates {
			if v.outcomes[i].Buyer.Worth < secrets.Floor {
				continue // it cannot find a floor that it cannot pay
			}
			for round, estimate := range estimates {
				if estimate > 0 {
					p := probe{float64(estimate) / list, float64(secrets.Floor) / list, float64(secrets.Hint) / list}
					here[round] = append(here[round], p)
				}
			}
		}
	}
	for round := range here {
		g.probes[round] = append(g.probes[round], here[round]...)
	}
	return rounds(&here)
}

func rounds(by *[market.MostRounds][]probe) []ProbeRound {
	all := []ProbeRound{}
	for i, probes := range by {
		if len(probes) > 0 {
			all = append(all, probeRound(i+1, probes))
		}
	}
	return all
}

func probeRound(round int, probes []probe) ProbeRound {
	var sum ProbeRound
	for _, p := range probes {
		sum.Estimate += p.estimate
		sum.Floor += p.floor
		sum.Hint += p.hint
		sum.Bias += p.err()
		sum.Distance += math.Abs(p.err())
		sum.HintDistance += math.Abs(p.hint - p.floor)
	}
	mean := func(x float64) float64 { return market.Tidy(x / float64(len(probes))) }
	errors := make([]float64, len(probes))
	for i, p := range probes {
		errors[i] = p.err()
	}
	slices.Sort(errors)
	at := func(share float64) float64 { return market.Tidy(errors[int(share*float64(len(errors)-1))]) }
	return ProbeRound{
		Round:        round,
		Probers:      len(probes),
		Estimate:     mean(sum.Estimate),
		Floor:        mean(sum.Floor),
		Hint:         mean(sum.Hint),
		Bias:         mean(sum.Bias),
		Low:          at(.1),
		High:         at(.9),
		Distance:     mean(sum.Distance),
		HintDistance: mean(sum.HintDistance),
	}
}

// rivalry compares probers with linear buyers of the same V, first offer and deadline.
type rivalry struct {
	buyers, both, prober, linear, cheaper int
	difference, paid, linearPaid          market.Moments
}

// compare pairs each prober with the linear buyer of the same number, if the market has linear buyers.
func (g *reportBuilder) compare(groups []*group, item market.Item) {
	m := g.run
	slot := slices.IndexFunc(m.Tactics, func(t market.Tactic) bool { return t.Name == "linear" })
	if slot < 0 {
		return
	}
	for _, v := range groups[1:] {
		rivals := &g.rivals
		switch {
		case v.tactics[0].Scouts:
			rivals = &g.crossing
		case !v.tactics[0].Probes:
			continue
		}
		for i, prober := range v.outcomes {
			rivals.add(prober, groups[0].outcomes[v.number(i)], item)
		}
	}
}

func (r *rivalry) add(prober, linear market.Outcome, item market.Item) {
	r.buyers++
	if prober.Price > 0 {
		r.prober++
	}
	if linear.Price > 0 {
		r.linear++
	}
	if prober.Price == 0 || linear.Price == 0 {
		return
	}
	r.both++
	list := float64(item.List)
	r.difference.Add(float64(prober.Price-linear.Price) / list)
	r.paid.Add(float64(prober.Price) / list)
	r.linearPaid.Add(float64(linear.Price) / list)
	if prober.Price < linear.Price {
		r.cheaper++
	}
}

// comparison returns nil if there are no pairs.
func (r *rivalry) comparison() *Comparison {
	if r.buyers == 0 {
		return nil
	}
	c := &Comparison{
		Buyers:         r.buyers,
		BothBought:     r.both,
		Cheaper:        r.cheaper,
		ProberDealRate: market.Per(r.prober, r.buyers),
		LinearDealRate: market.Per(r.linear, r.buyers),
	}
	if r.both > 1 {
		c.Difference, c.ProberPrice, c.LinearPrice = Ratio(r.difference.Mean(r.both)), Ratio(r.paid.Mean(r.both)), Ratio(r.linearPaid.Mean(r.both))
	}
	return c
}
