package features

import "testing"

// CART-029, CART-031, CART-033: A cart has ucp, id, line_items, currency and totals, and each line has id, item, quantity and totals.
func TestUCPCart_fields(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent", "1 Camp Stove"))
		a.answers(201)
		a.shows(
			"ucp.version", `"$version"`,
			"id", "matches .",
			"currency", `"USD"`,
			"totals.*.type", `["subtotal", "total"]`,
			"totals.*.amount", "[24000, 24000]",
			"line_items.*.id", `["li_1", "li_2"]`,
			"line_items.*.quantity", "[2, 1]",
			"line_items.*.item.id", `["${Trail Tent: variant}", "${Camp Stove: variant}"]`,
			"line_items.*.item.title", `["Trail Tent", "Camp Stove"]`,
			"line_items.*.item.price", "[10000, 4000]",
			"line_items.0.totals.*.type", `["subtotal", "total"]`,
			"line_items.0.totals.*.amount", "[20000, 20000]",
			"line_items.1.totals.*.amount", "[4000, 4000]",
		)
	})
}

// CART-032: A quantity is a whole number of at least 1.
func TestUCPCart_quantityIsWhole(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, quantity := range []string{"0", "-1", "1.5", `"2"`} {
			a.asAgent("POST /ucp/carts", ucpLines(quantity+" Trail Tent"))
			a.answers(400)
			a.shows("content", `contains "quantity"`)
		}

		a.asAgent("POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.answers(201)
		a.shows("line_items.*.quantity", "[1]")
	})
}

// CART-022: Every body is JSON.
func TestUCPCart_bodiesAreJSON(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", `{"line_items": [`)
		a.answers(400)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.answers(201)
		a.must(a.ucp.bodyIsJSON())
		a.remembers("id")

		a.asAgent("PUT /ucp/carts/$remembered_id", "quantity=2")
		a.answers(400)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("GET /ucp/carts/$remembered_id")
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())
		a.shows("line_items.*.quantity", "[1]")

		a.asAgent("POST /ucp/carts/$remembered_id/cancel")
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())

		a.asAgent("GET /ucp/carts/sess_unknown")
		a.answers(200)
		a.must(a.ucp.bodyIsJSON())
	})
}

// CART-017: An update removes the lines that it does not have.
func TestUCPCart_updateReplaces(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent", "1 Camp Stove"))
		a.remembers("id")
		a.asAgent("PUT /ucp/carts/$remembered_id", `"line_items": [{"id": "li_2", "item": {"id": "${Camp Stove}"}, "quantity": 3}]`)
		a.answers(200)

		a.asAgent("GET /ucp/carts/$remembered_id")
		a.shows(
			"id", `"$remembered_id"`,
			"line_items.*.id", `["li_2"]`,
			"line_items.*.item.id", `["${Camp Stove: variant}"]`,
			"line_items.*.quantity", "[3]",
			"totals.*.amount", "[12000, 12000]",
		)
	})
}

// CART-018: Canceling answers the cart as it was before.
func TestUCPCart_cancelAnswersCart(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent"))
		a.answers(201)
		a.shows("line_items.0.totals.0.amount", "20000")
		a.remembers("id")

		a.asAgent("POST /ucp/carts/$remembered_id/cancel")
		a.answers(200)
		a.shows(
			"id", `"$remembered_id"`,
			"line_items.*.quantity", "[2]",
			"totals.*.amount", "[20000, 20000]",
		)

		a.asAgent("GET /ucp/carts/$remembered_id")
		a.shows("line_items.#", "0", "totals.*.amount", "[0, 0]")
	})
}

// CART-001: A checkout of a cart has the cart's lines, deals and buyer, whatever else its request says.
func TestUCPCart_checkoutUsesCart(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("PUT /ucp/carts/$session", ucpLines("2 Trail Tent"), `"buyer": {"email": "ada@example.com", "first_name": "Ada"}`)
		a.shows("buyer", `{"email": "ada@example.com", "first_name": "Ada"}`)

		a.asAgent("POST /ucp/checkout-sessions",
			`"cart_id": "$session"`,
			ucpLines("9 Camp Stove"),
			`"buyer": {"email": "eve@example.com", "last_name": "Eve"}`,
			`"context": {"address_country": "FR", "currency": "EUR"}`,
			ucpCodes(),
		)
		a.shows(
			"line_items.*.item.id", `["${Trail Tent: variant}"]`,
			"line_items.*.quantity", "[2]",
			"totals.*.amount", "[20000, -1000, 19000]",
			"discounts.codes", `["$token"]`,
			"currency", `"USD"`,
			"buyer", `{"email": "ada@example.com", "first_name": "Ada"}`,
		)

		a.asAgent("GET /ucp/carts/$session")
		a.shows("line_items.*.quantity", "[2]", "buyer.email", `"ada@example.com"`)
	})
}

