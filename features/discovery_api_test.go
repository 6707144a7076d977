package features

import "testing"

func TestACPManifest_newShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWith([]map[string]string{{"name": "Trail Tent", "price": "100.00", "category": "outdoor/tents", "stock": "5"}}))
		a.asBuyer("GET /.well-known/acp/manifest.json")
		a.shows(
			"acp_version", `"1.0"`,
			"merchant.id", `"$shop"`,
			"merchant.name", `"Test Shop"`,
			"merchant.capabilities", `contains "negotiate"`,
			"merchant.capabilities", `contains "recommend"`,
			"endpoints.search", `"/acp/search"`,
			"endpoints.product", `"/acp/products/{id}"`,
			"endpoints.quote", `"/acp/quote"`,
			"endpoints.checkout", `"/acp/checkout/init"`,
			"endpoints.finalize", `"/acp/checkout/finalize"`,
			"endpoints.orders", `"/acp/orders/{id}"`,
			"endpoints.returns", `"/acp/returns"`,
			"payment_methods.*.type", `["psp_spt", "wallet_ba"]`,
			"payment_methods.*.currencies", `[["USD"], ["USD"]]`,
			"supported_currencies", `["USD"]`,
			"shipping_regions", `["US"]`,
			"policies.negotiation_enabled", `true`,
			"policies.max_discount_percent", `20`,
			"policies.return_window_days", `30`,
			"policies.free_shipping_threshold", `null`,
			"categories", `[{"id": "outdoor", "name": "Outdoor", "product_count": 1}, {"id": "outdoor/tents", "name": "Tents", "product_count": 1}]`,
		)
	})
}

// opensShopOfTentsAndShoes opens the shop that discovery.feature searches.
func (a *apiTest) opensShopOfTentsAndShoes() {
	a.Helper()
	a.must(a.catalog.openShopWith([]map[string]string{
		{
			"name": "Trail Tent", "price": "249.00", "category": "outdoor/tents", "brand": "Norrsken", "stock": "5",
			"description": "Sleeps two people in the rain.", "tags": "waterproof",
		},
		{
			"name": "Family Tent", "price": "399.00", "category": "outdoor/tents", "brand": "Lumi", "stock": "5",
			"description": "Room for six, with a porch.",
		},
		{
			"name": "Running Shoe Swift", "price": "89.00", "category": "shoes/running", "brand": "Lumi", "stock": "5",
			"description": "Light, for the road.", "variants": "S/Red=2, M/Red=1, M/Blue=0",
		},
		{
			"name": "Hiking Boot Granit", "price": "149.00", "category": "shoes/hiking", "brand": "Norrsken", "stock": "5",
			"description": "Ankle-high leather boot.", "tags": "waterproof", "variants": "M/Brown=3, L/Black=2",
		},
		{
			"name": "Camp Stove", "price": "49.00", "category": "outdoor/kitchen", "brand": "Ember", "stock": "5",
			"description": "Boils a litre in three minutes.",
		},
	}))
}

func TestACPSearch_results(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfTentsAndShoes()
		a.must(a.discovery.searches("waterproof tent", ""))
		a.shows(
			"session_id", `matches ^sess_`,
			"results.0.product_id", `matches ^prod_`,
			"results.0.name", `"Trail Tent"`,
			"results.0.description", `"Sleeps two people in the rain."`,
			"results.0.brand", `"Norrsken"`,
			"results.0.list_price", `249`,
			"results.0.negotiable", `true`,
			"results.0.semantic_match.score", `above 0`,
			"results.0.semantic_match.reasons.0", `present`,
			"results.0.images", `[]`,
			"results.0.availability.in_stock", `true`,
			"results.0.availability.quantity", `5`,
			"results.0.availability.shipping_estimate", `present`,
			"results.0.variants.*.in_stock", `[true]`,
			"total_count", `at least 2`,
		)

		a.must(a.discovery.searches("", "1"))
		a.shows(
			"results.#", `1`,
			"total_count", `5`,
			"facets.brands", `contains {"name": "Lumi", "count": 2}`,
			"facets.brands", `contains {"name": "Ember", "count": 1}`,
			"facets.colors", `contains {"name": "Red", "count": 1}`,
			"facets.price_ranges.#", `at least 1`,
		)
		a.must(a.discovery.priceRangesAddUp())
	})
}

