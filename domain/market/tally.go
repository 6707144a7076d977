package market

import "math"

// Tally adds up the results of a group of buyers. Amounts are shares of list, so that groups with different items can
// be added.
type Tally struct {
	buyers, deals, rounds int
	price                 float64
	policy                Moments
	posted, known, within pairs
	discounts             [101]int // deals by whole percent
}

// Score is a seller's result with a group of buyers. Prices, margins and discounts are shares of the list price.
type Score struct {
	Buyers    int
	Deals     int
	DealRate  float64
	MeanPrice float64 // of the deals
	Margin    float64 // per buyer, whether it bought or not
	Rounds    float64 // offers per buyer
	OfPosted  Ratio   // of the best posted price's margin
	OfOptimum Ratio   // of the margin of a seller who knows every buyer
	OfWithin  Ratio   // of the margin of such a seller with the same floor
	Discounts []int   // deals by whole percent of discount, from 0 to the highest
}

// Moments are the sums of values and of their squares.
type Moments struct{ sum, squares float64 }

// Add counts a value.
func (m *Moments) Add(x float64)       { m.sum += x; m.squares += x * x }
func (m *Moments) merge(other Moments) { m.sum += other.sum; m.squares += other.squares }

// Mean returns the mean of so many values, with its standard error.
func (m *Moments) Mean(of int) Ratio {
	n := float64(of)
	mean := m.sum / n
	return Ratio{mean, math.Sqrt(max(0, m.squares/n-mean*mean) / (n - 1))}.tidy()
}

// pairs are a baseline's margins with the same buyers, and the sum of their products with the policy's.
type pairs struct {
	Moments
	products float64
}

func (p *pairs) add(policy, baseline float64) {
	p.Moments.Add(baseline)
	p.products += policy * baseline
}

func (p *pairs) merge(other pairs) {
	p.Moments.merge(other.Moments)
	p.products += other.products
}

// Add counts an outcome.
func (t *Tally) Add(o Outcome, item Item, base *Baselines) {
	list, margin := float64(item.List), 0.0
	t.buyers++
	t.rounds += o.Rounds
	if o.Price > 0 {
		t.deals++
		t.price += float64(o.Price) / list
		t.discounts[min(max(100*(item.List-o.Price)/item.List, 0), 100)]++
		margin = float64(o.Price-item.Cost) / list
	}
	t.policy.Add(margin)
	t.posted.add(margin, float64(base.Best.of(item, o.Buyer.Worth))/list)
	t.known.add(margin, float64(fromKnown(item, 0, o.Buyer.Worth))/list)
	t.within.add(margin, float64(fromKnown(item, base.Floor, o.Buyer.Worth))/list)
}

// Merge adds another group.
func (t *Tally) Merge(other *Tally) {
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

// Ratio is the ratio of two means over the same buyers, with its standard error: it is off by less than 1.96 standard
// errors in 95 of 100 runs with other seeds.
type Ratio struct {
	Value float64
	Error float64
}

// ratio returns Σa/Σb, and its error by the delta method: with r = Σa/Σb, √(Σ(a − r·b)²/(n(n−1))) / mean(b).
func ratio(a Moments, b pairs, n int) Ratio {
	if b.sum <= 0 || n < 2 {
		return Ratio{}
	}
	r := a.sum / b.sum
	residual := max(0, a.squares-2*r*b.products+r*r*b.squares)
	count := float64(n)
	return Ratio{r, math.Sqrt(residual/(count*(count-1))) / (b.sum / count)}
}

// MeanOf returns the mean of ratios of independent groups.
func MeanOf(ratios []Ratio) (mean Ratio) {
	if len(ratios) == 0 {
		return mean
	}
	for _, r := range ratios {
		mean.Value += r.Value
		mean.Error += r.Error * r.Error
	}
	n := float64(len(ratios))
	return Ratio{mean.Value / n, math.Sqrt(mean.Error) / n}.tidy()
}

// MeanOfSame returns the mean of ratios of groups with the same buyers. Its error is that of perfectly
// correlated groups, which is an upper bound.
func MeanOfSame(ratios []Ratio) (mean Ratio) {
	n := float64(max(len(ratios), 1))
	for _, r := range ratios {
		mean.Value += r.Value / n
		mean.Error += r.Error / n
	}
	return mean.tidy()
}

func (t *Tally) of(baseline pairs) Ratio { return ratio(t.policy, baseline, t.buyers).tidy() }

// Score returns the result so far.
func (t *Tally) Score() Score {
	s := Score{
		Buyers:    t.buyers,
		Deals:     t.deals,
		DealRate:  Per(t.deals, t.buyers),
		MeanPrice: Tidy(t.price / float64(max(t.deals, 1))),
		Margin:    Tidy(t.policy.sum / float64(max(t.buyers, 1))),
		Rounds:    Per(t.rounds, t.buyers),
		OfPosted:  t.of(t.posted),
		OfOptimum: t.of(t.known),
		OfWithin:  t.of(t.within),
		Discounts: []int{},
	}
	for percent, deals := range t.discounts {
		if deals > 0 {
			s.Discounts = append(s.Discounts, t.discounts[len(s.Discounts):percent+1]...)
		}
	}
	return s
}

// Quantile returns the discount, in whole percent rounded down, that a share of the deals do not exceed. discounts are
// deals by whole percent; without a deal it is 0.
func Quantile(discounts []int, share float64) int {
	deals := 0
	for _, n := range discounts {
		deals += n
	}
	left := int(math.Ceil(share * float64(deals)))
	for percent, n := range discounts {
		if left -= n; left <= 0 {
			return percent
		}
	}
	return 0
}

// Tidy rounds away digits that no run is long enough to make significant.
func Tidy(x float64) float64 { return math.Round(x*1e6) / 1e6 }

func (r Ratio) tidy() Ratio { return Ratio{Tidy(r.Value), Tidy(r.Error)} }

// Share returns an amount as a share of the list price.
func Share(minor, list int64) float64 { return Tidy(float64(minor) / float64(list)) }

// Per returns part/whole, or 0 if whole is 0.
func Per(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return Tidy(float64(part) / float64(whole))
}
