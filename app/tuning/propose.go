package tuning

import (
	"context"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Fewest is how many sessions a proposal needs.
const Fewest = 200

// Options of a proposal.
type Options struct {
	Seed    uint64
	Adverse []market.Tactic // families that a proposal must not lose with; nil: market.Families
}

// Proposal is a policy that is estimated to earn more, with the estimate.
type Proposal struct {
	Policy        negotiation.Policy
	Before, After Result
	// Gain is what it earns more per negotiation, in shares of list, with the 95 % interval. Manners has it by manner, for those
	// with buyers.
	Gain    Interval
	Manners []MannerGain
	Records int
	Buyers  []Share // of buyers by manner
	Tried   []Trial // the whole shop first
	Drifts  []Drift
	// Risk is the most that the proposal would lose per negotiation, in shares of list: with any manner or adverse family, or by
	// the interval of the whole.
	Risk float64
}

// Share is the share of buyers with a manner.
type Share struct {
	Manner Manner
	Beta   float64 // of Timed
	Share  float64
}

// MannerGain is the gain from buyers with a manner.
type MannerGain struct {
	Manner Manner
	Gain   Interval
}

// Trial is what was learned about a part of the catalogue.
type Trial struct {
	Segment  string // its name; "": all items without a segment
	Sessions int    // the effective number
	// Gain is what the best curve earns more than the present one, or than the whole's new one, by the buyers that it was not
	// chosen with. The interval is wider than 95 % because several parts are tried.
	Gain Interval
	Kept bool
	Loss *Loss // the reason why not, if some buyers would pay much less
}

// Better reports whether there is a change, and the 95 % interval of its gain is above zero.
func (p Proposal) Better() bool {
	return p.Gain.Low > 0 && slices.ContainsFunc(p.Tried, func(t Trial) bool { return t.Kept })
}

// Propose searches for the curves that earn most from buyers like the recorded ones. The records should have at least Fewest
// sessions. p is the policy that answered them; the proposal differs from it only in curve and segments, and there no further than
// change allows. It takes some seconds and stops early if ctx ends.
func Propose(ctx context.Context, records []Record, p negotiation.Policy, o Options) (Proposal, error) {
	if o.Adverse == nil {
		o.Adverse = market.Families()
	}
	records, drifts := findDrift(records)
	separate(records)
	known, kept := halves(records)
	if len(known) == 0 || len(kept) == 0 {
		return Proposal{Policy: p, Records: len(records)}, ctx.Err()
	}
	l := learner{
		options: o,
		present: p,
		policy:  p,
		train:   Fit(known),
		held:    Fit(kept),
	}
	parts := l.candidates()
	l.tests = 1 + len(parts)
	out := Proposal{
		Records: len(records),
		Buyers:  l.train.shares(),
		Drifts:  drifts,
		Tried:   []Trial{l.learn(ctx, nil)},
	}
	for i := range parts {
		out.Tried = append(out.Tried, l.learn(ctx, &parts[i]))
	}
	out.Policy = l.policy
	l.judge(&out)
	return out, ctx.Err()
}

// judge fills in the results of both policies, by twins that neither was chosen with.
func (l *learner) judge(out *Proposal) {
	twins := l.held.Twins(twinsEach(l.held.records), l.options.Seed+1)
	out.Before, out.After = l.held.Evaluate(l.present, twins), l.held.Evaluate(out.Policy, twins)
	whole, of := l.held.compare(l.present, out.Policy, twins)
	out.Gain = whole.interval(Near)
	out.Risk = max(0, -out.Gain.Low)
	for manner := range of {
		if len(of[manner].gain) > 0 {
			g := MannerGain{Manner(manner), of[manner].interval(Near)}
			out.Manners = append(out.Manners, g)
			if len(of[manner].gain) >= fewestOfManner {
				out.Risk = max(out.Risk, -g.Gain.Low)
			}
		}
	}
	adverse := l.held.adverse(l.options, adverseBuyers)
	before, after := adverse.play(l.present), adverse.play(out.Policy)
	for i := range before {
		out.Risk = max(out.Risk, before[i]-after[i])
	}
}

// learner learns curves for parts of a shop, the whole first.
type learner struct {
	options     Options
	present     negotiation.Policy // that the records were made with
	policy      negotiation.Policy // with what was learned so far
	train, held *Model
	whole       change // of the curve of all items without a segment; the searches for segments begin there
	tests       int    // how many curves are tried
}

// A policy is tried on about maxTwins twins, and on at most maxTwinsEach of one record, because more twins of the same records
// add no information.
const maxTwins, maxTwinsEach = 2_000, 8

// twinsEach returns how many twins to draw of each record.
func twinsEach(records []Record) int { return min(max(maxTwins/len(records), 1), maxTwinsEach) }

// learn searches for a curve for a segment, or for all items without one, and adds it to the policy if it is certainly better.
func (l *learner) learn(ctx context.Context, g *negotiation.Segment) (t Trial) {
	base, at := l.policy, -1 // base has the segment too, with the curve that its items have
	if g != nil {
		t.Segment = g.Name
		if base, at = l.with(*g); at < 0 {
			return t
		}
	}
	in := func(s negotiation.Signals) bool { return base.SegmentOf(s) == at }
	train, held := l.train.part(in), l.held.part(in)
	if train == nil || held == nil {
		return t
	}
	if t.Sessions = train.sessions() + held.sessions(); g != nil && min(train.sessions(), held.sessions()) < Fewest/4 {
		return t
	}
	from := l.present.Terms(train.records[0].Signals).Curve // what was tried with these items
	with := func(c change) negotiation.Policy {
		p := base
		if at < 0 {
			p.Curve = c.on(from)
			return p
		}
		p.Segments = slices.Clone(p.Segments)
		p.Segments[at].Curve = c.on(from)
		return p
	}
	best := climb(ctx, l.whole, l.objective(train, with))
	twins := held.Twins(twinsEach(held.records), l.options.Seed+1)
	o := l.options
	o.Seed++ // other buyers than the objective's
	adverse := held.adverse(o, adverseBuyers)
	before, names := adverse.play(l.present), make([]string, len(o.Adverse))
	for i, f := range o.Adverse {
		names[i] = f.Name
	}
	tolerance := tolerated * held.Evaluate(l.present, twins).Margin
	for ; best != (change{}) && ctx.Err() == nil; best = best.half() { // until nobody loses much
		p := with(best)
		whole, _ := held.compare(l.policy, p, twins)
		t.Gain = whole.interval(errorsFor(l.tests))
		_, since := held.compare(l.present, p, twins)
		t.Loss = worst(since, before, adverse.play(p), names, tolerance)
		if t.Loss == nil {
			t.Loss = held.worstPart(l.present, p, twins, tolerance)
		}
		if t.Loss == nil {
			if t.Kept = t.Gain.Low > 0; t.Kept {
				if l.policy = p; g == nil {
					l.whole = best
				}
			}
			break
		}
	}
	return t
}

// objective returns a function of a change: the mean margin from the twins of a model, less a penalty for each kind of buyers that
// the shop earns noticeably less from than with the present policy.
func (l *learner) objective(m *Model, with func(change) negotiation.Policy) func(change) float64 {
	twins := m.Twins(twinsEach(m.records), l.options.Seed)
	if m.parent != nil {
		twins = append(twins, m.borrow(twins, m.parent.Twins(1, l.options.Seed+2))...)
	}
	adverse := m.adverse(l.options, adverseBuyersInSearch)
	before, others := m.evaluate(l.present, twins), adverse.play(l.present)
	tolerance := tolerated / 2 * before.whole().result().Margin
	return func(c change) float64 {
		p := with(c)
		now := m.evaluate(p, twins)
		value := now.whole().result().Margin
		for manner := range now {
			if before[manner].weight > .05*before.whole().weight {
				value += penalty * min(0, now[manner].result().Margin-before[manner].result().Margin+tolerance)
			}
		}
		losses := adverse.play(p)
		for i := range losses {
			losses[i] = min(0, losses[i]-others[i]+tolerance)
		}
		slices.Sort(losses)
		for _, loss := range losses[:min(penalized, len(losses))] {
			value += penalty * loss
		}
		return value
	}
}

// penalty is how much a loss of one kind of buyers counts, relative to the mean of all. Of the families, the penalized ones with the
// largest losses count.
const penalty, penalized = .3, 6

const minGain = 1e-4 // what a curve must earn more to be preferred, per negotiation in shares of list

func percent(share float64) money.Percent { return money.Percent(math.Round(share * 1000)) }
