package lsa

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/haggle-commerce/haggle/adapters/search/parallel"
)

func zeros(rows, cols int) blas32.General {
	return blas32.General{
		Rows:   rows,
		Cols:   cols,
		Stride: cols,
		Data:   make([]float32, rows*cols),
	}
}

func row(m blas32.General, i int) []float32 { return m.Data[i*m.Stride:][:m.Cols] }

// add adds weight times v.
func add(to []float32, weight float32, v []float32) {
	blas32.Implementation().Saxpy(len(to), weight, v, 1, to, 1)
}

// orthonormalize replaces the columns by an orthonormal basis of the space they span. Dependent columns are dropped.
func orthonormalize(ctx context.Context, m *blas32.General) error {
	turn, squares, err := axes(ctx, *m)
	if err != nil {
		return err
	}
	for i := range turn.Rows {
		for j := range turn.Cols {
			turn.Data[i*turn.Stride+j] /= float32(math.Sqrt(squares[j]))
		}
	}
	return multiply(ctx, m, turn)
}

// negligible is the fraction of the longest axis' square below which an axis is mostly noise in single precision.
const negligible = 1e-10

// axes returns the principal axes of the rows, as columns to multiply the rows by, and the squares of their lengths. The longest
// is first.
func axes(ctx context.Context, m blas32.General) (turn blas32.General, squares []float64, err error) {
	products, err := gram(ctx, m)
	if err != nil {
		return turn, nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(products, true) {
		return turn, nil, errors.New("lsa: no eigenvalues: a weight is not a number")
	}
	ascending := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	turn = zeros(m.Cols, m.Cols)
	last := m.Cols - 1
	turn.Cols = 0
	for j := last; j >= 0 && ascending[j] > negligible*ascending[last]; j-- {
		squares = append(squares, ascending[j])
		for i := range turn.Rows {
			turn.Data[i*turn.Stride+turn.Cols] = float32(vectors.At(i, j))
		}
		turn.Cols++
	}
	return turn, squares, nil
}

// gram returns the products of the columns with each other, in double precision, because squares need it.
func gram(ctx context.Context, m blas32.General) (*mat.SymDense, error) {
	const shares = 8
	sums := make([]*mat.SymDense, shares)
	err := parallel.Each(ctx, shares, 1, func(share, _ int) {
		sums[share] = gramOf(m, m.Rows*share/shares, m.Rows*(share+1)/shares)
	})
	if err != nil {
		return nil, err
	}
	for _, sum := range sums[1:] {
		sums[0].AddSym(sums[0], sum)
	}
	return sums[0], nil
}

func gramOf(m blas32.General, from, to int) *mat.SymDense {
	const rows = 64
	sum := mat.NewSymDense(m.Cols, nil)
	block := blas64.General{
		Cols:   m.Cols,
		Stride: m.Cols,
		Data:   make([]float64, rows*m.Cols),
	}
	for ; from < to; from += rows {
		block.Rows = min(rows, to-from)
		for i := range block.Rows {
			for j, v := range row(m, from+i) {
				block.Data[i*block.Stride+j] = float64(v)
			}
		}
		blas64.Syrk(blas.Trans, 1, block, 1, sum.RawSymmetric())
	}
	return sum
}

// multiply replaces the rows by their products with a matrix, which must not be wider.
func multiply(ctx context.Context, m *blas32.General, by blas32.General) error {
	err := parallel.Each(ctx, m.Rows, 256, func(from, to int) {
		product := make([]float32, by.Cols)
		for i := from; i < to; i++ {
			clear(product)
			for j, weight := range row(*m, i) {
				add(product, weight, row(by, j))
			}
			copy(row(*m, i), product)
		}
	})
	m.Cols = by.Cols
	return err
}
