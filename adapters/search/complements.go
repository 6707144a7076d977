package search

import (
	"slices"
	"sort"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// complements are what the given products name as related, in that order, then the best thought of
// in the neighbouring categories.
func (s *snapshot) complements(given []id.Product, limit int) []ports.Complement {
	var with []*document
	taken := make(map[id.Product]bool, len(given)+limit)
	for _, product := range given {
		taken[product] = true
		if _, d := place(s, product, byProduct); d != nil {
			with = append(with, d)
		}
	}
	var chosen []ports.Complement
	choose := func(p *part, d *document) {
		if len(chosen) == limit || taken[d.product.ID] {
			return
		}
		if v := p.inStock(d); v >= 0 {
			taken[d.product.ID] = true
			chosen = append(chosen, ports.Complement{Product: d.product, Variant: d.product.Variants[v]})
		}
	}
	for _, d := range with {
		for _, sku := range d.product.Related {
			if p, related := place(s, sku, bySKU); related != nil {
				choose(p, related)
			}
		}
	}
	if len(chosen) < limit {
		for _, n := range s.neighbours(with, limit+len(taken)) {
			choose(n.part, n.document)
		}
	}
	return chosen
}

// neighbour is a document and where it is.
type neighbour struct {
	part     *part
	document *document
}

// neighbours are the best documents in stock in categories that share the top level with one of the
// given documents and are none of theirs. Up to limit of each category are looked at.
func (s *snapshot) neighbours(of []*document, limit int) []neighbour {
	var near []neighbour
	for number, key := range s.categories.keys {
		shares := func(d *document) bool { return topLevel(s.categories.keys[d.category]) == topLevel(key) }
		own := func(d *document) bool { return d.category == uint32(number) }
		if key == "" || !slices.ContainsFunc(of, shares) || slices.ContainsFunc(of, own) {
			continue
		}
		for i := range s.parts {
			near = s.parts[i].bestOf(uint32(number), limit, near)
		}
	}
	slices.SortFunc(near, func(a, b neighbour) int { return better(a.document, b.document) })
	return near
}

func topLevel(path string) string {
	top, _, _ := strings.Cut(path, "/")
	return top
}

// bestOf appends the first documents in stock of a category.
func (p *part) bestOf(category uint32, limit int, to []neighbour) []neighbour {
	at := sort.Search(len(p.shelves), func(i int) bool { return p.documents[p.shelves[i]].category >= category })
	for ; at < len(p.shelves) && limit > 0; at++ {
		number := p.shelves[at]
		d := &p.documents[number]
		if d.category != category {
			break
		}
		if !p.dead.has(number) && p.inStock(d) >= 0 {
			to = append(to, neighbour{p, d})
			limit--
		}
	}
	return to
}
