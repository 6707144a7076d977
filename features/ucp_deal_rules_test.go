package features

import "testing"

// DSC-004, DSC-005, DSC-006, DSC-008, DSC-018, DSC-019, DSC-022: The code of a deal applies its price, and stays until an update replaces it.
func TestUCPDiscount_inCheckout(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove", "2 Trail Tent"), ucpCodes("$token"))
		a.shows(
			"totals.*.type", `["subtotal", "items_discount", "total"]`,
			"totals.*.amount", "[24000, -1000, 23000]",
			"discounts.codes", `["$token"]`,
			"discounts.applied.0.amount", "1000",
			"discounts.applied.0.allocations.0.path", `"$.line_items[1]"`,
			"ucp.request_constraints.required", a.constraint(`["discounts"]`),
		)
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("2 Trail Tent"))
		a.shows("discounts.codes", `["$token"]`, "totals.*.amount", "[20000, -1000, 19000]")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("2 Trail Tent"), ucpCodes())
		a.shows("discounts", "absent", "totals.*.amount", "[20000, 20000]")
	})
}

// DSC-007, DSC-030: A code that is no deal is left out, and a message says why.
func TestUCPDiscount_unknownCodes(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
	a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("SUMMER20", "$token", "ct_unknown"))
	a.shows(
		"discounts.applied.#", "1",
		"messages.0.code", `"discount_code_invalid"`,
		"messages.0.path", `"$.discounts.codes[0]"`,
		"messages.1.code", `"deal_unknown"`,
		"messages.1.path", `"$.discounts.codes[2]"`,
		"messages.*.code", `contains "deal_unknown"`,
	)
}

// A deal for another quantity is not applied.
func TestUCPDiscount_otherQuantity(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
	a.asAgent("POST /ucp/checkout-sessions", ucpLines("3 Trail Tent"), ucpCodes("$token"))
	a.shows(
		"status", `"incomplete"`,
		"totals.*.amount", "[30000, 30000]",
		"messages.*.code", `contains "deal_not_applicable"`,
	)
}

// A checkout with a deal that another order has redeemed cannot be paid until an update leaves it out.
func TestUCPDiscount_redeemedDeal(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"), ucpBuyerAndDelivery)
		a.keepsID("first")
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"), ucpBuyerAndDelivery)
		a.keepsID("second")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_first/complete", ucpPaymentBy("spt_sandbox_lost_reply"))
		a.shows("status", `"complete_in_progress"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_second/complete", ucpPayment)
		a.shows(
			"status", `"ready_for_complete"`,
			"messages.*.code", `["deal_in_use"]`,
			"messages.*.severity", `["recoverable"]`,
		)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_first/complete", ucpPaymentBy("spt_sandbox_lost_reply"))
		a.shows("status", `"completed"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_second/complete", ucpPayment)
		a.shows(
			"status", `"incomplete"`,
			"messages.*.code", `["deal_redeemed"]`,
			"messages.*.severity", `["recoverable"]`,
			"messages.*.path", `["$.line_items[0]"]`,
		)

		a.asAgent("GET /ucp/checkout-sessions/$remembered_second")
		a.shows(
			"status", `"incomplete"`,
			"messages.*.code", `["deal_redeemed"]`,
			"ucp.request_constraints", "absent",
		)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_second/complete", ucpPayment)
		a.shows("status", `"incomplete"`, "messages.*.code", `["deal_redeemed"]`)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_second", ucpLines("2 Trail Tent"), ucpCodes(), ucpBuyerAndDelivery)
		a.shows("status", `"ready_for_complete"`, "totals.*.amount", "[20000, 599, 0, 20599]")
		a.hasOrders(1)
	})
}

// An update of a checkout that drops a deal warns of it, and how to get it back.
func TestUCPDiscount_droppedFromCheckout(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"), ucpBuyerAndDelivery)
		a.remembers("id")
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("2 Trail Tent"), ucpCodes(), ucpBuyerAndDelivery)
		a.shows(
			"status", `"ready_for_complete"`,
			"totals.*.amount", "[20000, 599, 0, 20599]",
			"messages.*.type", `["warning"]`,
			"messages.*.code", `["deal_dropped"]`,
			"messages.*.path", `["$.line_items[0]"]`,
			"messages.0.content", `contains "quantity 2"`,
			"messages.0.content", `contains "$token"`,
		)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("2 Trail Tent"), ucpCodes("$token"), ucpBuyerAndDelivery)
		a.shows("totals.*.amount", "[20000, -1000, 599, 0, 19599]", "messages", "absent")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			`"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 3}]`,
			ucpBuyerAndDelivery,
		)
		a.shows(
			"status", `"incomplete"`,
			"totals.*.amount", "[30000, 599, 0, 30599]",
			"messages.*.code", `["deal_dropped", "deal_not_applicable"]`,
			"messages.*.path", `["$.line_items[0]", "$.line_items[0]"]`,
		)

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			`"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}]`,
			ucpCodes("$token"),
			ucpBuyerAndDelivery,
		)
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("1 Camp Stove"), ucpCodes(), ucpBuyerAndDelivery)
		a.shows(
			"status", `"ready_for_complete"`,
			"messages.*.code", `["deal_dropped"]`,
			"messages.*.path", `["$.line_items"]`,
		)
	})
}

// An update of a cart that drops a deal warns of it.
func TestUCPDiscount_droppedFromCart(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, row := range []struct{ lines, codes, sum string }{
			{ucpLines("2 Trail Tent"), ucpCodes(), "20000"},
			{ucpLines("3 Trail Tent"), "", "30000"},
		} {
			a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
			a.asAgent("PUT /ucp/carts/$session", row.lines, row.codes)
			a.shows(
				"totals.*.amount", "["+row.sum+", "+row.sum+"]",
				"messages.*.type", `["warning"]`,
				"messages.*.code", `["deal_dropped"]`,
				"messages.*.path", `["$.line_items[0]"]`,
				"messages.0.content", `contains "quantity 2"`,
			)
		}
	})
}
