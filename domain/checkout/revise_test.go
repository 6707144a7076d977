package checkout_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// partial returns a cart without a shipping address.
func partial() checkout.Cart {
	c := cart(line(1, 1, 100, 100))
	c.Address, c.Partial = checkout.Address{}, true
	return c
}

func TestCheckout_Revise_incompleteToReady(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), partial())
	missing := []string{"shipping_address.name", "shipping_address.line1", "shipping_address.city", "shipping_address.postal_code", "shipping_address.country"}
	if c.Status() != checkout.Incomplete || !slices.Equal(c.Missing(), missing) {
		t.Errorf("%s without %v", c.Status(), c.Missing())
	}
	if s := c.Snapshot(); len(s.Options) > 0 || s.Selected != "" || c.Total() != cents(100) {
		t.Errorf("without a country there are options %v, and the total is %s", s.Options, c.Total())
	}
	var e *fault.Error
	if err := c.Claim(token, held, noon); !errors.As(err, &e) || e.Code != "checkout_incomplete" || len(e.Details) != 5 {
		t.Errorf("it can be paid: %v", err)
	}
	there := partial()
	there.Address = checkout.Address{Country: "US", State: "NY"}
	if err := c.Revise(shop(), there, noon); err != nil || c.Status() != checkout.Incomplete || c.Total() != cents(100+599+9) {
		t.Errorf("with a country: %v, %s, %s", err, c.Status(), c.Total())
	}
	if err := c.Revise(shop(), by("express", cart(line(1, 2, 100, 100))), noon.Add(time.Minute)); err != nil || c.Status() != checkout.Ready {
		t.Errorf("with everything: %v, %s", err, c.Status())
	}
	if s := c.Snapshot(); s.Revision != 3 || s.Selected != "express" || !s.ValidUntil.Equal(late.Add(time.Minute)) || s.Attempt != 0 {
		t.Errorf("revised: %+v", s)
	}
}

func TestCheckout_Missing(t *testing.T) {
	t.Parallel()
	change := func(do func(*checkout.Cart)) checkout.Cart {
		c := cart(line(1, 1, 100, 100))
		c.Partial = true
		do(&c)
		return c
	}
	for name, test := range map[string]struct {
		cart    checkout.Cart
		missing []string
	}{
		"nothing":                   {change(func(*checkout.Cart) {}), nil},
		"a name of spaces":          {change(func(c *checkout.Cart) { c.Address.Name = "  " }), []string{"shipping_address.name"}},
		"a postal code":             {change(func(c *checkout.Cart) { c.Address.PostalCode = "" }), []string{"shipping_address.postal_code"}},
		"a region, nobody wants it": {change(func(c *checkout.Cart) { c.Address.State = "" }), nil},
		"an e-mail address":         {change(func(c *checkout.Cart) { c.Strict = true }), []string{"buyer.email"}},
		"a region": {change(func(c *checkout.Cart) {
			c.Strict, c.Buyer.Email, c.Address.State = true, "ada@example.com", ""
		}), []string{"shipping_address.state"}},
		"a region that there is": {change(func(c *checkout.Cart) {
			c.Strict, c.Buyer.Email, c.Address.State = true, "ada@example.com", "Calif."
		}), []string{"shipping_address.state"}},
		"a region by its name": {change(func(c *checkout.Cart) {
			c.Strict, c.Buyer.Email, c.Address.State = true, "ada@example.com", "california"
		}), nil},
		"no region in Germany": {change(func(c *checkout.Cart) {
			c.Strict, c.Buyer.Email, c.Address.State, c.Address.Country = true, "ada@example.com", "", "DE"
		}), nil},
	} {
		c := open(t, shop(), test.cart)
		if !slices.Equal(c.Missing(), test.missing) || (c.Status() == checkout.Ready) != (len(test.missing) == 0) {
			t.Errorf("%s: %s without %v", name, c.Status(), c.Missing())
		}
	}
	ireland := shop()
	ireland.Storefront.ShippingRegions = []string{"IE"}
	if c := open(t, ireland, change(func(c *checkout.Cart) { c.Address.Country, c.Address.PostalCode = "IE", "" })); len(c.Missing()) > 0 {
		t.Errorf("an Irish address without a postal code lacks %v", c.Missing())
	}
}

func TestRegion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ country, name, want string }{
		{"US", " california ", "CA"}, {"US", "us-ca", "CA"}, {"US", "CA", "CA"}, {"CA", "Québec", "QC"}, {"CA", "QUEBEC", "QC"},
		{"AU", "new south wales", "NSW"}, {"US", "Atlantis", "Atlantis"}, {"DE", "Bayern", "Bayern"}, {"", " x ", "x"}, {"US", "", ""},
	} {
		if got := checkout.Region(test.country, test.name); got != test.want {
			t.Errorf("%s in %q: %q, want %q", test.name, test.country, got, test.want)
		}
	}
}

// by returns a cart with a shipping option.
func by(option string, c checkout.Cart) checkout.Cart {
	c.Option = option
	return c
}

func TestCheckout_Revise_keepsLineIDs(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), cart(line(1, 1, 100, 100), line(2, 1, 100, 100)))
	kept := c.Snapshot().Lines[1]
	if err := c.Revise(shop(), cart(line(3, 1, 100, 100), kept), noon); err != nil {
		t.Fatal(err)
	}
	if l := c.Snapshot().Lines; l[0].ID != 3 || l[1].ID != 2 {
		t.Errorf("lines %+v", l)
	}
}

