package vectors

// One multiplication of 64 bits computes the sum of four products of small numbers. Let two words represent
// a0 + a1·x + a2·x² + a3·x³ and q3 + q2·x + q1·x² + q0·x³, with x = 2^16. Then the uppermost 16 bits of the product, the
// coefficient of x³, are a0·q0 + a1·q1 + a2·q2 + a3·q3; higher terms overflow. This is exact as long as sums of four products fit
// into 16 bits, so a query has one bit less than a document: 4 × 127 × 63 = 32,004. Lower terms are less than half of x³ in size,
// and rounding removes them.
const (
	zero  = 128                // a document's byte for 0
	zeros = 0x8080808080808080 // eight of them
	lanes = 0x00FF00FF00FF00FF // every other byte, as a polynomial
	half  = 1 << 47            // of x³
	top   = 63                 // steps of the largest number of a query
)

// Query is a vector prepared for fast products. It is read-only.
type Query struct {
	dims  int
	words []factor
	step  float32 // 0 if the vector has no direction
}

// factor has the multipliers for a document's eight numbers, separately for even and odd positions. The terms subtract the
// contribution of the document's zeros, and round.
type factor struct{ even, odd, evenTerm, oddTerm uint64 }

// Quantize prepares a query. Only the direction of v matters.
func Quantize(v []float32) Query {
	q := Query{dims: len(v), words: make([]factor, (len(v)+7)/8)}
	q.set(v)
	return q
}

func (q *Query) set(v []float32) {
	clear(q.words)
	q.step = round(v, top, q.put)
	for i := range q.words {
		f := &q.words[i]
		f.evenTerm, f.oddTerm = half-zeros&lanes*f.even, half-zeros&lanes*f.odd
	}
}

func (q *Query) put(j, steps int) {
	f := &q.words[j/8]
	lane := uint64(steps) << (48 - j%8/2*16)
	if j%2 == 0 {
		f.even += lane
	} else {
		f.odd += lane
	}
}

// Cosine returns the cosine similarity, from -1 to 1, and 0 if the document or the query has no vector.
func (s *Set) Cosine(i uint32, q *Query) float32 {
	s.mustMatch(q.dims)
	return s.cosine(i, q)
}

func (s *Set) cosine(i uint32, q *Query) float32 {
	sum := int64(0)
	words := s.vector(i)
	factors := q.words[:len(words)]
	for w, word := range words {
		f := &factors[w]
		sum += int64(word&lanes*f.even+f.evenTerm)>>48 + int64(word>>8&lanes*f.odd+f.oddTerm)>>48
	}
	return float32(sum) * s.steps[i] * q.step
}
