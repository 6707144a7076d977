package acp

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
)

// warning is about something in a request that had no effect, or perhaps not the intended one.
type warning struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty" doc:"Path of the request's field."`
	Message string `json:"message"`

	QuoteID     string      `json:"quote_id,omitempty" doc:"The quote of the agreed price."`
	AgreedPrice *wire.Money `json:"agreed_price,omitempty" minimum:"0" doc:"The agreed price for one piece."`
}

// about returns warnings about a checkout that may differ from what its sender expects.
func about(c *checkout.Checkout, shop *project.Project, unused []checkout.Agreement) []warning {
	list := unusedAgreements(unused)
	if s := c.Snapshot(); shop.Storefront.TaxesByState(s.Address.Country) && !checkout.KnownRegion(s.Address.Country, s.Address.State) {
		list = append(list, warning{
			Code:    "state_unknown",
			Field:   "shipping_address.state",
			Message: "The tax depends on the state, and this state is unknown. The tax is that of the country without its states.",
		})
	}
	return list
}

// unusedAgreements returns warnings about agreed prices that a checkout does not use.
func unusedAgreements(unused []checkout.Agreement) []warning {
	var list []warning
	for _, a := range unused {
		list = append(list, warning{
			Code:  "agreement_not_used",
			Field: "checkout_token",
			Message: "A price of " + a.Price.String() + " for " + strconv.Itoa(a.Quantity) + " of this item was agreed in the session " +
				"but is not used. To use it, send exactly that quantity of the item with the checkout_token of that quote.",
			QuoteID:     a.Quote.String(),
			AgreedPrice: wire.ToOptionalMoney(&a.Price),
		})
	}
	return list
}
