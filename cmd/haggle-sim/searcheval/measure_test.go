package searcheval

import (
	"math"
	"slices"
	"testing"
)

// The expected values are computed by hand: the discounts are 1, .63093, .5, .43068 and .38685.
func TestNDCG(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		results, judged []float64
		k               int
		want            float64
	}{
		{"the best order", []float64{1, .5, 0}, []float64{0, .5, 1}, 10, 1},
		{"the worst of three", []float64{0, .5, 1}, []float64{0, .5, 1}, 10, (.5*.6309298 + .5) / (1 + .5*.6309298)},
		{"nothing found", nil, []float64{1}, 10, 0},
		{"only what nobody judged", []float64{0, 0, 0}, []float64{1, 1}, 10, 0},
		{"second of one", []float64{0, 1}, []float64{1, 0}, 10, .6309298},
		{"what was not found counts in the best", []float64{1}, []float64{1, 1}, 10, 1 / 1.6309298},
		{"gains count as they are", []float64{1, 3}, []float64{3, 1}, 10, (1 + 3*.6309298) / (3 + .6309298)},
		{"behind the k-th", []float64{0, 0, 1}, []float64{1}, 2, 0},
		{"the best has k too", []float64{1, 1}, []float64{1, 1, 1, 1}, 2, 1},
	} {
		got, ok := NDCG(c.results, c.judged, c.k)
		if !ok || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.6f, %v; want %.6f", c.name, got, ok, c.want)
		}
	}
	for _, judged := range [][]float64{nil, {0, 0}} {
		if got, ok := NDCG([]float64{0}, judged, 10); ok {
			t.Errorf("nothing to find has NDCG %v", got)
		}
	}
	judged := []float64{0, 1, .5}
	NDCG(nil, judged, 10)
	if !slices.Equal(judged, []float64{0, 1, .5}) {
		t.Errorf("the judgements became %v", judged)
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		results, judged []float64
		want            float64
	}{
		{[]float64{0, .1, 0, 1}, []float64{1, .1, .5, 0, .2}, .5},
		{nil, []float64{1}, 0},
		{[]float64{1, 1}, []float64{1, 1, 0}, 1},
	} {
		if got := Recall(c.results, c.judged); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.results, c.judged, got, c.want)
		}
	}
}

// Half of the 400 values are 1. The standard error of their mean is .025, so 95 % of the means are within .049 of it.
func TestInterval(t *testing.T) {
	t.Parallel()
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	low, high := Interval(values)
	if math.Abs(low-.451) > .005 || math.Abs(high-.549) > .005 {
		t.Errorf("%.3f to %.3f, want .451 to .549", low, high)
	}
	if l, h := Interval(values); l != low || h != high {
		t.Errorf("%v to %v, then %v to %v", low, high, l, h)
	}
	if low, high := Interval([]float64{.25, .25}); low != .25 || high != .25 {
		t.Errorf("of equal values: %v to %v", low, high)
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]Time, 100)
	for i := range hundred {
		hundred[i] = Time(i + 1)
	}
	for p, want := range map[float64]Time{50: 50, 95: 95, 99: 99, 100: 100, .1: 1} {
		if got := percentile(hundred, p); got != want {
			t.Errorf("%v %%: %d, want %d", p, got, want)
		}
	}
	if got := percentile([]Time{7}, 50); got != 7 {
		t.Errorf("of one: %d", got)
	}
}
