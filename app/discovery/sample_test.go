package discovery

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// The sample is in stock if possible, and negotiable if there is such a product in stock.
func TestChoose(t *testing.T) {
	t.Parallel()
	product := func(n byte, negotiable bool) *catalog.Product {
		return &catalog.Product{
			ID:         id.New[id.Product]([16]byte{n}),
			Price:      money.Of(100, money.USD),
			Negotiable: negotiable,
			Variants:   []catalog.Variant{{ID: id.New[id.Variant]([16]byte{n})}},
		}
	}
	list := []*catalog.Product{product(1, true), product(2, false), product(3, true), product(4, true)}
	for name, c := range map[string]struct {
		stock map[byte]int
		want  int
	}{
		"the most of what is negotiable":      {map[byte]int{1: 2, 2: 90, 3: 7}, 2},
		"what is there, though not to haggle": {map[byte]int{2: 1}, 1},
		"nothing is there":                    {nil, 0},
		"more than can be counted":            {map[byte]int{2: catalog.MaxStock + 9, 4: 1}, 3},
	} {
		stock := map[id.Variant]int{}
		for n, pieces := range c.stock {
			stock[id.New[id.Variant]([16]byte{n})] = pieces
		}
		if got := choose(list, stock); got.Product != list[c.want].ID || got.Variant != list[c.want].Variants[0].ID {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if (choose(nil, nil) != Sample{}) {
		t.Error("something of nothing")
	}
}
