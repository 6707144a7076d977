package features

import "fmt"

// personalDataContext exports and erases what is stored of buyers.
type personalDataContext struct{ *scenario }

func personalDataSteps(sc stepRegistry, s *scenario) {
	c := &personalDataContext{s}
	sc.Given(`^the order was delivered$`, func() error {
		return c.keys.mustDo("the merchant", `POST /v1/orders/$order/fulfillment {"status": "delivered"}`, 200)
	})
	sc.Given(`^the merchant noted on the order "([^"]*)"$`, c.notes)
	sc.When(`^the merchant exports the data of "([^"]*)"$`, c.exports)
	sc.When(`^the merchant erases the data of "([^"]*)"$`, c.erases)
	sc.Then(`^the export holds the order and the session$`, c.exportHasOrder)
	sc.Then(`^the export is empty$`, c.exportIsEmpty)
	sc.Then(`^the audit log names the (export|erasure), but not the buyer$`, c.auditNames)
	sc.Then(`^nothing is erased, because the order was not delivered$`, c.orderIsPending)
	sc.Then(`^all of the buyer is erased$`, func() error { return c.answerShows("complete", "true", "pending", "[]") })
	sc.Then(`^the order still holds the buyer's address$`, func() error {
		return c.orderShows("email", `"buyer@example.com"`, "shipping_address.city", `"Portland"`)
	})
	sc.Then(`^of the buyer, the order keeps the country only$`, func() error {
		return c.orderShows("email", `""`, "shipping_address.name", `""`, "shipping_address.country", `"US"`)
	})
	sc.Then(`^the order's total is still (\S+)$`, func(total string) error { return c.orderShows("total", total) })
	sc.Then(`^the order's notes are empty$`, func() error {
		if err := c.keys.mustDo("the merchant", "GET /v1/orders/$order/notes", 200); err != nil {
			return err
		}
		return c.answerShows("data.*.text", `[""]`)
	})
	sc.Then(`^the events of orders do not name the buyer$`, func() error {
		if err := c.keys.mustDo("the merchant", "GET /v1/events?type=order.completed", 200); err != nil {
			return err
		}
		return c.orders.answerHasNoPersonalData()
	})
}

func (c *personalDataContext) notes(text string) error {
	return c.keys.mustDo("the merchant", fmt.Sprintf(`POST /v1/orders/$order/notes {"text": %q}`, text), 201)
}

func (c *personalDataContext) exports(email string) error {
	return c.keys.mustDo("the merchant", fmt.Sprintf(`POST /v1/buyers/export {"email": %q}`, email), 200)
}

func (c *personalDataContext) erases(email string) error {
	return c.keys.mustDo("the merchant", fmt.Sprintf(`POST /v1/buyers/erase {"email": %q}`, email), 200)
}

func (c *personalDataContext) exportHasOrder() error {
	return c.answerShows("orders.*.id", `["$order"]`, "sessions.#", "1")
}

func (c *personalDataContext) exportIsEmpty() error {
	return c.answerShows("orders", "[]", "sessions", "[]", "events", "[]")
}

// auditNames checks the latest export-buyer or erase-buyer event.
func (c *personalDataContext) auditNames(what string) error {
	action := map[string]string{"export": "export-buyer", "erasure": "erase-buyer"}[what]
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events?action="+action, 200); err != nil {
		return err
	}
	if err := c.answerShows("data.0.action", `"`+action+`"`, "data.0.target", `matches ^buyer_`); err != nil {
		return err
	}
	return c.orders.answerHasNoPersonalData()
}

func (c *personalDataContext) orderIsPending() error {
	return c.answerShows(
		"complete", `false`,
		"erased.orders", `0`,
		"pending.#", `1`,
		"pending.0.order_id", `"$order"`,
		"pending.0.reasons", `["not_delivered"]`,
	)
}

func (c *personalDataContext) orderShows(pairs ...string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/orders/$order", 200); err != nil {
		return err
	}
	return c.answerShows(pairs...)
}
