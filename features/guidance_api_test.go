package features

import "testing"

// opensShopForGuidance opens a shop with a tent, boots in two variants, and a stove that is sold out.
func (a *apiTest) opensShopForGuidance() {
	a.Helper()
	a.opensShopSelling(
		stockedProduct("Trail Tent", "1000.00", "7"),
		variedProduct("Boot", "80.00", "M/Brown=5, L/Black=1"),
		stockedProduct("Camp Stove", "40.00", "0"),
	)
}

func TestACPManifest_absoluteURLs(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.asBuyer("GET /.well-known/acp/manifest.json")
	a.shows(
		"urls.search", `matches ^http://127\.0\.0\.1:[0-9]+/p/[a-z0-9-]+/acp/search$`,
		"urls.keys", `matches /\.well-known/jwks\.json$`,
		"urls.product", `matches /acp/products/\{id\}$`,
		"urls.availability", `matches /acp/availability$`,
		"urls.session", `matches /acp/sessions/\{id\}$`,
		"urls.checkout_cancel", `matches /acp/checkout/cancel$`,
		"urls.order_cancel", `matches /acp/orders/\{id\}/cancel$`,
		"urls.openapi", `matches /acp/openapi\.json$`,
		"protocols.ucp", `matches /p/[^/]+/.well-known/ucp$`,
		"protocols.mcp", `matches /p/[^/]+/mcp$`,
		"usage.search", `contains "keywords"`,
		"usage.next_actions.accept", `contains "current price"`,
		"usage.payment", `contains "spt_sandbox_ok"`,
	)
}

// TestAcpSearch_nextActions follows an order from the search to a return.
func TestACPSearch_nextActions(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForGuidance()
		next := func(actions string) {
			a.Helper()
			a.shows("next_actions", actions)
		}
		a.must(a.discovery.searches("trail tent", ""))
		next(`["read_product", "make_offer", "ask_price", "put_cart", "init_checkout"]`)
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.asksPrice())
		next(`["accept", "counter", "decline"]`)
		a.must(a.haggling.offers("1"))
		a.shows("status", `"reject"`, "next_actions", `["accept", "counter", "decline"]`)
		a.must(a.haggling.offers("the current price"))
		a.shows("status", `"accept"`, "next_actions", `["init_checkout", "read_cart"]`)
		a.must(a.checkouts.checksOut())
		next(`["finalize", "revise_checkout", "cancel_checkout"]`)
		a.must(a.checkouts.pays("psp_spt", "spt_sandbox_decline_insufficient_funds"))
		a.shows(
			"next_actions", `["finalize", "revise_checkout", "cancel_checkout"]`,
			"revision", `1`,
			"total", `above 0`,
		)
		a.must(a.checkouts.pays("psp_spt", goodToken))
		next(`["read_order", "cancel_order"]`)
		a.must(a.orders.reportsFulfillment(`{"status": "shipped"}`))
		a.must(a.act(func(b *shopper) { b.ReadOrder() }))
		next(`["request_return"]`)
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		next(`["read_return", "read_order"]`)
		a.must(a.act(func(b *shopper) { b.ReadOrder() }))
		next(`["read_return"]`)
	})
}

func TestACPSearch_nextActionsOfPages(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.asBuyer("POST /acp/search", `{"query": "", "limit": 1}`)
	a.shows("next_actions", `["read_product", "read_on", "make_offer", "ask_price", "put_cart", "init_checkout"]`)
	a.must(a.discovery.searchesWithFilters("trail tent", `{"category": "nowhere"}`))
	a.shows("results.#", `0`, "next_actions", `["search"]`)
}

func TestACPQuote_nextActionsOfFixedPrice(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.must(a.catalog.creates(`{"name": "Gift Card", "sku": "GIFT", "price": 50, "negotiable": false, "quantity": 10}`))
	a.must(a.buyers.arrivesLookingAt("Gift Card"))
	a.must(a.haggling.asksPrice())
	a.shows("next_actions", `["accept", "decline"]`)
}

func TestACPQuote_acceptedQuote(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForGuidance()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "995"))
		a.asBuyer("POST /acp/quote", `{"session_id": "$session", "quote_id": "$quote", "offer_price": 900}`)
		a.refused("409 quote_accepted")
		a.shows(
			"deal.status", `"open"`,
			"deal.quote_id", `"$quote"`,
			"deal.final_price", `995`,
			"deal.currency", `"USD"`,
			"next_actions", `["init_checkout", "make_offer", "read_session"]`,
		)
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysSuccessfully())
		a.asBuyer("POST /acp/quote", `{"session_id": "$session", "quote_id": "$quote", "offer_price": 900}`)
		a.refused("409 quote_accepted")
		a.shows("deal.status", `"redeemed"`, "next_actions", `["make_offer", "ask_price", "read_session"]`)
	})
}

