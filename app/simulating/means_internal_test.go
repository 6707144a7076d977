package simulating

import (
	"math"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
)

// The families of a setting have the same buyers, so their mean is no more precise than one of them; settings have others.
func TestMeanOf(t *testing.T) {
	t.Parallel()
	cells := []FamilyCell{
		{Setting: "tent", OfPosted: market.Ratio{Value: 1, Error: .1}},
		{Setting: "tent", OfPosted: market.Ratio{Value: 1.2, Error: .1}},
		{Setting: "stove", OfPosted: market.Ratio{Value: .8, Error: .1}},
		{Setting: "stove", OfPosted: market.Ratio{Value: 1, Error: .1}},
	}
	for count, want := range map[int]market.Ratio{2: {Value: 1.1, Error: .1}, 4: {Value: 1, Error: .1 / math.Sqrt2}} {
		got := meanOf(cells[:count], func(c FamilyCell) market.Ratio { return c.OfPosted })
		if math.Abs(got.Value-want.Value) > 1e-6 || math.Abs(got.Error-want.Error) > 1e-6 {
			t.Errorf("of %d: %+v, want %+v", count, got, want)
		}
	}
}
