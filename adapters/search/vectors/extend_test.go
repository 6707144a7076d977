package vectors_test

import (
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
)

// Later vectors are found, in a set with lists and in one without, and the original set is not changed.
func TestExtend(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 5_500} {
		random := rand.New(rand.NewPCG(3, uint64(n)))
		draw := func() []float32 {
			v := make([]float32, 24)
			for i := range v {
				v[i] = float32(random.NormFloat64())
			}
			return v
		}
		set := vectors.New(24, n+200)
		for i := range n {
			set.Put(uint32(i), draw())
		}
		if err := set.Seal(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		further := map[uint32][]float32{}
		for i := range 200 {
			further[uint32(n+i)] = draw()
		}
		further[7] = draw()
		later := set.Extend(further)
		if set.Present() != n || later.Present() != n+200 || later.Stale() || set.Has(uint32(n)) {
			t.Fatalf("%d and %d vectors, stale %t", set.Present(), later.Present(), later.Stale())
		}
		for i, v := range further {
			q := vectors.Quantize(v)
			if found := later.Nearest(&q, 1, nil, nil); len(found) != 1 || found[0].Document != i {
				t.Fatalf("%d of %d: the nearest to %d is %v", i, n, i, found)
			}
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	set := vectors.New(8, 6_200)
	for i := range 5_100 {
		set.Put(uint32(i), []float32{float32(i % 7), float32(i % 11), 1, float32(i % 13), 0, 1, 2, float32(i % 3)})
	}
	if !set.Stale() {
		t.Error("no lists, and not stale")
	}
	if err := set.Seal(t.Context(), 1); err != nil || set.Stale() {
		t.Errorf("sealed and stale: %t, %v", set.Stale(), err)
	}
	further := map[uint32][]float32{}
	for i := range 1000 {
		further[uint32(5_150+i)] = []float32{1, float32(i % 5), 0, 0, 1, 1, 1, 1}
	}
	if !set.Extend(further).Stale() {
		t.Error("more than a tenth is new, and it is not stale")
	}
}
