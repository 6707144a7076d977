package simulating

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// RobustConfig describes the search for a policy's curve, and the effect of a high margin, by worst-case regret. A scenario is a
// family in a setting.
//
//	A(π, s)  what policy π earns in scenario s, of the best posted price that the policy may name
//	r(π, s)  the regret: the most that any tried policy earns in s, less A(π, s)
//	R(π)     half the mean of the regrets, and half the mean of the highest Tail of them: the regret with a mixture of scenarios
//	         in which half of the buyers are of the worst ones
//
// The policy with the least R is chosen. It is searched from the given one and random ones by random steps.
type RobustConfig struct {
	FamilyConfig                    // its SellerOf is not used
	Policy       negotiation.Policy // where the search begins
	Random       int                // random policies to begin with, too
	Steps        int                // steps of each search that leaves a part out; the first search has four times as many
	Tail         float64
}

// RobustReport is the chosen policy, and what is earned from families that the choice left out.
type RobustReport struct {
	Policy  negotiation.Policy
	Given   float64 // R of the given policy
	Worst   float64 // R of the chosen one
	Tried   int     // policies
	LeftOut []LeftOut
	Parts   *FamilyReport // of all families, each when all that share a part with it are left out
	Alone   *FamilyReport // of all families, each when it alone is left out
}

// LeftOut is the policy that is chosen without all families that have a part, and what it earns from them.
type LeftOut struct {
	Part     string
	Families []string
	Policy   negotiation.Policy
	In, Out  FamilySummary // with the other families, and with those left out, both with buyers that it was not chosen with

	cells []FamilyCell // of those left out
}

// robust is a running search.
type robust struct {
	RobustConfig
	ctx    context.Context
	random *rand.Rand
	tried  []candidate
}

// candidate is a policy with its earnings by scenario.
type candidate struct {
	policy negotiation.Policy
	earns  []float64
}

// ChooseCurve searches for the policy with the least worst-case regret, and again for each part of families without the families
// that have it.
func ChooseCurve(ctx context.Context, c RobustConfig) (*RobustReport, error) {
	if c.Random < 1 || c.Steps < 0 || c.Tail <= 0 || c.Tail > 1 {
		return nil, errors.New("there must be at least one random policy, and the tail must be above 0 and at most 1")
	}
	r := newRobust(ctx, c)
	if err := r.try(c.Policy); err != nil {
		return nil, err
	}
	for range c.Random {
		if err := r.try(r.anyPolicy()); err != nil {
			return nil, err
		}
	}
	out := &RobustReport{}
	all := func(market.Tactic) bool { return true }
	if err := r.climb(all, 4*r.Steps); err != nil {
		return nil, err
	}
	parts := leftOutParts(c.Families)
	for _, part := range parts {
		if err := r.climb(part.without, r.Steps); err != nil {
			return nil, err
		}
	}
	chosen, worst := r.best(all)
	out.Given = r.worstCases(all)[0]
	out.Policy, out.Worst, out.Tried = chosen, worst, len(r.tried)
	for _, part := range parts {
		one, err := r.leaveOut(part)
		if err != nil {
			return nil, err
		}
		out.LeftOut = append(out.LeftOut, one)
	}
	out.Parts = r.summarizeLeftOut(out.LeftOut)
	var err error
	out.Alone, err = r.leaveOneOut()
	return out, err
}

func newRobust(ctx context.Context, c RobustConfig) *robust {
	return &robust{
		RobustConfig: c,
		ctx:          ctx,
		random:       rand.New(rand.NewPCG(c.Seed, 1)),
	}
}

// try plays a policy in all scenarios.
func (r *robust) try(p negotiation.Policy) error {
	c := r.FamilyConfig
	c.SellerOf = SellersOf(p)
	report, err := PlayFamilies(r.ctx, c)
	if err != nil {
		return err
	}
	one := candidate{p, make([]float64, len(report.Cells))}
	for i, cell := range report.Cells {
		one.earns[i] = cell.OfPosted.Value
	}
	r.tried = append(r.tried, one)
	return nil
}

// best returns the tried policy with the least R in the scenarios of some families.
func (r *robust) best(of func(market.Tactic) bool) (negotiation.Policy, float64) {
	cases := r.worstCases(of)
	least := slices.Min(cases)
	return r.tried[slices.Index(cases, least)].policy, least
}

