package checkout_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// digitalShop is in Germany, where the tax is 19 %, and also ships to France, where it is 20 %.
func digitalShop() *project.Project {
	p := &project.Project{Settings: project.Settings{Currency: money.USD, Locale: "de-DE"}}
	p.Storefront = project.DefaultStorefront(p.Settings)
	p.Storefront.ShippingRegions = []string{"FR", "DE"}
	p.Storefront.Warehouses[0].Country = "DE"
	p.Storefront.TaxRates = []project.TaxRate{{Country: "DE", Rate: 19_000}, {Country: "FR", Rate: 20_000}}
	return p
}

func lineOf(minor int64, digital bool) checkout.Line {
	return checkout.Line{
		Variant:  id.New[id.Variant]([16]byte{byte(minor)}),
		Quantity: 1,
		Unit:     money.Of(minor, money.USD),
		Original: money.Of(minor, money.USD),
		Digital:  digital,
	}
}

func openDigital(t *testing.T, p *project.Project, a checkout.Address, lines ...checkout.Line) (*checkout.Checkout, error) {
	t.Helper()
	return checkout.Open(id.New[id.Checkout]([16]byte{1}), p, checkout.Cart{Lines: lines, Address: a}, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
}

func TestOpen_digitalNeedsNoAddress(t *testing.T) {
	t.Parallel()
	for country, tax := range map[string]int64{"": 190, "DE": 190, "FR": 200} {
		c, err := openDigital(t, digitalShop(), checkout.Address{Country: country}, lineOf(1000, true))
		if err != nil {
			t.Fatal(country, err)
		}
		s := c.Snapshot()
		if s.Status != checkout.Ready || len(s.Options) != 0 || s.Tax.Minor() != tax || c.Total().Minor() != 1000+tax || len(c.Missing()) != 0 {
			t.Errorf("%q: %s, %d options, tax %s, total %s, missing %q", country, s.Status, len(s.Options), s.Tax, c.Total(), c.Missing())
		}
		if err := c.Claim(checkout.Payment{}, nil, s.CreatedAt); err != nil {
			t.Error(country, err)
		}
	}
}

func TestOpen_digitalRefuses(t *testing.T) {
	t.Parallel()
	byState := digitalShop()
	byState.Storefront.Warehouses[0].Country, byState.Storefront.ShippingRegions = "US", []string{"US"}
	byState.Storefront.TaxRates = []project.TaxRate{{Country: "US", State: "CA", Rate: 7_250}}
	for name, one := range map[string]struct {
		shop *project.Project
		to   checkout.Address
	}{
		"no state where the tax depends on it": {byState, checkout.Address{}},
		"a country that is not served":         {digitalShop(), checkout.Address{Country: "AE"}},
	} {
		if _, err := openDigital(t, one.shop, one.to, lineOf(1000, true)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := openDigital(t, byState, checkout.Address{Country: "US", State: "CA"}, lineOf(1000, true))
	if err != nil || c.Snapshot().Tax.Minor() != 73 {
		t.Error(c, err)
	}
}

// Shipping is free from 15.00. A mixed cart of 10.00 and 20.00 ships only 10.00.
func TestOpen_mixedShipsThePhysicalPart(t *testing.T) {
	t.Parallel()
	p := digitalShop()
	threshold := money.Of(1500, money.USD)
	p.Storefront.FreeShippingThreshold = &threshold
	if _, err := openDigital(t, p, checkout.Address{}, lineOf(1000, false), lineOf(2000, true)); fault.KindOf(err) != fault.Invalid {
		t.Fatal("no address:", err)
	}
	home := checkout.Address{
		Name:       "A",
		Line1:      "B",
		City:       "C",
		PostalCode: "1",
		Country:    "DE",
	}
	c, err := openDigital(t, p, home, lineOf(1000, false), lineOf(2000, true))
	if err != nil || c.Shipping().Minor() != 599 || c.Snapshot().Tax.Minor() != 570 || c.Total().Minor() != 4169 {
		t.Fatal(c, err)
	}
	if err := c.Claim(checkout.Payment{Option: "none"}, nil, c.Snapshot().CreatedAt); err == nil {
		t.Error("a way of shipping that is none is taken")
	}
}
