package vectors_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
)

func normal(random *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for j := range v {
		v[j] = float32(random.NormFloat64())
	}
	return v
}

func product(a, b []float32) (sum float64) {
	for j, x := range a {
		sum += float64(x) * float64(b[j])
	}
	return sum
}

func length(v []float32) float64 { return math.Sqrt(product(v, v)) }

func cosine(a, b []float32) float64 { return product(a, b) / length(a) / length(b) }

func farthest(v []float32) (largest float64) {
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	return largest
}

// Numbers that are stored exactly are multiplied exactly, including the largest ones.
func TestSet_Cosine_exact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	draw := map[string]func(top int) int{
		"any":     func(top int) int { return random.IntN(2*top+1) - top },
		"largest": func(top int) int { return top },
		"least":   func(top int) int { return -top },
		"extreme": func(top int) int { return top - random.IntN(2)*2*top },
	}
	for name, document := range draw {
		for other, query := range draw {
			t.Run(name+" by "+other, func(t *testing.T) {
				for dims := 1; dims <= 130; dims++ {
					d, q := make([]float32, dims), make([]float32, dims)
					for j := range d {
						d[j], q[j] = float32(document(127)), float32(query(63))
					}
					d[0], q[dims-1] = 127, 63
					s, asked := vectors.New(dims, 3), vectors.Quantize(q)
					s.Put(1, d)
					if got, want := s.Cosine(1, &asked), cosine(d, q); math.Abs(float64(got)-want) > 3e-7 {
						t.Fatalf("%d dimensions: got a cosine of %v, want %v", dims, got, want)
					}
				}
			})
		}
	}
}

// The error of a number is at most half a step; normalizing the length at most doubles it.
func TestRound_bounded(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		dims := 1 + random.IntN(300)
		a, b := normal(random, dims), normal(random, dims)
		off := func(v []float32, steps float64) float64 {
			return farthest(v) / length(v) / steps * math.Sqrt(float64(dims))
		}
		s, got := vectors.New(dims, 1), make([]float32, dims)
		s.Put(0, a)
		if !s.Vector(0, got) || math.Abs(length(got)-1) > 1e-6 {
			t.Fatalf("%d dimensions: a vector of length %v", dims, length(got))
		}
		for j := range got {
			got[j] -= a[j] / float32(length(a))
		}
		if length(got) > off(a, 127) {
			t.Fatalf("%d dimensions: off by %v, more than %v", dims, length(got), off(a, 127))
		}
		q := vectors.Quantize(b)
		if wrong := math.Abs(float64(s.Cosine(0, &q)) - cosine(a, b)); wrong > off(a, 127)+off(b, 63) {
			t.Fatalf("%d dimensions: cosine off by %v", dims, wrong)
		}
	}
}

func TestRound_deviation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	const dims, pairs = 128, 2000
	sum := 0.
	s := vectors.New(dims, 1)
	for range pairs {
		a, b := normal(random, dims), normal(random, dims)
		s.Put(0, a)
		q := vectors.Quantize(b)
		sum += math.Pow(float64(s.Cosine(0, &q))-cosine(a, b), 2)
	}
	if deviation := math.Sqrt(sum / pairs); deviation > .0015 {
		t.Errorf("cosines are off by %v", deviation)
	}
}

func TestSet_Put_absent(t *testing.T) {
	infinite, not := float32(math.Inf(1)), float32(math.NaN())
	for name, v := range map[string][]float32{
		"zeros": {0, 0, 0}, "infinite": {1, infinite, 0}, "not a number": {1, not, 0}, "first not a number": {not, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, q, into := vectors.New(3, 2), vectors.Quantize([]float32{1, 2, 3}), make([]float32, 3)
			s.Put(0, v)
			if s.Has(0) || s.Has(1) || s.Present() != 0 || s.Cosine(0, &q) != 0 || s.Vector(0, into) {
				t.Error("it is there")
			}
			s.Put(0, []float32{1, 2, 3})
			if !s.Has(0) || s.Present() != 1 || s.Cosine(0, &q) < .99 {
				t.Error("a vector is not there")
			}
			nothing := vectors.Quantize(v)
			if s.Cosine(0, &nothing) != 0 || len(s.Nearest(&nothing, 1, nil, nil)) != 0 {
				t.Error("something is like nothing")
			}
			s.Put(0, v)
			if s.Has(0) || s.Present() != 0 || s.Cosine(0, &q) != 0 || len(s.Nearest(&q, 1, nil, nil)) != 0 {
				t.Error("it is still there")
			}
		})
	}
}

func TestSet_Cosine_anyScale(t *testing.T) {
	s, q := vectors.New(3, 3), vectors.Quantize([]float32{3e-39, -1e-39, 0})
	s.Put(0, []float32{3, -1, 0})
	s.Put(1, []float32{3e38, -1e38, 0})
	s.Put(2, []float32{3e-39, -1e-39, 0})
	for i := range uint32(3) {
		if got := s.Cosine(i, &q); math.Abs(float64(got)-1) > 1e-5 {
			t.Errorf("%d: a cosine of %v", i, got)
		}
	}
}

func TestSet_Copy_exact(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const dims = 21
	from, to := vectors.New(dims, 5), vectors.New(dims, 3)
	from.Put(4, normal(random, dims))
	to.Put(2, normal(random, dims))
	to.Copy(1, from, 4)
	to.Copy(2, from, 0)
	if !to.Has(1) || to.Has(2) || to.Present() != 1 || to.Len() != 3 || to.Dims() != dims {
		t.Fatalf("%d of %d are there", to.Present(), to.Len())
	}
	a, b := make([]float32, dims), make([]float32, dims)
	from.Vector(4, a)
	to.Vector(1, b)
	for j := range a {
		if a[j] != b[j] {
			t.Errorf("%d: %v became %v", j, a[j], b[j])
		}
	}
}

func TestMustMatch(t *testing.T) {
	s, q := vectors.New(8, 1), vectors.Quantize(make([]float32, 7))
	for name, use := range map[string]func(){
		"put":     func() { s.Put(0, make([]float32, 9)) },
		"copy":    func() { s.Copy(0, vectors.New(7, 1), 0) },
		"vector":  func() { s.Vector(0, make([]float32, 7)) },
		"cosine":  func() { s.Cosine(0, &q) },
		"nearest": func() { s.Nearest(&q, 1, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			use()
		})
	}
}
