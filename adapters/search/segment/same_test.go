package segment

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// A change of each searched part of a product is a change of its text. A price is not.
func TestSameText_changes(t *testing.T) {
	t.Parallel()
	p := &catalog.Product{
		ID:          id.Stored[id.Product]("prod_1"),
		SKU:         "TENT-1",
		Name:        "Red tent",
		Brand:       "Fjord",
		Category:    "outdoor/tents",
		Description: "Dry.",
		Variants:    []catalog.Variant{{ID: id.Stored[id.Variant]("var_1"), SKU: "TENT-1-M", Size: "M"}},
	}
	for name, change := range map[string]func(*catalog.Product){
		"name": func(p *catalog.Product) { p.Name += "!" }, "sku": func(p *catalog.Product) { p.SKU += "!" },
		"brand": func(p *catalog.Product) { p.Brand += "!" }, "category": func(p *catalog.Product) { p.Category += "!" },
		"description": func(p *catalog.Product) { p.Description += "!" }, "tags": func(p *catalog.Product) { p.Tags = []string{"x"} },
		"attributes": func(p *catalog.Product) { p.Attributes = map[string]string{"a": "b"} },
		"reviews":    func(p *catalog.Product) { p.Reviews.Count++ },
		"size": func(p *catalog.Product) {
			p.Variants = []catalog.Variant{{ID: p.Variants[0].ID, SKU: p.Variants[0].SKU, Size: "XXL"}}
		},
	} {
		other := *p
		change(&other)
		if SameText(p, &other) {
			t.Errorf("a changed %s is not detected", name)
		}
	}
	same := *p
	if same.Price = money.Of(7, money.USD); !SameText(p, &same) {
		t.Error("a price is text")
	}
}
