package discovery_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// twoLocations is a shop with a tent, two pieces at one location and three at another, and a jacket in two sizes, one of them
// with a single piece.
func twoLocations() (s *fixture, tent, jacket *catalog.Product) {
	tent, jacket = product(1, 100_00), product(2, 50_00)
	jacket.Variants = append(jacket.Variants, catalog.Variant{ID: id.New[id.Variant]([16]byte{3}), Price: new(usd(60_00))})
	return &fixture{
		products: []*catalog.Product{tent, jacket},
		levels: []catalog.Level{
			level(tent, "main", 2), level(tent, "north", 3),
			{Product: jacket.ID, Variant: jacket.Variants[1].ID, Location: "main", Quantity: 1},
		},
	}, tent, jacket
}

func TestAvailability(t *testing.T) {
	t.Parallel()
	s, tent, jacket := twoLocations()
	service, p := open(s)
	pieces := func(n int) discovery.Wanted { return discovery.Wanted{Product: tent.ID, Quantity: n} }
	large := discovery.Wanted{
		Product:  jacket.ID,
		Variant:  jacket.Variants[1].ID,
		Quantity: 1,
	}
	small := discovery.Wanted{
		Product:  jacket.ID,
		Variant:  jacket.Variants[0].ID,
		Quantity: 1,
	}
	type got struct {
		quantity int
		location string
	}
	for name, test := range map[string]struct {
		items []discovery.Wanted
		all   bool
		want  []got
	}{
		"from the first place":       {[]discovery.Wanted{pieces(2)}, true, []got{{5, "main"}}},
		"from the place with enough": {[]discovery.Wanted{pieces(3)}, true, []got{{5, "north"}}},
		"from both places":           {[]discovery.Wanted{pieces(5)}, true, []got{{5, "main"}}},
		"more than there is":         {[]discovery.Wanted{pieces(6)}, false, []got{{5, "main"}}},
		"the same twice":             {[]discovery.Wanted{pieces(3), pieces(3)}, false, []got{{5, "north"}, {2, "north"}}},
		"nothing left":               {[]discovery.Wanted{small, large}, false, []got{{0, ""}, {1, "main"}}},
	} {
		answer, err := service.Availability(t.Context(), p, test.items, "US")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var found []got
		for _, a := range answer.Items {
			found = append(found, got{a.Quantity, a.Location})
			if a.Wanted.Variant.IsZero() {
				t.Errorf("%s: %+v names no variant", name, a)
			}
		}
		if answer.All != test.all || !reflect.DeepEqual(found, test.want) {
			t.Errorf("%s: all %t, %v; want %t, %v", name, answer.All, found, test.all, test.want)
		}
	}
}

func TestAvailability_shipping(t *testing.T) {
	t.Parallel()
	s, tent, jacket := twoLocations()
	service, p := open(s)
	p.Storefront.FreeShippingThreshold = new(usd(160_00))
	items := []discovery.Wanted{{Product: tent.ID, Quantity: 1}, {Product: jacket.ID, Variant: jacket.Variants[0].ID, Quantity: 1}}
	for _, test := range []struct {
		variant id.Variant
		free    bool
		cost    money.Amount
	}{
		{jacket.Variants[0].ID, false, usd(5_99)}, // 150.00
		{jacket.Variants[1].ID, true, usd(0)},     // 160.00
	} {
		items[1].Variant = test.variant
		answer, err := service.Availability(t.Context(), p, items, "US")
		if err != nil || answer.FreeShipping != test.free || answer.Shipping != test.cost || len(answer.Options) != 3 {
			t.Errorf("%+v, %v; want %+v", answer, err, test)
		}
	}
}

func TestAvailability_refused(t *testing.T) {
	t.Parallel()
	s, tent, jacket := twoLocations()
	tent.Price = usd(money.Limit - 1)
	service, p := open(s)
	one := discovery.Wanted{Product: tent.ID, Quantity: 1}
	for name, test := range map[string]struct {
		items   []discovery.Wanted
		country string
		code    string
		fields  []string
	}{
		"nothing":            {nil, "US", "validation_error", []string{"items"}},
		"too many":           {slices.Repeat([]discovery.Wanted{one}, 51), "US", "validation_error", []string{"items"}},
		"all wrong":          {[]discovery.Wanted{{Product: tent.ID}, one, {Quantity: 1001}}, "NO", "validation_error", []string{"items.0.quantity", "items.2.quantity", "shipping_address.country"}},
		"an unknown product": {[]discovery.Wanted{{Product: id.New[id.Product]([16]byte{9}), Quantity: 1}}, "US", "product_not_found", nil},
		"an unknown variant": {[]discovery.Wanted{{Product: tent.ID, Variant: jacket.Variants[0].ID, Quantity: 1}}, "US", "variant_not_found", nil},
		"which of several":   {[]discovery.Wanted{{Product: jacket.ID, Variant: jacket.Variants[0].ID, Quantity: 1}, {Product: jacket.ID, Quantity: 1}}, "US", "validation_error", []string{"items.1.variant_id"}},
		"too dear together":  {[]discovery.Wanted{{Product: tent.ID, Quantity: 1000}, {Product: tent.ID, Quantity: 1000}}, "US", "validation_error", []string{"items"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := service.Availability(t.Context(), p, test.items, test.country)
			expectFault(t, err, test.code, test.fields...)
		})
	}
}

func TestAvailability_fails(t *testing.T) {
	t.Parallel()
	for _, breaks := range []func(*fixture){func(s *fixture) { s.readErr = errGone }, func(s *fixture) { s.stockErr = errGone }} {
		s, tent, _ := twoLocations()
		breaks(s)
		service, p := open(s)
		if _, err := service.Availability(t.Context(), p, []discovery.Wanted{{Product: tent.ID, Quantity: 1}}, "US"); !errors.Is(err, errGone) {
			t.Errorf("got %v", err)
		}
	}
}
