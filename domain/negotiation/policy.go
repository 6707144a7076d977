// Package negotiation decides prices. Signals become bounds (Bound), bounds and progress become a
// sealed Decision (Decide), and Guard holds whatever an agent proposes to the same rules. It is pure:
// time and ids are arguments, and free text from the buyer is no input at all.
//
//	          no offer, or offer below the ask
//	        ┌───────────────────────────────────┐
//	open ───┴─▶ open (quote, counter_offer, reject) ──offer ≥ ask or counter──▶ accepted
//	  │ a newer quote on the same item, or the buyer gives up                     │ checkout
//	  ▼                                                                           ▼
//	superseded, declined  past valid_until: expired (by the clock)             redeemed
package negotiation

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Validity is how long a quote and the commitment of its counter stand (decisions 9).
const Validity = 15 * time.Minute

// Policy is how far and how fast a shop gives way. Shares are in tenths of a percent; go doc shows the
// formulas at Bound and Decide.
type Policy struct {
	Version int
	Enabled bool

	MaxDiscount money.Percent // bounds every price, measured on the original list price
	MinMargin   money.Percent // over cost, of cost
	// UnverifiedShare bounds what the buyer's own claims can move, either way.
	UnverifiedShare money.Percent
	// RoundCap is the number of counters after which the last one is final.
	RoundCap int

	// Depth is how far from list to the hard floor the floor lies with no signal at all.
	Depth money.Percent
	// Anchor is how far from list to the floor the price of a plain question lies with no signal at all.
	Anchor money.Percent

	Curve    Curve
	Segments []Segment // the first that matches puts its curve in the place of Curve

	Leanings Leanings
	Bundles  Bundles
	Probing  Probing
}

// Steps is how many of a buyer's moves a curve tells apart; what it says of the last goes for all later ones.
const Steps = 8

// Curve is how an agent answers a buyer's moves: see Bounds.Moves. The first is step 0.
type Curve struct {
	// Reach and Markup are for the first offer. Buyers who hold firm keep something in hand: where an offer
	// times Reach comes up to the floor, it is met at the offer times Markup.
	Reach, Markup money.Percent
	// Give is how far from list to the floor the counter to each move lies; the first goes for an offer that
	// is not met.
	Give [Steps]money.Percent
	// Take is how far from the counter to the floor an offer may lie and still be accepted, at each move.
	Take [Steps]money.Percent
}

// Segment is a part of the catalogue with a curve of its own. What is zero matches everything.
type Segment struct {
	Name     string
	Category string        // a path; products below it match too
	CostFrom money.Percent // cost as a share of list: from, included. Matches known costs only
	CostTo   money.Percent // and to, not included
	PriceMin int64         // of the list price, in minor units, included
	PriceMax int64         // not included
	Curve    Curve
}

// Terms are what of a policy governs one talk.
type Terms struct {
	Version     int
	RoundCap    int
	MaxDiscount money.Percent
	Lean        money.Percent // what signals add to each step of the curve
	Curve       Curve
	Firm        bool // the buyer's client tried out more than the policy lets it: nothing more is given
}

// Terms picks the curve for what is on sale.
func (p Policy) Terms(s Signals) Terms {
	t := Terms{
		Version:     p.Version,
		RoundCap:    p.RoundCap,
		MaxDiscount: p.MaxDiscount,
		Lean:        p.lean(s),
		Curve:       p.Curve,
		Firm:        p.Probing.over(s.Probed),
	}
	for i := range p.Segments {
		if p.Segments[i].matches(s) {
			t.Curve = p.Segments[i].Curve
			break
		}
	}
	return t
}

func (g *Segment) matches(s Signals) bool {
	list := s.List.Minor()
	if g.Category != "" && s.Category != g.Category && !strings.HasPrefix(s.Category, g.Category+"/") {
		return false
	}
	if g.PriceMin > 0 && list < g.PriceMin || g.PriceMax > 0 && list >= g.PriceMax {
		return false
	}
	if g.CostFrom <= 0 && g.CostTo <= 0 {
		return true
	}
	if s.Cost == nil || list <= 0 {
		return false
	}
	share, err := money.MulDiv(s.Cost.Minor(), int64(money.Whole), list, money.Down)
	return err == nil && money.Percent(share) >= g.CostFrom && (g.CostTo <= 0 || money.Percent(share) < g.CostTo)
}

// Builtin is the policy of a shop that has none of its own.
func Builtin() Policy {
	return Policy{
		Version:         1,
		Enabled:         true,
		MaxDiscount:     900,
		MinMargin:       100,
		UnverifiedShare: 250,
		RoundCap:        6,
		Depth:           money.Whole,
		Curve: Curve{
			Reach: 1110, Markup: 1110,
			Give: [Steps]money.Percent{310, 670, 790, 870, 940, 1000, 1000, 1000},
			Take: [Steps]money.Percent{375, 500, 625, 750, 875, 1000, 1000, 1000},
		},
		Leanings: builtinLeanings(),
		Bundles:  Bundles{Share: 350},
		Probing:  Probing{Session: 40, Product: 20},
	}
}

// Under holds a policy to a project's settings.
func (p Policy) Under(s project.Settings) Policy {
	p.Enabled = p.Enabled && s.NegotiationEnabled
	p.MaxDiscount = min(p.MaxDiscount, s.MaxDiscount)
	return p
}

// part holds a share between nothing and all: the bounds are kept whatever a policy says.
func part(share money.Percent) money.Percent { return min(max(share, 0), money.Whole) }
