// Package negotiationtest has a policy for tests whose expected prices are computed by hand.
package negotiationtest

import (
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Patient returns the built-in policy with a curve that is easy to compute by hand, and without the effect of a high margin. Its prices
// do not change when the built-in curve does.
func Patient() negotiation.Policy {
	p := negotiation.Builtin()
	p.Leanings.HighMargin, p.Leanings.HighMarginFrom = 0, 0
	p.Curve = negotiation.Curve{
		Reach: 1110, Markup: 1110,
		Give: [negotiation.Steps]money.Percent{310, 670, 790, 870, 940, 1000, 1000, 1000},
		Take: [negotiation.Steps]money.Percent{375, 500, 625, 750, 875, 1000, 1000, 1000},
	}
	return p
}
