package checkout_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
)

func TestShort(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Variant]([16]byte{1}), id.New[id.Variant]([16]byte{2})
	of := func(variant id.Variant, quantity int) checkout.Line {
		return checkout.Line{Variant: variant, Quantity: quantity}
	}
	for name, test := range map[string]struct {
		lines []checkout.Line
		stock map[id.Variant]int
		want  []checkout.Shortage
	}{
		"enough":              {[]checkout.Line{of(one, 2)}, map[id.Variant]int{one: 2}, nil},
		"one too many":        {[]checkout.Line{of(two, 1), of(one, 3)}, map[id.Variant]int{one: 2, two: 1}, []checkout.Shortage{{1, 2}}},
		"none left":           {[]checkout.Line{of(one, 1)}, map[id.Variant]int{one: 0}, []checkout.Shortage{{0, 0}}},
		"two lines of one":    {[]checkout.Line{of(one, 2), of(one, 2)}, map[id.Variant]int{one: 3}, []checkout.Shortage{{1, 1}}},
		"the first takes all": {[]checkout.Line{of(one, 9), of(one, 2)}, map[id.Variant]int{one: 3}, []checkout.Shortage{{0, 3}, {1, 0}}},
		"nothing known":       {[]checkout.Line{of(one, 2)}, nil, nil},
	} {
		if got := checkout.Short(test.lines, test.stock); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
