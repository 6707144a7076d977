package features

import "testing"

// CHK-001, CHK-004, CHK-014, CHK-015, CHK-043, PAY-018: A checkout that needs the buyer has a message that says so, and a continue_url that leads to its page.
func TestUCPCheckout_escalation(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.must(a.ucp.startsPublicServer("sandbox", "https://shops.example.com",
			knownAgent{"https://agent.example/1", a.version, "dev.ucp.shopping.fulfillment"},
			knownAgent{"https://agent.example/2", a.version, ""},
		))
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "7"))

		a.as("https://agent.example/1").asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), `"buyer": {"email": "ada@example.com"}`)
		a.answers(201)
		a.shows(
			"status", `"requires_escalation"`,
			"continue_url", `matches ^https://shops\.example\.com/p/$slug/acp/checkout/chk_[^/]+/page$`,
			"messages.*.type", `["error"]`,
			"messages.*.severity", `["requires_buyer_input"]`,
			"fulfillment", "absent",
		)
		a.must(a.ucp.continuePageShows("Trail Tent"))
		a.must(a.ucp.continuePageShows("200.00"))
		a.remembers("id")

		a.as("https://agent.example/1").asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.shows(
			"status", `"requires_escalation"`,
			"continue_url", `"https://shops.example.com/p/$slug/acp/checkout/$remembered_id/page"`,
			"messages.*.severity", `["requires_buyer_input"]`,
		)

		a.as("https://agent.example/2").asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.shows(
			"status", `"incomplete"`,
			"continue_url", `matches ^https://shops\.example\.com/p/$slug/acp/checkout/chk_[^/]+/page$`,
		)
	})
}

// CHK-013, CHK-019: The same requests make the same checkout.
func TestUCPCheckout_isDeterministic(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(1, "Trail Tent")
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("3 Camp Stove"), ucpBuyerAndDelivery)
		a.shows(
			"status", `"ready_for_complete"`,
			"line_items.*.quantity", "[3]",
			"buyer.email", `"ada@example.com"`,
		)

		a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.answers(200)
		a.must(a.ucp.answersEqualExcept("times"))

		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpBuyerAndDelivery)
		a.answers(201)
		a.must(a.ucp.answersEqualExcept("times and ids"))
	})
}

// CHK-035: An id in the body of a request is ignored.
func TestUCPCheckout_idInBody(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(1, "Trail Tent")
		a.notes("/ucp/checkout-sessions/$remembered_id")
		a.asAgent("POST /ucp/checkout-sessions", `"id": "$remembered_id"`, ucpLines("1 Camp Stove"))
		a.answers(201)
		a.shows(
			"id", "matches ^chk_",
			"id", `other than "$remembered_id"`,
			"line_items.*.item.id", `["${Camp Stove: variant}"]`,
		)
		a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")
	})
}

// CHK-038: line_items are required to create and to update, and ignored to complete.
func TestUCPCheckout_lineItems(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions", `"buyer": {"email": "ada@example.com"}`)
		a.answers(400)
		a.shows("content", `contains "line_items"`)

		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", `"buyer": {"email": "ada@example.com"}`)
		a.answers(400)
		a.shows("content", `contains "line_items"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpLines("9 Camp Stove"), ucpPayment)
		a.answers(200)
		a.shows(
			"status", `"completed"`,
			"line_items.*.item.id", `["${Trail Tent: variant}"]`,
			"line_items.*.quantity", "[2]",
		)
		a.hasLeft(5, "Trail Tent")
		a.hasLeft(50, "Camp Stove")
	})
}

// CHK-039: payment is required to complete.
func TestUCPCheckout_payment(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.notes("/ucp/checkout-sessions/$remembered_id")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete")
		a.answers(400)
		a.shows("content", `contains "payment"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", `"payment": {}`)
		a.answers(200)
		a.shows(
			"status", `"ready_for_complete"`,
			"order", "absent",
			"messages.*.severity", `["recoverable"]`,
			"messages.*.path", `["$.payment"]`,
		)
		a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")
		a.hasOrders(0)
		a.hasLeft(7, "Trail Tent")
	})
}

// CHK-044: Every body is JSON.
func TestUCPCheckout_bodiesAreJSON(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions", `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]`)
		a.answers(400)
		a.must(a.ucp.bodyIsJSON())

		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", "line_items=1")
		a.answers(400)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", `{"payment": $payment_ok,}`)
		a.answers(400)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())
		a.shows("status", `"ready_for_complete"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())
	})
}

// CHK-033: A checkout has one of six statuses.
func TestUCPCheckout_statuses(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent")
		a.shows("status", `"incomplete"`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			`"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}]`,
			ucpBuyerAndDelivery,
		)
		a.shows("status", `"ready_for_complete"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_decline_insufficient_funds"))
		a.shows("status", `"ready_for_complete"`, "messages.*.code", `["payment_failed"]`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_lost_reply"))
		a.shows("status", `"complete_in_progress"`, "order", "absent")

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_lost_reply"))
		a.shows("status", `"completed"`)

		a.opensCheckout(1, "Trail Tent")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.shows("status", `"canceled"`)
	})
}

// CHK-017: A completed checkout does not change.
func TestUCPCheckout_completedIsImmutable(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.notes("/ucp/checkout-sessions/$remembered_id")
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("1 Camp Stove"))
		a.answers(200)
		a.shows(
			"status", `"completed"`,
			"order.id", "matches ^ord_",
			"line_items.*.quantity", "[2]",
		)
		a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.answers(200)
		a.shows(
			"status", `"completed"`,
			"order.id", "matches ^ord_",
			"messages.*.type", `["error"]`,
			"messages.*.code", `["not_cancelable"]`,
			"messages.*.severity", `["recoverable"]`,
		)
		a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.answers(200)
		a.shows("status", `"completed"`, "order.id", "matches ^ord_")
		a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")
		a.hasOrders(1)
		a.hasLeft(5, "Trail Tent")
	})
}

// After an update with unknown items only, a checkout cannot be paid until the next update.
func TestUCPCheckout_updateWithUnknownItem(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, lines := range []string{ucpLines("1 var_unknown"), `"line_items": []`} {
			a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
			a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", lines, ucpBuyerAndDelivery)
			a.answers(200)
			a.shows(
				"ucp.status", `"success"`,
				"status", `"incomplete"`,
				"line_items.*.item.id", `["${Trail Tent: variant}"]`,
				"line_items.*.quantity", "[2]",
				"messages.*.type", `["error"]`,
				"messages.*.code", `["item_unavailable"]`,
				"messages.*.severity", `["recoverable"]`,
				"messages.*.path", `["$.line_items"]`,
			)

			a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
			a.shows("status", `"incomplete"`, "messages.*.code", `["item_unavailable"]`)

			a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
			a.shows(
				"status", `"incomplete"`,
				"messages.*.code", `["item_unavailable"]`,
				"order", "absent",
			)
			a.hasOrders(0)

			a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("3 Camp Stove"), ucpBuyerAndDelivery)
			a.shows(
				"status", `"ready_for_complete"`,
				"line_items.*.quantity", "[3]",
				"messages", "absent",
			)
		}
	})
}
