package vectors_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
)

// exact returns the expected result of Nearest by a full scan.
func exact(s *vectors.Set, q *vectors.Query, k int, pass func(uint32) bool) (all []vectors.Neighbor) {
	for i := range uint32(s.Len()) {
		if s.Has(i) && (pass == nil || pass(i)) {
			all = append(all, vectors.Neighbor{Document: i, Cosine: s.Cosine(i, q)})
		}
	}
	slices.SortStableFunc(all, func(a, b vectors.Neighbor) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return all[:min(k, len(all))]
}

// clustered generates vectors of n documents around a few hundred centres, most around the first ones. One in seven is absent.
func clustered(n, dims int) (s *vectors.Set, ask func() vectors.Query) {
	const clusters, spread = 300, .7
	random := rand.New(rand.NewPCG(1, uint64(n)))
	centers := make([][]float32, clusters)
	for c := range centers {
		centers[c] = normal(random, dims)
	}
	vector := func() []float32 {
		v := normal(random, dims)
		center := centers[int(clusters*random.Float64()*random.Float64())]
		for j := range v {
			v[j] = center[j] + spread*v[j]
		}
		return v
	}
	s = vectors.New(dims, n)
	for i := range uint32(n) {
		if i%7 != 3 {
			s.Put(i, vector())
		}
	}
	return s, func() vectors.Query { return vectors.Quantize(vector()) }
}

func TestSet_Nearest_smallSet(t *testing.T) {
	s, ask := clustered(3000, 32)
	for c := range uint32(500) {
		s.Copy(c+2000, s, c) // equally alike
	}
	if err := s.Seal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	kept := vectors.Neighbor{Document: 77, Cosine: 7}
	for name, pass := range map[string]func(uint32) bool{
		"all": nil, "half": func(i uint32) bool { return i%2 == 0 }, "two": func(i uint32) bool { return i == 8 || i == 2008 },
		"none": func(uint32) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []int{-1, 0, 1, 2, 99, 100, 2999, 5000} {
				q := ask()
				got := s.Nearest(&q, k, pass, []vectors.Neighbor{kept})
				want := append([]vectors.Neighbor{kept}, exact(s, &q, max(0, k), pass)...)
				if !slices.Equal(got, want) {
					t.Errorf("%d nearest: got %d that are not the %d of the plain way", k, len(got), len(want))
				}
			}
		})
	}
}

func TestSet_Nearest_appends(t *testing.T) {
	s, ask := clustered(3000, 32)
	q, room := ask(), make([]vectors.Neighbor, 0, 100)
	if n := testing.AllocsPerRun(10, func() { room = s.Nearest(&q, 100, nil, room[:0]) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestSet_Nearest_recall(t *testing.T) {
	s, ask := clustered(20_000, 64)
	if err := s.Seal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	every := func(n uint32) func(uint32) bool { return func(i uint32) bool { return i%n == 0 } }
	for name, c := range map[string]struct {
		k      int
		pass   func(uint32) bool
		recall float64
	}{
		"hundred":                   {100, nil, .9},
		"ten":                       {10, nil, .9},
		"one in four passes":        {100, every(4), .9},
		"one in twenty-five passes": {100, every(25), 1},
		"few pass":                  {100, every(1000), 1},
		"one passes":                {100, func(i uint32) bool { return i == 11_111 }, 1},
		"none passes":               {100, func(uint32) bool { return false }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			found, all := 0, 0
			for range 50 {
				q := ask()
				want := exact(s, &q, c.k, c.pass)
				got := s.Nearest(&q, c.k, c.pass, nil)
				if len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b vectors.Neighbor) int { return cmp.Compare(b.Cosine, a.Cosine) }) {
					t.Fatalf("got %d out of order, want %d", len(got), len(want))
				}
				for _, n := range want {
					all++
					if slices.Contains(got, n) {
						found++
					}
				}
			}
			if float64(found) < c.recall*float64(all) {
				t.Errorf("%d of %d were found", found, all)
			}
		})
	}
}

