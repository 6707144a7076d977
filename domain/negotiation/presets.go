package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Preset is a named policy that merchants can start from.
type Preset struct {
	Name     string
	Title    string
	Sentence string // what it does, for merchants
	Policy   Policy
}

// Presets returns the named policies, the one with the smallest concessions first. All have the same limits: the shop's
// highest discount and the same margin over cost. They differ in how much of the range above these limits they use, and
// how fast. So the floor of keep_margin is at or above that of balanced, and that at or above clear_stock's, for every
// product and buyer.
func Presets() []Preset {
	return []Preset{
		{
			Name:     "keep_margin",
			Title:    "Keep margin",
			Sentence: "Gives at most 60% of the room between the list price and your limits, and comes down slowly.",
			Policy:   keepMargin(),
		},
		{
			Name:     "balanced",
			Title:    "Balanced",
			Sentence: "Starts at the list price and moves with the buyer, down to your limits. Every new shop starts with it.",
			Policy:   Builtin(),
		},
		{
			Name:     "clear_stock",
			Title:    "Clear stock",
			Sentence: "Opens below the list price, comes down to your limits fast, and does not hold back the last pieces.",
			Policy:   clearStock(),
		},
	}
}

func keepMargin() Policy {
	p := Builtin()
	p.Depth = 600
	p.Curve.Give = [Steps]money.Percent{200, 450, 600, 700, 800, 900, 1000, 1000}
	p.Curve.Take = [Steps]money.Percent{250, 350, 450, 550, 650, 800, 1000, 1000}
	p.Leanings.Plenty, p.Leanings.HighMargin = 0, 0
	p.Bundles.Share = 200
	return p
}

func clearStock() Policy {
	p := Builtin()
	p.Anchor = 200
	p.Curve.Give = [Steps]money.Percent{550, 850, 950, 1000, 1000, 1000, 1000, 1000}
	p.Curve.Take = [Steps]money.Percent{650, 900, 950, 1000, 1000, 1000, 1000, 1000}
	p.Leanings.Scarce = 0
	p.Leanings.Plenty = 200
	p.Bundles.Share = 600
	return p
}
