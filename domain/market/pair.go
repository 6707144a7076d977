package market

import "math"

// Sales are exact sums over the buyers of one item, in minor units.
type Sales struct {
	Buyers  int
	Deals   int
	Revenue int64
}

func (t *Sales) add(o Outcome) {
	t.Buyers++
	if o.Price > 0 {
		t.Deals++
		t.Revenue += o.Price
	}
}

func (t *Sales) merge(other Sales) {
	t.Buyers += other.Buyers
	t.Deals += other.Deals
	t.Revenue += other.Revenue
}

// margin returns the revenue less the cost of all deals.
func (t Sales) margin(cost int64) int64 { return t.Revenue - int64(t.Deals)*cost }

// Pair is the result of the same buyers of an item under two policies. Each buyer meets both, so that random
// differences between buyers do not count as differences between the policies.
type Pair struct {
	Before Sales
	After  Sales
	gains  Moments // of each buyer: margin after less before, in minor units
}

// Add counts a buyer.
func (p *Pair) Add(before, after Outcome, item Item) {
	p.Before.add(before)
	p.After.add(after)
	p.gains.Add(float64(marginOf(after, item) - marginOf(before, item)))
}

// Merge adds another group of buyers of the same item. The last digits of the result depend on the order of merging.
func (p *Pair) Merge(other Pair) {
	p.Before.merge(other.Before)
	p.After.merge(other.After)
	p.gains.merge(other.gains)
}

// variance returns the variance of the mean gain.
func (p *Pair) variance() float64 {
	n := float64(p.Before.Buyers)
	if n < 2 {
		return 0
	}
	mean := p.gains.sum / n
	return math.Max(0, p.gains.squares/n-mean*mean) / (n - 1)
}

func marginOf(o Outcome, item Item) int64 {
	if o.Price == 0 {
		return 0
	}
	return o.Price - item.Cost
}
