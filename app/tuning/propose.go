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

// Fewest is how many sessions a proposal needs records of.
const Fewest = 200

// Proposal is a policy that would have earned more, and by how much.
type Proposal struct {
	Policy        negotiation.Policy
	Before, After Result
	// Gain is the mean of what it earns more per negotiation, in shares of list, and the bounds of its 95 % interval.
	Gain, GainLow, GainHigh float64
	Records                 int
	Buyers                  []Share // what the buyers are like
}

// Share is how many of the buyers haggle in a manner.
type Share struct {
	Manner Manner
	Beta   float64 // of timed ones
	Share  float64
}

// Better reports whether the proposal earns more with near certainty: nineteen times of twenty at least.
func (p Proposal) Better() bool { return p.GainLow > 0 }

// Propose looks for the curve that earns most from buyers like those recorded, of Fewest sessions at least. The policy
// is what they met, and the proposal differs from it in curve and segments alone. It takes some seconds, and ends early
// with its context.
func Propose(ctx context.Context, records []Record, p negotiation.Policy, seed uint64) (Proposal, error) {
	known, kept := halves(records)
	m := Fit(known)
	train := m.Twins(each(known), seed)
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
	judge.judge(&proposal, p, judge.Twins(each(kept), seed+1), seed)
	return proposal, ctx.Err()
}

// halves parts records by session, so that both halves count the same: whom a policy is chosen by does not judge it too.
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

// A policy is tried on about most twins, and on no more than mostEach of one record: few records tell no more for that.
const most, mostEach = 8_000, 16

// each is how many twins there are of a record.
func each(records []Record) int { return min(max(most/len(records), 1), mostEach) }

// learnt begins the names of segments that were learnt.
const learnt = "learnt: "

// bands are costs as shares of list, in tenths of a percent, that may want curves of their own: thin margins have
// less to give.
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

// segment gives bands that are well known curves of their own, where buyers of more than one band are known.
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

// sessions is how many sessions the twins are of: see Sessions.
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

// shape is a curve by few numbers, which are searched for; all are between 0 and 1.
type shape [8]float64

// The numbers of a shape.
const (
	reach  = iota // 100 to 160 %
	markup        // 100 to 140 %
	open          // Give of the first step
	end           // Give of the last
	bend          // how early Give comes down: exponents from 4 to 1/4
	take          // Take of the first step
	last          // Take of the last
	haste         // at which step Give and Take are at their ends: 2 to 8
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

// starts are where searches begin; the best of their ends counts.
var starts = []shape{
	{.18, .275, .31, 1, .83, .375, 1, .66},
	{.18, .275, 0, 1, .6, .05, 1, .66},
	{.10, .25, 0, 1, .2, 0, 1, .5},
	{1, .275, .9, 1, .5, .2, .5, .66},
}

// A search begins everywhere with a part of the twins and big steps, and goes on with all of them and small ones from
// where it was best.
const (
	sample                  = 8 // one twin in so many
	roughStep, fineStep     = .25, .0625
	roughRounds, fineRounds = 6, 5
	least                   = 1e-4 // what a curve must earn more, per negotiation in shares of list, to be preferred
)

// search looks for the curve that earns most from some twins, from where others say too, and tells where it is.
func (m *Model) search(ctx context.Context, p negotiation.Policy, twins []Twin, more ...shape) (negotiation.Curve, shape) {
	from := func(twins []Twin) func(negotiation.Curve) float64 {
		return func(c negotiation.Curve) float64 {
			p.Curve = c
			return m.Evaluate(p, twins).Margin
		}
	}
	rough, all := from(every(sample, twins)), from(twins)
	chosen, best, found := p.Curve, all(p.Curve), starts[0]
	where, highest := starts[0], math.Inf(-1)
	for _, start := range slices.Concat(starts, more) {
		if s, value := climb(ctx, start, roughStep, roughRounds, rough); value > highest {
			where, highest = s, value
		}
	}
	if s, value := climb(ctx, where, fineStep, fineRounds, all); value > best+least {
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

// climb goes from a shape to a better one, by steps in one number at a time, which halve when none is better.
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

// resamples are drawn for an interval.
const resamples = 400

// judge compares policies by twins that none was chosen with.
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

// gains are what a policy earns more than another from the twins of each session, for one buyer's negotiations are much
// alike, and how much money that is about.
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

// shares are what the buyers are like, the most frequent first.
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