func TestACPCheckoutFinalize_unknownToken(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
	a.must(a.checkouts.pays("psp_spt", "nonsense"))
	a.shows(
		"status", `"payment_failed"`,
		"error.decline_code", `"invalid_token"`,
		"next_actions", `["finalize", "revise_checkout", "cancel_checkout"]`,
	)
}

func TestACPProduct_nextActionsOfRefusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	for _, row := range [][3]string{ // a request, its refusal, and the next actions
		{"GET /acp/products/prod_1", "404 product_not_found", `["search"]`},
		{"GET /acp/sessions/sess_1", "404 session_not_found", `["new_session"]`},
		{"GET /acp/orders/ord_1", "404 order_not_found", `["correct_request"]`},
		{`POST /acp/quote {"product_id": "${Trail Tent}", "offer_price": -1}`, "422 validation_error", `["correct_request"]`},
		{"GET /acp/nowhere", "404 route_not_found", `["read_manifest"]`},
	} {
		a.asBuyer(row[0])
		a.refused(row[1])
		a.shows("next_actions", row[2])
	}
}

func TestACPQuote_unknownFields(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	for _, row := range [][3]string{ // a request, the field that it should not have, and the field that the warning suggests
		{`POST /acp/quote {"product_id": "${Trail Tent}", "quantity": 1, "offer": 900}`, `"offer"`, `contains "offer_price?"`},
		{
			`POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "shipping_method": "express"}`,
			`"shipping_method"`, `contains "shipping_option"`,
		},
		{`PUT /acp/cart {"items": [], "line_items": []}`, `"line_items"`, `contains "items"`},
	} {
		a.asBuyer(row[0])
		a.shows(
			"warnings.0.code", `"unknown_field"`,
			"warnings.0.field", row[1],
			"warnings.0.message", row[2],
		)
	}
}

func TestACPQuote_variants(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.asBuyer("POST /acp/quote", `{"product_id": "${Boot}", "quantity": 1}`)
	a.refused("422 validation_error")
	a.shows(
		"details.0.field", `"variant_id"`,
		"details.0.message", `contains "${Boot: variant}"`,
		"details.0.message", `contains "(M / Brown)"`,
		"details.0.message", `contains "(L / Black)"`,
	)

	a.asBuyer("POST /acp/quote", `{"product_id": "${Boot}", "variant_id": "${Trail Tent: variant}", "quantity": 1}`)
	a.refused("404 variant_not_found")
	a.shows("message", `contains "(M / Brown)"`, "next_actions", `["read_product", "search"]`)
}

func TestACPCheckoutInit_regions(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"shipping_regions": ["US", "CA"]}`)
	a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))
	if err := a.checkouts.checksOutTo("DE", "10115"); err != nil {
		a.Fatal(err)
	}
	a.refused("422 validation_error")
	a.shows(
		"details.0.field", `"shipping_address.country"`,
		"details.0.message", `"DE is not in the shop's shipping_regions; it ships to US, CA"`,
	)
}

func TestACPCheckoutInit_agreedPriceWithoutToken(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForGuidance()
	a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "995"))
	a.asBuyer("POST /acp/checkout/init",
		`{"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2, "negotiated_price": 995}], "shipping_address": $address}`)
	a.refused("422 price_mismatch")
	a.shows(
		"details.0.field", `"items.0.negotiated_price"`,
		"details.0.message", `contains "give the checkout_token of that quote"`,
	)
}

func TestACPOrderCancel_openReturn(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForGuidance()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		a.asBuyer("POST /acp/orders/$order/cancel", `{"session_id": "$session"}`)
		a.refused("409 return_open")
		a.shows("message", `contains "$return"`, "next_actions", `["read_return", "read_order"]`)
	})
}

func TestCreateEventSubscription_unknownType(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.asMerchant("POST /v1/event-subscriptions", `{"url": "https://example.com/hook", "event_types": ["order.eaten"]}`)
	a.refused("422 validation_error")
	a.shows("error.details.0.field", `"event_types.0"`, "error.details.0.message", `contains "order.completed"`)
}

func TestACPOpenapi_shop(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.asBuyer("GET /acp/openapi.json")
	a.shows("info.title", `contains "Test Shop"`, "servers.0.url", `matches /p/shop-[a-z0-9]+$`)
	a.showsHeaders(
		"Access-Control-Allow-Origin", `"*"`,
		"ETag", `matches ^[0-9a-f]+$`,
		"Cache-Control", `"public, max-age=60"`,
	)
	a.asBuyer("GET /llms.txt")
	a.answers(200)
}
