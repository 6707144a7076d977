package catalog

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// MostShown is the largest number of products that a place remembers individually.
const MostShown = 4000

// Place is a buyer's position in the results of a query. It remembers the products that were shown, so that the next
// page has the best of the others, whatever has changed in the catalogue meanwhile: a product that matches until the
// buyer has seen all results is shown exactly once, even if its score, price or stock and those of others change.
// Scores of a place are comparable with those of the first page.
//
// After MostShown products a place remembers no more of them, and continues by value and ID. In an order whose values
// never change it does so from the start. The first MostShown products are still never repeated. Of the others, only a
// product whose own value changes meanwhile may be missed or repeated. By relevance, the others are ordered by ID,
// which never changes.
type Place struct {
	Shown  []uint64 // marks of products, ascending; at most MostShown
	Behind bool     // whether to continue after Value and Last
	Value  int64    // of the product shown last, in the order's own measure
	Last   id.Product

	Left   int    // how many of the ranked candidates have not been shown yet
	Best   uint32 // the best score of the first answer, in the index's own measure
	Surety uint32 // how well the first answer's best result fits, in the index's own measure
}

// markBits is the size of a mark. With MostShown marks in a place, a product has the mark of another one with a
// probability of 2^-28.
const markBits = 40

// MarkOf returns the mark that a place keeps of a product.
func MarkOf(product id.Product) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(product.String()))
	mark := sum.Sum64()
	mark = (mark ^ mark>>33) * 0xff51afd7ed558ccd
	return (mark ^ mark>>33) >> (64 - markBits)
}

// Has reports whether a product was shown. A nil place has shown no product.
func (p *Place) Has(product id.Product) bool {
	if p == nil || len(p.Shown) == 0 {
		return false
	}
	_, shown := slices.BinarySearch(p.Shown, MarkOf(product))
	return shown
}

// With returns the marks of the place and of products, ascending.
func (p *Place) With(products []id.Product) []uint64 {
	var marks []uint64
	if p != nil {
		marks = slices.Clone(p.Shown)
	}
	for _, product := range products {
		marks = append(marks, MarkOf(product))
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

const placeVersion = 1

// ErrNoPlace means that bytes were not written by Place.Bytes.
var ErrNoPlace = errors.New("catalog: not a place in search results")

// Bytes encodes the place for ParsePlace.
func (p *Place) Bytes() []byte {
	behind := byte(0)
	if p.Behind {
		behind = 1
	}
	b := append(make([]byte, 0, 48+5*len(p.Shown)), placeVersion, behind)
	b = binary.AppendVarint(b, p.Value)
	b = binary.AppendUvarint(b, uint64(len(p.Last.String())))
	b = append(b, p.Last.String()...)
	b = binary.AppendUvarint(b, uint64(p.Left))
	b = binary.BigEndian.AppendUint32(b, p.Best)
	b = binary.BigEndian.AppendUint32(b, p.Surety)
	b = binary.AppendUvarint(b, uint64(len(p.Shown)))
	before := uint64(0)
	for _, mark := range p.Shown {
		b = binary.AppendUvarint(b, mark-before)
		before = mark
	}
	return b
}

// ParsePlace decodes a place that Bytes encoded.
func ParsePlace(b []byte) (*Place, error) {
	r := placeReader{rest: b}
	version, behind := r.byte(), r.byte()
	p := &Place{
		Behind: behind == 1,
		Value:  r.varint(),
		Last:   id.Stored[id.Product](r.text()),
	}
	left := r.uvarint()
	p.Left = int(min(left, math.MaxInt32))
	p.Best, p.Surety = r.uint32(), r.uint32()
	n, before := r.uvarint(), uint64(0)
	if r.failed || version != placeVersion || n > 2*MostShown {
		return nil, ErrNoPlace
	}
	for range n {
		before += r.uvarint()
		p.Shown = append(p.Shown, before)
	}
	if r.failed || len(r.rest) > 0 {
		return nil, ErrNoPlace
	}
	return p, nil
}

// placeReader reads values until one is missing or malformed.
type placeReader struct {
	rest   []byte
	failed bool
}

// next returns the next n bytes, or zeros if fewer are left.
func (r *placeReader) next(n int) []byte {
	if n > len(r.rest) {
		r.failed, r.rest = true, nil
		return make([]byte, min(n, 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *placeReader) byte() byte { return r.next(1)[0] }

func (r *placeReader) uint32() uint32 { return binary.BigEndian.Uint32(r.next(4)) }

func (r *placeReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

func (r *placeReader) varint() int64 {
	n, size := binary.Varint(r.rest)
	r.skip(size)
	return n
}

// skip skips a number of size bytes. A size of 0 or less means that there is no valid number.
func (r *placeReader) skip(size int) {
	if size <= 0 {
		r.failed, r.rest = true, nil
		return
	}
	r.rest = r.rest[size:]
}

func (r *placeReader) text() string {
	n := r.uvarint()
	return string(r.next(int(min(n, 1<<20))))
}
