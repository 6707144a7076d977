package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// priceSteps are round numbers of minor units up to money.Limit. A price range begins at one and ends
// just before another. The price that counts is that of the cheapest variant: what a buyer pays at
// least, and what a price filter compares.
var priceSteps = func() []int64 {
	steps := []int64{0}
	for scale := int64(1); scale < money.Limit; scale *= 10 {
		for _, tenths := range []int64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if tenths*scale%10 == 0 {
				steps = append(steps, tenths*scale/10)
			}
		}
	}
	return steps
}()

func priceStep(minor int64) uint8 {
	i, found := slices.BinarySearch(priceSteps, minor)
	if !found {
		i--
	}
	return uint8(max(0, i))
}

// tallies of the facets, by number.
type counts struct {
	brands, colors []int32
	prices         [256]int32
}

func (c *counts) reset(s *snapshot) {
	c.brands = grown(c.brands, len(s.brands.keys))
	c.colors = grown(c.colors, len(s.colors.keys))
	clear(c.brands)
	clear(c.colors)
	clear(c.prices[:])
}

func (c *counts) add(s *segment, document uint32) {
	d := &s.documents[document]
	c.brands[d.brand]++
	c.prices[s.steps[document].Load()]++
	for _, color := range s.colors[d.colors.from:d.colors.to] {
		c.colors[color]++
	}
}

func (c *counts) facets(s *snapshot, f filter, total int) catalog.Facets {
	return catalog.Facets{
		Brands:      s.brands.counted(c.brands),
		Colors:      s.colors.counted(c.colors),
		PriceRanges: c.priceRanges(s.currency, f.priceMax, total),
	}
}

// counted names the values that occur, the most common first.
func (n names) counted(counts []int32) []catalog.Count {
	var all []catalog.Count
	for number := 1; number < len(n.written); number++ {
		if counts[number] > 0 {
			all = append(all, catalog.Count{Name: n.written[number], Count: int(counts[number])})
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
	for step := range priceSteps {
		if c.prices[step] > 0 && begin < 0 {
			begin = step
		}
		count += int(c.prices[step])
		passed += int(c.prices[step])
		if count == 0 || passed*most < total*(len(ranges)+1) {
			continue
		}
		end := int64(math.MaxInt64)
		if step+1 < len(priceSteps) {
			end = priceSteps[step+1] - 1
		}
		ranges = append(ranges, catalog.PriceRange{
			Min: money.Of(priceSteps[begin], currency), Max: money.Of(min(end, priceMax), currency), Count: count,
		})
		begin, count = step+1, 0
	}
	return ranges
}
