package search

import (
	"math"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// filter is a catalog.Filter in the numbers of a snapshot.
type filter struct {
	nothing    bool   // can't be passed
	categories []bool // nil: any
	colors     []bool // nil: any
	sizes      []bool // nil: any
	priceMax   int64
}

func (s *snapshot) compile(f catalog.Filter) filter {
	c := filter{priceMax: math.MaxInt64}
	if path := segment.KeyOf(strings.Trim(f.Category, "/ ")); path != "" {
		c.categories = s.categories.Marked(func(key string) bool { return below(path, key) })
	}
	if f.PriceMax != nil {
		c.priceMax = f.PriceMax.Minor()
		c.nothing = f.PriceMax.Currency() != s.currency
	}
	if size := segment.KeyOf(f.Size); size != "" {
		c.sizes = s.sizes.Marked(func(key string) bool { return key == size })
	}
	if len(f.Colors) > 0 {
		c.colors = s.colorsAmong(f.Colors)
	}
	return c
}

// below says whether a category is at or below a path: outdoor/tents, but not outdoors, is below outdoor.
func below(path, category string) bool {
	rest, under := strings.CutPrefix(category, path)
	return under && (rest == "" || rest[0] == '/')
}

// colorsAmong marks the colours that have one of the names. "Black, Silver" has three: black, silver
// and its own.
func (s *snapshot) colorsAmong(names []string) []bool {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[segment.KeyOf(name)] = true
	}
	return s.colors.Marked(func(key string) bool {
		for color := range segment.ColorsIn(key) {
			if wanted[strings.TrimSpace(color)] {
				return true
			}
		}
		return wanted[key]
	})
}

func (f *filter) passes(p *part, document uint32) bool {
	if f.nothing || p.dead.has(document) {
		return false
	}
	d := &p.Documents[document]
	if f.categories != nil && !f.categories[d.Category] {
		return false
	}
	if f.colors == nil && f.sizes == nil && f.priceMax == math.MaxInt64 {
		return true
	}
	own := d.Colorless && f.colors != nil && p.AnyColor(document, f.colors)
	for i := d.Variants.From; i < d.Variants.To; i++ {
		v := p.Variants[i]
		if p.Prices[i].Load() <= f.priceMax && (f.sizes == nil || f.sizes[v.Size]) && (f.colors == nil || own || f.colors[v.Color]) {
			return true
		}
	}
	return false
}
