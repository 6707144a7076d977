// Package vectors stores quantized vectors of documents, and finds those most similar to a query's. It knows documents by number
// only, and does not compute the vectors.
package vectors

import "math"

// Set has unit vectors by document number. Some documents may have none. A number is stored in eight bits, as a count of steps;
// each vector has its own step size. A set is safe for concurrent reads, but not during writes.
type Set struct {
	dims, stride int
	words        []uint64  // stride for each document, eight numbers in each
	steps        []float32 // step size by document; 0 if the vector is absent
	present      int
	lists        *lists // nil unless sealed
}

// New returns a set of n documents without vectors.
func New(dims, n int) *Set {
	stride := (dims + 7) / 8
	return &Set{
		dims:   dims,
		stride: stride,
		words:  make([]uint64, stride*n),
		steps:  make([]float32, n),
	}
}

// Dims returns the number of dimensions.
func (s *Set) Dims() int { return s.dims }

// Len returns the number of documents, including those without a vector.
func (s *Set) Len() int { return len(s.steps) }

// Present returns the number of vectors.
func (s *Set) Present() int { return s.present }

// Has reports whether a document has a vector.
func (s *Set) Has(i uint32) bool { return s.steps[i] != 0 }

// Put sets a document's vector. Only its direction matters. A vector without a direction (all zeros, or a number that is not
// finite) removes the document's vector. A sealed set becomes unsealed.
func (s *Set) Put(i uint32, v []float32) {
	s.mustMatch(len(v))
	words := s.vector(i)
	for w := range words {
		words[w] = zeros
	}
	s.keep(i, round(v, math.MaxInt8, func(j, steps int) {
		words[j/8] += uint64(steps) << (j % 8 * 8)
	}))
}

// Copy copies a vector of another set to a document, bit for bit.
func (s *Set) Copy(to uint32, from *Set, i uint32) {
	s.mustMatch(from.dims)
	copy(s.vector(to), from.vector(i))
	s.keep(to, from.steps[i])
}

func (s *Set) keep(i uint32, step float32) {
	if s.steps[i] != 0 {
		s.present--
	}
	if step != 0 {
		s.present++
	}
	s.steps[i], s.lists = step, nil
}

// Vector writes a document's vector, of length 1, to into, and reports whether there is one.
func (s *Set) Vector(i uint32, into []float32) bool {
	s.mustMatch(len(into))
	words, step := s.vector(i), s.steps[i]
	for j := range into {
		into[j] = step * float32(int(uint8(words[j/8]>>(j%8*8)))-zero)
	}
	return step != 0
}

func (s *Set) vector(i uint32) []uint64 { return s.words[int(i)*s.stride:][:s.stride] }

func (s *Set) mustMatch(dims int) {
	if dims != s.dims {
		panic("vectors: another number of dimensions than the set's")
	}
}

// round converts numbers to counts of steps, so that the largest number has top steps. It returns the step size of the vector of
// length 1, or 0 if there is no direction.
func round(v []float32, top float64, put func(j, steps int)) float32 {
	largest := 0.
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return 0
	}
	squares := 0
	for j, x := range v {
		steps := int(math.Round(float64(x) / largest * top))
		squares += steps * steps
		put(j, steps)
	}
	return float32(1 / math.Sqrt(float64(squares)))
}