func TestACPSearch_filtersWithoutQuery(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfTentsAndShoes()
		a.filtersFind([]filterCase{
			{"", `{"category": "outdoor"}`, `"Trail Tent", "Family Tent", "Camp Stove"`},
			{"", `{"category": "outdoor/tents"}`, `"Trail Tent", "Family Tent"`},
			{"", `{"category": "out"}`, `nothing`},
			{"", `{"price_max": 89}`, `"Running Shoe Swift", "Camp Stove"`},
			{"", `{"price_max": 88.99}`, `"Camp Stove"`},
			{"", `{"price_max": 0}`, `nothing`},
			{"", `{"size": "L"}`, `"Hiking Boot Granit"`},
			{"", `{"size": "m"}`, `"Running Shoe Swift", "Hiking Boot Granit"`},
			{"", `{"color_preference": ["red", "black"]}`, `"Running Shoe Swift", "Hiking Boot Granit"`},
			{"", `{"color_preference": ["green"]}`, `nothing`},
			{"", `{"category": "shoes", "price_max": 100, "size": "S"}`, `"Running Shoe Swift"`},
			{"", `{"size": "L", "color_preference": ["brown"]}`, `nothing`},
		})
	})
}

func TestACPSearch_likedColors(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(
			variedProduct("Tee Ada", "20.00", "M/Red=3"),
			variedProduct("Tee Bea", "20.00", "M/Blue=3"),
		)
		a.asBuyer("POST /acp/search", `{"query": "tee", "buyer_context": {"color_preference": ["sunshine", "", "blue"]}}`)
		a.shows("total_count", `2`, "results.0.name", `"Tee Bea"`)

		a.asBuyer("GET /acp/products/$product?buyer_context=%7B%22color_preference%22%3A%5B%22red%22%5D%7D")
		a.answers(200)
	})
}

func TestACPSearch_relatedProducts(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWith([]map[string]string{
			{"name": "Trail Tent", "price": "500.00", "stock": "20", "related": "Ground Mat, Peg"},
			{"name": "Ground Mat", "price": "100.00", "stock": "20"},
			{"name": "Peg", "price": "2.00", "stock": "20"},
		}))
		a.must(a.discovery.searches("tent", ""))
		a.shows(
			"results.*.name", `["Trail Tent"]`,
			"recommendations.*.type", `["complementary", "complementary"]`,
			"recommendations.*.name", `["Ground Mat", "Peg"]`,
			"recommendations.*.price", `[100, 2]`,
			"recommendations.0.bundle_discount", `matches ^[0-9]+(\.[0-9])?%$`,
		)
	})
}

// opensShopWithDetailedTent opens a shop with a product of two variants, described in full.
func (a *apiTest) opensShopWithDetailedTent() {
	a.Helper()
	a.opensShop()
	a.must(a.catalog.creates(`{
		"name": "Trail Tent", "sku": "TENT", "price": 1000, "category": "outdoor/tents", "brand": "Norrsken",
		"description": "Sleeps two.", "cost": 500, "attributes": {"weight": "1.9 kg"},
		"images": [{"url": "https://cdn.example.com/a.jpg"}, {"url": "/b.jpg"}],
		"reviews": {"average_rating": 4.5, "count": 12, "summary": "Light."},
		"variants": [
			{"sku": "TENT-G", "size": "2P", "color": "Green", "quantity": 9},
			{"sku": "TENT-R", "size": "3P", "color": "Red", "price": 1200, "quantity": 0}
		]}`))
}

func TestACPProduct_allFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithDetailedTent()
		a.must(a.discovery.looksAtProductAs(""))
		a.shows(
			"product_id", `"$product"`,
			"name", `"Trail Tent"`,
			"description", `"Sleeps two."`,
			"brand", `"Norrsken"`,
			"category", `"outdoor/tents"`,
			"list_price", `1000`,
			"negotiable", `true`,
			"personalized_price.price", `at most 1000`,
			"personalized_price.price", `at least 800`,
			"personalized_price.discount", `matches ^[0-9]+(\.[0-9])?%$`,
			"personalized_price.reason", `present`,
			"negotiation_hints.suggested_offer", `at least 800`,
			"negotiation_hints.likely_acceptance_range.#", `2`,
			"negotiation_hints.likely_acceptance_range.0", `at least 800`,
			"negotiation_hints.likely_acceptance_range.1", `1000`,
			"attributes", `{"weight": "1.9 kg"}`,
			"variants.*.sku", `["TENT-G", "TENT-R"]`,
			"variants.*.size", `["2P", "3P"]`,
			"variants.*.color", `["Green", "Red"]`,
			"variants.*.in_stock", `[true, false]`,
			"variants.*.quantity", `[9, 0]`,
			"images.*.position", `[1, 2]`,
			"images.0.url", `"https://cdn.example.com/a.jpg"`,
			"images.1.url", `matches ^http.*/b\.jpg$`,
			"reviews", `{"average_rating": 4.5, "count": 12, "summary": "Light."}`,
			"shipping.free_shipping", `false`,
			"shipping.estimated_delivery", `present`,
			"returns.allowed", `true`,
			"returns.window_days", `30`,
		)
	})
}

