package segment

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// stopped is the term number of words that are not indexed.
const stopped = ^uint32(0)

// builder builds a segment of products.
type builder struct {
	segment *Segment
	labels  *Labels
	goods   Goods
	spoken  map[string]uint32 // term numbers by word, so that each word is analysed once
	numbers map[string]uint32 // by term
	terms   []string
	codes   int // of the terms
	entries []entry
	current []Frequencies // by term, of the document being read
	seen    []uint32      // terms of the document being read
	reader  words.Reader

	allowance Allowance
	bytes     int64 // approximate memory of building so far
	products  int64 // approximate memory of the products so far
}

type entry struct {
	term uint32
	Posting
}

// Build builds a segment of products with their total stock. It leaves out what exceeds the allowance.
func Build(products []*catalog.Product, totals map[id.Variant]int, labels *Labels, allowance Allowance) *Segment {
	b := builder{
		segment: &Segment{
			Documents: make([]Document, 0, len(products)),
			Lengths:   make([][Fields]Length, 0, len(products)),
		},
		labels:    labels,
		spoken:    make(map[string]uint32),
		numbers:   make(map[string]uint32),
		goods:     Goods{Products: make([]*catalog.Product, 0, len(products))},
		allowance: allowance,
	}
	for _, p := range products {
		if b.held()+productBytes(p) > allowance.Most {
			continue
		}
		b.goods.Products = append(b.goods.Products, p)
		b.document(p)
		for _, v := range p.Variants {
			b.goods.Stock = append(b.goods.Stock, int64(totals[v.ID]))
		}
	}
	b.finish()
	return b.segment
}

// held returns the approximate memory of the segment so far.
func (b *builder) held() int64 {
	return b.products + int64(len(b.entries))*int64(unsafe.Sizeof(Posting{})) + int64(len(b.segment.Titles))*4 +
		int64(min(len(b.spoken), b.allowance.Spelled))*bytesOfSpelling
}

func (b *builder) document(p *catalog.Product) {
	s := b.segment
	d := Document{
		esteem:   esteemOf(p.Reviews),
		Rating:   uint16(p.Reviews.Average),
		Category: b.labels.Categories.Number(p.Category),
		Variants: Span{From: uint32(len(s.Variants))},
		Title:    Span{From: uint32(len(s.Titles))},
	}
	brand, colors := b.labels.Brands.Number(p.Brand), len(s.Colors)
	d.Colorless = !slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return v.Color != "" })
	for _, v := range p.Variants {
		s.Variants = append(s.Variants, Variant{b.labels.Sizes.Number(v.Size), b.labels.Colors.Number(v.Color)})
		b.colors(colors, v.Color)
	}
	if d.Colorless {
		for _, key := range []string{"color", "colour", "product_color", "product_colour"} {
			b.colors(colors, p.Attributes[key])
		}
	}
	number := uint32(len(s.Documents))
	b.products += productBytes(p)
	b.bytes += productBytes(p)
	lengths := b.text(p, &d)
	b.code(p)
	d.Variants.To, d.Title.To = uint32(len(s.Variants)), uint32(len(s.Titles))
	s.Documents, s.Lengths = append(s.Documents, d), append(s.Lengths, lengths)
	s.Facets = append(s.Facets, Facet{brand, uint32(len(s.Colors))})
	for _, term := range b.seen {
		b.entries = append(b.entries, entry{term, Posting{number, b.current[term]}})
		b.current[term] = 0
	}
	b.bytes += int64(len(b.seen)) * bytesOfEntry
	b.seen = b.seen[:0]
}

// colors adds the colours in a label to the document's colours, which start at from.
func (b *builder) colors(from int, label string) {
	for name := range ColorsIn(label) {
		color := b.labels.Colors.Number(name)
		if color != 0 && !slices.Contains(b.segment.Colors[from:], color) {
			b.segment.Colors = append(b.segment.Colors, color)
		}
	}
}

// text reads every field of a product and returns their lengths.
func (b *builder) text(p *catalog.Product, d *Document) [Fields]Length {
	var counts [Fields]int
	b.title(p.Name, d, &counts)
	counts[Brand] = b.read(Brand, p.Brand)
	counts[Category] = b.read(Category, p.Category)
	for _, tag := range p.Tags {
		counts[Attributes] += b.read(Attributes, tag)
	}
	for key, value := range p.Attributes {
		if strings.EqualFold(value, "yes") || strings.EqualFold(value, "true") {
			value = key // "waterproof": "yes"
		}
		counts[Attributes] += b.read(Attributes, value)
	}
	for i, v := range p.Variants {
		first := p.Variants[:i]
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Color == v.Color }) {
			counts[Attributes] += b.read(Attributes, v.Color)
		}
		if !slices.ContainsFunc(first, func(o catalog.Variant) bool { return o.Size == v.Size }) {
			counts[Attributes] += b.read(Attributes, v.Size)
		}
	}
	if b.bytes < b.allowance.Bytes {
		counts[Description] = b.read(Description, p.Description)
	} else if p.Description != "" {
		b.segment.LeftOut.Descriptions = true
	}
	var lengths [Fields]Length
	for f, n := range counts {
		lengths[f] = lengthOf(n)
	}
	return lengths
}

