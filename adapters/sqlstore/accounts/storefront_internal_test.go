package accounts

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The storefront is read into one with the default rules, whose texts must not show through.
func TestStorefrontFormat_overDefaults(t *testing.T) {
	t.Parallel()
	usd, err := money.ParseCurrency("USD")
	if err != nil {
		t.Fatal(err)
	}
	stored := project.Storefront{}
	stored.Personalization.Regions = []personalization.Region{
		{Region: "DE", Mode: personalization.Off},
		{Region: "US", Mode: personalization.Allowed},
	}
	text, err := storefrontFormat.Text(stored)
	if err != nil {
		t.Fatal(err)
	}
	read := project.Storefront{Personalization: personalization.DefaultRules()}
	if err := storefrontFormat.Read(text, &read, usd); err != nil {
		t.Fatal(err)
	}
	if got := read.Personalization; got.Default != (personalization.Mode{}) || len(got.Regions) != 2 || got.Regions[0] != stored.Personalization.Regions[0] || got.Regions[1] != stored.Personalization.Regions[1] {
		t.Errorf("%s is read as %+v", text, got)
	}
}
