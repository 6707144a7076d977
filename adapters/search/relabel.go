package search

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
)

// spare is how many names the registers may have beyond twice those in use, before they are rebuilt.
const spare = 5_000

// relabel rebuilds the registers from the names in use. Writers wait for it.
func (c *replica) relabel() {
	c.applying.Lock()
	defer c.applying.Unlock()
	next := c.current.Load().copy()
	fresh := segment.NewLabels()
	for i := range next.parts {
		next.parts[i].Segment = next.parts[i].relabeled(next, &fresh)
	}
	next.kinds = nil
	next.name(&fresh)
	c.labels = fresh
	c.notice()
	c.publish(next, func() {})
}

// notice updates the number of names and its limit.
func (c *replica) notice() {
	c.names.Store(int64(c.labels.Spellings()))
	c.mostNames.Store(int64(2*c.labels.Spellings() + spare))
}

// relabeled returns a part's segment with the numbers of other registers. It shares everything else.
func (p *part) relabeled(s *snapshot, l *segment.Labels) *segment.Segment {
	next := *p.Segment
	move := func(r *segment.Register, from segment.Names) func(uint32) uint32 {
		moved := make(map[uint32]uint32)
		return func(old uint32) uint32 {
			number, known := moved[old]
			if !known {
				number = r.Number(from.Written[old])
				moved[old] = number
			}
			return number
		}
	}
	brand, category := move(&l.Brands, s.brands), move(&l.Categories, s.categories)
	color, size := move(&l.Colors, s.colors), move(&l.Sizes, s.sizes)
	next.Documents, next.Facets = slices.Clone(p.Documents), slices.Clone(p.Facets)
	next.Variants, next.Colors = slices.Clone(p.Variants), slices.Clone(p.Segment.Colors)
	for i := range next.Documents {
		d := &next.Documents[i]
		if p.dead.has(uint32(i)) { // its names may be unused
			continue
		}
		d.Category = category(d.Category)
		next.Facets[i].Brand = brand(next.Facets[i].Brand)
		for v := d.Variants.From; v < d.Variants.To; v++ {
			next.Variants[v] = segment.Variant{Size: size(next.Variants[v].Size), Color: color(next.Variants[v].Color)}
		}
		colors := next.ColorsOf(uint32(i))
		for n := range colors {
			colors[n] = color(colors[n])
		}
	}
	next.Shelve()
	return &next
}

// kindOf returns the term of the kind of product in a category, by its key: bag for "accessories/laptop bags".
func kindOf(key string) string {
	leaf := key[strings.LastIndexByte(key, '/')+1:]
	groups := wordsOf(leaf).groups
	if len(groups) == 0 {
		return ""
	}
	return groups[len(groups)-1].term
}
