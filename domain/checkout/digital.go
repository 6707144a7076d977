package checkout

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// AllDigital reports whether there are lines, and nothing of them is shipped.
func AllDigital(lines []Line) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l Line) bool { return !l.Digital })
}

// Digital reports whether nothing of the checkout is shipped: it needs no address and has no shipping option. The lines say
// so, as they were priced: a variant that is changed later changes no checkout that is not revised.
func (c *Checkout) Digital() bool { return AllDigital(c.s.Lines) }

// HasDigital reports whether something of the checkout is not shipped.
func (c *Checkout) HasDigital() bool {
	return slices.ContainsFunc(c.s.Lines, func(l Line) bool { return l.Digital })
}

var (
	// ErrShippedNow refuses to pay for an item as digital that is shipped by now: the order might have no address for it,
	// and the buyer agreed to a total without its shipping.
	ErrShippedNow = fault.New(fault.Conflict, "shipping_required",
		"An item that was digital when the checkout was opened is shipped now. Nothing was charged. Open a checkout anew, with the shipping address.")
	// ErrDigital refuses to pay digital items over a protocol that does not offer them.
	ErrDigital = fault.New(fault.Conflict, "item_unavailable",
		"The checkout has digital items, which are not sold over this protocol. Nothing was charged. "+
			"It can be paid over the shop's Agent Commerce Protocol.")
)

// StillDigital refuses a checkout with digital lines whose variants are shipped by now, by their levels. What was shipped when
// its line was priced and is digital now stays in the order as it was agreed on.
func (c *Checkout) StillDigital(levels []catalog.Level) error {
	for _, l := range c.s.Lines {
		if l.Digital && slices.ContainsFunc(levels, func(of catalog.Level) bool { return of.Variant == l.Variant && !of.Digital }) {
			return ErrShippedNow
		}
	}
	return nil
}

// TaxedIn is where a cart of digital items is taxed: at the address, where its country is known, or else in the shop's home
// country. So no buyer is free of tax for giving no address.
func TaxedIn(f project.Storefront, a Address) (country, state string) {
	if a.Country != "" {
		return a.Country, a.State
	}
	return f.Home(), ""
}

// checkTaxed judges what a cart of digital items tells of where it is taxed. Rates of tax are those of the countries that
// the shop serves. Where they depend on the state, it must be told: no state would be no tax, or too little.
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