func TestSet_Nearest_readsPart(t *testing.T) {
	s, ask := clustered(20_000, 64)
	if err := s.Seal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	q, read := ask(), 0
	count := func(uint32) bool { read++; return true }
	if got := s.Nearest(&q, 100, count, nil); len(got) != 100 || read > s.Present()/5 {
		t.Errorf("%d of %d were read for %d", read, s.Present(), len(got))
	}
	read = 0
	if s.Nearest(&q, 1, count, nil); read < s.Present()/20 || read > s.Present()/10 {
		t.Errorf("%d of %d were read for one", read, s.Present())
	}
}

func TestLists(t *testing.T) {
	s, ask := clustered(9000, 16)
	if err := s.Seal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	q := ask()
	t.Run("hold every vector once", func(t *testing.T) {
		if got := s.Nearest(&q, 9000, nil, nil); !slices.Equal(got, exact(s, &q, 9000, nil)) {
			t.Errorf("got %d that are not the %d of the plain way", len(got), s.Present())
		}
	})
	t.Run("are gone when a vector is put", func(t *testing.T) {
		s.Put(3, normal(rand.New(rand.NewPCG(9, 9)), 16))
		if got := s.Nearest(&q, 9000, nil, nil); !slices.Equal(got, exact(s, &q, 9000, nil)) {
			t.Errorf("got %d that are not the %d of the plain way", len(got), s.Present())
		}
	})
	t.Run("are not needed", func(t *testing.T) {
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Seal(cancelled, 1); err != context.Canceled {
			t.Errorf("got %v, want that it was cancelled", err)
		}
		if got := s.Nearest(&q, 50, nil, nil); !slices.Equal(got, exact(s, &q, 50, nil)) {
			t.Error("got others than the plain way")
		}
	})
}

// All vectors but one have the same direction, so that most lists are empty and no centre may be near to the other one.
func TestSet_Seal_equalVectors(t *testing.T) {
	s := vectors.New(3, 6000)
	for i := range uint32(5999) {
		s.Put(i, []float32{1, 2, 3})
	}
	s.Put(5999, []float32{-1, -2, -3})
	q := vectors.Quantize([]float32{1, 2, 3})
	for seed := range uint64(8) {
		if err := s.Seal(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{100, 6000} {
			if got := s.Nearest(&q, k, nil, nil); !slices.Equal(got, exact(s, &q, k, nil)) {
				t.Errorf("seed %d: got %d that are not the first %d", seed, len(got), k)
			}
		}
	}
}

func TestSet_Seal_deterministic(t *testing.T) {
	answers := func(processors int) (all [][]vectors.Neighbor) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		s, ask := clustered(9000, 32)
		if err := s.Seal(t.Context(), 5); err != nil {
			t.Fatal(err)
		}
		queries := make([]vectors.Query, 200)
		for i := range queries {
			queries[i] = ask()
		}
		all = make([][]vectors.Neighbor, len(queries))
		var readers sync.WaitGroup
		for i := range queries {
			readers.Go(func() { all[i] = s.Nearest(&queries[i], 60, nil, nil) })
		}
		readers.Wait()
		return all
	}
	others := answers(4)
	for i, one := range answers(1) {
		if !slices.Equal(one, others[i]) {
			t.Fatalf("query %d has different answers", i)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	s, ask := clustered(64_000, 128) // 55,000 present
	q, room := ask(), make([]vectors.Neighbor, 0, 100)
	nearest := func(name string, pass func(uint32) bool) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				room = s.Nearest(&q, 100, pass, room[:0])
			}
		})
	}
	nearest("scanned", nil)
	if err := s.Seal(b.Context(), 1); err != nil {
		b.Fatal(err)
	}
	nearest("sealed", nil)
	nearest("one in ten passes", func(i uint32) bool { return i%10 == 0 })
	nearest("none passes", func(uint32) bool { return false })
}

func BenchmarkSeal(b *testing.B) {
	s, _ := clustered(64_000, 128)
	for b.Loop() {
		if err := s.Seal(b.Context(), 1); err != nil {
			b.Fatal(err)
		}
	}
}
