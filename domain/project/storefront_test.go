package project_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

type front = project.StorefrontPatch

func cents(n int64) money.Amount { return money.Of(n, money.USD) }

func TestDefaultStorefront_currencies(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"USD": "5.99", "JPY": "599", "BHD": "5.990"} {
		p := open(t, settings{Currency: patch.To(code), Locale: patch.To("de-DE")})
		f := p.Storefront
		if f.ShippingRates[0].Price.String() != want || !slices.Equal(f.ShippingRegions, []string{"DE"}) || f.ReturnWindowDays != 30 ||
			f.WarehouseName(project.DefaultLocation) != "Main warehouse" || f.TaxTo("DE", "") != 0 {
			t.Errorf("%s: %+v", code, f)
		}
		if err := f.Change(front{}, p.Settings); err != nil {
			t.Errorf("%s: the default storefront does not keep its own rules: %v", code, err)
		}
	}
	if f := open(t, settings{Locale: patch.To("en")}).Storefront; !slices.Equal(f.ShippingRegions, []string{"US"}) {
		t.Errorf("a locale without a country ships to %v", f.ShippingRegions)
	}
}

func TestStorefront_RatesTo(t *testing.T) {
	t.Parallel()
	rate := func(region, method string, price int64) project.ShippingRate {
		return project.ShippingRate{
			Region: region,
			Method: method,
			Price:  cents(price),
		}
	}
	f := project.Storefront{ShippingRates: []project.ShippingRate{
		rate("*", "overnight", 3), rate("*", "standard", 1), rate("DE", "standard", 2), rate("DE", "express", 4),
	}}
	for country, want := range map[string][]project.ShippingRate{
		"US": {rate("*", "standard", 1), rate("*", "overnight", 3)},
		"DE": {rate("DE", "standard", 2), rate("DE", "express", 4), rate("*", "overnight", 3)},
	} {
		if got := f.RatesTo(country); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", country, got, want)
		}
	}
	if got := (project.Storefront{}).RatesTo("US"); got != nil {
		t.Errorf("rates out of nothing: %v", got)
	}
}

func TestStorefront_TaxTo(t *testing.T) {
	t.Parallel()
	for _, order := range [][]project.TaxRate{
		{{Country: "US", Rate: 1}, {Country: "US", State: "NY", Rate: 2}, {Country: "CA", State: "QC", Rate: 3}},
		{{Country: "CA", State: "QC", Rate: 3}, {Country: "US", State: "NY", Rate: 2}, {Country: "US", Rate: 1}},
	} {
		f := project.Storefront{TaxRates: order}
		for destination, want := range map[[2]string]project.Rate{
			{"US", "NY"}: 2, {"US", "NJ"}: 1, {"US", ""}: 1, {"CA", "QC"}: 3, {"CA", "ON"}: 0, {"CA", ""}: 0, {"DE", "NY"}: 0,
			{"US", "ny"}: 2, {"US", " NY "}: 2, {"US", "US-NY"}: 2, {"US", "us-ny"}: 2, {"US", "CA-NY"}: 1,
		} {
			if got := f.TaxTo(destination[0], destination[1]); got != want {
				t.Errorf("%v: %d, want %d", destination, got, want)
			}
		}
	}
}

func TestRate_Of_roundsHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate        project.Rate
		amount, tax int64
	}{{8875, 21150, 1877}, {50_000, 1, 1}, {49_999, 1, 0}, {100_000, 7, 7}, {0, 7, 0}, {1, 49_999, 0}, {1, 50_000, 1}} {
		if got, err := c.rate.Of(cents(c.amount)); err != nil || got != cents(c.tax) {
			t.Errorf("%d thousandths of a percent of %d: %s, want %d (%v)", c.rate, c.amount, got, c.tax, err)
		}
	}
}

