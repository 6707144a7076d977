package tuning

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Fewest is how many sessions a proposal needs.
const Fewest = 200

// Proposal is a policy that is estimated to earn more, with the estimate.
type Proposal struct {
	Policy        negotiation.Policy
	Before, After Result
	// Gain is the mean of what it earns more per negotiation, in shares of list. GainLow and GainHigh are its 95 % interval.
	Gain, GainLow, GainHigh float64
	Records                 int
	Buyers                  []Share // of buyers by manner
}

// Share is the share of buyers with a manner.
type Share struct {
	Manner Manner
	Beta   float64 // of Timed
	Share  float64
}

// Better reports whether the 95 % interval of the gain is above zero.
func (p Proposal) Better() bool { return p.GainLow > 0 }

// Propose searches for the curve that earns most from buyers like the recorded ones. The records should have at least Fewest
// sessions. p is the policy that answered them; the proposal differs from it only in curve and segments. It takes some seconds
// and stops early if ctx ends.
func Propose(ctx context.Context, records []Record, p negotiation.Policy, seed uint64) (Proposal, error) {
	known, kept := halves(records)
	m := Fit(known)
	train := m.Twins(twinsEach(known), seed)
	chosen := p
	chosen.Segments = slices.DeleteFunc(slices.Clone(p.Segments), func(g negotiation.Segment) bool { return strings.HasPrefix(g.Name, learnt) })
	curve, where := m.search(ctx, chosen, train)
	chosen.Curve = curve
	m.segment(ctx, &chosen, where, train)
	if err := ctx.Err(); err != nil {
		return Proposal{}, err
	}
	judge := Fit(kept)
	proposal := Proposal{
		Policy:  chosen,
		Records: len(records),
		Buyers:  m.shares(),
	}
	judge.judge(&proposal, p, judge.Twins(twinsEach(kept), seed+1), seed)
	return proposal, ctx.Err()
}

// halves splits records by session into two halves of equal weight, so that a policy is not judged by the buyers that it was
// chosen with.
func halves(records []Record) (one, other []Record) {
	first, ahead, counts := map[id.Session]bool{}, 0., trust(records)
	for i, r := range records {
		inOne, known := first[r.Session]
		if !known {
			inOne = ahead <= 0
			first[r.Session] = inOne
			if inOne {
				ahead += counts[i]
			} else {
				ahead -= counts[i]
			}
		}
		if inOne {
			one = append(one, r)
		} else {
			other = append(other, r)
		}
	}
	return one, other
}

// A policy is tried on about maxTwins twins, and on at most maxTwinsEach of one record, because more twins of the same records
// add no information.
const maxTwins, maxTwinsEach = 8_000, 16

// twinsEach returns how many twins to draw of each record.
func twinsEach(records []Record) int { return min(max(maxTwins/len(records), 1), maxTwinsEach) }

// learnt is the prefix of the names of learned segments.
const learnt = "learnt: "

// bands are cost ranges, in tenths of a percent of list, that may get curves of their own, because a thin margin leaves less room
// for discounts.
var bands = []negotiation.Segment{
	{
		Name:     learnt + "cost under 55 %",
		CostFrom: 1,
		CostTo:   550,
	},
	{
		Name:     learnt + "cost 55 to 75 %",
		CostFrom: 550,
		CostTo:   750,
	},
	{Name: learnt + "cost 75 % and more", CostFrom: 750},
}

// segment adds segments with curves of their own for bands with enough sessions, unless nearly all twins are of one band.
func (m *Model) segment(ctx context.Context, p *negotiation.Policy, from shape, train []Twin) {
	parts := make([][]Twin, len(bands))
	for _, t := range train {
		if band := bandOf(m.records[t.Record].Signals); band >= 0 {
			parts[band] = append(parts[band], t)
		}
	}
	whole := *p
	for i, part := range parts {
		if len(p.Segments) == negotiation.MostSegments || m.sessions(part) < Fewest/2 || len(part) > len(train)*9/10 {
			continue
		}
		g := bands[i]
		if g.Curve, _ = m.search(ctx, whole, part, from); g.Curve != p.Curve {
			p.Segments = append(p.Segments, g)
		}
	}
}

// sessions returns the effective number of sessions that the twins were drawn from: see Sessions.
func (m *Model) sessions(twins []Twin) int {
	var records []Record
	for i := range twins {
		records = append(records, m.records[twins[i].Record])
	}
	return Sessions(records)
}

func bandOf(s negotiation.Signals) int {
	if s.Cost == nil || s.Cost.Minor() <= 0 || s.List.Minor() <= 0 {
		return -1
	}
	share := 1000 * s.Cost.Minor() / s.List.Minor()
	switch {
	case share < 550:
		return 0
	case share < 750:
		return 1
	}
	return 2
}

// shape describes a curve by eight numbers between 0 and 1, which search varies.
type shape [8]float64

// The numbers of a shape.
const (
	reach  = iota // 100 to 160 %
	markup        // 100 to 140 %
	open          // Give of the first step
	end           // Give of the last
	bend          // how early Give falls: exponents from 4 to 1/4
	take          // Take of the first step
	last          // Take of the last
	haste         // the step at which Give and Take reach their last values: 2 to 8
)

