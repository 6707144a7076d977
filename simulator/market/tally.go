package market

import "math"

// tally adds up how a group of buyers fared. Amounts are shares of list, so that groups of different items add up too.
type tally struct {
	buyers, deals, rounds int
	price                 float64
	policy                moments
	posted, known, within pairs
	discounts             [101]int // deals by whole percent
}

// moments are the sums of margins and of their squares.
type moments struct{ sum, squares float64 }

func (m *moments) add(x float64)       { m.sum += x; m.squares += x * x }
func (m *moments) merge(other moments) { m.sum += other.sum; m.squares += other.squares }

// pairs are a baseline's margins from the same buyers, and the sum of their products with the policy's.
type pairs struct {
	moments
	products float64
}

func (p *pairs) add(policy, baseline float64) {
	p.moments.add(baseline)
	p.products += policy * baseline
}

func (p *pairs) merge(other pairs) {
	p.moments.merge(other.moments)
	p.products += other.products
}

func (t *tally) add(o Outcome, item Item, base *Baselines) {
	list, margin := float64(item.List), 0.0
	t.buyers++
	t.rounds += o.Rounds
	if o.Price > 0 {
		t.deals++
		t.price += float64(o.Price) / list
		t.discounts[min(max(100*(item.List-o.Price)/item.List, 0), 100)]++
		margin = float64(o.Price-item.Cost) / list
	}
	t.policy.add(margin)
	t.posted.add(margin, float64(base.Best.of(item, o.Buyer.Worth))/list)
	t.known.add(margin, float64(fromKnown(item, 0, o.Buyer.Worth))/list)
	t.within.add(margin, float64(fromKnown(item, base.Floor, o.Buyer.Worth))/list)
}

func (t *tally) merge(other *tally) {
	t.buyers, t.deals, t.rounds = t.buyers+other.buyers, t.deals+other.deals, t.rounds+other.rounds
	t.price += other.price
	t.policy.merge(other.policy)
	t.posted.merge(other.posted)
	t.known.merge(other.known)
	t.within.merge(other.within)
	for i, n := range other.discounts {
		t.discounts[i] += n
	}
}

// Ratio is of two means over the same buyers, with its standard error: it is off by less than 1.96 of them in 95 of
// 100 runs with other seeds.
type Ratio struct {
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"`
}

// ratio is Σa/Σb, and its error by the delta method: with r = Σa/Σb, √(Σ(a − r·b)²/(n(n−1))) / mean(b).
func ratio(a moments, b pairs, n int) Ratio {
	if b.sum <= 0 || n < 2 {
		return Ratio{}
	}
	r := a.sum / b.sum
	residual := max(0, a.squares-2*r*b.products+r*r*b.squares)
	count := float64(n)
	return Ratio{r, math.Sqrt(residual/(count*(count-1))) / (b.sum / count)}
}

// meanOf is the mean of ratios of independent groups.
func meanOf(ratios []Ratio) (mean Ratio) {
	if len(ratios) == 0 {
		return mean
	}
	for _, r := range ratios {
		mean.Value += r.Value
		mean.Error += r.Error * r.Error
	}
	n := float64(len(ratios))
	return Ratio{mean.Value / n, math.Sqrt(mean.Error) / n}
}

func (t *tally) of(baseline pairs) Ratio { return ratio(t.policy, baseline, t.buyers).tidy() }

// quantile is the discount, in whole percent rounded down, that a share of the deals stay at or under.
func (t *tally) quantile(share float64) int {
	left := int(math.Ceil(share * float64(t.deals)))
	for percent, deals := range t.discounts {
		if left -= deals; left <= 0 {
			return percent
		}
	}
	return 100
}
