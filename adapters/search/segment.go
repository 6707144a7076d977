package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// field of a product. The order is that in which reasons prefer them.
type field uint8

const (
	title field = iota
	brand
	category
	tags
	attributes
	description
	fields = iota
)

// Weights and length normalisation by field: chosen on catalogues with human judgements, among
// round numbers. Finer tuning did not hold on unseen queries.
var (
	weights   = [fields]float32{title: 3, brand: 2, category: 2, tags: 1.5, attributes: 1, description: .5}
	shortness = [fields]float32{title: .5, brand: .3, category: .3, tags: .3, attributes: .6, description: .7}
)

// segment is a part of a catalogue, immutable but for its stock.
type segment struct {
	documents []document
	lengths   [][fields]length // by document
	colors    []uint32         // the documents' different colours, in spans
	variants  []variant        // in spans
	stock     []atomic.Int64   // by variant: total over all locations
	words     inverted
	measures  measures

	byProduct map[id.Product]uint32
	bySKU     map[string]uint32
	byVariant map[id.Variant]uint32
	shelves   []uint32 // documents by category, the better first
}

// document is a product in a segment.
type document struct {
	product         *catalog.Product
	brand, category uint32
	variants        span
	colors          span
	esteem          uint16 // what reviewers think, hundredths
	price           uint8  // step of the lowest price among the variants
	colorless       bool   // no variant has a colour: the product's own count
}

type span struct{ from, to uint32 }

type variant struct {
	price       int64
	size, color uint32
}

// length of a field in words, exact up to 127, then in steps of 8.
type length uint8

func lengthOf(words int) length {
	if words < 128 {
		return length(words)
	}
	return length(min(255, 128+(words-128)/8))
}

func (l length) words() int {
	if l < 128 {
		return int(l)
	}
	return 128 + int(l-128)*8
}

// measures sum up the lengths of fields, and in how many documents they are not empty.
type measures struct{ words, filled [fields]int }

func (m *measures) add(lengths [fields]length) {
	for f, l := range lengths {
		m.words[f] += l.words()
		m.filled[f] += min(1, int(l))
	}
}

// frequencies of a word by field, five bits each; 31 stands for more, too.
type frequencies uint32

func (f frequencies) more(in field) frequencies {
	if f.in(in) == 31 {
		return f
	}
	return f + 1<<(5*in)
}

func (f frequencies) in(in field) uint32 { return uint32(f>>(5*in)) & 31 }

// lowest is the first field that is not empty; f is not 0.
func (f frequencies) lowest() field { return field(bits.TrailingZeros32(uint32(f)) / 5) }

func (f frequencies) without(in field) frequencies { return f &^ (31 << (5 * in)) }

// seal makes the lookup tables of a segment whose documents, variants and words are complete.
func (s *segment) seal(stock []int64) {
	s.stock = make([]atomic.Int64, len(stock))
	for i, n := range stock {
		s.stock[i].Store(n)
	}
	s.byProduct = make(map[id.Product]uint32, len(s.documents))
	s.bySKU = make(map[string]uint32, len(s.documents))
	s.byVariant = make(map[id.Variant]uint32, len(s.variants))
	s.shelves = make([]uint32, len(s.documents))
	for i := range s.documents {
		d := &s.documents[i]
		s.measures.add(s.lengths[i])
		s.byProduct[d.product.ID] = uint32(i)
		s.bySKU[d.product.SKU] = uint32(i)
		for v, sold := range d.product.Variants {
			s.byVariant[sold.ID] = d.variants.from + uint32(v)
		}
		s.shelves[i] = uint32(i)
	}
	slices.SortFunc(s.shelves, func(a, b uint32) int {
		one, other := &s.documents[a], &s.documents[b]
		return cmp.Or(cmp.Compare(one.category, other.category), better(one, other))
	})
}

// better orders documents of which nothing is known but what they are.
func better(a, b *document) int {
	if c := cmp.Compare(b.esteem, a.esteem); c != 0 {
		return c
	}
	if c := strings.Compare(a.product.Name, b.product.Name); c != 0 {
		return c
	}
	return strings.Compare(a.product.ID.String(), b.product.ID.String())
}

// inStock is the place of a document's first variant in stock, or -1.
func (s *segment) inStock(d *document) int {
	for i := d.variants.from; i < d.variants.to; i++ {
		if s.stock[i].Load() > 0 {
			return int(i - d.variants.from)
		}
	}
	return -1
}

// esteemOf draws the average towards 3.5 as if ten customers more had said so: one review of 5 weighs
// less than many of 4.5.
func esteemOf(r catalog.Reviews) uint16 {
	const prior, trust = 350, 10
	return uint16((r.Average*r.Count + prior*trust) / (r.Count + trust))
}
