package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func TestInventoryPolicy(t *testing.T) {
	t.Parallel()
	for _, p := range catalog.InventoryPolicies {
		if got, known := catalog.ParseInventoryPolicy(p.String()); got != p || !known {
			t.Errorf("%s is %s, %t", p, got, known)
		}
	}
	if _, known := catalog.ParseInventoryPolicy(""); known {
		t.Error("no name is a policy")
	}
}

func TestVariant_Availability(t *testing.T) {
	t.Parallel()
	for policy, want := range map[catalog.InventoryPolicy]string{
		catalog.Tracked:         "[out_of_stock out_of_stock in_stock]",
		catalog.AlwaysAvailable: "[in_stock in_stock in_stock]",
		catalog.Backorder:       "[backorder backorder in_stock]",
	} {
		v := catalog.Variant{InventoryPolicy: policy}
		if got := fmt.Sprint([]catalog.Availability{v.Availability(2, 0), v.Availability(2, 1), v.Availability(2, 2)}); got != want {
			t.Errorf("%s: %s", policy, got)
		}
	}
}

func TestAllocate_policies(t *testing.T) {
	t.Parallel()
	v := id.New[id.Variant]([16]byte{15: 1})
	for name, c := range map[string]struct {
		policy       catalog.InventoryPolicy
		main, north  int
		takes, short string
	}{
		"always available":           {catalog.AlwaysAvailable, 9, 9, "[{V  5}]", "[]"},
		"backorder, enough":          {catalog.Backorder, 1, 6, "[{V north 5}]", "[]"},
		"backorder, from two places": {catalog.Backorder, 3, 2, "[{V main 3} {V north 2}]", "[]"},
		"backorder, too few":         {catalog.Backorder, 1, 2, "[{V main 3} {V north 2}]", "[]"},
		"backorder, none":            {catalog.Backorder, 0, 0, "[{V main 5}]", "[]"},
		"tracked, too few":           {catalog.Tracked, 1, 2, "[]", "[{V 3}]"},
	} {
		levels := []catalog.Level{
			{Variant: v, Location: "main", Quantity: c.main, Policy: c.policy}, {Variant: v, Location: "north", Quantity: c.north, Policy: c.policy},
		}
		takes, short := catalog.Allocate([]catalog.Need{{Variant: v, Quantity: 5}}, levels)
		show := func(v any) string { return fmt.Sprint(v) }
		named := func(text string) string { return strings.ReplaceAll(text, v.String(), "V") }
		if named(show(takes)) != c.takes || named(show(short)) != c.short {
			t.Errorf("%s: %v, short %v", name, takes, short)
		}
	}
	if takes, short := catalog.Allocate([]catalog.Need{{Variant: v, Quantity: 1}}, nil); len(takes) != 0 || len(short) != 1 {
		t.Errorf("without levels: %v, %v", takes, short)
	}
}

// A draft without a policy leaves it unchanged.
func TestDraft_inventoryPolicy(t *testing.T) {
	t.Parallel()
	p, _, err := catalog.Create(id.Project{}, catalog.Draft{
		SKU:             patch.To("A"),
		Name:            patch.To("A"),
		Price:           patch.To(money.Of(1, money.USD)),
		InventoryPolicy: patch.To("backorder"),
	}, money.USD, &counter{}, noon)
	if err != nil || p.Variants[0].InventoryPolicy != catalog.Backorder {
		t.Fatalf("%+v, %v", p, err)
	}
	for name, c := range map[string]struct {
		draft catalog.Draft
		want  catalog.InventoryPolicy
		wrong bool
	}{
		"nothing":         {catalog.Draft{}, catalog.Backorder, false},
		"null":            {catalog.Draft{InventoryPolicy: patch.Null[string]()}, catalog.Tracked, false},
		"another":         {catalog.Draft{InventoryPolicy: patch.To("always_available")}, catalog.AlwaysAvailable, false},
		"unknown":         {catalog.Draft{InventoryPolicy: patch.To("sometimes")}, catalog.Tracked, true},
		"variants":        {catalog.Draft{Variants: patch.To([]catalog.VariantDraft{{SKU: "A"}})}, catalog.Backorder, false},
		"variants, other": {catalog.Draft{Variants: patch.To([]catalog.VariantDraft{{SKU: "A", InventoryPolicy: "tracked"}})}, catalog.Tracked, false},
		"with variants":   {catalog.Draft{InventoryPolicy: patch.To("tracked"), Variants: patch.To([]catalog.VariantDraft{{SKU: "A"}})}, catalog.Tracked, true},
	} {
		next, _, err := p.Update(c.draft, &counter{}, noon)
		if (err != nil) != c.wrong || !c.wrong && next.Variants[0].InventoryPolicy != c.want {
			t.Errorf("%s: %+v, %v", name, next, err)
		}
	}
}
