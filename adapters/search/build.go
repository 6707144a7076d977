package search

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// stopped is the number of words that are not kept.
const stopped = ^uint32(0)

// builder makes a segment of products.
type builder struct {
	segment *segment
	labels  *labels
	stock   []int64
	words   map[string]uint32 // to the number of their term, so that each is analysed once
	numbers map[string]uint32 // of terms
	terms   []string
	entries []entry
	current []frequencies // by term, of the document being read
	seen    []uint32      // terms of the document being read
	scan    scanner
	joined  []byte
}

type entry struct {
	term uint32
	posting
}

func build(products []*catalog.Product, totals map[id.Variant]int, labels *labels) *segment {
	b := builder{
		segment: &segment{
			documents: make([]document, 0, len(products)),
			lengths:   make([][fields]length, 0, len(products)),
		},
		labels: labels, words: make(map[string]uint32), numbers: make(map[string]uint32),
	}
	for _, p := range products {
		b.document(p)
		for _, v := range p.Variants {
			b.stock = append(b.stock, int64(totals[v.ID]))
		}
	}
	b.finish()
	return b.segment
}

func (b *builder) document(p *catalog.Product) {
	s := b.segment
	d := document{
		product: p, esteem: esteemOf(p.Reviews),
		brand:    b.labels.brands.number(p.Brand),
		category: b.labels.categories.number(p.Category),
		variants: span{from: uint32(len(s.variants))},
		colors:   span{from: uint32(len(s.colors))},
	}
	d.colorless = !slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return v.Color != "" })
	lowest := p.Price.Minor()
	for i, v := range p.Variants {
		sold := variant{p.PriceOf(v).Minor(), b.labels.sizes.number(v.Size), b.labels.colors.number(v.Color)}
		s.variants = append(s.variants, sold)
		if i == 0 || sold.price < lowest {
			lowest = sold.price
		}
		b.colors(d.colors.from, v.Color)
	}
	if d.colorless {
		for _, key := range []string{"color", "colour", "product_color", "product_colour"} {
			b.colors(d.colors.from, p.Attributes[key])
		}
	}
	d.price = priceStep(lowest)
	d.variants.to, d.colors.to = uint32(len(s.variants)), uint32(len(s.colors))
	number := uint32(len(s.documents))
	s.documents = append(s.documents, d)
	s.lengths = append(s.lengths, b.text(p))
	for _, term := range b.seen {
		b.entries = append(b.entries, entry{term, posting{number, b.current[term]}})
		b.current[term] = 0
	}
	b.seen = b.seen[:0]
}

// colors adds the colours in a label to those of the document, which begin at from.
func (b *builder) colors(from uint32, label string) {
	for name := range colorsIn(label) {
		color := b.labels.colors.number(name)
		if color != 0 && !slices.Contains(b.segment.colors[from:], color) {
			b.segment.colors = append(b.segment.colors, color)
		}
	}
}

// text reads every field of a product and returns their lengths.
func (b *builder) text(p *catalog.Product) [fields]length {
	var words [fields]int
	words[title] = b.read(title, p.Name)
	words[brand] = b.read(brand, p.Brand)
	words[category] = b.read(category, p.Category)
	for _, tag := range p.Tags {
		words[tags] += b.read(tags, tag)
	}
	for key, value := range p.Attributes {
		if strings.EqualFold(value, "yes") || strings.EqualFold(value, "true") {
			value = key // "waterproof": "yes"
		}
		words[attributes] += b.read(attributes, value)
	}
	for i, v := range p.Variants {
		first := p.Variants[:i]
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Color == v.Color }) {
			words[attributes] += b.read(attributes, v.Color)
		}
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Size == v.Size }) {
			words[attributes] += b.read(attributes, v.Size)
		}
	}
	words[description] = b.read(description, p.Description)
	var lengths [fields]length
	for f, n := range words {
		lengths[f] = lengthOf(n)
	}
	return lengths
}

// read counts the words of a text. "wi-fi" is also the word wifi, which does not add to the length.
func (b *builder) read(f field, text string) (words int) {
	b.scan = scanner{text: text, word: b.scan.word[:0]}
	b.joined = b.joined[:0]
	for b.scan.next() {
		if b.count(f, b.scan.word) {
			words++
		}
		if b.scan.tied {
			b.joined = append(b.joined, b.scan.word...)
			b.count(f, b.joined)
		}
		b.joined = append(b.joined[:0], b.scan.word...)
	}
	return words
}

func (b *builder) count(f field, word []byte) bool {
	term, known := b.words[string(word)]
	if !known {
		term = b.number(termOf(string(word)))
		b.words[string(word)] = term
	}
	if term == stopped {
		return false
	}
	if b.current[term] == 0 {
		b.seen = append(b.seen, term)
	}
	b.current[term] = b.current[term].more(f)
	return true
}

func (b *builder) number(term string) uint32 {
	if term == "" {
		return stopped
	}
	number, known := b.numbers[term]
	if !known {
		number = uint32(len(b.terms))
		b.numbers[term] = number
		b.terms, b.current = append(b.terms, term), append(b.current, 0)
	}
	return number
}

// finish sorts the terms, and the postings by them.
func (b *builder) finish() {
	sorted := slices.Clone(b.terms)
	slices.Sort(sorted)
	place := make([]uint32, len(sorted))
	for i, term := range sorted {
		place[b.numbers[term]] = uint32(i)
	}
	b.segment.words = invert(dictionaryOf(sorted), func(use func(uint32, posting)) {
		for _, e := range b.entries {
			use(place[e.term], e.posting)
		}
	})
	b.segment.seal(b.stock)
}
