package tuning

import (
	"fmt"
	"math"
	"testing"
)

// 800 gains of .01 ± .1 in turn: of as many buyers the standard error is .1/√800, of 40 with twenty alike each .1/√40.
func TestGains_interval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		buyer func(int) string
		sign  func(int) int
		want  float64
	}{
		"800 buyers": {func(i int) string { return fmt.Sprint(i) }, func(i int) int { return i % 2 }, .1 / math.Sqrt(800)},
		"40 buyers":  {func(i int) string { return fmt.Sprint(i / 20) }, func(i int) int { return i / 20 % 2 }, .1 / math.Sqrt(40)},
	} {
		var g gains
		for i := range 800 {
			g.add(c.buyer(i), 2*(.01+.1*float64(1-2*c.sign(i))), 2)
		}
		got := g.interval(1)
		if math.Abs(got.Mean-.01) > 1e-9 || math.Abs(got.High-got.Mean-c.want) > 1e-9 || math.Abs(got.Mean-got.Low-c.want) > 1e-9 {
			t.Errorf("%s: %+v, want .01 ± %v", name, got, c.want)
		}
	}
	var none gains
	if none.interval(1) != (Interval{}) {
		t.Error("something is known of nobody")
	}
}

// The more parts are tried, the more standard errors are needed.
func TestErrorsFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]float64{1: 1.96, 2: 2.24, 8: 2.73} {
		if got := errorsFor(n); math.Abs(got-want) > .01 {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
