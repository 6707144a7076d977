package market

import "slices"

// Baselines are what simpler sellers, and an all-knowing one, earn from the same buyers.
type Baselines struct {
	List   Posted  // everything at the list price
	Best   Posted  // at the one price that earns most from these very buyers
	Oracle Optimum // at V to each
}

// Posted is a take-it-or-leave-it price.
type Posted struct {
	Price  int64
	Deals  int
	Margin int64 // of all buyers together
}

// Optimum is a price for each buyer: V where that is not below cost, and list at most.
type Optimum struct {
	Deals  int
	Margin int64
}

func baselines(item Item, worths []int64) Baselines {
	sorted := slices.Sorted(slices.Values(worths))
	b := Baselines{List: posted(item, item.List, sorted), Best: bestPosted(item, sorted)}
	for _, worth := range sorted {
		if worth >= item.Cost {
			b.Oracle.Deals++
			b.Oracle.Margin += min(worth, item.List) - item.Cost
		}
	}
	return b
}

func posted(item Item, price int64, sorted []int64) Posted {
	first, _ := slices.BinarySearch(sorted, price)
	deals := len(sorted) - first
	return Posted{price, deals, int64(deals) * (price - item.Cost)}
}

// bestPosted is exact: a price that is nobody's V, nor list, can be raised to the next without losing a buyer.
// Of equally good prices it is the highest.
func bestPosted(item Item, sorted []int64) Posted {
	best := posted(item, item.List, sorted)
	for i := len(sorted) - 1; i >= 0; i-- {
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

// of is what the price earns from one buyer.
func (p Posted) of(item Item, worth int64) int64 {
	if worth < p.Price {
		return 0
	}
	return p.Price - item.Cost
}

// fromKnown is what an all-knowing seller earns from one buyer.
func fromKnown(item Item, worth int64) int64 { return max(0, min(worth, item.List)-item.Cost) }
