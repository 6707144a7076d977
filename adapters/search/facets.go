package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// tallies of the facets, by number.
type counts struct {
	brands, colors []int32
	prices         [256]int32
}

func (c *counts) reset(s *snapshot) {
	c.brands = grown(c.brands, len(s.brands.Keys))
	c.colors = grown(c.colors, len(s.colors.Keys))
	clear(c.brands)
	clear(c.colors)
	clear(c.prices[:])
}

func (c *counts) add(s *segment.Segment, document uint32) {
	c.brands[s.Facets[document].Brand]++
	c.prices[s.Steps[document].Load()]++
	for _, color := range s.ColorsOf(document) {
		c.colors[color]++
	}
}

func (c *counts) facets(s *snapshot, f filter, total int) catalog.Facets {
	return catalog.Facets{
		Brands:      counted(s.brands, c.brands),
		Colors:      counted(s.colors, c.colors),
		PriceRanges: c.priceRanges(s.currency, f.priceMax, total),
	}
}

// counted names the values that occur, the most common first.
func counted(n segment.Names, counts []int32) []catalog.Count {
	var all []catalog.Count
	for number := 1; number < len(n.Written); number++ {
		if counts[number] > 0 {
			all = append(all, catalog.Count{Name: n.Written[number], Count: int(counts[number])})
		}
	}
	slices.SortFunc(all, func(a, b catalog.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return all
}

// priceRanges cuts the matches into at most five ranges of about the same count, with round bounds
// that touch. Cheapest first.
func (c *counts) priceRanges(currency money.Currency, priceMax int64, total int) []catalog.PriceRange {
	const most = 5
	var ranges []catalog.PriceRange
	begin, count, passed := -1, 0, 0
	for step := range segment.PriceSteps {
		if c.prices[step] > 0 && begin < 0 {
			begin = step
		}
		count += int(c.prices[step])
		passed += int(c.prices[step])
		if count == 0 || passed*most < total*(len(ranges)+1) {
			continue
		}
		end := int64(math.MaxInt64)
		if step+1 < len(segment.PriceSteps) {
			end = segment.PriceSteps[step+1] - 1
		}
		ranges = append(ranges, catalog.PriceRange{
			Min: money.Of(segment.PriceSteps[begin], currency), Max: money.Of(min(end, priceMax), currency), Count: count,
		})
		begin, count = step+1, 0
	}
	return ranges
}
