package features

import "testing"

// DSC-003: Codes in an update of a checkout replace those of before.
func TestUCPDiscount_codesReplaceInCheckout(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.remember("token"))
		a.must(a.checkouts.agrees(1, "Camp Stove", "38"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpCodes("$remembered_token"))
		a.shows("discounts.codes", `["$remembered_token"]`, "totals.*.amount", "[24000, -1000, 23000]")
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpCodes("$token"))
		a.shows(
			"discounts.codes", `["$token"]`,
			"discounts.applied.*.code", `["$token"]`,
			"totals.*.amount", "[24000, -200, 23800]",
		)

		a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.shows("discounts.codes", `["$token"]`, "totals.*.amount", "[24000, -200, 23800]")
	})
}

// DSC-003: Codes in an update of a cart replace those of before.
func TestUCPDiscount_codesReplaceInCart(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.remember("token"))
		a.must(a.checkouts.agrees(1, "Camp Stove", "38"))
		a.asAgent("PUT /ucp/carts/$session", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpCodes("$remembered_token"))
		a.shows("discounts.codes", `["$remembered_token"]`, "totals.*.amount", "[24000, -1000, 23000]")

		a.asAgent("PUT /ucp/carts/$session", ucpLines("2 Trail Tent", "1 Camp Stove"), ucpCodes("$token"))
		a.asAgent("GET /ucp/carts/$session")
		a.shows("discounts.codes", `["$token"]`, "totals.*.amount", "[24000, -200, 23800]")
	})
}

// DSC-020, DSC-021, DSC-023, DSC-024, DSC-026, DSC-029: An applied discount says how much it takes off, and from which line.
func TestUCPDiscount_applied(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.remember("token"))
		a.must(a.checkouts.agrees(1, "Camp Stove", "38"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove", "2 Trail Tent"), ucpCodes("$remembered_token", "$token"))
		a.shows(
			"discounts.codes", `["$remembered_token", "$token"]`,
			"discounts.applied.*.code", `["$token", "$remembered_token"]`,
			"discounts.applied.*.title", `["Agreed price", "Agreed price"]`,
			"discounts.applied.*.amount", "[200, 1000]",
			"discounts.applied.*.method", `["each", "each"]`,
			"discounts.applied.0.allocations", `[{"path": "$.line_items[0]", "amount": 200}]`,
			"discounts.applied.1.allocations", `[{"path": "$.line_items[1]", "amount": 1000}]`,
			"totals.*.type", `["subtotal", "items_discount", "total"]`,
			"totals.*.amount", "[24000, -1200, 22800]",
			"line_items.0.totals.*.amount", "[4000, -200, 3800]",
			"line_items.1.totals.*.amount", "[20000, -1000, 19000]",
		)

		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove"))
		a.shows(
			"discounts", "absent",
			"totals.*.type", `["subtotal", "total"]`,
			"line_items.0.totals.*.type", `["subtotal", "total"]`,
		)
	})
}

// DSC-020, DSC-021: A deal is not applied when the list price has fallen to its price or below.
func TestUCPDiscount_priceAtOrBelowDeal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ price, sum string }{
		{"95", "19000"},
		{"80", "16000"},
	} {
		t.Run(row.price, func(t *testing.T) {
			eachUCPTransport(t, func(a *ucpTest) {
				a.opensCampingShop()
				a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
				a.must(a.catalog.setPrice("Trail Tent", row.price))
				a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"))
				a.shows(
					"discounts.codes", `["$token"]`,
					"discounts.applied", "absent",
					"ucp.request_constraints.properties.discounts.properties.codes.const", a.constraint(`["$token"]`),
					"totals.*.type", `["subtotal", "total"]`,
					"totals.*.amount", "["+row.sum+", "+row.sum+"]",
					"line_items.0.totals.*.type", `["subtotal", "total"]`,
				)
			})
		})
	}
}

// DSC-020, DSC-021: A deal at the list price is not applied.
func TestUCPDiscount_dealAtListPrice(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "100"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"))
		a.shows(
			"discounts.codes", `["$token"]`,
			"discounts.applied", "absent",
			"ucp.request_constraints.properties.discounts.properties.codes.const", a.constraint(`["$token"]`),
			"totals.*.type", `["subtotal", "total"]`,
			"totals.*.amount", "[20000, 20000]",
			"line_items.0.totals.*.type", `["subtotal", "total"]`,
		)
	})
}

// DSC-027: Applied discounts in a request are ignored.
func TestUCPDiscount_appliedInRequest(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("2 Trail Tent", "1 Camp Stove"),
			`"discounts": {"codes": ["$token"], "applied": [{"title": "All of it", "amount": 24000, "automatic": true, `+
				`"allocations": [{"path": "$.line_items[1]", "amount": 4000}]}]}`,
		)
		a.shows(
			"discounts.applied.*.title", `["Agreed price"]`,
			"discounts.applied.*.amount", "[1000]",
			"totals.*.amount", "[24000, -1000, 23000]",
		)
		a.remembers("id")

		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id",
			ucpLines("2 Trail Tent", "1 Camp Stove"),
			`"discounts": {"applied": [{"code": "$token", "title": "Half of it", "amount": 12000}]}`,
		)
		a.shows(
			"discounts.applied.*.title", `["Agreed price"]`,
			"discounts.applied.*.amount", "[1000]",
			"totals.*.amount", "[24000, -1000, 23000]",
		)

		a.asAgent("POST /ucp/carts", ucpLines("1 Camp Stove"), `"discounts": {"applied": [{"title": "All of it", "amount": 4000}]}`)
		a.shows("discounts", "absent", "totals.*.amount", "[4000, 4000]")
	})
}

// DSC-028: Codes in a request to complete are ignored.
func TestUCPDiscount_codesInCompletion(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment, ucpCodes("$token"))
		a.answers(200)
		a.shows(
			"status", `"completed"`,
			"discounts", "absent",
			"totals.*.amount", "[20000, 599, 0, 20599]",
		)

		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"), ucpBuyerAndDelivery)
		a.shows("totals.*.amount", "[20000, -1000, 599, 0, 19599]")
		a.remembers("id")

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment, ucpCodes())
		a.shows(
			"status", `"completed"`,
			"discounts.codes", `["$token"]`,
			"totals.*.amount", "[20000, -1000, 599, 0, 19599]",
		)
	})
}

// DSC-034: A buyer in a request to complete is ignored, and stored nowhere.
func TestUCPDiscount_buyerInCompletion(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(1, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete",
			ucpPayment,
			`"buyer": {"email": "eve@example.com", "first_name": "Eve", "consent": {"marketing": true}}`,
		)
		a.answers(200)
		a.shows(
			"status", `"completed"`,
			"buyer.email", `"ada@example.com"`,
			"buyer.first_name", "absent",
			"buyer.consent", "absent",
		)

		a.asMerchant("GET /v1/orders")
		a.shows("data.#", "1", "data.0.email", `"ada@example.com"`)
		a.must(a.ucp.noAnswerHolds("eve@example.com"))
	})
}
