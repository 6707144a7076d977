package checkout

import (
	"slices"

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
