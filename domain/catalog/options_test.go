package catalog_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// jacket returns a product with the variants S green, M green, M red and L blue. S green and L blue are sold out.
func jacket() (*catalog.Product, map[id.Variant]int) {
	p, stock := &catalog.Product{}, map[id.Variant]int{}
	for i, v := range []catalog.Variant{{Size: "S", Color: "Green"}, {Size: "M", Color: "Green"}, {Size: "M", Color: "Red"}, {Size: "L", Color: "Blue"}} {
		v.ID = id.New[id.Variant]([16]byte{15: byte(i + 1)})
		p.Variants = append(p.Variants, v)
		if v.Size == "M" {
			stock[v.ID] = 3
		}
	}
	return p, stock
}

func labels(c catalog.Choice) (all []string) {
	for _, v := range c.Variants {
		all = append(all, v.Label())
	}
	return all
}

func TestProduct_Choose(t *testing.T) {
	t.Parallel()
	size := func(v string) catalog.Selection { return catalog.Selection{Option: "size", Value: v} }
	color := func(v string) catalog.Selection { return catalog.Selection{Option: "Color", Value: v} }
	for name, c := range map[string]struct {
		wanted         []catalog.Selection
		preferred      []string
		held, variants string
	}{
		"the featured one is the first in stock": {nil, nil, "[{Size M} {Color Green}]", "[M / Green]"},
		"part of the options":                    {[]catalog.Selection{color("GREEN")}, nil, "[{Color Green}]", "[M / Green S / Green]"},
		"all of the options":                     {[]catalog.Selection{size("s"), color("green")}, nil, "[{Size S} {Color Green}]", "[S / Green]"},
		"the least preferred is given up":        {[]catalog.Selection{size("L"), color("red")}, []string{"Color", "Size"}, "[{Color Red}]", "[M / Red]"},
		"the other way about":                    {[]catalog.Selection{size("L"), color("red")}, []string{"Size", "Color"}, "[{Size L}]", "[L / Blue]"},
		"what is not preferred goes first":       {[]catalog.Selection{size("L"), color("red")}, []string{"Size"}, "[{Size L}]", "[L / Blue]"},
		"what nothing has goes before the rest":  {[]catalog.Selection{size("XXL"), color("red")}, []string{"Size", "Color"}, "[{Color Red}]", "[M / Red]"},
		"nothing is left":                        {[]catalog.Selection{{Option: "Mood", Value: "cosy"}}, nil, "[]", "[M / Green S / Green M / Red L / Blue]"},
	} {
		p, stock := jacket()
		got := p.Choose(c.wanted, c.preferred, stock)
		if fmt.Sprint(got.Selected) != c.held || fmt.Sprint(labels(got)) != c.variants {
			t.Errorf("%s: %v, %q", name, got.Selected, labels(got))
		}
	}
}

func TestProduct_Choose_options(t *testing.T) {
	t.Parallel()
	p, stock := jacket()
	got := fmt.Sprint(p.Choose([]catalog.Selection{{Option: "Color", Value: "Green"}}, nil, stock).Options)
	want := "[{Size [{S true false} {M true true} {L false false}]} {Color [{Green true true} {Red true true} {Blue true false}]}]"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The requested variant comes first, even if it is sold out.
func TestProduct_ChooseVariant(t *testing.T) {
	t.Parallel()
	p, stock := jacket()
	if got := p.ChooseVariant(p.Variants[3], stock); fmt.Sprint(labels(got)) != "[L / Blue]" || fmt.Sprint(got.Selected) != "[{Size L} {Color Blue}]" {
		t.Errorf("%v, %q", got.Selected, labels(got))
	}
}