// Revisions extend a checkout to MaxAge after its creation at most.
func TestCheckout_Revise_maxAge(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), partial())
	end := noon.Add(checkout.MaxAge)
	for now := noon; now.Before(end); now = now.Add(20 * time.Minute) {
		if err := c.Revise(shop(), partial(), now); err != nil {
			t.Fatalf("at %s: %v", now, err)
		}
	}
	if err := c.Revise(shop(), partial(), end); !errors.Is(err, checkout.ErrExpired) || !c.Snapshot().ValidUntil.Equal(end) {
		t.Errorf("%v, until %s", err, c.Snapshot().ValidUntil)
	}
}

// A refused revision changes nothing.
func TestCheckout_Revise_refusedUnchanged(t *testing.T) {
	t.Parallel()
	atlantis, none := cart(line(1, 1, 100, 100)), cart()
	atlantis.Address.Country = "XX"
	for field, do := range map[string]func(*checkout.Checkout) error{
		"shipping_option": func(c *checkout.Checkout) error {
			return c.Revise(shop(), by("drone", cart(line(1, 1, 100, 100))), noon)
		},
		"shipping_address.country": func(c *checkout.Checkout) error { return c.Revise(shop(), atlantis, noon) },
		"items":                    func(c *checkout.Checkout) error { return c.Revise(shop(), none, noon) },
	} {
		c := in(checkout.Pending, 1)
		before := c.Snapshot()
		var e *fault.Error
		if err := do(c); !errors.As(err, &e) || e.Details[0].Field != field || !reflect.DeepEqual(c.Snapshot(), before) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A charge that was attempted before a revision is of the total before that revision.
func TestCheckout_Orphaned_afterRevise(t *testing.T) {
	t.Parallel()
	c := in(checkout.Ready, 0)
	if err := c.Claim(token, held, noon); err != nil {
		t.Fatal(err)
	}
	charged := c.Total()
	if _, err := c.Decline(3, true); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Revise(shop(), cart(line(1, 1, 100, 100)), noon); err != nil {
			t.Fatal(err)
		}
	}
	if o := c.Orphaned(3, "ch_1", noon); o.Amount != charged || o.Failure != "" || c.Total() == charged {
		t.Errorf("orphaned %+v, want %s", o, charged)
	}
	if err := c.Claim(token, held, noon); err != nil || c.Charge().Key != checkout.AttemptKey(c.ID(), 4) {
		t.Errorf("%v, key %s", err, c.Charge().Key)
	}
	var numbers []int
	for _, a := range c.Snapshot().Earlier {
		numbers = append(numbers, a.Number)
	}
	if !slices.Equal(numbers, []int{2, 3}) {
		t.Errorf("it remembers attempts %v", numbers)
	}
}

func TestCheckout_Claim_receiptEmail(t *testing.T) {
	t.Parallel()
	ada := cart(line(1, 1, 100, 100))
	ada.Buyer = checkout.Buyer{First: "Ada", Email: "ada@example.com"}
	for given, want := range map[string]string{"": "ada@example.com", "eve@example.com": "eve@example.com"} {
		c := open(t, shop(), ada)
		if c.Snapshot().Payment.Email != "ada@example.com" {
			t.Errorf("before payment it is %q", c.Snapshot().Payment.Email)
		}
		if err := c.Claim(checkout.Payment{Method: project.SharedPaymentToken, Email: given}, held, noon); err != nil || c.Snapshot().Payment.Email != want {
			t.Errorf("%q given: %q, %v", given, c.Snapshot().Payment.Email, err)
		}
	}
}

func TestCheckout_Totals_addUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []checkout.Line
		for i := range rapid.IntRange(1, 5).Draw(t, "lines") {
			original := rapid.Int64Range(0, 100_000).Draw(t, "original")
			unit := rapid.Int64Range(0, original).Draw(t, "unit")
			lines = append(lines, line(byte(i+1), rapid.IntRange(1, 9).Draw(t, "quantity"), unit, original))
		}
		of := cart(lines...)
		of.Partial = true
		if rapid.Bool().Draw(t, "nowhere") {
			of.Address = checkout.Address{}
		}
		c := open(t, shop(), of)
		sums := map[checkout.TotalKind]int64{}
		for _, s := range c.Totals() {
			if _, twice := sums[s.Kind]; twice {
				t.Fatalf("%s stands there twice", s.Kind)
			}
			sums[s.Kind] = s.Amount.Minor()
		}
		if sums[checkout.Items]-sums[checkout.Reduction] != sums[checkout.Subtotal] ||
			sums[checkout.Subtotal]+sums[checkout.Delivery]+sums[checkout.Tax] != sums[checkout.Grand] || sums[checkout.Grand] != c.Total().Minor() {
			t.Fatalf("%v, total %s", sums, c.Total())
		}
		_, taxed := sums[checkout.Tax]
		_, delivered := sums[checkout.Delivery]
		if known := of.Address.Country != ""; taxed != known || delivered != known {
			t.Fatalf("country %q: %v", of.Address.Country, sums)
		}
	})
}

// A buyer who pays a revision pays the total of that revision, even after a declined attempt with another shipping
// option.
func TestCheckout_Claim_anotherOptionIsAnotherRevision(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), cart(line(1, 1, 100, 100)))
	same := token
	if err := c.Claim(same, held, noon); err != nil || c.Revision() != 1 {
		t.Fatalf("by the selected option: %v, revision %d", err, c.Revision())
	}
	if _, err := c.Decline(1, true); err != nil {
		t.Fatal(err)
	}
	express := token
	express.Option = "express"
	if err := c.Claim(express, held, noon); err != nil || c.Revision() != 2 {
		t.Errorf("by another option: %v, revision %d", err, c.Revision())
	}
}
