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

// counts has the counts of facet values, by number.
type counts struct {
	brands, colors []int32
	prices         [256]int32
	priced         int      // documents in prices
	offered        []uint32 // colours of one document
}

func (c *counts) reset(s *snapshot) {
	c.brands = grown(c.brands, len(s.brands.Keys))
	c.colors = grown(c.colors, len(s.colors.Keys))
	clear(c.brands)
	clear(c.colors)
	clear(c.prices[:])
	c.priced = 0
}

// addWhole counts a document that passes the filter with any of its variants.
func (c *counts) addWhole(s *segment.Segment, document uint32) {
	c.brands[s.Facets[document].Brand]++
	c.prices[s.Steps[document].Load()]++
	c.priced++
	for _, color := range s.ColorsOf(document) {
		c.colors[color]++
	}
}

// add counts a document in each facet, if it passes the filter without that facet's own condition.
func (c *counts) add(s *snapshot, p *part, document uint32, v verdict, f *filter) {
	if v&exceptBrand != 0 {
		c.brands[p.Facets[document].Brand]++
	}
	if v&exceptPrice != 0 {
		c.prices[f.step(p, document)]++
		c.priced++
	}
	if v&exceptColor == 0 {
		return
	}
	if !f.variants || p.Documents[document].Colorless {
		for _, color := range p.ColorsOf(document) {
			c.colors[color]++
		}
		return
	}
	for _, color := range c.colorsOffered(s, p, document, f) {
		c.colors[color]++
	}
}

// step returns the price step of the cheapest variant that passes all conditions but the price.
func (f *filter) step(p *part, document uint32) uint32 {
	if f.sizes == nil && f.colors == nil && !f.inStock {
		return p.Steps[document].Load()
	}
	d := &p.Documents[document]
	own := d.Colorless && f.colors != nil && p.AnyColor(document, f.colors)
	lowest := int64(math.MaxInt64)
	for i := d.Variants.From; i < d.Variants.To; i++ {
		if f.offered(p, i) && (f.colors == nil || own || f.colors[p.Variants[i].Color]) {
			lowest = min(lowest, p.Prices[i].Load())
		}
	}
	return segment.PriceStep(lowest)
}

// colorsOffered returns the distinct colours of the variants that pass all conditions but the colour.
func (c *counts) colorsOffered(s *snapshot, p *part, document uint32, f *filter) []uint32 {
	c.offered = c.offered[:0]
	d := &p.Documents[document]
	for i := d.Variants.From; i < d.Variants.To; i++ {
		if !f.offered(p, i) || !f.affords(p.Prices[i].Load()) {
			continue
		}
		for _, color := range s.shades[p.Variants[i].Color] {
			if !slices.Contains(c.offered, color) {
				c.offered = append(c.offered, color)
			}
		}
	}
	return c.offered
}

func (c *counts) facets(s *snapshot) catalog.Facets {
	return catalog.Facets{
		Brands:      counted(s.brands, c.brands),
		Colors:      counted(s.colors, c.colors),
		PriceRanges: c.priceRanges(s.currency, c.priced),
	}
}

// counted returns the names and counts of the values that occur, the most common first.
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

// priceRanges divides the matches into at most five adjacent price ranges of about the same count, with round bounds, cheapest
// first.
func (c *counts) priceRanges(currency money.Currency, total int) []catalog.PriceRange {
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
			Min:   money.Of(segment.PriceSteps[begin], currency),
			Max:   money.Of(end, currency),
			Count: count,
		})
		begin, count = step+1, 0
	}
	return ranges
}
