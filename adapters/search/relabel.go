package search

import (
	"cmp"
	"slices"
)

// spare is how many names more than twice those in use the registers may keep, until they are made anew.
const spare = 5_000

// relabel makes the registers anew, of the names that are in use. Writers wait for it.
func (c *replica) relabel() {
	c.applying.Lock()
	defer c.applying.Unlock()
	next := c.current.Load().copy()
	fresh := newLabels()
	for i := range next.parts {
		next.parts[i].segment = next.parts[i].relabeled(next, &fresh)
	}
	next.kinds = nil
	next.name(&fresh)
	c.labels = fresh
	c.notice()
	c.publish(next, func() {})
}

// notice notes how many names there are, and how many there may be.
func (c *replica) notice() {
	c.names.Store(int64(c.labels.spellings()))
	c.mostNames.Store(int64(2*c.labels.spellings() + spare))
}

// relabeled is a part's segment with the numbers of other registers. All else is shared.
func (p *part) relabeled(s *snapshot, l *labels) *segment {
	next := *p.segment
	move := func(r *register, from names) func(uint32) uint32 {
		moved := make(map[uint32]uint32)
		return func(old uint32) uint32 {
			number, known := moved[old]
			if !known {
				number = r.number(from.written[old])
				moved[old] = number
			}
			return number
		}
	}
	brand, category := move(&l.brands, s.brands), move(&l.categories, s.categories)
	color, size := move(&l.colors, s.colors), move(&l.sizes, s.sizes)
	next.documents, next.variants, next.colors = slices.Clone(p.documents), slices.Clone(p.variants), slices.Clone(p.segment.colors)
	for i := range next.documents {
		d := &next.documents[i]
		if p.dead.has(uint32(i)) { // its names may be in no use
			continue
		}
		d.brand, d.category = brand(d.brand), category(d.category)
		for v := d.variants.from; v < d.variants.to; v++ {
			next.variants[v] = variant{size(next.variants[v].size), color(next.variants[v].color)}
		}
		for n := d.colors.from; n < d.colors.to; n++ {
			next.colors[n] = color(next.colors[n])
		}
	}
	next.shelve()
	return &next
}

// shelve sorts the documents by category.
func (s *segment) shelve() {
	s.shelves = make([]uint32, len(s.documents))
	for i := range s.shelves {
		s.shelves[i] = uint32(i)
	}
	slices.SortFunc(s.shelves, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.documents[a].category, s.documents[b].category), better(s, a, s, b))
	})
}
