package tuning

import (
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Comparison compares the policy in force with the one that a holdout kept meanwhile.
type Comparison struct {
	Held, Served Arm
	// Gain is what the policy in force earned more per negotiation, in the unit of Proposal.Gain, and Error its standard error.
	// They mean nothing unless Known.
	Gain, Error float64
}

// Arm is the result of the negotiations under one policy.
type Arm struct {
	Negotiations int
	Result

	effective float64 // number of equally weighted sessions with the same information
}

// FewestHeld is how many effective sessions each arm needs for Better and Worse.
const FewestHeld = 100

// Numbers of standard errors for Better and Worse.
const (
	Near = 1.96 // a 95 % interval
	Sure = 3.3  // for automatic decisions, which are taken every day
)

// Known reports whether there is anything to compare.
func (c Comparison) Known() bool { return min(c.Held.effective, c.Served.effective) > 0 }

// Better reports whether the policy in force earned more, by more than the given number of standard errors.
func (c Comparison) Better(by float64) bool { return c.Enough() && c.Gain > by*c.Error }

// Worse reports whether the policy in force earned less, by more than the given number of standard errors.
func (c Comparison) Worse(by float64) bool { return c.Enough() && c.Gain < -by*c.Error }

// Enough reports whether both arms have FewestHeld sessions.
func (c Comparison) Enough() bool {
	return min(c.Held.effective, c.Served.effective) >= FewestHeld
}

// Compare compares what either policy earned from buyers that were assigned to it at random: the mean margins, weighted by the
// money at stake. The negotiations of a session are one observation.
func Compare(held, served []Record) (c Comparison) {
	all := slices.Concat(held, served)
	if len(all) == 0 {
		return c
	}
	counts := trust(all)
	weigh := weights(all, counts)
	usual := usualDeal(all, weigh)
	var a, b float64
	c.Held, a = armOf(held, counts[:len(held)], weigh[:len(held)], usual)
	c.Served, b = armOf(served, counts[len(held):], weigh[len(held):], usual)
	c.Gain, c.Error = c.Served.Margin-c.Held.Margin, math.Sqrt(a+b)
	return c
}

// usualDeal returns the mean margin of the deals of both arms.
func usualDeal(records []Record, weigh []float64) float64 {
	sum, total := 0., 0.
	for i := range records {
		if records[i].Price > 0 {
			sum, total = sum+weigh[i]*records[i].margin(), total+weigh[i]
		}
	}
	return sum / max(total, 1e-9)
}

// armOf returns the sums of records and the variance of their mean margin.
func armOf(records []Record, counts, weigh []float64, usual float64) (a Arm, variance float64) {
	a.Negotiations = len(records)
	count, total, of := 0., 0., map[id.Session]float64{}
	for i := range records {
		count += counts[i]
		total += weigh[i]
		of[records[i].Session] += weigh[i]
		if r := &records[i]; r.Price > 0 {
			a.Deals += counts[i]
			a.Price += counts[i] * r.Price
			a.Margin += weigh[i] * r.margin()
		}
	}
	a.Result = Result{a.Deals / max(count, 1e-9), a.Price / max(a.Deals, 1e-9), a.Margin / max(total, 1e-9)}
	if total == 0 {
		return a, 0
	}
	squares := 0.
	for _, w := range of {
		squares += w * w
	}
	a.effective = total * total / squares
	return a, a.variance(records, weigh, count, total, usual)
}

// variance returns the variance of an arm's mean margin. It sums by session, and adds one usual deal and one buyer who does not
// buy, so that an arm without deals has a variance too.
func (a Arm) variance(records []Record, weigh []float64, count, total, usual float64) (variance float64) {
	mean := total / count
	centre := (a.Margin*total + usual*mean) / (total + 2*mean)
	sums := map[id.Session]float64{}
	for i := range records {
		sums[records[i].Session] += weigh[i] * (records[i].margin() - centre)
	}
	variance = mean * mean * ((usual-centre)*(usual-centre) + centre*centre)
	for _, sum := range sums {
		variance += sum * sum
	}
	return variance / ((total + 2*mean) * (total + 2*mean))
}

// margin returns price less cost as a share of list. Without a known cost it is the price, without a deal zero.
func (r *Record) margin() float64 {
	if r.Price == 0 {
		return 0
	}
	return marginOf(r.Signals, r.Price)
}
