package tuning

import (
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Any change makes a valid curve, none of whose numbers is further from the old one than one proposal may go.
func TestChange_on(t *testing.T) {
	t.Parallel()
	random, from := rand.New(rand.NewPCG(1, 1)), negotiation.Builtin().Curve
	for range 1000 {
		var c change
		for i := range c {
			c[i] = 2*random.Float64() - 1
		}
		p := negotiation.Builtin()
		p.Curve = c.on(from)
		check := fault.NewCheck()
		if p.Check(check); check.Err() != nil {
			t.Fatalf("%v makes %+v: %v", c, p.Curve, check.Err())
		}
		far := max(p.Curve.Reach-from.Reach, from.Reach-p.Curve.Reach, p.Curve.Markup-from.Markup, from.Markup-p.Curve.Markup)
		if far > maxFactorChange {
			t.Errorf("%v makes %+v", c, p.Curve)
		}
		for i := range from.Give {
			if i > 0 && p.Curve.Give[i]-p.Curve.Give[i-1] < min(from.Give[i]-from.Give[i-1], token) && p.Curve.Give[i] < money.Whole {
				t.Errorf("%v makes %+v, which moves less", c, p.Curve)
			}
			give, take := p.Curve.Give[i]-from.Give[i], p.Curve.Take[i]-from.Take[i]
			if max(give, -give, take, -take) > maxStepChange {
				t.Errorf("%v makes %+v", c, p.Curve)
			}
		}
	}
	if (change{}).on(from) != from {
		t.Error("no change is one")
	}
}
