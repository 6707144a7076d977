package checkout_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"US-NY":                "US-NY",
		" us-ny ":              "US-NY",
		"NY, US":               "US-NY",
		"Brooklyn, NY, USA":    "US-NY",
		"New York":             "US-NY",
		"new york, USA":        "US-NY",
		"Brooklyn, NY":         "US-NY",
		"Albany, New York, US": "US-NY",
		"Boston, USA":          "US",
		"US":                   "US",
		"usa":                  "US",
		"CA":                   "CA",
		"Toronto, ON, Canada":  "CA-ON",
		"Germany":              "DE",
		"Berlin, Germany":      "DE",
		"DE-BY":                "DE-BY",
		"XX-NY":                "",
		"the moon":             "",
		"":                     "",
		",":                    "",
	} {
		if got := checkout.Locate(text, "GB"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// After a comma, a name or code that a part of the home country shares with a country is that part.
func TestLocate_home(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ unitedStates, germany string }{
		"Baltimore, MD":            {"US-MD", "MD"},
		"Wilmington, DE":           {"US-DE", "DE"},
		"Atlanta, Georgia":         {"US-GA", "GE"},
		"Los Angeles, CA 90001":    {"US-CA", "CA"},
		"Brooklyn, NY 11201, USA":  {"US-NY", "US-NY"},
		"New York, NY 10001":       {"US-NY", "US-NY"},
		"New York, NY, 10001":      {"US-NY", "US-NY"},
		"Vancouver, BC":            {"CA-BC", "CA-BC"},
		"Berlin, Germany":          {"DE", "DE"},
		"10115 Berlin, Germany":    {"DE", "DE"},
		"CA":                       {"CA", "CA"},
		"Georgia":                  {"GE", "GE"},
		"12345":                    {"", ""},
		"Toronto, Ontario, Canada": {"CA-ON", "CA-ON"},
	} {
		if us, de := checkout.Locate(text, "US"), checkout.Locate(text, "DE"); us != want.unitedStates || de != want.germany {
			t.Errorf("%q is %q for a shop in the United States and %q for one in Germany, want %+v", text, us, de, want)
		}
	}
}

// A statement that says no more does not replace what was said.
func TestRefine(t *testing.T) {
	t.Parallel()
	for _, row := range [][3]string{
		{"Brooklyn, NY", "US", "Brooklyn, NY"},
		{"US-NY", "US", "US-NY"},
		{"Munich, Germany", "DE", "Munich, Germany"},
		{"Brooklyn, NY 11201", "US-NY", "Brooklyn, NY 11201"},
		{"US-NY", "US-CA", "US-CA"},
		{"US-NY", "DE", "DE"},
		{"US", "US-NY", "US-NY"},
		{"the moon", "US", "US"},
		{"", "US", "US"},
	} {
		if got := checkout.Refine(row[0], row[1], "US"); got != row[2] {
			t.Errorf("%q, then %q: %q, want %q", row[0], row[1], got, row[2])
		}
	}
}

func TestKnownPlace(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"US": true, "US-NY": true, "CA-QC": true, "AU-NSW": true, "DE": true, "DE-BY": true,
		"US-NU": false, "XX": false, "XX-NY": false, "US-New York": false, "": false,
	} {
		if got := checkout.KnownPlace(code); got != want {
			t.Errorf("%q: %t", code, got)
		}
	}
}

func TestAddress_RegionCode(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]checkout.Address{
		"US-NY": {Country: "us", State: "New York"},
		"US":    {Country: "US"},
		"DE":    {Country: "DE", State: "Bavaria"},
		"DE-BY": {Country: "DE", State: "BY"},
		"":      {State: "NY"},
	} {
		if got := a.RegionCode(); got != want {
			t.Errorf("%+v is in %q, want %q", a, got, want)
		}
	}
}
