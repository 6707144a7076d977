package search

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// snapshot is a catalogue at a version.
type snapshot struct {
	version  int64
	parts    []part
	size     int // documents, dead ones too
	weigh    weighing
	currency money.Currency // of every price (decisions 5)

	brands, categories, colors, sizes names
}

// part is a segment as a snapshot sees it. Counts of words include dead documents until a merge.
type part struct {
	*segment
	dead   bitset // documents that are gone or have a newer copy
	buried int    // how many those are
}

func (p *part) live() int { return len(p.documents) - p.buried }

// bitset is read-only once its snapshot is published. A nil one is empty.
type bitset []uint64

func (b bitset) has(i uint32) bool { return b != nil && b[i/64]&(1<<(i%64)) != 0 }

func (b bitset) set(i uint32) { b[i/64] |= 1 << (i % 64) }

// with is the snapshot after changes.
func (s *snapshot) with(c ports.CatalogChanges, l *labels) *snapshot {
	parts := slices.Clone(s.parts)
	fresh := make([]bool, len(parts)) // whose dead are already a copy
	bury := func(product id.Product) {
		for i := range parts {
			parts[i].bury(product, &fresh[i])
		}
	}
	for _, product := range c.Removed {
		bury(product)
	}
	active := make([]*catalog.Product, 0, len(c.Changed))
	for _, p := range c.Changed {
		bury(p.ID)
		if p.Status == catalog.Active {
			active = append(active, p)
		}
	}
	if len(active) > 0 {
		parts = append(parts, part{segment: build(active, totalsOf(c.Levels), l)})
	}
	next := &snapshot{
		version: c.Version, parts: merge(parts), brands: l.brands.names,
		categories: l.categories.names, colors: l.colors.names, sizes: l.sizes.names,
	}
	next.measure()
	return next
}

func totalsOf(levels []catalog.Level) map[id.Variant]int {
	totals := make(map[id.Variant]int, len(levels))
	for _, l := range levels {
		totals[l.Variant] += l.Quantity
	}
	return totals
}

func (p *part) bury(product id.Product, copied *bool) {
	document, has := p.byProduct[product]
	if !has || p.dead.has(document) {
		return
	}
	if !*copied {
		dead := make(bitset, (len(p.documents)+63)/64)
		copy(dead, p.dead)
		p.dead, *copied = dead, true
	}
	p.dead.set(document)
	p.buried++
}

func (s *snapshot) measure() {
	var sum measures
	for _, p := range s.parts {
		s.size += len(p.documents)
		for f := range fields {
			sum.words[f] += p.measures.words[f]
			sum.filled[f] += p.measures.filled[f]
		}
	}
	s.weigh = weighingOf(sum)
	if len(s.parts) > 0 {
		s.currency = s.parts[len(s.parts)-1].documents[0].product.Price.Currency()
	}
}

// restock sets totals where a live document has the variant. The newest copy is in the last part.
func (s *snapshot) restock(totals map[id.Variant]int) {
	for v, total := range totals {
		for i := len(s.parts) - 1; i >= 0; i-- {
			if at, has := s.parts[i].byVariant[v]; has {
				s.parts[i].stock[at].Store(int64(total))
				break
			}
		}
	}
}

// place finds a live document by product or by sku.
func place[K comparable](s *snapshot, key K, numbers func(*segment) map[K]uint32) (*part, *document) {
	for i := len(s.parts) - 1; i >= 0; i-- {
		p := &s.parts[i]
		if number, has := numbers(p.segment)[key]; has && !p.dead.has(number) {
			return p, &p.documents[number]
		}
	}
	return nil, nil
}

func byProduct(s *segment) map[id.Product]uint32 { return s.byProduct }
func bySKU(s *segment) map[string]uint32         { return s.bySKU }
