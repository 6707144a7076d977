package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/firsts"
	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// complements returns the products that the given ones name as related, in that order, then those bought together with them,
// then the best rated ones of neighbouring categories, those of the same brands first.
func (s *snapshot) complements(given []id.Product, limit int) []ports.Complement {
	c := choosing{limit: limit, taken: make(map[id.Product]bool, len(given)+limit)}
	var with []spot
	for _, product := range given {
		c.taken[product] = true
		if p, number := place(s, product, byProduct); p != nil {
			with = append(with, spot{p, number})
		}
	}
	for _, w := range with {
		for _, sku := range w.product().Related {
			c.choose(place(s, sku, bySKU))
		}
	}
	if s.sales != nil {
		for _, product := range given {
			for _, companion := range s.sales.together[product] {
				c.choose(place(s, companion, byProduct))
			}
		}
	}
	if len(c.chosen) < limit {
		for _, n := range s.neighbours(with, limit+len(c.taken)) {
			c.choose(n.part, n.number)
		}
	}
	return c.chosen
}

// spot is the position of a document.
type spot struct {
	part   *part
	number uint32
}

func (s spot) document() *segment.Document { return &s.part.Documents[s.number] }

func (s spot) brand() uint32 { return s.part.Facets[s.number].Brand }
func (s spot) compare(o spot) int {
	return segment.Better(s.part.Segment, s.number, o.part.Segment, o.number)
}
func (s spot) product() *catalog.Product { return s.part.Product(s.number) }

// choosing collects distinct complements that are in stock.
type choosing struct {
	limit  int
	taken  map[id.Product]bool
	chosen []ports.Complement
}

func (c *choosing) choose(p *part, number uint32) {
	if p == nil || len(c.chosen) == c.limit {
		return
	}
	product := p.Product(number)
	if v := p.InStock(number); v >= 0 && !c.taken[product.ID] {
		c.taken[product.ID] = true
		c.chosen = append(c.chosen, ports.Complement{Product: product, Variant: product.Variants[v]})
	}
}

// neighbours returns the best documents in stock from other categories with the same top level as a given document. It
// considers up to limit documents of each category.
func (s *snapshot) neighbours(of []spot, limit int) []spot {
	near := nearby{limit: limit, of: of}
	var shelf []spot
	for number, key := range s.categories.Keys {
		shares := func(o spot) bool { return topLevel(s.categories.Keys[o.document().Category]) == topLevel(key) }
		own := func(o spot) bool { return o.document().Category == uint32(number) }
		if key == "" || !slices.ContainsFunc(of, shares) || slices.ContainsFunc(of, own) {
			continue
		}
		shelf = shelf[:0]
		for i := range s.parts {
			before := len(shelf)
			if shelf = s.parts[i].bestOf(uint32(number), limit, shelf); before > 0 && len(shelf) > before {
				slices.SortFunc(shelf, spot.compare)
			}
		}
		for _, n := range shelf[:min(len(shelf), limit)] {
			near.take(n)
		}
	}
	return near.best
}

// nearby keeps the best of many documents, those of given brands first.
type nearby struct {
	limit int
	of    []spot
	best  []spot
}

func (n *nearby) take(s spot) {
	n.best = firsts.Keep(n.best, s, n.limit, n.compare)
}

func (n *nearby) compare(a, b spot) int {
	return cmp.Or(cmp.Compare(n.stranger(a), n.stranger(b)), a.compare(b))
}

func (n *nearby) stranger(s spot) int {
	brand := s.brand()
	if brand != 0 && slices.ContainsFunc(n.of, func(o spot) bool { return o.brand() == brand }) {
		return 0
	}
	return 1
}

func topLevel(path string) string {
	top, _, _ := strings.Cut(path, "/")
	return top
}

// bestOf appends the first documents in stock of a category.
func (p *part) bestOf(category uint32, limit int, to []spot) []spot {
	at := sort.Search(len(p.Shelves), func(i int) bool { return p.Documents[p.Shelves[i]].Category >= category })
	for ; at < len(p.Shelves) && limit > 0; at++ {
		number := p.Shelves[at]
		if p.Documents[number].Category != category {
			break
		}
		if !p.dead.has(number) && p.InStock(number) >= 0 {
			to = append(to, spot{p, number})
			limit--
		}
	}
	return to
}