func (s shape) curve() (c negotiation.Curve) {
	c.Reach, c.Markup = percent(1+.6*s[reach]), percent(1+.4*s[markup])
	exponent, steps := math.Pow(4, 1-2*s[bend]), 1+6*s[haste]
	lowest, least := min(s[open], s[end]), min(s[take], s[last])
	for i := range c.Give {
		t := min(1, float64(i)/steps)
		c.Give[i] = percent(lowest + (s[end]-lowest)*math.Pow(t, exponent))
		c.Take[i] = percent(least + (s[last]-least)*t)
	}
	return c
}

func percent(share float64) money.Percent { return money.Percent(math.Round(share * 1000)) }

// starts are the starting points of a search, which keeps the best result.
var starts = []shape{
	{.18, .275, .31, 1, .83, .375, 1, .66},
	{.18, .275, 0, 1, .6, .05, 1, .66},
	{.10, .25, 0, 1, .2, 0, 1, .5},
	{1, .275, .9, 1, .5, .2, .5, .66},
}

// A search climbs from every starting point with a sample of the twins and big steps, and then from the best result with all
// twins and small steps.
const (
	sampling                = 8 // one twin in this many is in the sample
	roughStep, fineStep     = .25, .0625
	roughRounds, fineRounds = 6, 5
	minGain                 = 1e-4 // what a curve must earn more to be preferred, per negotiation in shares of list
)

// search returns the curve that earns most from some twins, and its shape. It climbs from starts and from the shapes in more.
func (m *Model) search(ctx context.Context, p negotiation.Policy, twins []Twin, more ...shape) (negotiation.Curve, shape) {
	from := func(twins []Twin) func(negotiation.Curve) float64 {
		return func(c negotiation.Curve) float64 {
			p.Curve = c
			return m.Evaluate(p, twins).Margin
		}
	}
	rough, all := from(every(sampling, twins)), from(twins)
	chosen, best, found := p.Curve, all(p.Curve), starts[0]
	where, highest := starts[0], math.Inf(-1)
	for _, start := range slices.Concat(starts, more) {
		if s, value := climb(ctx, start, roughStep, roughRounds, rough); value > highest {
			where, highest = s, value
		}
	}
	if s, value := climb(ctx, where, fineStep, fineRounds, all); value > best+minGain {
		chosen, found = s.curve(), s
	}
	return chosen, found
}

func every(n int, twins []Twin) []Twin {
	some := make([]Twin, 0, len(twins)/n+1)
	for i := 0; i < len(twins); i += n {
		some = append(some, twins[i])
	}
	return some
}

// climb improves a shape by steps in one number at a time. The step halves when none is better.
func climb(ctx context.Context, s shape, step float64, rounds int, value func(negotiation.Curve) float64) (shape, float64) {
	best := value(s.curve())
	for range rounds {
		better := false
		for i := range s {
			for _, to := range [...]float64{s[i] + step, s[i] - step} {
				next := s
				if next[i] = min(max(to, 0), 1); next == s || ctx.Err() != nil {
					continue
				}
				if v := value(next.curve()); v > best+1e-7 {
					best, s, better = v, next, true
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	return s, best
}

// resamples is how many bootstrap samples an interval is computed from.
const resamples = 400

// judge fills in the results of both policies, by twins that neither was chosen with.
func (m *Model) judge(out *Proposal, before negotiation.Policy, twins []Twin, seed uint64) {
	out.Before, out.After = m.Evaluate(before, twins), m.Evaluate(out.Policy, twins)
	gains, stakes := m.gains(before, out.Policy, twins)
	random, means := rand.New(rand.NewPCG(seed, 2)), make([]float64, resamples)
	for i := range means {
		sum, stake := 0., 0.
		for range gains {
			j := random.IntN(len(gains))
			sum, stake = sum+gains[j], stake+stakes[j]
		}
		means[i] = sum / max(stake, 1e-9)
	}
	slices.Sort(means)
	out.Gain = out.After.Margin - out.Before.Margin
	out.GainLow, out.GainHigh = means[resamples*25/1000], means[resamples*975/1000]
}

// gains returns, for each session, what a policy earns more than another from its twins, and the money at stake. It sums by
// session because one buyer's negotiations are much alike.
func (m *Model) gains(before, after negotiation.Policy, twins []Twin) (gains, stakes []float64) {
	at := map[id.Session]int{}
	for i := range twins {
		_, a := m.play(before, &twins[i])
		_, b := m.play(after, &twins[i])
		of := twins[i].Record
		s, known := at[m.records[of].Session]
		if !known {
			s = len(gains)
			at[m.records[of].Session], gains, stakes = s, append(gains, 0), append(stakes, 0)
		}
		gains[s] += m.weigh[of] * (b - a)
		stakes[s] += m.weigh[of]
	}
	return gains, stakes
}

// shares returns the shares of buyers by manner, the largest first.
func (m *Model) shares() []Share {
	var sums [groups]float64
	for i, k := range kinds {
		sums[k.group()] += m.kinds[i]
	}
	all := make([]Share, 0, groups)
	for i, sum := range sums {
		s := Share{Manner: Timed, Share: sum}
		if i < len(betas) {
			s.Beta = betas[i]
		} else {
			s.Manner = Manner(i - len(betas) + 1)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return all
}
