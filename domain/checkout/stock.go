package checkout

import "github.com/haggle-commerce/haggle/domain/id"

// Shortage is a line with more pieces than are in stock.
type Shortage struct {
	Line int // its position, from 0
	Left int // pieces that are left for it
}

// Short returns the lines with more pieces than are in stock. stock is by variant: lines of one variant share it, the
// first line first. A variant that is missing in stock is never short. Stock is reserved when a checkout is claimed;
// until then it may change either way.
func Short(lines []Line, stock map[id.Variant]int) []Shortage {
	var short []Shortage
	wanted := map[id.Variant]int{}
	for i, l := range lines {
		inStock, known := stock[l.Variant]
		left := max(0, inStock-wanted[l.Variant])
		if wanted[l.Variant] += l.Quantity; known && l.Quantity > left {
			short = append(short, Shortage{i, left})
		}
	}
	return short
}
