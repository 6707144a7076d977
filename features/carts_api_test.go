package features

import "testing"

func TestACPCart_newSession(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.asBuyer("PUT /acp/cart", `{"items": [{"product_id": "${Trail Tent}", "quantity": 2}, {"product_id": "${Camp Stove}", "quantity": 1}]}`)
		a.must(a.platforms.namesAnswerField("session_id", "visit"))
		a.asBuyer("GET /acp/cart?session_id=$visit")
		a.shows(
			"session_id", `"$visit"`,
			"items.*.line_id", `["li_1", "li_2"]`,
			"items.*.product_id", `["${Trail Tent}", "${Camp Stove}"]`,
			"items.*.variant_id", `["${Trail Tent: variant}", "${Camp Stove: variant}"]`,
			"items.*.name", `["Trail Tent", "Camp Stove"]`,
			"items.*.quantity", "[2, 1]",
			"items.*.unit_price", "[100, 40]",
			"items.*.original_price", "[100, 40]",
			"items.*.discount", `["0%", "0%"]`,
			"items.*.agreed", "[false, false]",
			"items.0.quote_id", "absent",
			"subtotal", "240",
			"savings", "0",
			"currency", `"USD"`,
			"expires_at", "matches Z$",
			"checkout_id", "absent",
			"warnings", "absent",
			"next_actions", `["init_checkout", "put_cart", "make_offer", "ask_price"]`,
		)
	})
}

func TestACPCart_agreement(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.carts.readsCart())
		a.shows(
			"items.0.line_id", `"li_1"`,
			"items.0.quote_id", `"$quote"`,
			"items.0.discount", `"5%"`,
		)

		// The list price falls below the agreed one.
		a.must(a.catalog.setPrice("Trail Tent", "90"))
		a.must(a.carts.readsCart())
		a.shows(
			"items.0.unit_price", "90",
			"items.0.original_price", "90",
			"items.0.agreed", "true",
		)
	})
}

func TestACPCart_unavailableItem(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.asBuyer("PUT /acp/cart", `{"items": [{"product_id": "${Trail Tent}", "quantity": 2}, {"product_id": "${Camp Stove}", "quantity": 1}]}`)
		a.must(a.platforms.namesAnswerField("session_id", "visit"))
		a.must(a.carts.takesOffSale("Trail Tent"))
		a.asBuyer("GET /acp/cart?session_id=$visit")
		a.shows(
			"warnings.*.code", `["item_unavailable"]`,
			"warnings.*.field", `["items.0"]`,
			"next_actions.0", `"put_cart"`,
		)
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$visit", "from_cart": true, "shipping_address": $address}`)
		a.refused("422 validation_error", "items.0.product_id")
	})
}

func TestACPCartCancel(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.asBuyer("PUT /acp/cart", `{"items": [{"product_id": "${Trail Tent}", "quantity": 2}]}`)
		a.must(a.platforms.namesAnswerField("session_id", "visit"))
		a.asBuyer("DELETE /acp/cart?session_id=$visit")
		a.shows(
			"items", "[]",
			"subtotal", "0",
			"next_actions", `["search", "put_cart"]`,
		)
		a.asBuyer("GET /acp/sessions/$visit")
		a.shows("cart.items", "[]")
	})
}

