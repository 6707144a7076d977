package catalog

import "github.com/haggle-commerce/haggle/domain/id"

// Take is a number of pieces out of one location. Without a location they are of a variant that is always available, and came
// from no shelf: nothing is taken, and nothing is put back.
type Take struct {
	Variant  id.Variant
	Location string
	Quantity int
}

// Stocked are the takes that took something.
func Stocked(takes []Take) (stocked []Take) {
	for _, t := range takes {
		if t.Location != "" {
			stocked = append(stocked, t)
		}
	}
	return stocked
}

// Need is how many pieces of a variant an order wants.
type Need struct {
	Variant  id.Variant
	Quantity int
}

// Allocate decides where each need is taken from: from the first location that has all of it, else
// from several, in the order given. Needs that cannot be met come back as short, with what is there. What there is too little
// of is taken all the same of a variant on backorder: from where most of it comes from, or from its first location.
func Allocate(needs []Need, levels []Level) (takes []Take, short []Need) {
	for _, need := range needs {
		policy, first := policyOf(need.Variant, levels)
		if policy == AlwaysAvailable {
			takes = append(takes, Take{Variant: need.Variant, Quantity: need.Quantity})
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
			taken = []Take{{need.Variant, first, left}}
		default:
			short = append(short, Need{need.Variant, need.Quantity - left})
			continue
		}
		takes = append(takes, taken...)
	}
	return takes, short
}

// policyOf is a variant's policy, and its first location. A variant without a level is tracked: there is nothing to take.
func policyOf(v id.Variant, levels []Level) (policy InventoryPolicy, first string) {
	for _, l := range levels {
		if l.Variant == v {
			return l.Policy, l.Location
		}
	}
	return Tracked, ""
}

func allocate(need Need, levels []Level) []Take {
	var takes []Take
	left := need.Quantity
	for _, l := range levels {
		if l.Variant != need.Variant || l.Quantity <= 0 {
			continue
		}
		if l.Quantity >= need.Quantity {
			return []Take{{l.Variant, l.Location, need.Quantity}}
		}
		if left > 0 {
			n := min(left, l.Quantity)
			takes, left = append(takes, Take{l.Variant, l.Location, n}), left-n
		}
	}
	return takes
}
