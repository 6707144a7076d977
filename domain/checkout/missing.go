package checkout

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Open reports whether a checkout with this status can be revised, be canceled and expire.
func (s Status) Open() bool { return s == Incomplete || s == Ready || s == Pending }

// Ended reports whether the checkout can no longer be paid: it is completed, canceled or expired.
func (s Status) Ended() bool { return !s.Open() && s != Processing }

// openStatus returns the status of an open checkout, which depends on its contents and earlier attempts.
func (c *Checkout) openStatus() Status {
	switch {
	case len(c.Missing()) > 0, len(c.s.CartProblems) > 0, c.Undeliverable():
		return Incomplete
	case c.s.Declines > 0:
		return Pending
	}
	return Ready
}

// Undeliverable reports whether the shop does not ship to the address. A checkout that is not Strict has no such address.
func (c *Checkout) Undeliverable() bool {
	return KnownCountry(c.s.Address.Country) && len(c.s.Options) == 0 && !c.Digital()
}

// Missing returns the fields that payment requires and that the checkout lacks, by their path in a request.
func (c *Checkout) Missing() []string {
	var list []string
	if !c.Digital() {
		for _, part := range c.s.Address.Missing() {
			list = append(list, "shipping_address."+part)
		}
	}
	if !c.s.Strict {
		return list
	}
	if country := c.s.Address.Country; country != "" && !KnownCountry(country) {
		list = append(list, "shipping_address.country")
	}
	if len(regions[c.s.Address.Country]) > 0 && !KnownRegion(c.s.Address.Country, c.s.Address.State) { // on which the tax depends
		list = append(list, "shipping_address.state")
	}
	if c.s.Buyer.Email == "" {
		list = append(list, "buyer.email")
	}
	return list
}

// incomplete returns the error for paying an incomplete checkout.
func (c *Checkout) incomplete() error {
	e := fault.New(fault.Conflict, "checkout_incomplete", "The checkout is incomplete. Revise it with the missing fields.")
	for _, field := range c.Missing() {
		e.With(field, "is missing")
	}
	if c.Undeliverable() {
		e.With("shipping_address.country", "is not in the shop's shipping_regions")
	}
	for _, p := range c.s.CartProblems {
		e.With("items", p.Kind.String())
	}
	return e
}

// Missing returns the fields that an address lacks, by their name in a request.
func (a Address) Missing() []string {
	var list []string
	for _, part := range []struct{ name, value string }{
		{"name", a.Name}, {"line1", a.Line1}, {"city", a.City}, {"postal_code", a.PostalCode}, {"country", a.Country},
	} {
		if strings.TrimSpace(part.value) == "" && (part.name != "postal_code" || !slices.Contains(withoutPostalCodes, a.Country)) {
			list = append(list, part.name)
		}
	}
	return list
}