// refusals are storefronts that break one rule each, by the field in the error.
var refusals = map[string][]front{
	"description": {{Description: patch.To(strings.Repeat("é", 5001))}},
	"logo_url":    {{LogoURL: patch.To("http://example.com/a.png")}, {LogoURL: patch.To("/a.png")}},
	"shipping_regions": {{ShippingRegions: patch.To([]string{})}, {ShippingRegions: patch.To([]string{"US", "US"})},
		{ShippingRegions: patch.To(countries(251))}},
	"shipping_regions.1": {{ShippingRegions: patch.To([]string{"US", "usa"})}, {ShippingRegions: patch.To([]string{"US", "us"})}},
	"shipping_rates": {{ShippingRates: patch.To([]project.ShippingRate{})}, manyRates(1001),
		{ShippingRates: patch.To([]project.ShippingRate{{Region: "DE", Method: "standard", Price: cents(1)}})}},
	"shipping_rates.0.region": {rates(project.ShippingRate{
		Region: "usa",
		Method: "standard",
		Price:  cents(1),
	})},
	"shipping_rates.0.method": {rates(project.ShippingRate{
		Region: "*",
		Method: "drone",
		Price:  cents(1),
	})},
	"shipping_rates.0.price": {rates(project.ShippingRate{
		Region: "US",
		Method: "express",
		Price:  cents(-1),
	}),
		rates(project.ShippingRate{
			Region: "US",
			Method: "express",
			Price:  money.Of(1, money.Currency{}),
		})},
	"shipping_rates.0.max_days": {
		rates(project.ShippingRate{
			Region:  "US",
			Method:  "express",
			Price:   cents(1),
			MinDays: 2,
			MaxDays: 1,
		}),
		rates(project.ShippingRate{
			Region:  "US",
			Method:  "express",
			Price:   cents(1),
			MinDays: -1,
		}),
		rates(project.ShippingRate{
			Region:  "US",
			Method:  "express",
			Price:   cents(1),
			MaxDays: 366,
		})},
	"shipping_rates.1.method": {{ShippingRates: patch.To([]project.ShippingRate{
		{Region: "*", Method: "express", Price: cents(1)}, {Region: "*", Method: "express", Price: cents(2)}})}},
	"free_shipping_threshold": {threshold(cents(-1)), threshold(money.Of(1, money.Currency{}))},
	"tax_rates.0.country":     {taxes(project.TaxRate{Country: "us"})},
	"tax_rates.0.state":       {taxes(project.TaxRate{Country: "US", State: strings.Repeat("x", 51)})},
	"tax_rates.0.rate":        {taxes(project.TaxRate{Country: "US", Rate: -1}), taxes(project.TaxRate{Country: "US", Rate: 100_001})},
	"tax_rates.1.state":       {taxes(project.TaxRate{Country: "US"}, project.TaxRate{Country: "US", Rate: 5})},
	"return_window_days":      {{ReturnWindowDays: patch.To(-1)}, {ReturnWindowDays: patch.To(3651)}},
	"return_conditions":       {{ReturnConditions: patch.To(strings.Repeat("é", 2001))}},
	"checkout_instructions":   {{CheckoutInstructions: patch.To(strings.Repeat("é", 2001))}},
	"warehouses":              {warehouses(project.Warehouse{Location: "a", Name: "A"}, project.Warehouse{Location: "a", Name: "B"})},
	"warehouses.0.location":   {warehouses(project.Warehouse{Location: "A", Name: "A"}), warehouses(project.Warehouse{Name: "A"})},
	"warehouses.0.name": {warehouses(project.Warehouse{Location: "a"}),
		warehouses(project.Warehouse{Location: "a", Name: strings.Repeat("é", 201)})},
	"warehouses.0.postal_code": {
		warehouses(project.Warehouse{
			Location:   "a",
			Name:       "A",
			PostalCode: "12\n3",
		}),
		warehouses(project.Warehouse{
			Location:   "a",
			Name:       "A",
			PostalCode: strings.Repeat("1", 21),
		}),
	},
	"warehouses.0.country": {warehouses(project.Warehouse{
		Location: "a",
		Name:     "A",
		Country:  "usa",
	})},
}

func countries(n int) (list []string) {
	for i := range n {
		list = append(list, string(rune('A'+i/26))+string(rune('A'+i%26)))
	}
	return list
}

// rates adds a rate for every other country to the one given, so that only its own rules can be broken.
func rates(r project.ShippingRate) front {
	return front{ShippingRates: patch.To([]project.ShippingRate{r, {Region: "*", Method: "standard", Price: cents(1)}})}
}

// manyRates returns so many rates, each for another country and method.
func manyRates(n int) front {
	var list []project.ShippingRate
	for _, country := range append([]string{"*"}, countries(400)...) {
		for _, method := range project.Methods {
			list = append(list, project.ShippingRate{
				Region: country,
				Method: method,
				Price:  cents(1),
			})
		}
	}
	return front{ShippingRates: patch.To(list[:n])}
}

func threshold(a money.Amount) front { return front{FreeShippingThreshold: patch.To(&a)} }

func taxes(list ...project.TaxRate) front { return front{TaxRates: patch.To(list)} }

func warehouses(list ...project.Warehouse) front { return front{Warehouses: patch.To(list)} }

