package vectors

// One multiplication of 64 bits makes four products of small numbers and adds them up. Let two words
// stand for a0 + a1·x + a2·x² + a3·x³ and q3 + q2·x + q1·x² + q0·x³, with x = 2^16. Then the product's
// uppermost 16 bits, where x³ is, are a0·q0 + a1·q1 + a2·q2 + a3·q3; what is above falls out of the
// word. That is exact while sums of four stay within 16 bits, so a query has one bit less than a
// document: 4 × 127 × 63 = 32,004. What is below is less than half of x³ in size, and is rounded off.
const (
	zero  = 128                // how a document's byte says 0
	zeros = 0x8080808080808080 // eight of them
	lanes = 0x00FF00FF00FF00FF // every other byte, as a polynomial
	half  = 1 << 47            // of x³
	top   = 63                 // steps of a query's largest number
)

// Query is a vector prepared for fast products. It is read-only.
type Query struct {
	dims  int
	words []factor
	step  float32 // 0 if the vector has no direction
}

// factor is for a document's eight numbers: for those with an even place and for those with an odd
// one. The term takes away what the zeros of a document would add, and rounds.
type factor struct{ even, odd, evenTerm, oddTerm uint64 }

// Quantize prepares a query, of which the direction counts only.
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

// Cosine is from -1 to 1, and 0 if the document or the query has no vector.
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
