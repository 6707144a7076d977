package features

import (
	"errors"
	"fmt"
	"net/http"
)

// guidanceSteps check what answers say about deals, payments and agreed prices.
func guidanceSteps(sc stepRegistry, s *scenario) {
	c := s.discovery
	sc.When(`^the buyer offers (\d+) on the accepted quote$`, func(price string) error {
		return s.buyerSends("POST", "/acp/quote", `{"session_id": "$session", "quote_id": "$quote", "offer_price": `+price+`}`)
	})
	sc.When(`^the buyer makes the agreed offer of (\d+) for (\d+) again$`, func(price, quantity string) error {
		return s.buyerSends("POST", "/acp/quote",
			`{"session_id": "$session", "product_id": "$product", "quantity": `+quantity+`, "offer_price": `+price+`}`)
	})
	sc.Then(`^the offer is refused, because the deal at (\d+) is open$`, func(price string) error {
		return c.refusedOverDeal("deal.status", `"open"`, "deal.final_price", price)
	})
	sc.Then(`^the offer is refused, because the deal was bought$`, func() error { return c.refusedOverDeal("deal.status", `"redeemed"`) })
	sc.Then(`^the buyer gets the deal at (\d+) and its token again$`, func(price string) error {
		return s.answerShows("status", `"accept"`, "final_price", price, "checkout_token", `matches ^ct_`)
	})
	sc.Then(`^the payment fails, and the buyer may use another token$`, func() error {
		return s.answerShows("status", `"payment_failed"`, "error.decline_code", `"invalid_token"`, "error.message", `contains "another"`, "retry_allowed", `true`)
	})
	sc.Then(`^the payment fails, and the buyer needs a new checkout$`, func() error {
		return s.answerShows("retry_allowed", `false`, "next_actions", `["init_checkout"]`)
	})
	sc.When(`^the buyer checks out (\d+) of them without the token$`, c.checksOutWithoutToken)
	sc.When(`^the buyer revises the checkout without the token$`, func() error {
		return c.revisesCheckout(`{"items": [{"product_id": "$product", "quantity": 2}], "shipping_address": $address}`)
	})
	sc.When(`^the buyer adds the token to the checkout$`, func() error {
		return c.revisesCheckout(`{"checkout_token": "$token", "shipping_address": $address}`)
	})
	sc.Then(`^the checkout is at (\d+) each, with a warning of the agreed (\d+)$`, func(price, agreed string) error {
		return s.answerShows("items.0.unit_price", price, "warnings.#", `1`, "warnings.0.code", `"agreement_not_used"`,
			"warnings.0.quote_id", `"$quote"`, "warnings.0.agreed_price", agreed)
	})
	sc.Then(`^the checkout is at (\d+) each, without a warning$`, func(price string) error {
		return s.answerShows("items.0.unit_price", price, "warnings", `absent`)
	})
}

// refusedOverDeal checks an offer on an accepted quote, which is refused, and fields of the answer.
func (c *discoveryContext) refusedOverDeal(fields ...string) error {
	if err := c.isRefused(http.StatusConflict, "quote_accepted"); err != nil {
		return err
	}
	return c.answerShows(fields...)
}

func (c *discoveryContext) checksOutWithoutToken(quantity int) error {
	items := fmt.Sprintf(`[{"product_id": "$product", "quantity": %d}]`, quantity)
	err := c.buyerSends("POST", "/acp/checkout/init", `{"session_id": "$session", "items": `+items+`, "shipping_address": $address}`)
	if err != nil || c.refusal != nil {
		return err
	}
	return errors.Join(c.answerShows("status", `"ready"`), c.rememberAnswer("checkout_id"))
}

func (c *discoveryContext) revisesCheckout(body string) error {
	return c.buyerSends("PUT", "/acp/checkout/$remembered_checkout_id", body)
}
