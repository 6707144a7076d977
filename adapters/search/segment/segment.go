// Package segment builds the immutable parts of a search index, within a memory limit: products, the words of their texts, and
// columns of stock and prices. Package search merges segments and answers queries.
package segment

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/adapters/search/spelling"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Field is an indexed field of a product. Reasons prefer the first ones. The head of a title is the part before its first aside:
// "Sofa" in "Sofa with storage, grey".
type Field uint8

const (
	TitleHead Field = iota
	TitleTail
	Brand
	Category
	Attributes // and tags
	Description
	Fields = iota
)

// Segment is a part of a catalogue. Its text is immutable; stock, prices and the products themselves are columns that may change
// during reads.
type Segment struct {
	Documents []Document
	Facets    []Facet          // by document
	Lengths   [][Fields]Length // by document
	Titles    []uint32         // terms of the documents' titles in order, in spans
	Colors    []uint32         // the documents' distinct colours, document by document
	Variants  []Variant        // in spans
	Words     Inverted
	Spoken    Vocabulary
	Measures  Measures
	Lexicon   *spelling.Lexicon // of spoken
	Bytes     int64             // approximate memory of all of it
	LeftOut   ports.LeftOut     // because of limits

	Products []atomic.Pointer[catalog.Product] // by document
	Steps    []atomic.Uint32                   // by document: step of the lowest price among the variants
	Prices   []atomic.Int64                    // by variant
	Stock    []atomic.Int64                    // by variant: total over all locations
	Uncapped []atomic.Bool                     // by variant: it is sold whatever the stock

	ByProduct map[id.Product]uint32
	BySKU     map[string]uint32
	ByVariant map[id.Variant]uint32
	Shelves   []uint32 // documents by category, the better first
}

// Document has the immutable properties of a product in a segment.
type Document struct {
	Category  uint32
	Variants  Span
	Title     Span
	Head      uint8  // how many words of the title are its head
	Purpose   uint8  // how many words of the title precede its first "for"; 255: it has none
	esteem    uint16 // damped average review, hundredths
	Colorless bool   // no variant has a colour: the product's own count
	Rating    uint16 // the average review, hundredths
}

// Facet has the columns of a document that facets count. They are read for every match of a search, which mostly waits for
// memory, so they are small and separate from Document.
type Facet struct {
	Brand     uint32
	ColorsEnd uint32 // of the document's colours, which start at the previous document's end
}

// Variant is a variant of a document.
type Variant struct{ Size, Color uint32 }

// Vocabulary has the words as written, without diacritics, with the term of each.
type Vocabulary struct {
	Words Dictionary
	Terms []uint32
}

// Span is a half-open range of a list of the segment.
type Span struct{ From, To uint32 }

// Length is the length of a field in words, exact up to 127, then in steps of 8.
type Length uint8

func lengthOf(words int) Length {
	if words < 128 {
		return Length(words)
	}
	return Length(min(255, 128+(words-128)/8))
}

// Words returns the length in words, rounded down.
func (l Length) Words() int {
	if l < 128 {
		return int(l)
	}
	return 128 + int(l-128)*8
}

// Measures has, by field, the total length and the number of documents in which it is not empty.
type Measures struct{ Words, Filled [Fields]int }

func (m *Measures) add(lengths [Fields]Length) {
	for f, l := range lengths {
		m.Words[f] += l.Words()
		m.Filled[f] += min(1, int(l))
	}
}

// Frequencies are the frequencies of a word by field, five bits each; 31 means 31 or more.
type Frequencies uint32

func (f Frequencies) more(in Field) Frequencies {
	if f.In(in) == 31 {
		return f
	}
	return f + 1<<(5*in)
}

// In returns the frequency in one field.
func (f Frequencies) In(in Field) uint32 { return uint32(f>>(5*in)) & 31 }

// Lowest returns the first field that is not empty. f must not be 0.
func (f Frequencies) Lowest() Field { return Field(bits.TrailingZeros32(uint32(f)) / 5) }

// Common returns the lower frequency in each field. If the two have no field in common, the result still has one occurrence.
func (f Frequencies) Common(other Frequencies) (both Frequencies) {
	for in := range Field(Fields) {
		both |= Frequencies(min(f.In(in), other.In(in))) << (5 * in)
	}
	if both == 0 {
		both = 1 << (5 * max(f.Lowest(), other.Lowest()))
	}
	return both
}

// Without returns the frequencies with one field empty.
func (f Frequencies) Without(in Field) Frequencies { return f &^ (31 << (5 * in)) }

