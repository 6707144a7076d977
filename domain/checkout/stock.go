package checkout

import "github.com/haggle-commerce/haggle/domain/id"

// Shortage is a line that has more pieces than there are in stock.
type Shortage struct {
	Line int // its place, from 0
	Left int // pieces that are left for it
}

// Short are the lines that have more pieces than there are in stock, which is by variant. Lines of one variant share it, the
// first one first. Of a variant that stock does not tell about, nothing is short. Stock is taken when a checkout is claimed: until
// then it may change either way.
func Short(lines []Line, stock map[id.Variant]int) []Shortage {
	var short []Shortage
	wanted := map[id.Variant]int{}
	for i, l := range lines {
		inStock, told := stock[l.Variant]
		left := max(0, inStock-wanted[l.Variant])
		if wanted[l.Variant] += l.Quantity; told && l.Quantity > left {
			short = append(short, Shortage{i, left})
		}
	}
	return short
}
