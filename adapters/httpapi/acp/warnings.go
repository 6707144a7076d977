package acp

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
)

// warning tells of something in a request that had no effect, or not the one that its sender may have meant.
type warning struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty" doc:"Path of the request's field."`
	Message string `json:"message"`

	QuoteID     string      `json:"quote_id,omitempty" doc:"Of an agreement that the warning is about."`
	AgreedPrice *wire.Money `json:"agreed_price,omitempty" minimum:"0" doc:"For one piece, that the agreement is about."`
}

// about warns of what of a checkout may not be as its sender thinks.
func about(c *checkout.Checkout, shop *project.Project, unused []checkout.Agreement) []warning {
	list := unusedAgreements(unused)
	if s := c.Snapshot(); shop.Storefront.TaxesByState(s.Address.Country) && !checkout.KnownRegion(s.Address.Country, s.Address.State) {
		list = append(list, warning{
			Code:    "state_unknown",
			Field:   "shipping_address.state",
			Message: "The tax depends on the state, and this is none that is known: the tax is that of the country without its states.",
		})
	}
	return list
}

// unusedAgreements warn of agreed prices that a checkout does not have.
func unusedAgreements(unused []checkout.Agreement) []warning {
	var list []warning
	for _, a := range unused {
		list = append(list, warning{
			Code:  "agreement_not_used",
			Field: "checkout_token",
			Message: "A price of " + a.Price.String() + " for " + strconv.Itoa(a.Quantity) + " of this item was agreed in the session, " +
				"and is not used: have an item of exactly that quantity with the checkout_token of that quote.",
			QuoteID:     a.Quote.String(),
			AgreedPrice: wire.ToOptionalMoney(&a.Price),
		})
	}
	return list
}
