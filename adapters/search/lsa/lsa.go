// Package lsa computes vectors of words from the documents they share: latent semantic analysis. It knows terms and documents
// by number only. Two words that never occur together, but occur with the same other words, get vectors with similar directions.
package lsa

import "math"

// Matrix holds the weights of terms in documents, term by term (the layout of an inverted index).
type Matrix struct {
	Documents int
	Ends      []uint32  // by term: where its entries end
	Document  []uint32  // of each entry, ascending within a term
	Weight    []float32 // of each entry, such as tf-idf over the document's length
}

// of returns the documents of a term, and its weights in them.
func (m *Matrix) of(term int) (documents []uint32, weights []float32) {
	from := uint32(0)
	if term > 0 {
		from = m.Ends[term-1]
	}
	return m.Document[from:m.Ends[term]], m.Weight[from:m.Ends[term]]
}

// Model maps terms to vectors. It is immutable. A model of 128 dimensions needs 132 bytes per term.
type Model struct {
	dims   int
	shares []int8    // dims for each term
	scales []float32 // by term: the value of a share of 1
}

// Dims returns the number of dimensions, which is at most the number passed to Train.
func (m *Model) Dims() int { return m.dims }

// Add adds a term's share to the vector of a document or a query, which has Dims numbers. So it folds in texts that the model was
// not trained on. A term that the model does not have adds nothing. Vectors should be compared by their cosine; their length has
// no meaning.
func (m *Model) Add(to []float32, term uint32, weight float32) {
	if int(term) >= len(m.scales) {
		return
	}
	shares := m.shares[int(term)*m.dims:][:m.dims]
	to = to[:len(shares)]
	weight *= m.scales[term]
	for i, share := range shares {
		to[i] += weight * float32(share)
	}
}

// put sets a term's vector, to within a 254th of its largest number.
func (m *Model) put(term int, vector []float32) {
	largest := float32(0)
	for _, v := range vector {
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		return
	}
	shares := m.shares[term*m.dims:]
	for i, v := range vector {
		shares[i] = int8(math.Round(float64(v) / float64(largest) * math.MaxInt8))
	}
	m.scales[term] = largest / math.MaxInt8
}