// Goods has the columns of a segment by document and by variant.
type Goods struct {
	Products []*catalog.Product
	Stock    []int64
}

// Seal fills the columns and builds the lookup tables of a segment whose documents, variants and words are complete.
func (s *Segment) Seal(g Goods) {
	s.Products, s.Steps = make([]atomic.Pointer[catalog.Product], len(s.Documents)), make([]atomic.Uint32, len(s.Documents))
	s.Prices, s.Stock = make([]atomic.Int64, len(s.Variants)), make([]atomic.Int64, len(s.Variants))
	s.Uncapped = make([]atomic.Bool, len(s.Variants))
	for i, n := range g.Stock {
		s.Stock[i].Store(n)
	}
	s.ByProduct = make(map[id.Product]uint32, len(s.Documents))
	s.BySKU = make(map[string]uint32, len(s.Documents))
	s.ByVariant = make(map[id.Variant]uint32, len(s.Variants))
	for i := range s.Documents {
		number, p := uint32(i), g.Products[i]
		s.Measures.add(s.Lengths[i])
		s.Reprice(number, p)
		s.ByProduct[p.ID], s.BySKU[p.SKU] = number, number
		for v, sold := range p.Variants {
			s.ByVariant[sold.ID] = s.Documents[i].Variants.From + uint32(v)
		}
	}
	s.Shelve()
	s.Lexicon = spelling.New(s.Spoken.Words.Len(), s.Spoken.Words.At)
	s.measureBytes()
}

// Reprice replaces a document's product by one with the same text.
func (s *Segment) Reprice(number uint32, p *catalog.Product) {
	d := &s.Documents[number]
	lowest := p.Price.Minor()
	for i, v := range p.Variants {
		price := p.PriceOf(v).Minor()
		s.Prices[d.Variants.From+uint32(i)].Store(price)
		s.Uncapped[d.Variants.From+uint32(i)].Store(v.InventoryPolicy != catalog.Tracked)
		if i == 0 || price < lowest {
			lowest = price
		}
	}
	s.Steps[number].Store(PriceStep(lowest))
	s.Products[number].Store(p)
}

// Better compares two documents without a query; a negative result means that document i of a comes first.
func Better(a *Segment, i uint32, b *Segment, j uint32) int {
	if c := cmp.Compare(b.Documents[j].esteem, a.Documents[i].esteem); c != 0 {
		return c
	}
	one, other := a.Products[i].Load(), b.Products[j].Load()
	if c := strings.Compare(one.Name, other.Name); c != 0 {
		return c
	}
	return strings.Compare(one.ID.String(), other.ID.String())
}

// Available reports whether a variant can be bought.
func (s *Segment) Available(variant uint32) bool {
	return s.Stock[variant].Load() > 0 || s.Uncapped[variant].Load()
}

// InStock returns the index of a document's first variant that can be bought, or -1.
func (s *Segment) InStock(number uint32) int {
	d := &s.Documents[number]
	for i := d.Variants.From; i < d.Variants.To; i++ {
		if s.Available(i) {
			return int(i - d.Variants.From)
		}
	}
	return -1
}

// esteemOf returns the average with ten additional reviews of 3.5, so that one review of 5 counts less than many of 4.5.
func esteemOf(r catalog.Reviews) uint16 {
	const prior, trust = 350, 10
	return uint16((r.Average*r.Count + prior*trust) / (r.Count + trust))
}

// ColorsOf returns the colour numbers of a document.
func (s *Segment) ColorsOf(number uint32) []uint32 {
	begin := uint32(0)
	if number > 0 {
		begin = s.Facets[number-1].ColorsEnd
	}
	return s.Colors[begin:s.Facets[number].ColorsEnd]
}

// AnyColor reports whether a document has one of the marked colours.
func (s *Segment) AnyColor(number uint32, marked []bool) bool {
	return slices.ContainsFunc(s.ColorsOf(number), func(color uint32) bool { return marked[color] })
}

// Product returns a document's current product.
func (s *Segment) Product(number uint32) *catalog.Product { return s.Products[number].Load() }

// Shelve sorts the documents by category.
func (s *Segment) Shelve() {
	s.Shelves = make([]uint32, len(s.Documents))
	for i := range s.Shelves {
		s.Shelves[i] = uint32(i)
	}
	slices.SortFunc(s.Shelves, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.Documents[a].Category, s.Documents[b].Category), Better(s, a, s, b))
	})
}
