package live

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// pay checks out the agreement and pays with the sandbox token.
func (t *Negotiation) pay(price decimal.Decimal) error {
	checkout, err := t.client.InitCheckout(t.shop.ctx, acp.InitRequest{
		SessionID:             t.session,
		CheckoutToken:         t.token,
		ShippingAddress:       t.shop.address(),
		BillingSameAsShipping: true,
		Items: []acp.CheckoutItem{{
			ProductID:       t.shop.products[t.item],
			Quantity:        t.shop.pieces(),
			NegotiatedPrice: &price,
		}},
	}, t.idempotencyKey("checkout"))
	if err != nil {
		return fmt.Errorf("the checkout: %w", err)
	}
	request := acp.FinalizeRequest{
		CheckoutID: checkout.CheckoutID, BuyerEmail: "market+" + t.name + "@example.com",
		Payment: acp.Payment{Method: acp.PSPToken, Token: "spt_sandbox_ok_" + t.name},
	}
	for _, option := range checkout.ShippingOptions {
		if option.Selected {
			request.ShippingOption = option.ID
		}
	}
	paid, err := t.client.Finalize(t.shop.ctx, request, t.idempotencyKey("finalize"))
	switch {
	case err != nil:
		return fmt.Errorf("the payment: %w", err)
	case paid.Status != acp.Success:
		return fmt.Errorf("the payment: %s %s", paid.Status, paid.Error.Code)
	}
	return t.shop.restock(t.item, t.name)
}

// address returns an address that the merchant ships to.
func (s *Shop) address() acp.Address {
	a := acp.Address{
		Name:       "Simulated Buyer",
		Line1:      "1 Market Street",
		City:       "San Francisco",
		State:      "CA",
		PostalCode: "94105",
		Country:    "US",
	}
	regions := s.manifest.ShippingRegions
	for _, region := range regions {
		if region == a.Country {
			return a
		}
	}
	if len(regions) > 0 {
		a.Country, a.State = regions[0], ""
	}
	return a
}
