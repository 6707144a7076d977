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
		if got := checkout.Locate(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
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
