package tuning

import (
	"context"
	"math"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// A proposal is near the curve that the records were made with, because the model says little about answers that were never
// tried. These are the largest changes of one proposal, in tenths of a percent.
const (
	maxFactorChange money.Percent = 100 // of Reach and Markup
	maxStepChange   money.Percent = 200 // of each step of Give and Take
)

// change is how a curve is changed, by numbers from −1 to 1, in multiples of the largest change: Reach, Markup, Give at the steps
// giveAt, and Take at the steps takeAt. Between these steps the change is linear.
type change [8]float64

var (
	giveAt = [...]int{0, 1, 3, 5}
	takeAt = [...]int{0, 3}
)

// on returns the changed curve.
func (c change) on(from negotiation.Curve) negotiation.Curve {
	to := from
	to.Reach = min(max(from.Reach+part(c[0], maxFactorChange), money.Whole), 2*money.Whole)
	to.Markup = min(max(from.Markup+part(c[1], maxFactorChange), money.Whole), 2*money.Whole)
	shift(&to.Give, giveAt[:], c[2:6])
	shift(&to.Take, takeAt[:], c[6:])
	return to
}

func part(share float64, of money.Percent) money.Percent { return percent(share * float64(of) / 1000) }

// token is a step that is small, but moves the price: buyers who compare shops leave when it stands still.
const token money.Percent = 10

// shift changes steps by numbers for some of them. It keeps them ascending, by a token at least where they were so.
func shift(steps *[negotiation.Steps]money.Percent, at []int, by []float64) {
	k, least, was := 0, money.Percent(0), *steps
	for i := range steps {
		if i > 0 {
			least = min(least+min(was[i]-was[i-1], token), money.Whole)
		}
		for k+1 < len(at) && at[k+1] <= i {
			k++
		}
		share := by[k]
		if k+1 < len(at) {
			share += (by[k+1] - by[k]) * float64(i-at[k]) / float64(at[k+1]-at[k])
		}
		least = max(least, min(steps[i]+part(share, maxStepChange), money.Whole))
		steps[i] = least
	}
}

func (c change) half() change {
	for i := range c {
		if c[i] /= 2; math.Abs(c[i]) < .1 {
			c[i] = 0
		}
	}
	return c
}

// climb improves a change by steps in one number at a time. The step halves when none is better.
func climb(ctx context.Context, best change, value func(change) float64) change {
	highest := value(best)
	for step := .5; step >= .1; {
		better := false
		for i := range best {
			for _, to := range [...]float64{best[i] + step, best[i] - step} {
				next := best
				if next[i] = min(max(to, -1), 1); next == best || ctx.Err() != nil {
					continue
				}
				if v := value(next); v > highest+minGain {
					highest, best, better = v, next, true
					break
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	return best
}
