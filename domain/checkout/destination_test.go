package checkout_test

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	at := func(id, city string) checkout.Address { return checkout.Address{ID: id, City: city} }
	held, none := at("home", "Portland"), checkout.Address{}
	for name, test := range map[string]struct {
		sent     []checkout.Address
		selected string
		held     checkout.Address
		want     checkout.Address // none: and unknown, if anything is selected
	}{
		"nothing":                        {nil, "", held, none},
		"the first":                      {[]checkout.Address{at("", "Rome"), at("b", "Bonn")}, "", held, at("", "Rome")},
		"the one selected":               {[]checkout.Address{at("a", "Rome"), at("b", "Bonn")}, "b", none, at("b", "Bonn")},
		"the held one, by its ID":        {nil, "home", held, held},
		"the held one, in a list":        {[]checkout.Address{at("a", "Rome"), at("home", "")}, "home", held, held},
		"the held one, beside others":    {[]checkout.Address{at("a", "Rome"), at("b", "Bonn")}, "home", held, held},
		"the held one, not selected":     {[]checkout.Address{at("home", "")}, "", held, held},
		"the held one, anew":             {[]checkout.Address{at("home", "Rome")}, "home", held, at("home", "Rome")},
		"the held one, without an ID":    {nil, "dest_1", at("", "Portland"), at("", "Portland")},
		"the only one, by the selection": {[]checkout.Address{at("", "Rome")}, "a", held, at("a", "Rome")},
		"unknown":                        {nil, "b", held, none},
		"unknown, and none held":         {nil, "dest_1", none, none},
		"unknown among others":           {[]checkout.Address{at("a", "Rome"), at("", "Bonn")}, "b", held, none},
		"unknown, and not selected":      {[]checkout.Address{at("b", "")}, "", held, none},
	} {
		got, err := checkout.Choose(test.sent, test.selected, test.held)
		refused := test.want == none && (test.selected != "" || len(test.sent) > 0)
		if got != test.want || errors.Is(err, checkout.ErrDestination) != refused {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, test.want)
		}
	}
}

// An address keeps its ID as long as it does not change, and no other address gets that ID.
func TestCheckout_Revise_destinationID(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), strict(line(1, 1, 100, 100)))
	revise := func(change func(*checkout.Cart)) string {
		t.Helper()
		next := strict(line(1, 1, 100, 100))
		change(&next)
		if err := c.Revise(shop(), next, noon); err != nil {
			t.Fatal(err)
		}
		return c.Snapshot().Address.ID
	}
	for i, step := range []struct {
		change func(*checkout.Cart)
		want   string
	}{
		{func(*checkout.Cart) {}, "dest_1"},
		{func(c *checkout.Cart) { c.Address.City = "Albany" }, "dest_3"},
		{func(c *checkout.Cart) { c.Address.City = " Albany" }, "dest_4"},
		{func(c *checkout.Cart) { c.Address.ID = "home" }, "home"},
		{func(*checkout.Cart) {}, "home"},
		{func(c *checkout.Cart) { c.Address = checkout.Address{ID: "home"} }, ""},
		{func(*checkout.Cart) {}, "dest_8"},
	} {
		if got := revise(step.change); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
	if got := open(t, shop(), cart(line(1, 1, 100, 100))).Snapshot().Address; got.ID != "" || got.Key() != "dest_1" {
		t.Errorf("in Haggle's own protocol: %+v", got)
	}
}