// A checkout has the buyer of its request if the cart has none.
func TestUCPCart_checkoutWithOwnBuyer(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("POST /ucp/carts", ucpLines("1 Trail Tent"), `"buyer": {"email": "ada@example.com"}`)
	a.remembers("id")
	a.asAgent("PUT /ucp/carts/$remembered_id", ucpLines("1 Trail Tent"))
	a.shows("buyer", "absent")

	a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$remembered_id"`, `"line_items": []`, `"buyer": {"email": "eve@example.com"}`)
	a.shows("buyer", `{"email": "eve@example.com"}`)
}

// CART-002: A second checkout of a cart is the first one.
func TestUCPCart_convertsOnce(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent"))
		a.remembers("id")
		a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$remembered_id"`, `"line_items": []`)
		a.answers(201)
		a.shows("status", `"incomplete"`, "line_items.*.quantity", "[2]")

		a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$remembered_id"`, `"line_items": []`)
		a.answers(200)
		a.must(a.ucp.answersEqualExcept("times"))
	})
}

// CART-030: An update of a checkout ignores cart_id.
func TestUCPCart_idInCheckoutUpdate(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("5 Camp Stove"))
		a.keepsID("cart")
		a.opensCheckout(1, "Trail Tent")
		a.asAgent("PUT /ucp/checkout-sessions/$remembered_id", `"cart_id": "$remembered_cart"`, ucpLines("2 Trail Tent"))
		a.answers(200)
		a.shows("line_items.*.item.id", `["${Trail Tent: variant}"]`, "line_items.*.quantity", "[2]")

		a.asAgent("GET /ucp/carts/$remembered_cart")
		a.shows("line_items.*.quantity", "[5]")
	})
}

// An update with unknown items only is an error, and changes nothing.
func TestUCPCart_updateWithUnknownItem(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent"))
		a.remembers("id")
		a.asAgent("PUT /ucp/carts/$remembered_id", ucpLines("1 var_unknown"))
		a.shows(
			"ucp.status", `"error"`,
			"id", "absent",
			"line_items", "absent",
			"messages.*.code", `["item_unavailable"]`,
			"messages.0.content", `contains "The cart is unchanged"`,
		)

		a.asAgent("GET /ucp/carts/$remembered_id")
		a.shows("line_items.*.quantity", "[2]")
	})
}

// A cart warns of a quantity above the stock.
func TestUCPCart_insufficientStock(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/carts", ucpLines("8 Trail Tent"))
		a.shows(
			"messages.*.type", `["warning"]`,
			"messages.*.code", `["insufficient_stock"]`,
			"messages.*.path", `["$.line_items[0].quantity"]`,
		)
		a.remembers("id")

		a.asAgent("GET /ucp/carts/$remembered_id")
		a.shows("messages.*.code", `["insufficient_stock"]`)
	})
}

// DSC-009: A checkout of a cart has the deal that the cart has.
func TestUCPCart_checkoutWithDeal(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("PUT /ucp/carts/$session", ucpLines("2 Trail Tent", "1 Camp Stove"))
		a.shows(
			"id", `"$session"`,
			"totals.*.amount", "[24000, -1000, 23000]",
			"discounts.codes", `["$token"]`,
		)

		a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$session"`, `"line_items": []`)
		a.answers(201)
		a.shows(
			"line_items.#", "2",
			"totals.*.amount", "[24000, -1000, 23000]",
			"discounts.codes", `["$token"]`,
		)
		a.remembers("id")

		a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$session"`, `"line_items": []`)
		a.answers(200)
		a.shows("id", `"$remembered_id"`)
	})
}