func TestACPCartPut_unusedAgreement(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 3}]}`)
		a.shows(
			"items.0.line_id", `"li_1"`,
			"items.0.unit_price", "100",
			"items.0.agreed", "false",
			"warnings.*.code", `["agreement_not_used"]`,
			"warnings.0.field", `"items.0"`,
			"warnings.0.quote_id", `"$quote"`,
			"warnings.0.agreed_price", "95",
		)

		// The agreed quantity alone does not bring the agreement back, but its token does.
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}]}`)
		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}]}`)
		a.shows(
			"items.0.agreed", "false",
			"warnings.#", "1",
			"warnings.0.code", `"agreement_not_used"`,
			"warnings.0.field", `"items.0"`,
			"warnings.0.agreed_price", "95",
		)
		a.asBuyer("GET /acp/cart?session_id=$session")
		a.shows("warnings.0.code", `"agreement_not_used"`)
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "from_cart": true, "shipping_address": $address}`)
		a.shows("status", `"ready"`, "warnings.0.code", `"agreement_not_used"`)
		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2, "checkout_token": "$token"}]}`)
		a.shows(
			"items.0.agreed", "true",
			"items.0.valid_until", "matches Z$",
			"warnings", "absent",
		)
	})
}

func TestACPCartPut_refusedItems(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		for _, row := range []struct{ items, with, field string }{
			{`{"product_id": "$product", "quantity": 0}`, "422 validation_error", "items.0.quantity"},
			{`{"product_id": "$product", "quantity": 1001}`, "422 validation_error", "items.0.quantity"},
			{`{"product_id": "$product", "quantity": 2, "line_id": "li_7"}`, "422 validation_error", "items.0.line_id"},
			{`{"product_id": "$product", "quantity": 2, "line_id": "seven"}`, "422 validation_error", "items.0.line_id"},
			{`{"product_id": "$product", "quantity": 2, "checkout_token": "ct_unknown"}`, "422 validation_error", "items.0.checkout_token"},
			{`{"product_id": "$product", "quantity": 3, "checkout_token": "$token"}`, "422 price_mismatch", "items.0.checkout_token"},
			{`{"product_id": "$product", "quantity": 3, "negotiated_price": 95}`, "422 price_mismatch", "items.0.negotiated_price"},
			{`{"product_id": "$product", "quantity": 2, "line_id": "li_1", "negotiated_price": 94}`, "422 price_mismatch", "items.0.negotiated_price"},
			{`{"product_id": "prod_1", "quantity": 1}`, "404 product_not_found", ""},
			{
				`{"product_id": "$product", "quantity": 1, "line_id": "li_1"}, {"product_id": "$product", "quantity": 1, "line_id": "li_1"}`,
				"422 validation_error", "items.1.line_id",
			},
			{
				`{"product_id": "$product", "quantity": 2, "checkout_token": "$token"}, {"product_id": "$product", "quantity": 2, "checkout_token": "$token"}`,
				"422 price_mismatch", "items.1.checkout_token",
			},
		} {
			body := `{"session_id": "$session", "items": [` + row.items + `]}`
			a.buyerIsRefused([]rejection{{"PUT /acp/cart " + body, row.with, row.field}})
		}
	})
}

func TestACPCartPut_atMost50Lines(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))
		a.must(a.carts.putsCartLines(50, 1, "Trail Tent"))
		a.shows("items.#", "50")
		if err := a.carts.putsCartLines(51, 1, "Trail Tent"); err != nil {
			a.Fatal(err)
		}
		a.refused("422 validation_error", "items")
	})
}

func TestACPCart_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensOutfitter()
	a.buyerIsRefused([]rejection{
		{"GET /acp/cart?session_id=sess_06fszq2d8v3m5xk9t1c7w4hpeg", "404 session_not_found", ""},
		{"DELETE /acp/cart?session_id=sess_06fszq2d8v3m5xk9t1c7w4hpeg", "404 session_not_found", ""},
		{"GET /acp/cart?session_id=nonsense", "404 session_not_found", ""},
		{`PUT /acp/cart {"session_id": "sess_06fszq2d8v3m5xk9t1c7w4hpeg", "items": []}`, "404 session_not_found", ""},
		{"GET /acp/cart", "400 invalid_request", ""},
		{"PUT /acp/cart {}", "422 validation_error", "items"},
	})
}

func TestACPCartPut_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		body := `{"items": [{"product_id": "${Trail Tent}", "quantity": 1}]}`
		a.with("Idempotency-Key", "cart-0123456789abcdef").asBuyer("PUT /acp/cart", body)
		a.must(a.rememberAnswer("session_id"))
		a.with("Idempotency-Key", "cart-0123456789abcdef").asBuyer("PUT /acp/cart", body)
		a.shows("session_id", `"$remembered_session_id"`)
		a.showsHeaders("Idempotent-Replayed", "true")

		a.with("Idempotency-Key", "cart").asBuyer("PUT /acp/cart", `{"items": []}`)
		a.refused("422 idempotency_key_too_short")
	})
}

func TestACPCheckoutInit_fromCart(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.buyerIsRefused([]rejection{
			{
				`POST /acp/checkout/init {"session_id": "$session", "from_cart": true, "items": [{"product_id": "${Camp Stove}", "quantity": 1}], "shipping_address": $address}`,
				"422 validation_error", "items",
			},
			{
				`POST /acp/checkout/init {"session_id": "$session", "from_cart": true, "checkout_token": "$token", "shipping_address": $address}`,
				"422 validation_error", "checkout_token",
			},
			{`POST /acp/checkout/init {"from_cart": true, "shipping_address": $address}`, "422 validation_error", "session_id"},
		})
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "from_cart": true, "allow_incomplete": true, "shipping_address": {}}`)
		a.shows("status", `"incomplete"`, "missing.0", `"shipping_address.name"`)
	})
}

func TestACPCheckoutInit_fromCartAgain(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.carts.checksOutCart(a.shopper.address))
		a.must(a.carts.checksOutCart(a.shopper.address))
		a.must(a.carts.sameCheckout(true))
		a.asBuyer("GET /acp/cart?session_id=$session")
		a.shows("checkout_id", `"$checkout"`)
		a.must(a.carts.checksOutCartWithoutAddress())
		a.shows("status", `"ready"`)

		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [
			{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}, {"product_id": "${Camp Stove}", "quantity": 1}]}`)
		a.must(a.carts.checksOutCart(a.shopper.address))
		a.asBuyer("GET /acp/checkout/$checkout")
		a.shows("revision", "2", "items.*.line_id", `["li_1", "li_2"]`)

		a.must(a.checkouts.paysWithDeclinedCard("do not honor"))
		a.must(a.carts.checksOutCart(a.shopper.address))
		a.shows("checkout_id", `"$checkout"`, "status", `"pending"`)
		a.must(a.checkouts.paysSuccessfully())
		a.asBuyer("GET /acp/cart?session_id=$session")
		a.shows("items", "[]", "checkout_id", "absent")
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "checkout_token": "$token", "shipping_address": $address}`)
		a.refused("409 token_redeemed")
	})
}
