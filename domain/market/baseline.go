package market

import "slices"

// Baselines are the results of simpler sellers, and of one that knows every buyer, with the same buyers.
type Baselines struct {
	List   Posted // everything at the list price
	Best   Posted // at the fixed price that earns most from these buyers
	Oracle Posted // at V to each buyer with V at or above cost, but at most at list

	// The same within the seller's limits: no price is below the floor. Both are as above if the floor is not known.
	Floor        int64 // zero: not known
	BestWithin   Posted
	OracleWithin Posted
}

// Posted is a fixed price that is not negotiable.
type Posted struct {
	Price  int64 // zero: a different one for each buyer
	Deals  int
	Margin int64 // of all buyers together
}

// NewBaselines computes the baselines for buyers with these reservation prices. A floor of zero is not known.
func NewBaselines(item Item, floor int64, worths []int64) Baselines {
	sorted := slices.Sorted(slices.Values(worths))
	return Baselines{
		List:         posted(item, item.List, sorted),
		Best:         bestPosted(item, 0, sorted),
		Oracle:       optimum(item, 0, sorted),
		Floor:        floor,
		BestWithin:   bestPosted(item, floor, sorted),
		OracleWithin: optimum(item, floor, sorted),
	}
}

// optimum returns the result of a seller that knows every buyer and sells at V, but to nobody whose V is below the
// floor.
func optimum(item Item, floor int64, worths []int64) (o Posted) {
	for _, worth := range worths {
		if worth >= max(item.Cost, floor) {
			o.Deals++
			o.Margin += min(worth, item.List) - item.Cost
		}
	}
	return o
}

func posted(item Item, price int64, sorted []int64) Posted {
	first, _ := slices.BinarySearch(sorted, price)
	deals := len(sorted) - first
	return Posted{price, deals, int64(deals) * (price - item.Cost)}
}

// BestPosted returns the fixed price that earns most from buyers with these reservation prices.
func BestPosted(item Item, worths []int64) Posted {
	return bestPosted(item, 0, slices.Sorted(slices.Values(worths)))
}

// bestPosted is exact, because a price that is no buyer's V, nor list, can be raised to the next one without losing a
// buyer. Of equally good prices it returns the highest.
func bestPosted(item Item, floor int64, sorted []int64) Posted {
	best := posted(item, item.List, sorted)
	for i := len(sorted) - 1; i >= 0 && sorted[i] >= floor; i-- {
		price := sorted[i]
		if price > item.List || i > 0 && sorted[i-1] == price {
			continue
		}
		if margin := int64(len(sorted)-i) * (price - item.Cost); margin > best.Margin {
			best = Posted{price, len(sorted) - i, margin}
		}
	}
	return best
}

// of returns the margin of the price with one buyer.
func (p Posted) of(item Item, worth int64) int64 {
	if worth < p.Price {
		return 0
	}
	return p.Price - item.Cost
}

// fromKnown returns the margin with one buyer of a seller that knows V and does not sell below the floor.
func fromKnown(item Item, floor, worth int64) int64 {
	if worth < floor {
		return 0
	}
	return max(0, min(worth, item.List)-item.Cost)
}
