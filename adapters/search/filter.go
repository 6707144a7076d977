package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// filter is a catalog.Filter compiled to the numbers of a snapshot.
type filter struct {
	nothing    bool   // no document can pass
	categories []bool // nil: any
	brands     []bool // nil: any
	colors     []bool // nil: any
	sizes      []bool // nil: any
	priceMin   int64
	priceMax   int64
	ratingMin  int
	inStock    bool
	physical   bool
	attributes []attribute
	variants   bool // it has conditions on variants
	asks       bool // it has any conditions
}

// attribute is a condition on one of a product's attributes.
type attribute struct {
	name   string          // as the buyer wrote it; compared ignoring case
	values map[string]bool // normalized for comparison
}

func (s *snapshot) compile(f catalog.Filter) filter {
	c := filter{
		priceMin:  math.MinInt64,
		priceMax:  math.MaxInt64,
		ratingMin: f.RatingMin,
		inStock:   f.InStock,
		physical:  f.Physical,
	}
	if paths := pathsOf(f.Categories); len(paths) > 0 {
		c.categories = s.categories.Marked(func(key string) bool {
			return slices.ContainsFunc(paths, func(path string) bool { return below(path, key) })
		})
	}
	if len(f.Brands) > 0 {
		wanted := keysOf(f.Brands)
		c.brands = s.brands.Marked(func(key string) bool { return wanted[key] })
	}
	if f.PriceMin != nil {
		c.priceMin = f.PriceMin.Minor()
		c.nothing = f.PriceMin.Currency() != s.currency
	}
	if f.PriceMax != nil {
		c.priceMax = f.PriceMax.Minor()
		c.nothing = c.nothing || f.PriceMax.Currency() != s.currency
	}
	if size := segment.KeyOf(f.Size); size != "" {
		c.sizes = s.sizes.Marked(func(key string) bool { return key == size })
	}
	if len(f.Colors) > 0 {
		c.colors = s.colorsAmong(f.Colors)
	}
	for name, values := range f.Attributes {
		c.attributes = append(c.attributes, attribute{strings.TrimSpace(name), keysOf(values)})
	}
	c.asks = c.nothing || c.categories != nil || c.brands != nil || c.ratingMin > 0 || c.attributes != nil || c.physical
	c.variants = c.colors != nil || c.sizes != nil || c.inStock || c.priced()
	c.asks = c.asks || c.variants
	return c
}

// pathsOf normalizes categories for comparison. An empty category matches everything.
func pathsOf(categories []string) []string {
	paths := make([]string, len(categories))
	for i, c := range categories {
		if paths[i] = segment.KeyOf(strings.Trim(c, "/ ")); paths[i] == "" {
			return nil
		}
	}
	return paths
}

// keysOf normalizes names for comparison.
func keysOf(names []string) map[string]bool {
	keys := make(map[string]bool, len(names))
	for _, name := range names {
		keys[segment.KeyOf(name)] = true
	}
	return keys
}

// below reports whether a category is at or below a path: outdoor/tents, but not outdoors, is below outdoor.
func below(path, category string) bool {
	rest, under := strings.CutPrefix(category, path)
	return under && (rest == "" || rest[0] == '/')
}

// colorsAmong marks the colours that have one of the names. "Black, Silver" has three names: black, silver and its own.
func (s *snapshot) colorsAmong(names []string) []bool {
	wanted := keysOf(names)
	return s.colors.Marked(func(key string) bool {
		for color := range segment.ColorsIn(key) {
			if wanted[strings.TrimSpace(color)] {
				return true
			}
		}
		return wanted[key]
	})
}

// verdict is the set of a filter's parts that a document passes.
type verdict uint8

const (
	exceptBrand verdict = 1 << iota // all but the brands
	exceptPrice                     // all but the prices
	exceptColor                     // all but the colours
	passed                          // all of it

	wholly = passed | exceptBrand | exceptPrice | exceptColor
)

