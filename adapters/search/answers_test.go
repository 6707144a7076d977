package search_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// A repeated query is answered with later changes, and no caller sees another caller's modifications of an answer.
func TestAnswers_afterChanges(t *testing.T) {
	t.Parallel()
	tent, peg := product("tent", "Trail tent"), product("peg", "Tent peg")
	x := indexed([]*catalog.Product{tent, peg})
	ask := func(want string) catalog.Found {
		t.Helper()
		var found catalog.Found
		for range 2 {
			var got string
			if got, found = find(t, x, "tents"); got != want {
				t.Fatalf("found %q, want %q", got, want)
			}
		}
		return found
	}
	all := "tent peg"
	first := ask(all)
	first.Hits[0].Reasons = []string{"mine"}
	if again := ask(all); reflect.DeepEqual(again.Hits[0].Reasons, first.Hits[0].Reasons) {
		t.Error("another reader's reasons")
	}
	variant := tent.Variants[0].ID
	for _, pieces := range []int{0, 5, 4} {
		x.Restock(camp, map[id.Variant]int{variant: pieces})
		for _, hit := range ask(map[bool]string{true: all, false: "peg tent"}[pieces > 0]).Hits {
			if hit.Product.SKU == "tent" && hit.InStock != (pieces > 0) {
				t.Errorf("%d pieces, in stock: %t", pieces, hit.InStock)
			}
		}
	}
	cheaper := *tent
	cheaper.Price = money.Of(20_00, money.USD)
	x.Apply(camp, ports.CatalogChanges{
		Since:   1,
		Version: 2,
		Changed: []*catalog.Product{&cheaper},
		Levels:  []catalog.Level{{Product: tent.ID, Variant: variant, Quantity: 1}},
	})
	if got := ask(all).Hits[0].Product.Price; got != cheaper.Price {
		t.Errorf("the price is %s", got)
	}
	x.Apply(camp, ports.CatalogChanges{
		Since:   2,
		Version: 3,
		Removed: []id.Product{tent.ID},
	})
	ask("peg")
	for i := range 500 { // many queries, which are not all kept
		find(t, x, fmt.Sprint("peg ", i))
	}
	ask("peg")
}

// Queries that differ in any field have different keys.
func TestQueryKey_differs(t *testing.T) {
	t.Parallel()
	cheap := product("cheap", "Tent")
	cheap.Price = money.Of(10_00, money.USD)
	cheap.Variants[0].Color, cheap.Variants[0].Size, cheap.Category = "Red", "L", "outdoor/tents"
	x := indexed([]*catalog.Product{cheap, product("other", "Tent")})
	most := money.Of(20_00, money.USD)
	for name, c := range map[string]struct {
		query catalog.Query
		want  int
	}{
		"all":      {catalog.Query{Text: "tent"}, 2},
		"limited":  {catalog.Query{Text: "tent", Limit: 1}, 1},
		"price":    {catalog.Query{Text: "tent", Filter: catalog.Filter{PriceMax: &most}}, 1},
		"colour":   {catalog.Query{Text: "tent", Filter: catalog.Filter{Colors: []string{"red"}}}, 1},
		"size":     {catalog.Query{Text: "tent", Filter: catalog.Filter{Size: "L"}}, 1},
		"category": {catalog.Query{Text: "tent", Filter: catalog.Filter{Categories: []string{"outdoor"}}}, 1},
		"prefer":   {catalog.Query{Text: "tent", Prefer: []string{"red"}}, 2},
	} {
		for range 2 {
			if found, err := x.Search(ports.NewOutbound(t.Context()), camp, c.query); err != nil || len(found.Hits) != c.want {
				t.Errorf("%s: %d hits, want %d; %v", name, len(found.Hits), c.want, err)
			}
		}
	}
}
