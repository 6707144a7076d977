package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Bounds are the bounds of one item's price, per unit: floor ≤ target ≤ opening ≤ list. They are computed when an item
// is first quoted in a session, and stay the same for that session, item and quantity while a promise is valid.
type Bounds struct{ list, opening, target, floor money.Amount }

func (b Bounds) List() money.Amount    { return b.list }
func (b Bounds) Opening() money.Amount { return b.opening }
func (b Bounds) Target() money.Amount  { return b.target }
func (b Bounds) Floor() money.Amount   { return b.floor }

// RehydrateBounds returns stored bounds without validating them.
func RehydrateBounds(list, opening, target, floor money.Amount) Bounds {
	return Bounds{list, opening, target, floor}
}

// Fixed reports whether there is nothing to negotiate. The floor of a negotiable item is below list.
func (b Bounds) Fixed() bool { return b.floor == b.list }

// Moves reports whether an offer counts as a concession after last, the offer of the previous one. The first offer
// does. A later one must be at least 1/100 of the list price above last and at least 3/4 of the floor, so that neither
// tiny steps nor unserious offers earn a concession. See Table.Absurd for offers that never count.
func (b Bounds) Moves(last money.Amount, offer int64) bool {
	if !last.IsPositive() {
		return offer > 0
	}
	return offer-last.Minor() >= max(b.list.Minor()/leastMove, 1) && offer >= b.floor.Minor()-b.floor.Minor()/4
}

// leastMove is the divisor of the list price that gives the smallest move.
const leastMove = 100

// Bound computes the bounds. R is the range from list down to the hard floor. D is the depth: the policy's
// Depth plus the lean of the signals, between 0 and 1:
//
//	hard floor  the higher of list × (1 − max discount) and cost + minimum margin, raised to the grid (see grid)
//	floor       list − R·D, raised to the grid
//	opening     list − (list − floor)·(Anchor + lean)
//	target      list − (list − floor)·(Take of the first move + lean, with that of a high margin), at most the opening and
//	            a competitor's price
//
// For example at list 100.00, max discount 20 %, cost 50.00, the built-in policy and a buyer about whom nothing is
// known: R = 20.00, D = 1, floor 80.00, opening 100.00. The floor keeps 60 % of the margin at list, which is high: target
// 100.00 − 20.00·(0.375 + 0.20) = 88.50. A gold member known to the shop leans 30 %: floor 80.00, opening 94.00, target 82.50.
func Bound(p Policy, s Signals) Bounds {
	hard, ok := p.hardFloor(s)
	if !ok || !p.Enabled || !s.Negotiable || hard.raised >= s.List.Minor() {
		return Bounds{s.List, s.List, s.List, s.List}
	}
	list, lean, terms := s.List.Minor(), p.lean(s), p.Terms(s)
	floor := min(raise(down(list, hard.raised, p.Depth+lean), list, hard.step), list-1)
	opening := down(list, floor, p.Anchor+lean)
	target := min(opening, down(list, floor, terms.Curve.Take[0]+terms.Lean))
	if s.Competitor != nil && p.Leanings.MatchCompetitor {
		target = min(target, max(floor, s.Competitor.Minor()))
	}
	of := func(minor int64) money.Amount { return money.Of(minor, s.List.Currency()) }
	return Bounds{s.List, of(opening), of(target), of(floor)}
}

// down returns the price that lies a share of the way from a higher price to a lower one.
func down(from, to int64, share money.Percent) int64 {
	n, err := money.MulDiv(from-to, int64(clampShare(share)), int64(money.Whole), money.Down)
	if err != nil {
		return from
	}
	return from - n
}

// hardFloor is the lowest price that a policy allows.
type hardFloor struct {
	exact  int64
	raised int64 // to the grid; at least the list price if no discount is possible
	step   int64 // of the grid
	byCost bool  // the cost determines it
}

// hardFloor returns false if the numbers are too large to multiply.
func (p Policy) hardFloor(s Signals) (hardFloor, bool) {
	list := s.List.Minor()
	floor, err := money.MulDiv(list, int64(money.Whole-clampShare(p.MaxDiscount)), int64(money.Whole), money.Up)
	if err != nil {
		return hardFloor{}, false
	}
	floor = max(floor, 1) // no item is free
	if s.Cost != nil {
		cost, err := money.MulDiv(s.Cost.Minor(), int64(money.Whole+max(p.MinMargin, 0)), int64(money.Whole), money.Up)
		if err != nil {
			return hardFloor{}, false
		}
		if cost > floor {
			step := grid(list, secretParts)
			return hardFloor{cost, roundUp(cost, step), step, true}, true
		}
	}
	step := grid(list, publicParts)
	return hardFloor{floor, raise(floor, list, step), step, false}, true
}

// The number of grid steps in the list price: a step is at most 1/publicParts of it (2.5 %), or 1/secretParts (5 %) if
// the cost determines the floor, because the hint of a rejection must not reveal the cost more precisely. The limit of
// the discount is not secret.
const publicParts, secretParts = 40, 20

// grid returns the step of the prices that floor and hint may have: the largest of 1, 2 and 5 × 10ⁿ minor units that is
// at most 1/parts of the list price, and at least one minor unit. With 40 parts it is 0.20 at 12.00, 2.00 at 100.00,
// and 20.00 at 1,000.00.
func grid(list, parts int64) int64 {
	most, step := list/parts, int64(1)
	for step*10 <= most {
		step *= 10
	}
	for _, n := range [...]int64{5, 2} {
		if step*n <= most {
			return step * n
		}
	}
	return step
}

// raise rounds a floor up to the grid. It uses smaller steps if the result would not be below the list price.
func raise(floor, list, step int64) int64 {
	for step > 1 && roundUp(floor, step) >= list {
		step = grid(step-1, 1)
	}
	return roundUp(floor, step)
}

// RoundUpToFive returns the amount rounded up to a multiple of five units of its currency, at most limit.
func RoundUpToFive(a, limit money.Amount) money.Amount {
	return money.Of(min(roundUp(a.Minor(), 5*unit(a.Currency())), limit.Minor()), a.Currency())
}

// Hint returns what a rejection reveals about the floor: the floor itself, because it lies on the grid. An offer at the
// hint is not rejected, so a buyer who searches for the lowest offer that is not rejected finds only the hint.
func (b Bounds) Hint() money.Amount { return b.floor }

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
