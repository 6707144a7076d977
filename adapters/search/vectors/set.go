// Package vectors keeps the vectors of documents small and finds those most like a query's. It knows
// documents by number only, and nothing of where vectors come from.
package vectors

import "math"

// Set holds unit vectors by document number, some of which may be absent. A number is kept in eight
// bits, as a count of steps; each vector has its own step. Once nothing is put any more, any number
// of goroutines may read.
type Set struct {
	dims, stride int
	words        []uint64  // stride for each document, eight numbers in each
	steps        []float32 // by document; 0 if it is absent
	present      int
	lists        *lists // nil unless sealed
}

// New is a set of n absent vectors.
func New(dims, n int) *Set {
	stride := (dims + 7) / 8
	return &Set{
		dims:   dims,
		stride: stride,
		words:  make([]uint64, stride*n),
		steps:  make([]float32, n),
	}
}

// Dims is the number of dimensions.
func (s *Set) Dims() int { return s.dims }

// Len is the number of documents, those without a vector included.
func (s *Set) Len() int { return len(s.steps) }

// Present is the number of vectors.
func (s *Set) Present() int { return s.present }

// Has reports whether a document has a vector.
func (s *Set) Has(i uint32) bool { return s.steps[i] != 0 }

// Put sets a document's vector, of which the direction counts only. One without a direction (all
// zeros, or a number that is not finite) makes it absent. A set that was sealed no longer is.
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

// Copy sets a document's vector to one of another set, bit for bit.
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

// Vector writes a document's vector, of length 1, and reports whether there is one.
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

// round counts in steps such that the largest number makes top of them. It returns the step of the
// vector of length 1, or 0 if there is no direction.
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
