// Package negotiation decides prices. It computes bounds, such as the price floor, from signals (Bound), and a sealed
// Decision from bounds and progress (Decide). Guard applies the same rules to an agent's proposal. The decision record
// is a hash chain (Entry, Link), over which a Replayer plays other policies. The package is pure: time and IDs are
// arguments, and free text from the buyer is never an input.
//
//	          no offer, or offer below the ask
//	        ┌───────────────────────────────────┐
//	open ───┴─▶ open (quote, counter_offer, reject) ──offer ≥ ask or counter──▶ accepted
//	  │ a newer quote on the same item, or the buyer gives up                     │ checkout
//	  ▼                                                                           ▼
//	superseded, declined  past valid_until: expired (by the clock)             redeemed
package negotiation

import (
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Validity is how long a quote and the commitment to its counter are valid.
const Validity = 15 * time.Minute

// Policy is how far and how fast a shop lowers prices. Shares are in tenths of a percent. The formulas are in the
// documentation of Bound and Decide.
type Policy struct {
	Version int
	Enabled bool

	MaxDiscount money.Percent // limits every price; a share of the list price
	MinMargin   money.Percent // above cost; a share of the cost
	// UnverifiedShare limits the effect of the buyer's own claims, in either direction.
	UnverifiedShare money.Percent
	// RoundCap is the number of counters after which the last one is final.
	RoundCap int

	// Depth is where the floor lies between list (0) and the hard floor (1) without any signal.
	Depth money.Percent
	// Anchor is where the opening price lies between list (0) and the floor (1) without any signal.
	Anchor money.Percent

	Curve    Curve
	Segments []Segment // the curve of the first one that matches replaces Curve

	Leanings Leanings
	Bundles  Bundles
	Probing  Probing
}

// Steps is the number of moves with steps of their own in a curve. Later moves use the last step.
const Steps = 8

// Curve determines the answers to a buyer's moves: see Bounds.Moves. The first move is step 0.
type Curve struct {
	// Reach and Markup are for the first offer. A firm buyer can usually pay more than its first offer: if the offer
	// times Reach is at least the floor, the counter is the offer times Markup.
	Reach, Markup money.Percent
	// Give is where the counter to each move lies between list (0) and the floor (1). The first step is for a first
	// offer that is not met by Reach.
	Give [Steps]money.Percent
	// Take is how far from the counter to the floor an offer may lie and still be accepted, at each move.
	Take [Steps]money.Percent
}

// Segment is a part of the catalogue with its own curve. A zero field matches every product.
type Segment struct {
	Name     string
	Category string        // a path; products below it match too
	CostFrom money.Percent // cost as a share of list, inclusive. Matches known costs only
	CostTo   money.Percent // exclusive
	PriceMin int64         // of the list price, in minor units, inclusive
	PriceMax int64         // exclusive

	QuantityMin int // of pieces, inclusive
	QuantityMax int // exclusive

	Curve Curve
}

// Terms is the part of a policy that applies to one negotiation.
type Terms struct {
	Version     int
	RoundCap    int
	MaxDiscount money.Percent
	Lean        money.Percent // added to each step of the curve, from the signals
	Curve       Curve
	Firm        bool // the buyer's client exceeded a limit of Probing: no more concessions
}

// Terms returns the terms for an item, with the curve of its segment.
func (p Policy) Terms(s Signals) Terms {
	t := Terms{
		Version:     p.Version,
		RoundCap:    p.RoundCap,
		MaxDiscount: p.MaxDiscount,
		Lean:        p.lean(s) + p.marginLean(s),
		Curve:       p.Curve,
		Firm:        p.Probing.over(s.Probed),
	}
	if i := p.SegmentOf(s); i >= 0 {
		t.Curve = p.Segments[i].Curve
	}
	return t
}

// SegmentOf returns the index of the segment whose curve applies to an item, or −1 if none does.
func (p Policy) SegmentOf(s Signals) int {
	return slices.IndexFunc(p.Segments, func(g Segment) bool { return g.matches(s) })
}

func (g *Segment) matches(s Signals) bool {
	list := s.List.Minor()
	if g.Category != "" && s.Category != g.Category && !strings.HasPrefix(s.Category, g.Category+"/") {
		return false
	}
	if g.PriceMin > 0 && list < g.PriceMin || g.PriceMax > 0 && list >= g.PriceMax {
		return false
	}
	if s.Quantity < g.QuantityMin || g.QuantityMax > 0 && s.Quantity >= g.QuantityMax {
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

// Builtin returns the policy of a shop that has no policy of its own.
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
			Reach: 1075, Markup: 1110,
			Give: [Steps]money.Percent{515, 525, 600, 675, 730, 780, 790, 800},
			Take: [Steps]money.Percent{375, 880, 890, 970, 970, 970, 970, 970},
		},
		Leanings: builtinLeanings(),
		Bundles:  Bundles{Share: 350},
		Probing:  Probing{Session: 40, Product: 20},
	}
}

// Under returns the policy limited by a project's settings.
func (p Policy) Under(s project.Settings) Policy {
	p.Enabled = p.Enabled && s.NegotiationEnabled
	p.MaxDiscount = min(p.MaxDiscount, s.MaxDiscount)
	return p
}

// clampShare limits a share to between 0 and 1, whatever a policy contains.
func clampShare(share money.Percent) money.Percent { return min(max(share, 0), money.Whole) }
