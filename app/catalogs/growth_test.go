package catalogs

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestGrowthIsLookedAtHalfAsOftenEachTime(t *testing.T) {
	t.Parallel()
	var looks []int
	products := 0
	g := NewGrowth(func(context.Context) error {
		looks = append(looks, products)
		return nil
	})
	g.after = func(_ time.Duration, look func()) { look() }
	for products < 20_000 {
		products += 500
		g.note(500)
	}
	if want := []int{1_000, 3_000, 7_000, 15_000}; !slices.Equal(looks, want) {
		t.Errorf("looked after %v, want %v", looks, want)
	}
	(*Growth)(nil).note(1_000_000)
}
