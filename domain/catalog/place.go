package catalog

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// MostShown is how many products a place remembers one by one.
const MostShown = 4000

// Place is how far a buyer has come in the results of a query. It remembers which products were shown, so that the next
// answer is the best of the others, whatever has changed in the catalogue meanwhile: what matches as long as the buyer goes on
// is shown exactly once, however its score, price or stock and those of others move. Scores of a place are comparable
// with those of the first answer.
//
// From MostShown products on a place remembers no more of them, but goes on by value and id. So it does from the start in
// an order whose values never change. What was among the first MostShown is still never repeated; of the rest, only a product
// whose own value changes on the way may be missed or repeated. By relevance the rest comes by id, which never changes.
type Place struct {
	Shown  []uint64 // marks of products, ascending; at most MostShown
	Behind bool     // whether to go on behind Value and Last
	Value  int64    // of the product shown last, in the order's own measure
	Last   id.Product

	Left   int    // how many of the candidates that were ranked together are yet to be shown
	Best   uint32 // the best score of the first answer, in the index's own measure
	Surety uint32 // how well that fits, likewise
}

// markBits is the size of a mark: with MostShown of them, a product is taken for one of them by mistake once in 2^28.
const markBits = 40

// MarkOf is what a place remembers of a product.
func MarkOf(product id.Product) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(product.String()))
	mark := sum.Sum64()
	mark = (mark ^ mark>>33) * 0xff51afd7ed558ccd
	return (mark ^ mark>>33) >> (64 - markBits)
}

// Has reports whether a product was shown. A nil place has shown none.
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

// ErrNoPlace means that bytes are not what Place.Bytes made.
var ErrNoPlace = errors.New("catalog: not a place in search results")

// Bytes is the place as ParsePlace reads it.
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

// ParsePlace reads what Bytes made.
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

// placeReader reads values until one is missing.
type placeReader struct {
	rest   []byte
	failed bool
}

// take returns the next n bytes; zeros if there are not so many.
func (r *placeReader) take(n int) []byte {
	if n > len(r.rest) {
		r.failed, r.rest = true, nil
		return make([]byte, min(n, 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *placeReader) byte() byte { return r.take(1)[0] }

func (r *placeReader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }

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

// skip passes a number of so many bytes; none or fewer mean that there is no number.
func (r *placeReader) skip(size int) {
	if size <= 0 {
		r.failed, r.rest = true, nil
		return
	}
	r.rest = r.rest[size:]
}

func (r *placeReader) text() string {
	n := r.uvarint()
	return string(r.take(int(min(n, 1<<20))))
}