func TestACPProduct_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithDetailedTent()
	a.buyerIsRefused([]rejection{
		{"GET /acp/products/$product?buyer_context=gold", "400 invalid_request", "buyer_context"},
		{"GET /acp/products/$product?buyer_context=%7B%22loyalty_tier%22%3A", "400 invalid_request", "buyer_context"},
		{"GET /acp/products/$product?buyer_context=%5B%5D", "400 invalid_request", "buyer_context"},
		{"GET /acp/products/$product?buyer_context=null", "400 invalid_request", "buyer_context"},
		{"GET /acp/products/$product?buyer_context=%7B%22purchase_history%22%3A%22many%22%7D", "400 invalid_request", "buyer_context"},
		{"GET /acp/products/prod_unknown", "404 product_not_found", ""},
		{"GET /acp/products/prod_0000000000000000000000000a", "404 product_not_found", ""},
		{"GET /acp/products/$variant", "404 product_not_found", ""},
		{"GET /acp/products/7", "404 product_not_found", ""},
		{"GET /acp/products/$product?session_id=sess_unknown", "404 session_not_found", ""},
	})
}

func TestACPAvailability_inStock(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(stockedProduct("Trail Tent", "100.00", "5"))
		a.must(a.discovery.checksAvailability(2, "Trail Tent"))
		a.shows(
			"available", `true`,
			"items.0.product_id", `"$product"`,
			"items.0.variant_id", `"$variant"`,
			"items.0.requested_quantity", `2`,
			"items.0.available_quantity", `5`,
			"items.0.status", `"in_stock"`,
			"items.0.warehouse", `present`,
			"items.0.shipping_estimate.method", `"standard"`,
			"items.0.shipping_estimate.days", `"3-5"`,
			"items.0.shipping_estimate.cost", `5.99`,
			"shipping_options.*.method", `["standard", "express", "overnight"]`,
			"shipping_options.*.cost", `[5.99, 14.99, 29.99]`,
			"total_shipping", `5.99`,
			"free_shipping_qualified", `false`,
		)
	})
}

func TestACPAvailability_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopSelling(stockedProduct("Trail Tent", "100.00", "5"), variedProduct("Boot", "80.00", "M/Brown=3, L/Black=0"))
	for _, row := range [][2]string{
		{`{"items": [], "shipping_address": {"postal_code": "97205", "country": "US"}}`, "items"},
		{`{"shipping_address": {"postal_code": "97205", "country": "US"}}`, "items"},
		{`{"items": [{"product_id": "$product", "quantity": 0}], "shipping_address": {"country": "US"}}`, "items.0.quantity"},
		{`{"items": [{"product_id": "$product", "quantity": 1001}], "shipping_address": {"country": "US"}}`, "items.0.quantity"},
		{`{"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"country": "FR"}}`, "shipping_address.country"},
		{`{"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"country": "Oregon"}}`, "shipping_address.country"},
		{`{"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"postal_code": "97205"}}`, "shipping_address.country"},
		{`{"items": [{"quantity": 1}], "shipping_address": {"country": "US"}}`, "items.0.product_id"},
		{`{"items": [{"product_id": "${Boot}", "quantity": 1}], "shipping_address": {"postal_code": "97205", "country": "US"}}`, "items.0.variant_id"},
	} {
		a.buyerIsRefused([]rejection{{"POST /acp/availability " + row[0], "422 validation_error", row[1]}})
	}
	for _, row := range [][2]string{
		{`{"product_id": "prod_unknown", "quantity": 1}`, "404 product_not_found"},
		{`{"product_id": "prod_0000000000000000000000000a", "quantity": 1}`, "404 product_not_found"},
		{`{"product_id": "$product", "variant_id": "var_unknown", "quantity": 1}`, "404 variant_not_found"},
	} {
		a.buyerIsRefused([]rejection{
			{`POST /acp/availability {"items": [` + row[0] + `], "shipping_address": {"postal_code": "97205", "country": "US"}}`, row[1], ""},
		})
	}
}
