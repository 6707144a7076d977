package features

import "testing"

// ORD-001, ORD-003, ORD-004, ORD-005, ORD-006, ORD-018, ORD-020, ORD-021, ORD-029: An order has all its fields, and its webhook is the order as the platform reads it.
func TestUCPOrder_placed(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform(ucpProduct("Camp Stove", "40.00", "30"))
		a.must(a.wirePlatform.registersWebhook())
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpBuyerAndDelivery)
		a.remembers("id")
		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows("order.id", "matches ^ord_", "order.permalink_url", "matches ^http://127.0.0.1.*/ord_")
		a.remembers("order.id")
		a.must(a.wirePlatform.receivesWebhooks(1))

		a.asPlatform("", "GET /ucp/orders/$remembered_order_id")
		a.shows(
			"id", `"$remembered_order_id"`,
			"checkout_id", `"$remembered_id"`,
			"currency", `"USD"`,
			"permalink_url", "matches ^http://127.0.0.1.*/ord_",
			"line_items.*.id", `["li_1", "li_2"]`,
			"line_items.*.item.title", `["Trail Tent", "Camp Stove"]`,
			"line_items.*.item.price", "[10000, 4000]",
			"line_items.0.quantity", `{"original": 2, "total": 2, "fulfilled": 0}`,
			"line_items.1.quantity", `{"original": 1, "total": 1, "fulfilled": 0}`,
			"line_items.*.totals.0.amount", "[20000, 4000]",
			"line_items.*.status", `["processing", "processing"]`,
			"fulfillment.expectations.0.id", "present",
			"fulfillment.expectations.0.line_items", `[{"id": "li_1", "quantity": 2}, {"id": "li_2", "quantity": 1}]`,
			"fulfillment.expectations.0.method_type", `"shipping"`,
			"fulfillment.expectations.0.destination", `{"address_country": "US", "address_region": "OR"}`,
			"totals.*.type", `["subtotal", "fulfillment", "tax", "total"]`,
			"totals.0.amount", "24000",
		)
		a.must(a.ucp.lastWebhookMatchesOrder())
		a.must(a.ucp.answersAreJSON())
	})
}

// ORD-001, ORD-002, ORD-007, ORD-008, ORD-009, ORD-019, ORD-021, ORD-030: Shipments and returns are added to the order, whose lines and totals stay.
func TestUCPOrder_shippedAndReturned(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform(ucpProduct("Camp Stove", "40.00", "30"))
		a.must(a.wirePlatform.registersWebhook())
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpBuyerAndDelivery)
		a.remembers("id")
		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.remembers("order.id")
		a.must(a.wirePlatform.receivesWebhooks(1))

		a.asMerchant("POST /v1/orders/$remembered_order_id/fulfillment", `{"status": "shipped", "carrier": "DHL", "tracking_url": "https://example.com/123"}`)
		a.must(a.wirePlatform.receivesWebhooks(2))
		a.must(a.ucp.lastWebhookShows(
			"line_items.*.status", `["fulfilled", "fulfilled"]`,
			"line_items.0.quantity", `{"original": 2, "total": 2, "fulfilled": 2}`,
			"fulfillment.expectations.#", "1",
			"fulfillment.events.*.type", `["shipped"]`,
			"fulfillment.events.0.id", "present",
			"fulfillment.events.0.occurred_at", "matches Z$",
			"fulfillment.events.0.line_items", `[{"id": "li_1", "quantity": 2}, {"id": "li_2", "quantity": 1}]`,
			"fulfillment.events.0.tracking_url", `"https://example.com/123"`,
			"totals.#", "4",
		))

		a.asMerchant("POST /v1/orders/$remembered_order_id/fulfillment", `{"status": "delivered"}`)
		a.must(a.wirePlatform.receivesWebhooks(3))
		a.must(a.ucp.lastWebhookShows(
			"fulfillment.events.*.type", `["shipped", "delivered"]`,
			"line_items.#", "2",
			"totals.#", "4",
		))

		a.asBuyer("POST /acp/returns", `{"order_id": "$remembered_order_id", "items": [{"product_id": "${Trail Tent}", "quantity": 1}]}`)
		a.remembers("return_id")
		a.must(a.wirePlatform.receivesWebhooks(4))
		a.must(a.ucp.lastWebhookShows(
			"adjustments.0.id", "present",
			"adjustments.0.type", `"return"`,
			"adjustments.0.status", `"pending"`,
			"adjustments.0.occurred_at", "matches Z$",
			"adjustments.0.line_items", `[{"id": "li_1", "quantity": -1}]`,
			"line_items.#", "2",
			"totals.#", "4",
		))

		a.asMerchant("POST /v1/returns/$remembered_return_id/approve", `{"amount": 100}`)
		a.must(a.wirePlatform.receivesWebhooks(6))

		a.asPlatform("", "GET /ucp/orders/$remembered_order_id")
		a.shows(
			"adjustments.*.type", `["return", "refund"]`,
			"adjustments.*.status", `["completed", "completed"]`,
			"adjustments.*.id", "present",
			"adjustments.*.occurred_at", "present",
			"adjustments.1.totals.0.type", `"total"`,
			"adjustments.1.totals.*.amount", "[-10000]",
			"line_items.*.id", `["li_1", "li_2"]`,
			"totals.#", "4",
		)
		a.must(a.ucp.answersAreJSON())
	})
}

// ORD-002, ORD-007, ORD-008, ORD-009: A canceled order keeps its lines.
func TestUCPOrder_canceled(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform(ucpProduct("Camp Stove", "40.00", "30"))
		a.must(a.wirePlatform.registersWebhook())
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpBuyerAndDelivery)
		a.remembers("id")
		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.remembers("order.id")
		a.must(a.wirePlatform.receivesWebhooks(1))

		a.asMerchant("POST /v1/orders/$remembered_order_id/cancel", `{"reason": "Out of season"}`)
		a.must(a.wirePlatform.receivesWebhooks(3))

		a.asPlatform("", "GET /ucp/orders/$remembered_order_id")
		a.shows(
			"line_items.*.id", `["li_1", "li_2"]`,
			"line_items.*.status", `["removed", "removed"]`,
			"line_items.0.quantity", `{"original": 2, "total": 0, "fulfilled": 0}`,
			"adjustments.*.type", `["refund", "cancellation"]`,
			"adjustments.*.status", `["completed", "completed"]`,
			"adjustments.0.totals.0.amount", "at most -24000",
			"adjustments.1.line_items", `[{"id": "li_1", "quantity": -2}, {"id": "li_2", "quantity": -1}]`,
		)
	})
}

// ORD-026, ORD-027, ORD-028, ORD-031, SIG-027, SIG-041: A webhook is signed, and repeated with the same id until the platform takes it.
func TestUCPOrder_webhookRetry(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform(ucpProduct("Camp Stove", "40.00", "30"))
		a.must(a.wirePlatform.registersWebhook())
		a.orderHooks.agentAnswers(500, " once")
		a.asPlatform("signed", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpBuyerAndDelivery)
		a.remembers("id")
		a.asPlatform("signed", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.remembers("order.id")
		a.must(a.wirePlatform.receivesWebhooks(2))
		a.must(a.ucp.webhooksAreOneEvent())

		a.asPlatform("signed", "GET /ucp/orders/$remembered_order_id")
		a.must(a.ucp.lastWebhookMatchesOrder())
	})
}
