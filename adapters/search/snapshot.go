package search

import (
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// snapshot is the index of a catalogue at a version.
type snapshot struct {
	limits   segment.Limits
	version  int64
	parts    []part
	size     int // documents, dead ones too
	weigh    weighing
	currency money.Currency // of every price (features/PROTOCOL.md#values)
	synonyms *thesaurus
	short    bool  // products are left out because of limits
	named    int64 // approximate bytes of the registers of names
	sales    *sales
	latent   *latent // nil until there is enough data to train it
	unlearnt int     // documents added after latent was trained
	model    string  // of embedded vectors
	answers  *answers

	brands, categories, colors, sizes segment.Names
	kinds                             []string   // by category: its kind of product
	shades                            [][]uint32 // by colour: the colours that its name lists
}

// part is a segment in a snapshot. Word counts include dead documents until a merge.
type part struct {
	*segment.Segment
	dead      bitset       // documents that were removed or replaced
	deadCount int          // number of dead documents
	latent    *vectors.Set // by the snapshot's latent model, nil without one
	embedded  *vectors.Set // by an embedding model, nil without one
}

func (p *part) live() int { return len(p.Documents) - p.deadCount }

// bitset is read-only once its snapshot is published. A nil one is empty.
type bitset []uint64

func (b bitset) has(i uint32) bool { return b != nil && b[i/64]&(1<<(i%64)) != 0 }

func (b bitset) set(i uint32) { b[i/64] |= 1 << (i % 64) }

// inline is how many documents a writer merges itself. More are merged in the background.
const inline = 1000

// with returns the snapshot after changes. The first frozen parts are kept, except for their dead documents. Products with
// changes only in columns are returned as repriced; they must be replaced when the snapshot is published.
func (s *snapshot) with(c ports.CatalogChanges, l *segment.Labels, frozen int) (next *snapshot, repriced []*catalog.Product) {
	next = s.copy()
	next.version = c.Version
	if c.Synonyms != nil {
		next.synonyms = newThesaurus(*c.Synonyms)
	}
	fresh := make([]bool, len(next.parts)) // parts whose dead bitset is already a copy
	markDead := func(product id.Product) {
		for i := range next.parts {
			next.parts[i].markDead(product, &fresh[i])
		}
	}
	for _, product := range c.Removed {
		markDead(product)
	}
	written := make([]*catalog.Product, 0, len(c.Changed))
	for _, p := range c.Changed {
		if p.Status == catalog.Active && s.hasText(p) {
			repriced = append(repriced, p)
			continue
		}
		markDead(p.ID)
		if p.Status == catalog.Active {
			written = append(written, p)
		}
	}
	if len(written) > 0 {
		fresh := segment.Build(written, catalog.Totals(c.Levels), l, next.allowance())
		next.short = next.short || len(fresh.Documents) < len(written)
		if len(fresh.Documents) > 0 {
			next.append(fresh)
		}
	}
	next.mergeInline(frozen)
	next.name(l)
	next.measure()
	return next, repriced
}

func (s *snapshot) copy() *snapshot {
	next := *s
	next.answers, next.parts = nil, slices.Clone(s.parts)
	return &next
}

// append adds a new segment.
func (s *snapshot) append(fresh *segment.Segment) {
	s.parts = append(s.parts, part{Segment: fresh, latent: s.latent.fold(fresh)})
	s.unlearnt += len(fresh.Documents)
}

// mergeInline merges the last parts if a merge is due and small.
func (s *snapshot) mergeInline(frozen int) {
	from := max(mergeFrom(s.parts), min(frozen, len(s.parts)))
	for from < len(s.parts) && documents(s.parts[from:]) > inline {
		from++
	}
	if from == len(s.parts) || from == len(s.parts)-1 && s.parts[from].deadCount == 0 {
		return
	}
	if live(s.parts[from:]) == 0 {
		s.parts = s.parts[:from]
		return
	}
	s.parts = append(s.parts[:from], join(s.parts[from:], s.limits).part())
}

func documents(parts []part) (n int) {
	for i := range parts {
		n += len(parts[i].Documents)
	}
	return n
}

// hasText reports whether the catalogue has the product with the same text, so that only columns differ.
func (s *snapshot) hasText(p *catalog.Product) bool {
	in, number := place(s, p.ID, byProduct)
	return in != nil && segment.SameText(in.Product(number), p)
}

func (p *part) markDead(product id.Product, copied *bool) {
	document, has := p.ByProduct[product]
	if !has || p.dead.has(document) {
		return
	}
	if !*copied {
		dead := make(bitset, (len(p.Documents)+63)/64)
		copy(dead, p.dead)
		p.dead, *copied = dead, true
	}
	p.dead.set(document)
	p.deadCount++
}

// name copies the current names of the registers.
func (s *snapshot) name(l *segment.Labels) {
	l.Shade()
	s.named = l.Bytes()
	s.brands, s.categories, s.colors, s.sizes = l.Brands.Names, l.Categories.Names, l.Colors.Names, l.Sizes.Names
	for number := len(l.Kinds); number < len(s.categories.Keys); number++ {
		l.Kinds = append(l.Kinds, kindOf(s.categories.Keys[number]))
	}
	s.kinds, s.shades = l.Kinds, l.Shades
}

func (s *snapshot) measure() {
	var sum segment.Measures
	s.size = 0
	for _, p := range s.parts {
		s.size += len(p.Documents)
		for f := range segment.Fields {
			sum.Words[f] += p.Measures.Words[f]
			sum.Filled[f] += p.Measures.Filled[f]
		}
	}
	s.weigh = weighingOf(sum)
	if len(s.parts) > 0 {
		s.currency = s.parts[len(s.parts)-1].Product(0).Price.Currency()
	}
}

// restock sets the totals of variants. The newest document of a product is in the last part that has it.
func (s *snapshot) restock(totals map[id.Variant]int) {
	availabilityChanged := false
	for v, total := range totals {
		for i := len(s.parts) - 1; i >= 0; i-- {
			if at, has := s.parts[i].ByVariant[v]; has {
				before := s.parts[i].Stock[at].Swap(int64(total))
				availabilityChanged = availabilityChanged || (before > 0) != (total > 0)
				break
			}
		}
	}
	if availabilityChanged {
		s.answers.forget()
	}
}

// reprice replaces products by ones with the same text.
func (s *snapshot) reprice(products []*catalog.Product) {
	for _, p := range products {
		if in, number := place(s, p.ID, byProduct); in != nil {
			in.Segment.Reprice(number, p)
		}
	}
}

// place finds a live document by product or by sku; the part is nil if there is none.
func place[K comparable](s *snapshot, key K, numbers func(*segment.Segment) map[K]uint32) (*part, uint32) {
	for i := len(s.parts) - 1; i >= 0; i-- {
		p := &s.parts[i]
		if number, has := numbers(p.Segment)[key]; has && !p.dead.has(number) {
			return p, number
		}
	}
	return nil, 0
}

func byProduct(s *segment.Segment) map[id.Product]uint32 { return s.ByProduct }
func bySKU(s *segment.Segment) map[string]uint32         { return s.BySKU }

// sales is the sales data of products.
type sales struct {
	sold     map[id.Product]sold
	together map[id.Product][]id.Product
}

// sold is the sales data of one product.
type sold struct {
	demand float32 // 1 for the most sold
	pieces int32
}

func newSales(s ports.Sales) *sales {
	most := 1
	for _, pieces := range s.Sold {
		most = max(most, pieces)
	}
	all := make(map[id.Product]sold, len(s.Sold))
	for product, pieces := range s.Sold {
		all[product] = sold{
			demand: float32(math.Log1p(float64(pieces)) / math.Log1p(float64(most))),
			pieces: int32(min(pieces, math.MaxInt32)),
		}
	}
	return &sales{all, s.Together}
}

func (s *snapshot) soldOf(product id.Product) sold {
	if s.sales == nil {
		return sold{}
	}
	return s.sales.sold[product]
}