// worstCases returns R of each tried policy in the scenarios of some families.
func (r *robust) worstCases(of func(market.Tactic) bool) []float64 {
	var scenarios []int
	most := slices.Clone(r.tried[0].earns)
	for s := range most {
		if of(r.Families[s%len(r.Families)]) {
			scenarios = append(scenarios, s)
		}
		for _, one := range r.tried {
			most[s] = max(most[s], one.earns[s])
		}
	}
	all := make([]float64, len(r.tried))
	regrets := make([]float64, len(scenarios))
	for i, one := range r.tried {
		for k, s := range scenarios {
			regrets[k] = most[s] - one.earns[s]
		}
		all[i] = worstCase(regrets, r.Tail)
	}
	return all
}

// worstCase returns R. It sorts the regrets.
func worstCase(regrets []float64, tail float64) float64 {
	slices.Sort(regrets)
	highest := regrets[len(regrets)-max(int(tail*float64(len(regrets))), 1):]
	return mean(regrets)/2 + mean(highest)/2
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// climb takes random steps from the best policy so far, from big to small ones.
func (r *robust) climb(of func(market.Tactic) bool, steps int) error {
	for i := range steps {
		at, _ := r.best(of)
		if err := r.try(r.stepFrom(at, 120*math.Pow(.15, float64(i)/float64(steps)))); err != nil {
			return err
		}
	}
	return nil
}

// anyPolicy draws the curve and the effect of a high margin.
func (r *robust) anyPolicy() negotiation.Policy {
	p := r.Policy
	p.Curve, p.Leanings.HighMargin = r.anyCurve(), money.Percent(r.random.IntN(600))
	return p
}

// anyCurve draws a curve whose steps rise from a random share to another.
func (r *robust) anyCurve() (c negotiation.Curve) {
	between := func(low, high float64) float64 { return low + (high-low)*r.random.Float64() }
	share := func(x float64) money.Percent { return money.Percent(math.Round(1000 * x)) }
	c.Reach, c.Markup = share(between(1, 1.25)), share(between(1.02, 1.2))
	give, bend, until := between(.25, .8), between(.25, 2), between(2, 6)
	take, within := between(.1, .7), between(1, 5)
	lastGive, lastTake := between(give, 1), between(take, 1)
	for i := range c.Give {
		c.Give[i] = share(give + (lastGive-give)*math.Pow(min(1, float64(i)/until), bend))
		c.Take[i] = share(take + (lastTake-take)*min(1, float64(i)/within))
	}
	return rising(c)
}

// token is the least rise of a step of Give. The price moves whenever the buyer does: buyers who compare shops leave when it stands
// still.
const token money.Percent = 10

// rising raises later steps that would fall, or not rise enough.
func rising(c negotiation.Curve) negotiation.Curve {
	for i := 1; i < negotiation.Steps; i++ {
		c.Give[i], c.Take[i] = min(max(c.Give[i], c.Give[i-1]+token), money.Whole), max(c.Take[i], c.Take[i-1])
	}
	return c
}

// stepFrom changes the curve, or the effect of a high margin.
func (r *robust) stepFrom(p negotiation.Policy, scale float64) negotiation.Policy {
	if r.random.IntN(8) == 0 {
		by := money.Percent(math.Round(scale * r.random.NormFloat64()))
		p.Leanings.HighMargin = min(max(p.Leanings.HighMargin+by, 0), money.Whole)
	} else {
		p.Curve = r.changed(p.Curve, scale)
	}
	return p
}

// changed changes one or two numbers of a curve.
func (r *robust) changed(c negotiation.Curve, scale float64) negotiation.Curve {
	for changes := 1 + r.random.IntN(2); changes > 0; changes-- {
		by := money.Percent(math.Round(scale * r.random.NormFloat64()))
		steps, from := &c.Give, r.random.IntN(negotiation.Steps)
		switch r.random.IntN(6) {
		case 0:
			c.Reach = min(max(c.Reach+by, money.Whole), 2*money.Whole)
			continue
		case 1:
			c.Markup = min(max(c.Markup+by/3, money.Whole), 2*money.Whole)
			continue
		case 2, 3:
			steps = &c.Take
		}
		to := negotiation.Steps
		if r.random.IntN(2) == 0 {
			to = from + 1
		}
		for i := from; i < to; i++ {
			steps[i] = min(max(steps[i]+by, 0), money.Whole)
		}
	}
	return rising(c)
}
