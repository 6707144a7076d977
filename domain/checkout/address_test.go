package checkout_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

func TestAddress_For(t *testing.T) {
	t.Parallel()
	ada := checkout.Buyer{First: "Ada", Last: "Buyer"}
	for name, test := range map[string]struct {
		address checkout.Address
		buyer   checkout.Buyer
		want    checkout.Address
	}{
		"a name that is whole": {checkout.Address{Name: "Ada B. Buyer"}, ada, checkout.Address{Name: "Ada B. Buyer"}},
		"parts alone": {checkout.Address{First: "Eve", Last: "Other"}, ada, checkout.Address{
			Name:  "Eve Other",
			First: "Eve",
			Last:  "Other",
		}},
		"a last name alone": {checkout.Address{Last: "Other"}, ada, checkout.Address{Name: "Other", Last: "Other"}},
		"both": {checkout.Address{
			Name:  "E. Other",
			First: "Eve",
			Last:  "Other",
		}, ada, checkout.Address{
			Name:  "E. Other",
			First: "Eve",
			Last:  "Other",
		}},
		"nothing, and a buyer": {checkout.Address{}, ada, checkout.Address{
			Name:  "Ada Buyer",
			First: "Ada",
			Last:  "Buyer",
		}},
		"spaces, and a buyer": {checkout.Address{Name: " "}, ada, checkout.Address{
			Name:  "Ada Buyer",
			First: "Ada",
			Last:  "Buyer",
		}},
		"nothing, and nobody known": {checkout.Address{}, checkout.Buyer{Email: "ada@example.com"}, checkout.Address{}},
	} {
		if got := test.address.For(test.buyer); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
		if missing := slices.Contains(test.address.For(test.buyer).Missing(), "name"); missing != (test.want.Name == "") {
			t.Errorf("%s: a name is missing: %t", name, missing)
		}
	}
}

func TestAddress_Names(t *testing.T) {
	t.Parallel()
	for address, want := range map[checkout.Address][2]string{
		{Name: "Ada Buyer"}:    {"Ada", "Buyer"},
		{Name: "Ada B. Buyer"}: {"Ada B.", "Buyer"},
		{Name: " Ada  Buyer "}: {"Ada", "Buyer"},
		{Name: "Cher"}:         {"", "Cher"},
		{Name: ""}:             {"", ""},
		{
			Name:  "E. Other",
			First: "Eve",
			Last:  "van Dam",
		}: {"Eve", "van Dam"},
		{Name: "van Dam", Last: "van Dam"}: {"", "van Dam"},
	} {
		if first, last := address.Names(); first != want[0] || last != want[1] {
			t.Errorf("%+v: %q, %q", address, first, last)
		}
	}
}

// A checkout for a known buyer needs no name in its address.
func TestOpen_nameOfBuyer(t *testing.T) {
	t.Parallel()
	wanted := cart(line(1, 1, 10_000, 10_000))
	wanted.Address.Name, wanted.Buyer = "", checkout.Buyer{First: "Ada", Last: "Buyer"}
	if c := open(t, shop(), wanted); c.Snapshot().Address.Name != "Ada Buyer" || c.Status() != checkout.Ready {
		t.Errorf("%+v", c.Snapshot())
	}
}
