package checkout

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Open reports whether a checkout of this status can be revised, canceled, and expire.
func (s Status) Open() bool { return s == Incomplete || s == Ready || s == Pending }

// openStatus is the status of an open checkout by what it has and what became of its attempts.
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

// Missing are the fields that payment needs and that the checkout lacks, by their path in a request.
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

// incomplete is the error of a checkout that is to be paid too early.
func (c *Checkout) incomplete() error {
	e := fault.New(fault.Conflict, "checkout_incomplete", "The checkout is incomplete. Revise it with what is missing.")
	for _, field := range c.Missing() {
		e.With(field, "is missing")
	}
	if c.Undeliverable() {
		e.With("shipping_address.country", "is not served")
	}
	for _, p := range c.s.CartProblems {
		e.With("items", p.Kind.String())
	}
	return e
}

// Missing are the parts that an address needs and lacks, by their name in a request.
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
