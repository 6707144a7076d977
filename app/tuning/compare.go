package tuning

import (
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Comparison holds a policy in force against the one that a holdout kept meanwhile.
type Comparison struct {
	Held, Served Arm
	// Gain is what the policy in force earned more per negotiation, as of a Proposal, and Error its standard error. They
	// mean nothing where an arm has nothing to go by.
	Gain, Error float64
}

// Arm is what the negotiations under one policy came to.
type Arm struct {
	Negotiations int
	Result

	effective float64 // as many sessions of one weight would tell as much
}

// FewestHeld is how many sessions each arm needs before anything is said of them.
const FewestHeld = 100

// Bounds, in standard errors: of a 95 % interval; and of what is acted upon by itself, which is looked at every day.
const (
	Near = 1.96
	Sure = 3.3
)

// Known reports whether there is anything to compare.
func (c Comparison) Known() bool { return min(c.Held.effective, c.Served.effective) > 0 }

// Better reports whether the policy in force earned more, by so many standard errors, and Worse whether it earned less.
func (c Comparison) Better(by float64) bool { return c.enough() && c.Gain > by*c.Error }
func (c Comparison) Worse(by float64) bool  { return c.enough() && c.Gain < -by*c.Error }

func (c Comparison) enough() bool {
	return min(c.Held.effective, c.Served.effective) >= FewestHeld
}

// Compare says what either policy earned from the buyers that it met by chance: the means of their margins, weighted
// by the money that was at stake. What belongs to one session is one observation.
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

// usualDeal is the mean margin of the deals of both arms.
func usualDeal(records []Record, weigh []float64) float64 {
	sum, total := 0., 0.
	for i := range records {
		if records[i].Price > 0 {
			sum, total = sum+weigh[i]*records[i].margin(), total+weigh[i]
		}
	}
	return sum / max(total, 1e-9)
}

// armOf sums records up, and tells the variance of their mean margin.
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

// variance is that of an arm's mean margin: by the sums of sessions, and as if there were one usual deal and one buyer
// more who does not buy. So an arm without deals is not taken for a certainty.
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

// margin is price less cost, as a share of list; the price where no cost is known, and nothing without a deal.
func (r *Record) margin() float64 {
	if r.Price == 0 || r.Signals.Cost == nil {
		return r.Price
	}
	return r.Price - float64(r.Signals.Cost.Minor())/float64(r.Signals.List.Minor())
}
