package search

import (
	"cmp"
	"math/bits"
	"strings"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/adapters/search/spelling"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// field of a product. The order is that in which reasons prefer them. The head of a title is what comes
// before its first aside: "Sofa" in "Sofa with storage, grey".
type field uint8

const (
	titleHead field = iota
	titleTail
	brand
	category
	attributes // and tags
	description
	fields = iota
)

// Weights and length normalisation by field, the b of BM25F: chosen on two catalogues of 84,000 products with
// human judgements, among round numbers. Finer tuning did not hold on unseen queries.
var (
	weights   = [fields]float32{titleHead: 3, titleTail: 2, brand: 2, category: 2, attributes: 1, description: .5}
	shortness = [fields]float32{titleHead: .5, titleTail: .5, brand: .3, category: .3, attributes: .6, description: .7}
)

// segment is a part of a catalogue. Its text is immutable; stock, prices and the products themselves are columns
// that may change while readers read.
type segment struct {
	documents []document
	lengths   [][fields]length // by document
	titles    []uint32         // terms of the documents' titles in order, in spans
	colors    []uint32         // the documents' different colours, in spans
	variants  []variant        // in spans
	words     inverted
	spoken    vocabulary
	measures  measures
	lexicon   *spelling.Lexicon // of spoken
	bytes     int64             // about what all of it takes
	leftOut   ports.LeftOut     // because of limits

	products []atomic.Pointer[catalog.Product] // by document
	steps    []atomic.Uint32                   // by document: step of the lowest price among the variants
	prices   []atomic.Int64                    // by variant
	stock    []atomic.Int64                    // by variant: total over all locations

	byProduct map[id.Product]uint32
	bySKU     map[string]uint32
	byVariant map[id.Variant]uint32
	shelves   []uint32 // documents by category, the better first
}

// document is what does not change of a product in a segment.
type document struct {
	brand, category uint32
	variants        span
	colors          span
	title           span
	head            uint8  // how many words of the title are its head
	purpose         uint8  // how many words of the title come before its first "for"; 255: it has none
	esteem          uint16 // what reviewers think, hundredths
	colorless       bool   // no variant has a colour: the product's own count
}

// variant of a document.
type variant struct{ size, color uint32 }

// vocabulary is the words as they were written, without diacritics, and the term of each.
type vocabulary struct {
	words dictionary
	terms []uint32
}

type span struct{ from, to uint32 }

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

// common is in each field what both have; at least once somewhere, if they have no field in common.
func (f frequencies) common(other frequencies) (both frequencies) {
	for in := range field(fields) {
		both |= frequencies(min(f.in(in), other.in(in))) << (5 * in)
	}
	if both == 0 {
		both = 1 << (5 * max(f.lowest(), other.lowest()))
	}
	return both
}

func (f frequencies) without(in field) frequencies { return f &^ (31 << (5 * in)) }

// goods are the columns of a segment, document by document and variant by variant.
type goods struct {
	products []*catalog.Product
	stock    []int64
}

// seal fills the columns and makes the lookup tables of a segment whose documents, variants and words are
// complete.
func (s *segment) seal(g goods) {
	s.products, s.steps = make([]atomic.Pointer[catalog.Product], len(s.documents)), make([]atomic.Uint32, len(s.documents))
	s.prices, s.stock = make([]atomic.Int64, len(s.variants)), make([]atomic.Int64, len(s.variants))
	for i, n := range g.stock {
		s.stock[i].Store(n)
	}
	s.byProduct = make(map[id.Product]uint32, len(s.documents))
	s.bySKU = make(map[string]uint32, len(s.documents))
	s.byVariant = make(map[id.Variant]uint32, len(s.variants))
	for i := range s.documents {
		number, p := uint32(i), g.products[i]
		s.measures.add(s.lengths[i])
		s.reprice(number, p)
		s.byProduct[p.ID], s.bySKU[p.SKU] = number, number
		for v, sold := range p.Variants {
			s.byVariant[sold.ID] = s.documents[i].variants.from + uint32(v)
		}
	}
	s.shelve()
	s.lexicon = spelling.New(s.spoken.words.len(), s.spoken.words.at)
	s.measureBytes()
}

// reprice puts a product with the same text in the place of a document's.
func (s *segment) reprice(number uint32, p *catalog.Product) {
	d := &s.documents[number]
	lowest := p.Price.Minor()
	for i, v := range p.Variants {
		price := p.PriceOf(v).Minor()
		s.prices[d.variants.from+uint32(i)].Store(price)
		if i == 0 || price < lowest {
			lowest = price
		}
	}
	s.steps[number].Store(uint32(priceStep(lowest)))
	s.products[number].Store(p)
}

// better orders documents of which nothing is known but what they are.
func better(a *segment, i uint32, b *segment, j uint32) int {
	if c := cmp.Compare(b.documents[j].esteem, a.documents[i].esteem); c != 0 {
		return c
	}
	one, other := a.products[i].Load(), b.products[j].Load()
	if c := strings.Compare(one.Name, other.Name); c != 0 {
		return c
	}
	return strings.Compare(one.ID.String(), other.ID.String())
}

// inStock is the place of a document's first variant in stock, or -1.
func (s *segment) inStock(number uint32) int {
	d := &s.documents[number]
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
