package checkout

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// AllDigital reports whether there are lines and all of them are digital.
func AllDigital(lines []Line) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l Line) bool { return !l.Digital })
}

// Digital reports whether nothing of the checkout is shipped, so that it needs no address and has no shipping option.
// The lines keep what their variants were when they were priced: a variant that changes later affects only checkouts
// that are revised.
func (c *Checkout) Digital() bool { return AllDigital(c.s.Lines) }

// HasDigital reports whether a line of the checkout is digital.
func (c *Checkout) HasDigital() bool {
	return slices.ContainsFunc(c.s.Lines, func(l Line) bool { return l.Digital })
}

var (
	// ErrShippedNow refuses to pay for a line that is digital but whose variant is shipped by now. The order might have no
	// address for it, and the buyer agreed to a total without its shipping.
	ErrShippedNow = fault.New(fault.Conflict, "shipping_required",
		"An item that was digital when the checkout was opened now requires shipping. Nothing was charged. Open a new checkout with a shipping address.")
	// ErrDigital refuses to pay digital items over a protocol that does not offer them.
	ErrDigital = fault.New(fault.Conflict, "item_unavailable",
		"The checkout has digital items, which are not sold over this protocol. Nothing was charged. Pay it over the shop's Agent Commerce Protocol.")
)

// StillDigital refuses a checkout with digital lines whose variants are shipped by now, according to their levels. The
// opposite is allowed: a line that was priced as shipped stays so in the order even if its variant is digital now.
func (c *Checkout) StillDigital(levels []catalog.Level) error {
	for _, l := range c.s.Lines {
		if l.Digital && slices.ContainsFunc(levels, func(of catalog.Level) bool { return of.Variant == l.Variant && !of.Digital }) {
			return ErrShippedNow
		}
	}
	return nil
}

// TaxedIn returns where a cart of digital items is taxed: at the address if its country is known, or else in the shop's
// home country, so that no buyer avoids tax by giving no address.
func TaxedIn(f project.Storefront, a Address) (country, state string) {
	if a.Country != "" {
		return a.Country, a.State
	}
	return f.Home(), ""
}

// checkTaxed checks that the address of a cart of digital items determines its tax. Tax rates exist for the countries
// that the shop serves. If they depend on the state, the state is required, because a missing one would mean no tax or
// too little.
func (cart Cart) checkTaxed(f project.Storefront, at fault.Check) {
	if country := cart.Address.Country; country != "" && !f.ShipsTo(country) {
		at.That(false, "country", f.NotServed(country))
		return
	}
	country, state := TaxedIn(f, cart.Address)
	if f.TaxesByState(country) && !KnownRegion(country, state) {
		at.That(cart.Address.Country != "", "country", "is required: the tax on digital items depends on the country and its state")
		at.That(false, "state", "is required: the tax on digital items depends on the state")
	}
}
