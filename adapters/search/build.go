package search

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// stopped is the number of words that are not kept.
const stopped = ^uint32(0)

// builder makes a segment of products.
type builder struct {
	segment *segment
	labels  *labels
	goods   goods
	spoken  map[string]uint32 // words to the number of their term, so that each is analysed once
	numbers map[string]uint32 // of terms
	terms   []string
	entries []entry
	current []frequencies // by term, of the document being read
	seen    []uint32      // terms of the document being read
	reader  words.Reader

	allowance allowance
	bytes     int64 // about what building takes so far
	products  int64 // about what the products take so far
}

type entry struct {
	term uint32
	posting
}

func build(products []*catalog.Product, totals map[id.Variant]int, labels *labels, allowance allowance) *segment {
	b := builder{
		segment: &segment{
			documents: make([]document, 0, len(products)),
			lengths:   make([][fields]length, 0, len(products)),
		},
		labels: labels, spoken: make(map[string]uint32), numbers: make(map[string]uint32),
		goods: goods{products: make([]*catalog.Product, 0, len(products))}, allowance: allowance,
	}
	for _, p := range products {
		if b.held()+productBytes(p) > allowance.most {
			continue
		}
		b.goods.products = append(b.goods.products, p)
		b.document(p)
		for _, v := range p.Variants {
			b.goods.stock = append(b.goods.stock, int64(totals[v.ID]))
		}
	}
	b.finish()
	return b.segment
}

// held is about what the segment takes so far.
func (b *builder) held() int64 {
	return b.products + int64(len(b.entries))*int64(unsafe.Sizeof(posting{})) + int64(len(b.segment.titles))*4 +
		int64(min(len(b.spoken), b.allowance.spelled))*bytesOfSpelling
}

func (b *builder) document(p *catalog.Product) {
	s := b.segment
	d := document{
		esteem:   esteemOf(p.Reviews),
		brand:    b.labels.brands.number(p.Brand),
		category: b.labels.categories.number(p.Category),
		variants: span{from: uint32(len(s.variants))},
		colors:   span{from: uint32(len(s.colors))},
		title:    span{from: uint32(len(s.titles))},
	}
	d.colorless = !slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return v.Color != "" })
	for _, v := range p.Variants {
		s.variants = append(s.variants, variant{b.labels.sizes.number(v.Size), b.labels.colors.number(v.Color)})
		b.colors(d.colors.from, v.Color)
	}
	if d.colorless {
		for _, key := range []string{"color", "colour", "product_color", "product_colour"} {
			b.colors(d.colors.from, p.Attributes[key])
		}
	}
	number := uint32(len(s.documents))
	b.products += productBytes(p)
	b.bytes += productBytes(p)
	lengths := b.text(p, &d)
	d.variants.to, d.colors.to, d.title.to = uint32(len(s.variants)), uint32(len(s.colors)), uint32(len(s.titles))
	s.documents, s.lengths = append(s.documents, d), append(s.lengths, lengths)
	for _, term := range b.seen {
		b.entries = append(b.entries, entry{term, posting{number, b.current[term]}})
		b.current[term] = 0
	}
	b.bytes += int64(len(b.seen)) * bytesOfEntry
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
func (b *builder) text(p *catalog.Product, d *document) [fields]length {
	var counts [fields]int
	b.title(p.Name, d, &counts)
	counts[brand] = b.read(brand, p.Brand)
	counts[category] = b.read(category, p.Category)
	for _, tag := range p.Tags {
		counts[attributes] += b.read(attributes, tag)
	}
	for key, value := range p.Attributes {
		if strings.EqualFold(value, "yes") || strings.EqualFold(value, "true") {
			value = key // "waterproof": "yes"
		}
		counts[attributes] += b.read(attributes, value)
	}
	for i, v := range p.Variants {
		first := p.Variants[:i]
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Color == v.Color }) {
			counts[attributes] += b.read(attributes, v.Color)
		}
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Size == v.Size }) {
			counts[attributes] += b.read(attributes, v.Size)
		}
	}
	if b.bytes < b.allowance.bytes {
		counts[description] = b.read(description, p.Description)
	} else if p.Description != "" {
		b.segment.leftOut.Descriptions = true
	}
	var lengths [fields]length
	for f, n := range counts {
		lengths[f] = lengthOf(n)
	}
	return lengths
}

