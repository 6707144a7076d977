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

// Bound computes the bounds. Whatever the signals say, the floor is at least
// list × (1 − max discount) and cost + minimum margin, each rounded up to the minor unit.
func Bound(p Policy, s Signals) Bounds {
	hard, ok := p.hardFloor(s)
	if !ok || !p.Enabled || !s.Negotiable || hard >= s.List.Minor() {
		return Bounds{s.List, s.List, s.List, s.List}
	}
	list, depth := s.List.Minor(), p.depth(s)
	down := func(share money.Percent) int64 { // share of the range below list, never below the hard floor
		n, err := money.MulDiv(list-hard, int64(share), int64(money.Whole), money.Down)
		if err != nil {
			return list
		}
		return list - n
	}
	target := down(depth * part(p.TargetShare) / money.Whole)
	floor := down(depth)
	if s.Competitor != nil && s.Competitor.Minor() < target {
		target = max(floor, s.Competitor.Minor())
	}
	opening := max(target, down(depth*part(p.OpeningShare)/money.Whole))
	floor = min(coarse(floor, target, list, s.List.Currency()), list-1)
	of := func(minor int64) money.Amount { return money.Of(minor, s.List.Currency()) }
	return Bounds{s.List, of(opening), of(target), of(floor)}
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
	return floor, true
}

// coarse raises the floor to a coarse grid, so that where rejections end tells no more than the hint
// does: to the next multiple of five units where that is not above the target, as for most prices;
// else, for cheap things, to the next fortieth of the list price.
func coarse(floor, target, list int64, c money.Currency) int64 {
	if f := roundUp(floor, 5*unit(c)); f <= target {
		return f
	}
	return min(roundUp(floor, (list+39)/40), target)
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
