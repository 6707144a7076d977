package catalog_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

func products(t *rapid.T) []id.Product {
	all := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 16, 16), 0, 200).Draw(t, "products")
	ids := make([]id.Product, len(all))
	for i, bits := range all {
		ids[i] = id.New[id.Product]([16]byte(bits))
	}
	return ids
}

func TestPlace_isReadAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shown, others := products(t), products(t)
		p := &catalog.Place{
			Shown:  (*catalog.Place)(nil).With(shown),
			Behind: rapid.Bool().Draw(t, "behind"),
			Value:  rapid.Int64().Draw(t, "value"),
			Left:   rapid.IntRange(0, 1000).Draw(t, "left"),
			Best:   rapid.Uint32().Draw(t, "best"),
			Surety: rapid.Uint32().Draw(t, "surety"),
		}
		if len(others) > 0 {
			p.Last = others[0]
		}
		read, err := catalog.ParsePlace(p.Bytes())
		if err != nil || !reflect.DeepEqual(read, p) {
			t.Fatalf("%+v is read as %+v, %v", p, read, err)
		}
		known := map[id.Product]bool{}
		for _, product := range shown {
			known[product] = true
		}
		for _, product := range append(shown, others...) {
			if read.Has(product) != known[product] {
				t.Fatalf("%s was shown: %t", product, known[product])
			}
		}
		for n := range p.Bytes() {
			if _, err := catalog.ParsePlace(p.Bytes()[:n]); err == nil {
				t.Fatalf("%d bytes of %d are read", n, len(p.Bytes()))
			}
		}
	})
	if (*catalog.Place)(nil).Has(id.New[id.Product]([16]byte{1})) {
		t.Error("no place has shown a product")
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add((&catalog.Place{Shown: []uint64{1, 9}, Behind: true}).Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := catalog.ParsePlace(b); err == nil && len(p.Shown) > len(b) {
			t.Errorf("%d marks of %d bytes", len(p.Shown), len(b))
		}
	})
}

func TestFilter_Check(t *testing.T) {
	t.Parallel()
	low, high := money.Of(1, money.USD), money.Of(2, money.USD)
	for want, f := range map[bool]catalog.Filter{
		true:  {PriceMin: &low, PriceMax: &low},
		false: {PriceMin: &high, PriceMax: &low},
	} {
		check := fault.NewCheck()
		if f.Check(check); (check.Err() == nil) != want {
			t.Errorf("%+v: %v", f, check.Err())
		}
	}
}

func TestFilter_Criteria(t *testing.T) {
	t.Parallel()
	price := money.Of(1, money.USD)
	whole := catalog.Filter{
		Categories: []string{"a"},
		Brands:     []string{"b"},
		PriceMin:   &price,
		PriceMax:   &price,
		Size:       "M",
		Colors:     []string{"red"},
		Attributes: map[string][]string{"use": {"x"}, "fit": {"y"}},
		RatingMin:  1,
		InStock:    true,
	}
	var names []string
	for _, c := range whole.Criteria() {
		names = append(names, c.Name)
		if again := c.Alone.Criteria(); len(again) != 1 || again[0].Name != c.Name {
			t.Errorf("%s alone is %+v", c.Name, c.Alone)
		}
		if rest := c.Without.Criteria(); len(rest) != 9 {
			t.Errorf("%d criteria without %s", len(rest), c.Name)
		}
	}
	want := []string{"category", "brand", "price_min", "price_max", "size", "color_preference", "attributes.fit", "attributes.use", "rating_min", "in_stock"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if n := reflect.TypeFor[catalog.Filter]().NumField(); n != 10 { // Physical is set by the protocol, not by a buyer
		t.Errorf("a filter has %d fields: is the new one a criterion?", n)
	}
}

func TestParseSort(t *testing.T) {
	t.Parallel()
	for _, s := range catalog.Sorts {
		if got, known := catalog.ParseSort(s.String()); got != s || !known {
			t.Errorf("%s is read as %s, %t", s, got, known)
		}
	}
	if s, known := catalog.ParseSort(""); s != catalog.Relevance || !known {
		t.Error("no name is not by relevance")
	}
	if _, known := catalog.ParseSort("cheapest"); known {
		t.Error("cheapest is known")
	}
}

func TestNoResults_Message(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]catalog.NoResults{
		"0 match 'q'; did you mean tent, tend?":                                         {Nearest: []string{"tent", "tend"}},
		"0 match 'q', and the shop has no similar word.":                                {},
		"1 product matches without filters; size removes 1 of them.":                    {Matched: 1, RemovedBy: []catalog.Removal{{Filter: "size", Removed: 1}}},
		"2 products match without filters, but no variant passes all of them together.": {Matched: 2, RemovedBy: []catalog.Removal{{Filter: "size"}}},
		"3 products match without filters; price_max removes 3 of them.":                {Matched: 3, RemovedBy: []catalog.Removal{{Filter: "price_max", Removed: 3}, {Filter: "size", Removed: 1}}},
	} {
		if got := n.Message("q"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Category returns the category of a filter that has exactly one.
func TestFilter_Category(t *testing.T) {
	t.Parallel()
	for want, categories := range map[string][]string{"tents": {"tents"}, "": {"tents", "stoves"}} {
		if got := (catalog.Filter{Categories: categories}).Category(); got != want {
			t.Errorf("%v: %q", categories, got)
		}
	}
}
