package features

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// changesCheckout replaces the items of the buyer's checkout. Rows are those of a cart.
func (c *checkoutsContext) changesCheckout(table *godog.Table) error {
	var items []acp.CartItem
	for _, row := range rowsOf(table) {
		item, err := c.carts.cartItem(row)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	body, err := json.Marshal(map[string]any{"items": items, "shipping_address": c.shopper.address})
	if err != nil {
		return err
	}
	return c.buyerSends("PUT", "/acp/checkout/$checkout", string(body))
}

// checksOutEarly opens a checkout for the product in view, of whose address only the country is known.
func (c *checkoutsContext) checksOutEarly() error {
	return c.opensCheckout(map[string]any{
		"session_id":       c.shopper.SessionID,
		"items":            []acp.CheckoutItem{{ProductID: c.product.ID, Quantity: c.shopper.Quantity}},
		"shipping_address": map[string]string{"country": "US"},
		"allow_incomplete": true,
		"buyer":            map[string]string{"email": "ada@example.com"},
	})
}

func (c *checkoutsContext) checksOutOne(quantity int, name, address string) error {
	return c.checksOutItems([]acp.CheckoutItem{{ProductID: c.products[name].ID, Quantity: quantity}}, address)
}

func (c *checkoutsContext) checksOutTwo(first int, one string, second int, other, address string) error {
	return c.checksOutItems([]acp.CheckoutItem{
		{ProductID: c.products[one].ID, Quantity: first},
		{ProductID: c.products[other].ID, Quantity: second},
	}, address)
}

// checksOutItems opens a checkout. address is "without an address", "with an address" or "with the country DE alone".
func (c *checkoutsContext) checksOutItems(items []acp.CheckoutItem, address string) error {
	body := map[string]any{"items": items}
	if country, alone := strings.CutPrefix(strings.TrimSuffix(address, " alone"), "with the country "); alone {
		body["shipping_address"] = map[string]string{"country": country}
	} else if address == "with an address" {
		body["shipping_address"] = defaultAddress
	}
	return c.opensCheckout(body)
}

// opensCheckout sends a request to open a checkout, which becomes the buyer's current one.
func (c *checkoutsContext) opensCheckout(body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err := c.buyerSends("POST", "/acp/checkout/init", string(text)); err != nil || c.refusal != nil {
		return err
	}
	return json.Unmarshal(c.recorder.last().body, &c.shopper.Checkout)
}

func (c *checkoutsContext) addsAddress() error {
	body := fmt.Sprintf(`{"items": [{"line_id": "li_1", "product_id": "$product", "quantity": %d}],
		"shipping_address": $address, "buyer": {"email": "ada@example.com"}}`, c.shopper.Quantity)
	return c.buyerSends("PUT", "/acp/checkout/$checkout", body)
}

func (c *checkoutsContext) cancelsCheckout() error {
	return c.buyerSends("POST", "/acp/checkout/cancel", `{"checkout_id": "$checkout"}`)
}

// checksOutWithFirstAgreement opens a checkout with the token of the previous buyer.
func (c *checkoutsContext) checksOutWithFirstAgreement() error {
	token := c.previousShopper.token()
	return c.act(func(b *shopper) {
		b.InitCheckoutWith(acp.InitRequest{CheckoutToken: token, ShippingAddress: b.address})
	})
}

func (c *checkoutsContext) paysByCard() error { return c.pays(acp.PSPToken, goodToken) }

func (c *checkoutsContext) paysBy(method string) error {
	if method == "wallet" {
		return c.pays(acp.WalletBA, "ba_sandbox_ok")
	}
	return c.paysByCard()
}

// paysWithDeclinedCard pays with a card that the provider declines, for a reason in words: "stolen card".
func (c *checkoutsContext) paysWithDeclinedCard(words string) error {
	c.checkouts.declineReason = strings.ReplaceAll(words, " ", "_")
	return c.pays(acp.PSPToken, "spt_sandbox_decline_"+c.checkouts.declineReason)
}

func (c *checkoutsContext) paysAndAnswerIsLost() error {
	return c.pays(acp.PSPToken, "spt_sandbox_lost_reply")
}

// paysDuringOutage pays while the provider fails so many requests.
func (c *checkoutsContext) paysDuringOutage(times int) error {
	return c.pays(acp.PSPToken, fmt.Sprintf("spt_sandbox_outage_%d", times))
}

func (c *checkoutsContext) paysInOtherShop() error {
	return c.buyerSendsToOtherShop("POST", "/acp/checkout/finalize",
		`{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
}

// agentFindsAlone searches the shop's UCP catalogue and checks that it finds exactly one product.
func (c *checkoutsContext) agentFindsAlone(query, name string) error {
	if err := c.ucp.agentSends("", "POST", "/ucp/catalog/search", fmt.Sprintf(`{"query": %q}`, query)); err != nil {
		return err
	}
	return c.answerShows("products.*.id", fmt.Sprintf(`["%s"]`, c.products[name].ID))
}
