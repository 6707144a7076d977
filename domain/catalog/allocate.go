package catalog

import "github.com/haggle-commerce/haggle/domain/id"

// Reservation is a number of pieces reserved at one location. A Take without a location is of a variant that is always
// available: it reserves no stock, and nothing is put back.
type Reservation struct {
	Variant  id.Variant
	Location string
	Quantity int
}

// Stocked returns the takes that reserve stock.
func Stocked(takes []Reservation) (stocked []Reservation) {
	for _, t := range takes {
		if t.Location != "" {
			stocked = append(stocked, t)
		}
	}
	return stocked
}

// Need is the number of pieces of a variant that an order needs.
type Need struct {
	Variant  id.Variant
	Quantity int
}

// Allocate decides which locations fulfil each need: the first location that has all of it, or else several in the
// order given. It returns needs that cannot be met as short, with the pieces available. For a variant on backorder it
// reserves the missing pieces too, at the first location that it draws from or else at the variant's first location.
func Allocate(needs []Need, levels []Level) (takes []Reservation, short []Need) {
	for _, need := range needs {
		policy, first := policyOf(need.Variant, levels)
		if policy == AlwaysAvailable {
			takes = append(takes, Reservation{Variant: need.Variant, Quantity: need.Quantity})
			continue
		}
		taken := allocate(need, levels)
		left := need.Quantity
		for _, t := range taken {
			left -= t.Quantity
		}
		switch {
		case left <= 0:
		case policy == Backorder && len(taken) > 0:
			taken[0].Quantity += left
		case policy == Backorder:
			taken = []Reservation{{need.Variant, first, left}}
		default:
			short = append(short, Need{need.Variant, need.Quantity - left})
			continue
		}
		takes = append(takes, taken...)
	}
	return takes, short
}

// policyOf returns a variant's policy and its first location. A variant without a level is tracked and has no stock.
func policyOf(v id.Variant, levels []Level) (policy InventoryPolicy, first string) {
	for _, l := range levels {
		if l.Variant == v {
			return l.Policy, l.Location
		}
	}
	return Tracked, ""
}

func allocate(need Need, levels []Level) []Reservation {
	var takes []Reservation
	left := need.Quantity
	for _, l := range levels {
		if l.Variant != need.Variant || l.Quantity <= 0 {
			continue
		}
		if l.Quantity >= need.Quantity {
			return []Reservation{{l.Variant, l.Location, need.Quantity}}
		}
		if left > 0 {
			n := min(left, l.Quantity)
			takes, left = append(takes, Reservation{l.Variant, l.Location, n}), left-n
		}
	}
	return takes
}