// asides are what the head of a title ends at.
var asides = []string{" with ", " for ", " in ", " (", " - ", ", "}

func headEnd(lower string) int {
	end := len(lower)
	for _, aside := range asides {
		for from := 0; ; {
			at := strings.Index(lower[from:], aside)
			if at < 0 {
				break
			}
			if at += from; at > 0 && (aside != " in " || colored(lower, at)) {
				end = min(end, at)
				break
			}
			from = at + 1
		}
	}
	return end
}

// colored says whether an " in " tells how the thing is: "sofa bed in grey", not "52 in bench", "drop in sink" or
// "all in one printer".
func colored(lower string, at int) bool {
	head, rest := lower[:at], lower[at+len(" in "):]
	return !strings.ContainsAny(head[len(head)-1:], "0123456789") && strings.Contains(strings.TrimSpace(head), " ") &&
		!strings.HasPrefix(rest, "one ")
}

// title reads a name, and keeps its words in order.
func (b *builder) title(name string, d *document, counts *[fields]int) {
	lower := strings.ToLower(name)
	end, purpose := len(name), len(name)
	if len(lower) == len(name) { // else it holds letters whose small form has another length: no place is sure
		end = headEnd(lower)
		if at := strings.Index(lower, " for "); at > 0 {
			purpose = at
		}
	}
	d.head, d.purpose = 0, noPurpose
	kept := 0
	b.reader.Read(name, func(word []byte, kind words.Kind, at int) {
		in := titleTail
		if at < end {
			in = titleHead
		}
		term := b.count(in, word)
		if term == stopped || kind.Extra() {
			return
		}
		counts[in]++
		if kept == longestTitle {
			return
		}
		if at > purpose && d.purpose == noPurpose {
			d.purpose = uint8(kept)
		}
		b.segment.titles = append(b.segment.titles, term)
		kept++
		if in == titleHead && !hasDigit(string(word)) {
			d.head = uint8(kept)
		}
	})
}

const (
	longestTitle = 60  // words; what comes after tells no more
	noPurpose    = 255 // of a title without "for"
)

// read counts the words of a text.
func (b *builder) read(f field, text string) (count int) {
	b.reader.Read(text, func(word []byte, kind words.Kind, _ int) {
		if b.count(f, word) != stopped && !kind.Extra() {
			count++
		}
	})
	return count
}

func (b *builder) count(f field, word []byte) (term uint32) {
	term, known := b.spoken[string(word)]
	if !known && b.full(f) && !b.allowance.known(string(word)) {
		b.segment.leftOut.Descriptions = true
		return stopped
	}
	if !known {
		term = b.number(words.Term(string(word)))
		b.spoken[string(word)] = term
	}
	if term == stopped {
		return term
	}
	if b.current[term] == 0 {
		b.seen = append(b.seen, term)
	}
	b.current[term] = b.current[term].more(f)
	return term
}

// full reports whether a field may bring no more new words. Descriptions leave the same again to the other fields.
func (b *builder) full(f field) bool {
	most := b.allowance.terms
	if f != description {
		most += b.allowance.others
	}
	return len(b.terms) >= most
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
	b.segment.words, _ = invert(dictionaryOf(sorted), func(use func(uint32, posting)) {
		for _, e := range b.entries {
			use(place[e.term], e.posting)
		}
	})
	for i, term := range b.segment.titles {
		b.segment.titles[i] = place[term]
	}
	b.segment.spoken = b.vocabulary(place)
	b.segment.limitSpelling(b.allowance.spelled)
	b.segment.seal(b.goods)
}

// vocabulary is the words that can be misspelt.
func (b *builder) vocabulary(place []uint32) vocabulary {
	terms := make(map[string]uint32, len(b.spoken))
	for word, term := range b.spoken {
		if term != stopped && spellable(word) {
			terms[words.Fold(word)] = place[term]
		}
	}
	sorted := make([]string, 0, len(terms))
	for word := range terms {
		sorted = append(sorted, word)
	}
	slices.Sort(sorted)
	v := vocabulary{dictionaryOf(sorted), make([]uint32, len(sorted))}
	for i, word := range sorted {
		v.terms[i] = terms[word]
	}
	return v
}

// spellable tells whether a word is one that people misspell: not too short, and no number.
func spellable(word string) bool {
	return len(word) >= 4 && len(word) <= 32 && !strings.ContainsAny(word, "0123456789")
}
