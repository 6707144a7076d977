package features

import (
	"fmt"
	"net/http"
)

// consoleShopSteps prepare, change and check by the Management API what members see in the console.
func consoleShopSteps(sc stepRegistry, s *scenario) {
	c := s.console
	sc.Given(`^the shop requires a second factor of its members$`, func() error {
		return c.send("PATCH", s.shops.shopPath()+"/settings", `{"security": {"mfa_required": true}}`, nil)
	})
	sc.Given(`^the number of the order is called "(\w+)"$`, c.namesOrderNumber)
	sc.Given(`^the buyer disputed the order( as not received)?$`, c.disputesOrder)
	sc.Given(`^"([^"]*)" is a subscription to (all events|"[^"]*")$`, c.hasSubscription)

	sc.When(`^the order is cancelled meanwhile$`, func() error { return c.send("POST", c.orderPath()+"/cancel", `{}`, nil) })
	sc.When(`^the return is rejected meanwhile because "([^"]*)"$`, func(reason string) error {
		return c.send("POST", c.expand(returnsPath+"/$return/reject"), fmt.Sprintf(`{"reason": %q}`, reason), nil)
	})
	sc.When(`^the return conditions become "([^"]*)" meanwhile$`, func(text string) error {
		return c.send("PATCH", s.shops.shopPath()+"/storefront", fmt.Sprintf(`{"return_conditions": %q}`, text), nil)
	})
	sc.When(`^the price of the "([^"]*)" becomes (\S+) meanwhile$`, s.catalog.setPrice)

	sc.Then(`^the order is shipped by "([^"]*)"$`, func(carrier string) error {
		return c.orderShows("fulfillment.status", `"shipped"`, "fulfillment.carrier", fmt.Sprintf("%q", carrier))
	})
	sc.Then(`^(\S+) of the order is refunded$`, func(amount string) error { return c.orderShows("payment.refunded_amount", amount) })
	sc.Then(`^the return is approved with (\d+) pieces restocked, and (\S+) is refunded$`, func(pieces, amount string) error {
		return c.orderShows(
			"payment.refunded_amount", amount,
			"returns.0.status", `"approved"`,
			"returns.0.restocked", pieces,
		)
	})
	sc.Then(`^the order's return is rejected$`, func() error { return c.orderShows("returns.0.status", `"rejected"`) })
	sc.Then(`^the shop gives at most (\S+)% discount$`, func(percent string) error {
		return s.shops.partFieldIs("/settings", "commerce.max_discount_percent", percent)
	})
	sc.Then(`^the shop's time zone is "([^"]*)"$`, func(zone string) error {
		return s.shops.partFieldIs("/settings", "general.timezone", fmt.Sprintf("%q", zone))
	})
	sc.Then(`^the shop takes returns for (\d+) days, "([^"]*)", and ships for free from (\S+)$`, c.storefrontIs)
	sc.Then(`^the key "([^"]*)" is (valid|invalid)$`, c.keyIs)
}

func (c *consoleContext) orderPath() string { return c.expand(ordersPath + "/$order") }

func (c *consoleContext) orderShows(pairs ...string) error {
	if err := c.send("GET", c.orderPath(), "", nil); err != nil {
		return err
	}
	return c.answerShows(pairs...)
}

func (c *consoleContext) namesOrderNumber(name string) error {
	if err := c.send("GET", c.orderPath(), "", nil); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("confirmation_number", name)
}

// disputesOrder lets the sandbox open a dispute about the payment of the latest order.
func (c *consoleContext) disputesOrder(reason string) error {
	if err := c.send("GET", c.orderPath(), "", nil); err != nil {
		return err
	}
	if err := c.platforms.namesAnswerField("payment.id", "disputed"); err != nil {
		return err
	}
	body := `{"payment_id": "$disputed"}`
	if reason != "" {
		body = `{"payment_id": "$disputed", "reason": "product_not_received"}`
	}
	return c.send("POST", "/v1/sandbox/disputes", c.expand(body), nil)
}

func (c *consoleContext) hasSubscription(description, types string) error {
	if types == "all events" {
		types = `"*"`
	}
	body := fmt.Sprintf(`{"url": "https://hooks.example/haggle", "event_types": [%s], "description": %q}`, types, description)
	return c.send("POST", subscriptionsPath, body, nil)
}

func (c *consoleContext) storefrontIs(days, conditions, freeFrom string) error {
	if err := c.send("GET", c.shops.shopPath()+"/storefront", "", nil); err != nil {
		return err
	}
	return c.answerShows(
		"return_window_days", days,
		"return_conditions", fmt.Sprintf("%q", conditions),
		"free_shipping_threshold", freeFrom,
	)
}

func (c *consoleContext) keyIs(name, validity string) error {
	if validity == "valid" {
		return c.keys.keyWorks(name)
	}
	key, err := c.keys.keyNamed(name)
	if err != nil {
		return err
	}
	return wantRefusal(c.keys.useKey(key), http.StatusUnauthorized, "unauthenticated")
}
