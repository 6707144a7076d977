package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Bounds of one item's price, per unit: floor ≤ target ≤ opening ≤ list. They are set when an item is
// first quoted in a session and stay the same for that session, item and quantity (decisions 9).
type Bounds struct{ list, opening, target, floor money.Amount }

func (b Bounds) List() money.Amount    { return b.list }
func (b Bounds) Opening() money.Amount { return b.opening }
func (b Bounds) Target() money.Amount  { return b.target }
func (b Bounds) Floor() money.Amount   { return b.floor }

// RehydrateBounds trusts storage.
func RehydrateBounds(list, opening, target, floor money.Amount) Bounds {
	return Bounds{list, opening, target, floor}
}

// Fixed tells whether there is nothing to negotiate. The floor of what is negotiable is below list.
func (b Bounds) Fixed() bool { return b.floor == b.list }

// Moves tells whether an offer is a move after the offer of the last one: the first offer is, and later ones that
// come at least a hundredth of the list price closer, from three quarters of the floor on. So neither
// pennies nor offers that nobody means buy a concession.
func (b Bounds) Moves(last money.Amount, offer int64) bool {
	if !last.IsPositive() {
		return offer > 0
	}
	return offer-last.Minor() >= max(b.list.Minor()/leastMove, 1) && offer >= b.floor.Minor()-b.floor.Minor()/4
}

// leastMove is what part of the list price a move is at least.
const leastMove = 100

// Bound computes the bounds. With the range R from list down to the hard floor, and D the depth: the policy's
// Depth with what the signals lean to, between nothing and all:
//
//	hard floor  the higher of list × (1 − max discount) and cost + minimum margin, each rounded up
//	floor       list − R·D, raised to a multiple of five units (see coarse)
//	opening     list − (list − floor)·(Anchor + lean)
//	target      list − (list − floor)·(Take of the first move + lean), at most the opening and what a competitor asks
//
// For example at list 100.00, max discount 20 %, cost 50.00, the built-in policy and a buyer of whom nothing is
// known: R = 20.00, D = 1, floor 80.00, opening 100.00, target 100.00 − 20.00·0.375 = 92.50. A gold member whom the
// shop knows leans 30 %: floor 80.00, opening 94.00, target 86.50.
func Bound(p Policy, s Signals) Bounds {
	hard, ok := p.hardFloor(s)
	if !ok || !p.Enabled || !s.Negotiable || hard >= s.List.Minor() {
		return Bounds{s.List, s.List, s.List, s.List}
	}
	list, lean, terms := s.List.Minor(), p.lean(s), p.Terms(s)
	floor := down(list, hard, p.Depth+lean)
	floor = min(coarse(floor, down(list, floor, 500), list, s.List.Currency()), list-1)
	opening := down(list, floor, p.Anchor+lean)
	target := min(opening, down(list, floor, terms.Curve.Take[0]+lean))
	if s.Competitor != nil && p.Leanings.MatchCompetitor {
		target = min(target, max(floor, s.Competitor.Minor()))
	}
	of := func(minor int64) money.Amount { return money.Of(minor, s.List.Currency()) }
	return Bounds{s.List, of(opening), of(target), of(floor)}
}

// down goes a share of the way from a higher price to a lower one.
func down(from, to int64, share money.Percent) int64 {
	n, err := money.MulDiv(from-to, int64(part(share)), int64(money.Whole), money.Down)
	if err != nil {
		return from
	}
	return from - n
}

func (p Policy) hardFloor(s Signals) (minor int64, ok bool) {
	floor, err := money.MulDiv(s.List.Minor(), int64(money.Whole-part(p.MaxDiscount)), int64(money.Whole), money.Up)
	if err != nil {
		return 0, false
	}
	if s.Cost != nil {
		cost, err := money.MulDiv(s.Cost.Minor(), int64(money.Whole+max(p.MinMargin, 0)), int64(money.Whole), money.Up)
		if err != nil {
			return 0, false
		}
		floor = max(floor, cost)
	}
	return max(floor, 1), true // nothing is given away
}

// coarse raises the floor to a coarse grid, so that where rejections end tells no more than the hint
// does: to the next multiple of five units where that is in the lower half of the range, as for most prices;
// else, for cheap things, to the next fortieth of the list price.
func coarse(floor, middle, list int64, c money.Currency) int64 {
	if f := roundUp(floor, 5*unit(c)); f <= middle {
		return f
	}
	return max(floor, min(roundUp(floor, (list+39)/40), middle))
}

// FiveUp is the amount rounded up to a multiple of five units of its currency, at most limit.
func FiveUp(a, limit money.Amount) money.Amount {
	return money.Of(min(roundUp(a.Minor(), 5*unit(a.Currency())), limit.Minor()), a.Currency())
}

// Hint is what a rejection tells about the floor: the floor rounded up to a multiple of five, never
// above list.
func (b Bounds) Hint() money.Amount { return FiveUp(b.floor, b.list) }

func unit(c money.Currency) int64 {
	n := int64(1)
	for range c.Digits() {
		n *= 10
	}
	return n
}

func roundUp(n, step int64) int64 {
	if step <= 0 || n%step == 0 {
		return n
	}
	return n + step - n%step
}