func TestStorefront_Change_refusedFields(t *testing.T) {
	t.Parallel()
	for field, patches := range refusals {
		for i, change := range patches {
			f := open(t, settings{}).Storefront
			change.LogoURL = or(change.LogoURL, patch.To("https://example.com/new.png"))
			before := f
			err := f.Change(change, project.DefaultSettings())
			if !slices.Equal(fields(err), []string{field}) {
				t.Errorf("%s %d: refused %q", field, i, fields(err))
			}
			if !reflect.DeepEqual(f, before) {
				t.Errorf("%s %d: refused, and changed the storefront", field, i)
			}
		}
	}
}

func or[T any](f, fallback patch.Field[T]) patch.Field[T] {
	if f.Given() {
		return f
	}
	return fallback
}

func TestStorefront_Change_limits(t *testing.T) {
	t.Parallel()
	var many []project.Warehouse
	for i := range 100 {
		many = append(many, project.Warehouse{
			Location: "w-" + strconv.Itoa(i),
			Name:     strings.Repeat("é", 200),
			Country:  "DE",
		})
	}
	f := open(t, settings{}).Storefront
	for i, change := range []front{
		{Description: patch.To(strings.Repeat("é", 5000)), ReturnConditions: patch.To(strings.Repeat("é", 2000)), CheckoutInstructions: patch.To(strings.Repeat("é", 2000))},
		{ShippingRegions: patch.To(countries(250)), ReturnWindowDays: patch.To(3650), Warehouses: patch.To(many)},
		rates(project.ShippingRate{
			Region:  "US",
			Method:  "express",
			Price:   cents(0),
			MaxDays: 365,
		}), threshold(cents(0)),
		taxes(project.TaxRate{
			Country: "US",
			Rate:    100_000,
			State:   strings.Repeat("x", 50),
		}, project.TaxRate{Country: "US"}),
		manyRates(1000),
		{LogoURL: patch.To(""), ReturnWindowDays: patch.To(0), Warehouses: patch.To([]project.Warehouse{})},
	} {
		if err := f.Change(change, project.DefaultSettings()); err != nil {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if f.WarehouseName("w-1") != "w-1" {
		t.Error("a location that has no warehouse is its own name")
	}
}

func TestStorefront_Change_nullRestoresDefaults(t *testing.T) {
	t.Parallel()
	p := open(t, settings{})
	defaults := p.Storefront
	change := threshold(cents(5000))
	change.Description, change.ReturnWindowDays, change.ShippingRegions = patch.To("x"), patch.To(3), patch.To([]string{"DE"})
	if err := p.Storefront.Change(change, p.Settings); err != nil || !p.Storefront.ShipsTo("DE") || p.Storefront.ShipsTo("US") {
		t.Fatalf("%+v, %v", p.Storefront, err)
	}
	if err := p.Storefront.Change(front{
		Description:           patch.Null[string](),
		ReturnWindowDays:      patch.Null[int](),
		ShippingRegions:       patch.Null[[]string](),
		FreeShippingThreshold: patch.Null[*money.Amount](),
		ShippingRates:         patch.Null[[]project.ShippingRate](),
	}, p.Settings); err != nil || !reflect.DeepEqual(p.Storefront, defaults) {
		t.Errorf("%+v, want %+v (%v)", p.Storefront, defaults, err)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	f := project.Storefront{Warehouses: []project.Warehouse{{Location: "attic"}, {Location: "main", PostalCode: "78703"}, {Location: "north", PostalCode: "99501"}}}
	for location, want := range map[string]string{"main": "78703", "north": "99501", "attic": "78703", "": "78703"} {
		if got := f.Origin(location); got != want {
			t.Errorf("%q ships from %q, want %q", location, got, want)
		}
	}
	if got := (project.Storefront{Warehouses: f.Warehouses[:1]}).Origin("attic"); got != "" {
		t.Errorf("ships from %q", got)
	}
}

func TestNotServed(t *testing.T) {
	t.Parallel()
	f := project.DefaultStorefront(project.DefaultSettings())
	f.ShippingRegions = []string{"US", "CA", "MX"}
	f.ShippingRates = slices.DeleteFunc(slices.Clone(f.ShippingRates), func(r project.ShippingRate) bool { return r.Region == "*" })
	for _, country := range []string{"US", "CA"} {
		f.ShippingRates = append(f.ShippingRates, project.ShippingRate{Method: "standard", Region: country})
	}
	if f.Serves("MX") || f.Serves("DE") || !f.Serves("CA") {
		t.Error("serves where no rate is known, or does not where one is")
	}
	if got := f.NotServed("DE"); got != "DE is not in the shop's shipping_regions; it ships to US, CA" {
		t.Errorf("%q", got)
	}
	f.ShippingRegions = nil
	if got := f.NotServed("DE"); got != "DE is not in the shop's shipping_regions; this shop does not ship anywhere" {
		t.Errorf("%q", got)
	}
}
