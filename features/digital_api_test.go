package features

import "testing"

// opensDigitalShop opens a shop whose map is digital.
func (a *apiTest) opensDigitalShop() {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		},
		product{
			name:  "Trail Map",
			price: "10.00",
			stock: "50",
		},
	)
	a.must(a.catalog.isShipped("Trail Map", "digital"))
	a.must(a.shops.patchesPart("/storefront", `{"tax_rates": [{"country": "US", "rate": 10}, {"country": "DE", "rate": 19}]}`))
	a.must(a.shops.patchesPart("/storefront", `{"shipping_regions": ["US", "DE"]}`))
}

// ucpPrefixes are the path prefixes of the current and of the older version of the Universal Commerce Protocol.
var ucpPrefixes = []string{"", "/2026-04-08"}

const ucpTokenPayment = `{"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token",
	"credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}`

func TestACPCheckoutInit_digital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2}]}`)
		a.shows(
			"status", `"ready"`,
			"items.0.requires_shipping", "false",
			"shipping_options", "[]",
			"summary.subtotal", "20",
			"summary.shipping", "0",
			"summary.tax", "2",
			"summary.total", "22",
		)
		a.must(a.platforms.namesAnswerField("checkout_id", "map"))
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"},
			"shipping_option": "standard"}`)
		a.refused("422 validation_error", "shipping_option")
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"},
			"buyer_email": "ada@example.com"}`)
		a.shows("order.id", "matches ^ord_", "summary.total", "22")
		a.must(a.platforms.namesAnswerField("order.id", "sold"))
		a.must(a.catalog.stockIs(48, "Trail Map"))

		a.asMerchant("GET /v1/orders/$sold")
		a.shows(
			"lines.0.requires_shipping", "false",
			"fulfillment.status", `"processing"`,
			"fulfillment.shipping_option", `""`,
		)
		a.asMerchant("POST /v1/orders/$sold/fulfillment", `{"status": "shipped", "carrier": "UPS", "tracking_number": "1Z"}`)
		a.refused("409 nothing_to_ship")
		a.asMerchant("POST /v1/orders/$sold/fulfillment", `{"status": "delivered"}`)
		a.shows("fulfillment.status", `"delivered"`, "fulfillment.shipped_at", "null")
	})
}

func TestACPCheckoutInit_digitalWithAddress(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2}], "shipping_address": {"country": "DE"}}`)
		a.shows(
			"status", `"ready"`,
			"summary.tax", "3.8",
			"summary.total", "23.8",
		)
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2}], "shipping_address": {"country": "FR"}}`)
		a.refused("422 validation_error", "shipping_address.country")

		// Together with a product that is shipped.
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2},
			{"product_id": "${Trail Tent}", "quantity": 1}]}`)
		a.refused("422 validation_error", "shipping_address.line1")
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2},
			{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}`)
		a.shows(
			"items.*.requires_shipping", "[false, true]",
			"summary.subtotal", "120",
			"summary.shipping", "5.99",
			"summary.tax", "12",
			"summary.total", "137.99",
		)
	})
}

func TestACPCheckoutFinalize_becameDigital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.must(a.catalog.isShipped("Trail Tent", "digital"))
		a.must(a.checkouts.paysSuccessfully())
		a.asMerchant("GET /v1/orders/$order")
		a.shows(
			"lines.0.requires_shipping", "true",
			"shipping", "5.99",
			"total", "115.99",
		)
	})
}

func TestUCPCatalog_digital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		for _, version := range ucpPrefixes {
			a.must(a.ucp.agentSends("", "POST", version+"/ucp/catalog/search", `{"query": "trail"}`))
			a.shows("products.*.id", `["${Trail Tent}"]`)
			a.must(a.ucp.agentSends("", "POST", version+"/ucp/catalog/lookup",
				`{"ids": ["${Trail Tent}", "${Trail Map}", "${Trail Map: variant}"]}`))
			a.shows(
				"products.*.id", `["${Trail Tent}"]`,
				"messages.*.code", `["not_found", "not_found"]`,
			)
			a.must(a.ucp.agentSends("", "POST", version+"/ucp/catalog/product", `{"id": "${Trail Map}"}`))
			a.shows("ucp.status", `"error"`, "messages.0.code", `"not_found"`)
			a.must(a.ucp.agentSends("", "POST", version+"/ucp/checkout-sessions",
				`{"line_items": [{"item": {"id": "${Trail Map}"}, "quantity": 1}]}`))
			a.shows("ucp.status", `"error"`, "messages.0.code", `"item_unavailable"`)
		}
	})
}

// A checkout with a digital item that was opened over another protocol cannot be paid over UCP.
func TestUCPCompleteCheckout_digital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		orders := 0
		for _, version := range ucpPrefixes {
			for _, more := range []string{``, `, {"product_id": "${Trail Tent}", "quantity": 1}`} {
				a.must(a.startBuyer())
				a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2}`+more+`],
					"shipping_address": $address, "buyer": {"email": "ada@example.com"}}`)
				a.must(a.platforms.namesAnswerField("checkout_id", "map"))
				a.must(a.ucp.agentSends("", "GET", version+"/ucp/checkout-sessions/$map", ""))
				a.shows(
					"status", `"requires_escalation"`,
					"messages.0.code", `"item_unavailable"`,
					"messages.0.path", `"$.line_items[0]"`,
					"messages.0.severity", `"requires_buyer_input"`,
					"continue_url", "matches /page$",
				)
				a.must(a.ucp.agentSends("", "POST", version+"/ucp/checkout-sessions/$map/complete", ucpTokenPayment))
				a.shows(
					"status", `"requires_escalation"`,
					"messages.0.code", `"item_unavailable"`,
					"order", "absent",
				)
				a.must(a.catalog.shopFigureIs("statistics.orders_30d", orders))
				a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
				a.shows("order.id", "matches ^ord_")
				orders++
				a.must(a.ucp.agentSends("", "GET", version+"/ucp/checkout-sessions/$map", ""))
				a.shows("status", `"completed"`, "order.id", "matches ^ord_")
			}
		}
	})
}

func TestUCPUpdateCheckout_withoutDigital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2},
			{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "buyer": {"email": "ada@example.com"}}`)
		a.must(a.platforms.namesAnswerField("checkout_id", "map"))
		a.must(a.ucp.agentSends("", "PUT", "/ucp/checkout-sessions/$map", `{
			"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}],
			"buyer": {"email": "ada@example.com"},
			"fulfillment": {"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Buyer",
				"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR",
				"postal_code": "97205", "address_country": "US"}]}]}}`))
		a.shows(
			"status", `"ready_for_complete"`,
			"line_items.#", "1",
			"messages", "absent",
		)
	})
}

func TestUCPCompleteCheckoutTool_digital(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensDigitalShop()
		for _, version := range ucpPrefixes {
			a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Map}", "quantity": 2}], "buyer": {"email": "ada@example.com"}}`)
			a.must(a.platforms.namesAnswerField("checkout_id", "map"))
			a.must(a.ucp.modelSends("tools/call", `{"name": "complete_checkout", "arguments": {
				"meta": {"idempotency-key": "0b2c4b4e-6d0a-4a6e-9d6e-1f0f4c1c7a11"}, "id": "$map", "checkout": `+ucpTokenPayment+`}}`, version+"/mcp"))
			a.shows("result.structuredContent.status", `"requires_escalation"`)
			a.must(a.catalog.shopFigureIs("statistics.orders_30d", 0))
		}
	})
}
