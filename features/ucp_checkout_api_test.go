package features

import "testing"

// CHK-018, CHK-020, CHK-021, CHK-025, CHK-034, FUL-003, FUL-007, FUL-008, FUL-030: A checkout says what it lacks until it can be paid, and completing it places an order.
func TestUCPCheckout_lineToOrder(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"))
		a.answers(201)
		a.shows(
			"status", `"incomplete"`,
			"line_items.0.id", `"li_1"`,
			"messages.*.path", `["$.buyer.email", "$.fulfillment.methods[0].selected_destination_id"]`,
			"totals.*.type", `["subtotal", "total"]`,
			"totals.1.display_text", `"Estimated total"`,
		)
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			`"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}]`,
			`"buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}`,
			`"fulfillment": {"methods": [{"type": "shipping", "groups": [{"selected_option_id": "express"}], "destinations": [`+
				`{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}`,
		)
		a.shows(
			"status", `"ready_for_complete"`,
			"totals.*.type", `["subtotal", "fulfillment", "tax", "total"]`,
			"totals.*.amount", "[20000, 1499, 0, 21499]",
			"messages", "absent",
		)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows(
			"status", `"completed"`,
			"order.id", "matches ^ord_",
			"order.permalink_url", "matches /acp/orders/ord_",
		)
		a.hasLeft(5, "Trail Tent")
	})
}

// CHK-022: A canceled checkout stays canceled.
func TestUCPCheckout_cancel(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove"))
		a.remembers("id")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.shows("status", `"canceled"`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("1 Camp Stove"))
		a.answers(200)
		a.shows(
			"status", `"canceled"`,
			"messages.0.code", `"checkout_canceled"`,
			"messages.0.severity", `"unrecoverable"`,
		)
	})
}

// CHK-053: A checkout of unknown items only is an error with 200. Otherwise a message names them.
func TestUCPCheckout_unknownItems(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 var_unknown"))
	a.answers(200)
	a.shows(
		"ucp.status", `"error"`,
		"id", "absent",
		"messages.0.code", `"item_unavailable"`,
		"messages.0.severity", `"unrecoverable"`,
	)

	a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 var_unknown", "1 Camp Stove"))
	a.shows("line_items.#", "1", "messages.*.code", `contains "item_unavailable"`)
}

// An unknown checkout is an error with 200.
func TestUCPCheckout_unknownID(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("GET /ucp/checkout-sessions/chk_unknown")
	a.answers(200)
	a.shows("ucp.status", `"error"`, "messages.0.code", `"not_found"`)
}

// CHK-050: A body that breaks its schema is refused, naming the field.
func TestUCPCheckout_invalidBody(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("POST /ucp/checkout-sessions", `"line_items": 1`)
	a.answers(400)
	a.shows("code", `"validation_error"`, "content", `contains "line_items"`)
}

// CHK-051: Paying for an item that is sold out is answered with an error in messages.
func TestUCPCheckout_outOfStock(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop(ucpProduct("Sold Lamp", "20.00", "0"))
		a.opensCheckout(3, "Sold Lamp", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.answers(200)
		a.shows(
			"ucp.status", `"success"`,
			"status", `"ready_for_complete"`,
			"messages.*.type", `["error"]`,
			"messages.*.code", `["out_of_stock"]`,
			"messages.*.severity", `["recoverable"]`,
			"messages.*.path", `["$.line_items[0]"]`,
		)
		a.hasOrders(0)
	})
}

// A checkout warns of quantities above the stock.
func TestUCPCheckout_insufficientStock(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpProduct("Sold Lamp", "20.00", "0"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("9 Trail Tent", "1 Sold Lamp"), ucpBuyerAndDelivery)
		a.shows(
			"status", `"ready_for_complete"`,
			"messages.*.type", `["warning", "warning"]`,
			"messages.*.code", `["insufficient_stock", "out_of_stock"]`,
			"messages.*.path", `["$.line_items[0].quantity", "$.line_items[1].quantity"]`,
			"messages.0.content", `contains "7"`,
		)
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("5 Trail Tent", "3 Trail Tent"), ucpBuyerAndDelivery)
		a.shows("messages.*.code", `["insufficient_stock"]`, "messages.*.path", `["$.line_items[1].quantity"]`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("7 Trail Tent"), ucpBuyerAndDelivery)
		a.shows("status", `"ready_for_complete"`, "messages", "absent")
	})
}