// asides are the texts that end the head of a title.
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

// colored reports whether an " in " introduces a property such as a colour: "sofa bed in grey", not "52 in bench", "drop in
// sink" or "all in one printer".
func colored(lower string, at int) bool {
	head, rest := lower[:at], lower[at+len(" in "):]
	return !strings.ContainsAny(head[len(head)-1:], "0123456789") && strings.Contains(strings.TrimSpace(head), " ") &&
		!strings.HasPrefix(rest, "one ")
}

// title reads a name and stores its words in order.
func (b *builder) title(name string, d *Document, counts *[Fields]int) {
	name = words.Even(name)
	lower := strings.ToLower(name)
	end, purpose := len(name), len(name)
	if len(lower) == len(name) { // else a letter's lower case has another length, so that positions differ
		end = headEnd(lower)
		if at := strings.Index(lower, " for "); at > 0 {
			purpose = at
		}
	}
	d.Head, d.Purpose = 0, NoPurpose
	kept := 0
	b.reader.Read(name, func(word []byte, kind words.Kind, at int) {
		in := TitleTail
		if at < end {
			in = TitleHead
		}
		term := b.count(in, word)
		if term == stopped || kind.Extra() {
			return
		}
		counts[in]++
		if kept == longestTitle {
			return
		}
		if at > purpose && d.Purpose == NoPurpose {
			d.Purpose = uint8(kept)
		}
		b.segment.Titles = append(b.segment.Titles, term)
		kept++
		if in == TitleHead && !HasDigit(string(word)) {
			d.Head = uint8(kept)
		}
	})
}

const (
	longestTitle = 60  // words; later ones are ignored
	NoPurpose    = 255 // of a title without "for"
)

// read counts the words of a text.
func (b *builder) read(f Field, text string) (count int) {
	b.reader.Read(text, func(word []byte, kind words.Kind, _ int) {
		if b.count(f, word) != stopped && !kind.Extra() {
			count++
		}
	})
	return count
}

func (b *builder) count(f Field, word []byte) (term uint32) {
	term, known := b.spoken[string(word)]
	if !known && b.full(f) && !b.allowance.Known(string(word)) {
		b.segment.LeftOut.Descriptions = true
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

// full reports whether a field may add no more new words. Descriptions leave the same number again to the other fields.
func (b *builder) full(f Field) bool {
	most := b.allowance.Terms
	if f != Description {
		most += b.allowance.Others
	}
	return len(b.terms)-b.codes >= most
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
	b.segment.Words, _ = Invert(DictionaryOf(sorted), func(use func(uint32, Posting)) {
		for _, e := range b.entries {
			use(place[e.term], e.Posting)
		}
	})
	for i, term := range b.segment.Titles {
		b.segment.Titles[i] = place[term]
	}
	b.segment.Spoken = b.vocabulary(place)
	b.segment.LimitSpelling(b.allowance.Spelled)
	b.segment.Seal(b.goods)
}

// vocabulary returns the words that spelling correction considers.
func (b *builder) vocabulary(place []uint32) Vocabulary {
	terms := make(map[string]uint32, len(b.spoken))
	for word, term := range b.spoken {
		if term != stopped && Spellable(word) {
			terms[words.Fold(word)] = place[term]
		}
	}
	sorted := make([]string, 0, len(terms))
	for word := range terms {
		sorted = append(sorted, word)
	}
	slices.Sort(sorted)
	v := Vocabulary{DictionaryOf(sorted), make([]uint32, len(sorted))}
	for i, word := range sorted {
		v.Terms[i] = terms[word]
	}
	return v
}

// Spellable reports whether spelling correction considers a word: 4 to 32 bytes, without digits, of a script with spaces.
func Spellable(word string) bool {
	return len(word) >= 4 && len(word) <= 32 && !strings.ContainsAny(word, "0123456789") && !words.Paired(word)
}

// HasDigit reports whether a word has a digit.
func HasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }
