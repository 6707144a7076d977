package lsa

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/haggle-commerce/haggle/adapters/search/parallel"
)

const (
	fewest = 50 // documents; fewer are not enough to train a model
	spare  = 8  // oversampling: additional directions that make the others more exact (Halko et al. advise 5 to 10)
	crowd  = 4  // minimum number of documents per dimension
)

// Train trains a model of at most dims dimensions: one for every four documents, and at most as many as the matrix has
// independent ones. It returns nil for fewer than 50 documents, and if all weights are zero. The same matrix and seed give the
// same model, bit for bit, on the same type of processor. The error is ctx's, or a weight is not a number.
//
// It decomposes the matrix by random projection with one power iteration (Halko, Martinsson and Tropp, "Finding structure with
// randomness", 2011). In addition to the matrix and the model it needs about 4 × (dims + 8) × (documents + terms) bytes.
//
// Terms get their right singular vectors. So a document that is folded in gets its left singular vector times the singular
// values. Dividing by those, partly or entirely, did not find more products.
func Train(ctx context.Context, m Matrix, dims int, seed uint64) (*Model, error) {
	dims = min(dims, m.Documents/crowd, len(m.Ends))
	if err := ctx.Err(); err != nil || m.Documents < fewest || dims < 1 {
		return nil, err
	}
	terms, err := decompose(ctx, &m, dims, seed)
	if err != nil || terms.Cols == 0 {
		return nil, err
	}
	model := &Model{terms.Cols, make([]int8, terms.Rows*terms.Cols), make([]float32, terms.Rows)}
	for t := range terms.Rows {
		model.put(t, row(terms, t))
	}
	return model, nil
}

// decompose returns the right singular vectors of the largest singular values: a row for each term, orthonormal columns.
func decompose(ctx context.Context, m *Matrix, dims int, seed uint64) (terms blas32.General, err error) {
	width := min(dims+spare, m.Documents, len(m.Ends))
	documents := normal(m.Documents, width, seed)
	terms = zeros(len(m.Ends), width)
	for range 2 { // the second time is the power iteration
		if err := m.iterate(ctx, &documents, &terms); err != nil || terms.Cols == 0 {
			return terms, err
		}
	}
	turn, _, err := axes(ctx, documents)
	if err != nil {
		return terms, err
	}
	turn.Cols = min(turn.Cols, dims)
	return terms, multiply(ctx, &terms, turn)
}

// iterate turns the terms' columns towards the strongest directions of the matrix.
func (m *Matrix) iterate(ctx context.Context, documents, terms *blas32.General) error {
	if err := m.gather(ctx, *documents, terms); err != nil {
		return err
	}
	if err := orthonormalize(ctx, terms); err != nil || terms.Cols == 0 {
		return err
	}
	return m.scatter(ctx, *terms, documents)
}

// normal fills a matrix with normally distributed numbers.
func normal(rows, cols int, seed uint64) blas32.General {
	random := rand.New(rand.NewPCG(seed, 0))
	m := zeros(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	return m
}

// gather sets each term's row to the weighted sum of the rows of its documents.
func (m *Matrix) gather(ctx context.Context, documents blas32.General, terms *blas32.General) error {
	terms.Cols = documents.Cols
	return parallel.Each(ctx, terms.Rows, 256, func(from, to int) {
		for t := from; t < to; t++ {
			sum := row(*terms, t)
			clear(sum)
			numbers, weights := m.of(t)
			for i, d := range numbers {
				add(sum, weights[i], row(documents, int(d)))
			}
		}
	})
}

// scatter sets each document's row to the weighted sum of the rows of its terms. It works on a range of documents at a time,
// which fits into the processor's cache.
func (m *Matrix) scatter(ctx context.Context, terms blas32.General, documents *blas32.General) error {
	documents.Cols = terms.Cols
	return parallel.Each(ctx, documents.Rows, 2048, func(from, to int) {
		for d := from; d < to; d++ {
			clear(row(*documents, d))
		}
		for t := range terms.Rows {
			numbers, weights := m.of(t)
			first, _ := slices.BinarySearch(numbers, uint32(from))
			for i := first; i < len(numbers) && numbers[i] < uint32(to); i++ {
				add(row(*documents, int(numbers[i])), weights[i], row(terms, t))
			}
		}
	})
}