func (f *filter) passes(p *part, document uint32) bool { return f.judge(p, document)&passed != 0 }

// judge returns which parts of the filter a document passes. A single variant must pass all conditions on variants.
func (f *filter) judge(p *part, document uint32) verdict {
	if f.nothing || p.dead.has(document) {
		return 0
	}
	d := &p.Documents[document]
	if f.categories != nil && !f.categories[d.Category] {
		return 0
	}
	if f.ratingMin > int(d.Rating) || len(f.attributes) > 0 && !f.attributed(p.Product(document)) {
		return 0
	}
	if f.physical && !p.Product(document).Physical() {
		return 0
	}
	v := wholly
	if f.variants {
		v = f.judgeVariants(p, document)
	}
	if f.brands != nil && !f.brands[p.Facets[document].Brand] {
		v &= exceptBrand
	}
	return v
}

// faceted reports whether the filter has a condition that a facet ignores.
func (f *filter) faceted() bool { return f.brands != nil || f.colors != nil || f.priced() }

func (f *filter) priced() bool { return f.priceMax != math.MaxInt64 || f.priceMin != math.MinInt64 }

func (f *filter) judgeVariants(p *part, document uint32) (v verdict) {
	d := &p.Documents[document]
	own := d.Colorless && f.colors != nil && p.AnyColor(document, f.colors)
	for i := d.Variants.From; i < d.Variants.To && v != wholly; i++ {
		if !f.offered(p, i) {
			continue
		}
		priced := f.affords(p.Prices[i].Load())
		colored := f.colors == nil || own || f.colors[p.Variants[i].Color]
		switch {
		case priced && colored:
			v = wholly
		case priced:
			v |= exceptColor
		case colored:
			v |= exceptPrice
		}
	}
	return v
}

// offered reports whether a variant passes the conditions other than price and colour.
func (f *filter) offered(p *part, variant uint32) bool {
	return (f.sizes == nil || f.sizes[p.Variants[variant].Size]) && (!f.inStock || p.Available(variant))
}

// shown returns the indexes of the variants that represent a product in an answer; nil if all can.
func (f *filter) shown(s *segment.Segment, document uint32, p *catalog.Product) []uint16 {
	if len(p.Variants) <= catalog.MostListed {
		return nil
	}
	places := make([]uint16, len(p.Variants))
	ranks := make([]int, len(p.Variants))
	from := s.Documents[document].Variants.From
	for i, v := range p.Variants {
		at := from + uint32(i)
		places[i] = uint16(i)
		switch {
		case f.sizes != nil && !f.sizes[s.Variants[at].Size], f.colors != nil && !f.colors[s.Variants[at].Color], !f.affords(p.PriceOf(v).Minor()):
			ranks[i] = 2
		case !s.Available(at):
			ranks[i] = 1
		}
	}
	slices.SortStableFunc(places, func(a, b uint16) int { return cmp.Compare(ranks[a], ranks[b]) })
	return slices.Clone(places[:catalog.MostListed])
}

func (f *filter) affords(price int64) bool { return f.priceMin <= price && price <= f.priceMax }

// affordable reports whether a product has a variant at a price that passes.
func (f *filter) affordable(p *catalog.Product) bool {
	return slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return f.affords(p.PriceOf(v).Minor()) })
}

// attributed reports whether a product has all required attributes.
func (f *filter) attributed(p *catalog.Product) bool {
	for i := range f.attributes {
		if !f.attributes[i].of(p) {
			return false
		}
	}
	return true
}

// of reports whether a product has the attribute with one of the values.
func (a *attribute) of(p *catalog.Product) bool {
	if value, written := p.Attributes[a.name]; written && a.values[segment.KeyOf(value)] {
		return true
	}
	for name, value := range p.Attributes {
		if name != a.name && strings.EqualFold(name, a.name) && a.values[segment.KeyOf(value)] {
			return true
		}
	}
	return false
}
