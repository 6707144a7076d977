package checkout_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// strict returns a complete cart whose agent can see problems.
func strict(lines ...checkout.Line) checkout.Cart {
	c := cart(lines...)
	c.Partial, c.Strict, c.Buyer.Email = true, true, "ada@example.com"
	return c
}

// A cart with problems cannot be paid until its agent sends the cart again.
func TestCheckout_Claim_cartProblems(t *testing.T) {
	t.Parallel()
	kept := line(2, 1, 100, 100)
	kept.ID = 7
	asked := strict(line(1, 1, 100, 100), kept)
	asked.Problems = []checkout.Problem{{Kind: checkout.DealExpired}, {Kind: checkout.DealNotUsed, Line: 2}, {Kind: checkout.QuantityReduced, Line: 1}}
	c := open(t, shop(), asked)
	want := []checkout.Problem{{Kind: checkout.DealExpired}, {Kind: checkout.DealNotUsed, Line: 7}, {Kind: checkout.QuantityReduced, Line: 1}}
	if got := c.Snapshot().CartProblems; c.Status() != checkout.Incomplete || !slices.Equal(got, want) || len(c.Missing()) > 0 {
		t.Errorf("%s with %v, without %v", c.Status(), got, c.Missing())
	}
	var e *fault.Error
	if err := c.Claim(token, held, noon); !errors.As(err, &e) || e.Code != "checkout_incomplete" || len(e.Details) != 3 {
		t.Errorf("it can be paid: %v", err)
	}
	if err := c.Revise(shop(), strict(line(1, 1, 100, 100)), noon); err != nil || c.Status() != checkout.Ready || len(c.Snapshot().CartProblems) > 0 {
		t.Errorf("sent again: %v, %s, %v", err, c.Status(), c.Snapshot().CartProblems)
	}
}

// An address that the shop does not ship to is accepted and reported as a problem, if the agent can see problems.
func TestUndeliverable(t *testing.T) {
	t.Parallel()
	asked := strict(line(1, 1, 100, 100))
	asked.Address.Country = "FR"
	c := open(t, shop(), asked)
	if !c.Undeliverable() || c.Status() != checkout.Incomplete || c.Total() != cents(100) || len(c.Snapshot().Options) > 0 {
		t.Errorf("%s, %s, options %v", c.Status(), c.Total(), c.Snapshot().Options)
	}
	var e *fault.Error
	if err := c.Claim(token, held, noon); !errors.As(err, &e) || e.Code != "checkout_incomplete" || e.Details[0].Field != "shipping_address.country" {
		t.Errorf("it can be paid: %v", err)
	}
	asked.Strict = false
	if _, err := checkout.Open(c.ID(), shop(), asked, noon); !errors.As(err, &e) || e.Code != "validation_error" {
		t.Errorf("in Haggle's own protocol: %v", err)
	}
	if err := c.Revise(shop(), strict(line(1, 1, 100, 100)), noon); err != nil || c.Undeliverable() || c.Status() != checkout.Ready {
		t.Errorf("to another country: %v, %s", err, c.Status())
	}
}

// A refused update leaves the cart unchanged, and blocks payment until an update is accepted.
func TestRefuse(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), strict(line(1, 2, 100, 100)))
	before := c.Snapshot()
	for _, why := range []checkout.ProblemKind{checkout.ItemsRefused, checkout.DestinationUnknown, checkout.UpdateRefused} {
		if err := c.Refuse(why, noon); err != nil {
			t.Fatal(err)
		}
		if got := c.Snapshot().CartProblems; c.Status() != checkout.Incomplete || !slices.Equal(got, []checkout.Problem{{Kind: why}}) {
			t.Errorf("%s: %s with %v", why, c.Status(), got)
		}
	}
	after := c.Snapshot()
	if !slices.Equal(after.Lines, before.Lines) || after.Address != before.Address || after.Revision != before.Revision+3 || c.Total().Minor() == 0 {
		t.Errorf("%+v", after)
	}
	if err := c.Claim(token, held, noon); !fault.Is(err, "checkout_incomplete") {
		t.Errorf("it can be paid: %v", err)
	}
	if err := c.Revise(shop(), strict(line(1, 1, 100, 100)), noon); err != nil || c.Status() != checkout.Ready {
		t.Errorf("another update: %v, %s", err, c.Status())
	}
}

// A checkout whose agreed price was used by an order cannot be paid, and reports why, until it is revised without that
// price.
func TestLoseDeals(t *testing.T) {
	t.Parallel()
	deal, other := id.New[id.Quote]([16]byte{1}), id.New[id.Quote]([16]byte{2})
	agreed := func(quote id.Quote, bundled bool) checkout.Line {
		l := line(1, 1, 90, 100)
		l.Quote, l.Bundled = quote, bundled
		return l
	}
	asked := strict(line(1, 1, 100, 100), agreed(deal, false), agreed(deal, true), agreed(other, false))
	c := open(t, shop(), asked)
	if c.LoseDeals([]id.Quote{id.New[id.Quote]([16]byte{3})}, noon) || c.LoseDeals([]id.Quote{deal}, late) || c.DealsLost() || c.Status() != checkout.Ready {
		t.Errorf("lost nothing: %s with %v", c.Status(), c.Snapshot().CartProblems)
	}
	want := []checkout.Problem{{Kind: checkout.DealRedeemed, Line: 2}}
	if !c.LoseDeals([]id.Quote{deal}, noon) || !c.DealsLost() || c.Status() != checkout.Incomplete || !slices.Equal(c.Snapshot().CartProblems, want) || c.Revision() != 2 {
		t.Errorf("lost one: %s with %v, revision %d", c.Status(), c.Snapshot().CartProblems, c.Revision())
	}
	if c.LoseDeals([]id.Quote{deal}, noon) {
		t.Error("it is lost twice")
	}
	if err := c.Revise(shop(), strict(line(1, 1, 100, 100)), noon); err != nil || c.DealsLost() || c.Status() != checkout.Ready {
		t.Errorf("revised: %v, %s", err, c.Status())
	}
	asked.Strict = false
	if c := open(t, shop(), asked); c.LoseDeals([]id.Quote{deal}, noon) || c.Status() != checkout.Ready {
		t.Errorf("in Haggle's own protocol: %s", c.Status())
	}
}
