package checkout_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

func TestCountry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"US": "US", " us ": "US", "USA": "US", "usa": "US", "U.S.A.": "US", "United States": "US", "the united states of america": "US",
		"UK": "GB", "Great Britain": "GB", "United Kingdom": "GB", "GBR": "GB",
		"Germany": "DE", "DEU": "DE", "de": "DE",
		"Côte d’Ivoire": "CI", "Côte d'Ivoire": "CI", "Ivory Coast": "CI",
		"Bosnia & Herzegovina": "BA", "bosnia and herzegovina": "BA", "Guinea-Bissau": "GW", "Czech Republic": "CZ", "Czechia": "CZ", "Türkiye": "TR", "Turkey": "TR",
		"SGP": "SG", "Singapore": "SG",
		"XX": "XX", "Atlantis": "Atlantis", "U": "U", "": "",
	} {
		if got := checkout.Country(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, code := range []string{"US", "XX"} {
		if !checkout.KnownCountry(code) {
			t.Errorf("%s is no code", code)
		}
	}
	for _, text := range []string{"", "us", "USA", "U1", "Ü"} {
		if checkout.KnownCountry(text) {
			t.Errorf("%q is a code", text)
		}
	}
}

// An address with an unknown country counts as an address without a country.
func TestOpen_unknownCountry(t *testing.T) {
	t.Parallel()
	asked := strict(line(1, 1, 100, 100))
	asked.Address.Country = "Untied States"
	c := open(t, shop(), asked)
	if c.Undeliverable() || c.Status() != checkout.Incomplete || !slices.Equal(c.Missing(), []string{"shipping_address.country"}) || len(c.Snapshot().Options) > 0 {
		t.Errorf("%s without %v, options %v", c.Status(), c.Missing(), c.Snapshot().Options)
	}
	asked.Address.Country = "united states"
	if c := open(t, shop(), asked); c.Status() != checkout.Ready || c.Snapshot().Address.Country != "US" {
		t.Errorf("%s to %s without %v", c.Status(), c.Snapshot().Address.Country, c.Missing())
	}
}
