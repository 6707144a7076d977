package features

import (
	"fmt"
	"testing"
)

// opensOutfitter opens the shop of carts and checkouts.
func (a *apiTest) opensOutfitter() {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "30",
		},
		product{
			name:  "Camp Stove",
			price: "40.00",
			stock: "50",
		},
		product{
			name:     "Boot",
			price:    "80.00",
			variants: "M/Brown=5, L/Black=1",
		},
	)
}

func TestACPCheckoutInit_listPrice(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.shops.setsPartField("/storefront", "tax_rates", `[{"country": "US", "state": "OR", "rate": 8.875}]`))
		a.must(a.checkouts.arrivesFor(2, "Trail Tent", ""))
		a.must(a.checkouts.checksOut())
		a.shows(
			"checkout_id", "matches ^chk_",
			"status", `"ready"`,
			"summary.subtotal", "200",
			"summary.shipping", "5.99",
			"summary.tax", "17.75",
			"summary.total", "223.74",
			"summary.savings", "0",
			"summary.currency", `"USD"`,
			"items.#", "1",
			"items.0.product_id", `"${Trail Tent}"`,
			"items.0.name", `"Trail Tent"`,
			"items.0.quantity", "2",
			"items.0.unit_price", "100",
			"items.0.original_price", "100",
			"shipping_options.*.id", `["standard", "express", "overnight"]`,
			"shipping_options.*.price", "[5.99, 14.99, 29.99]",
			"shipping_options.0.selected", "true",
			"payment_methods.*.type", `["psp_spt", "wallet_ba"]`,
			"payment_methods.*.ready", "[true, true]",
		)
		a.must(a.haggling.answerIsValidFor(30))
	})
}

func TestACPCheckoutInit_agreements(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()

		// A token stands for what was agreed, with and without its session.
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "checkout_token": "$token", "shipping_address": $address}`)
		a.shows("items.0.quantity", "2", "summary.subtotal", "190")
		a.asBuyer("POST /acp/checkout/init", `{"checkout_token": "$token", "shipping_address": $address}`)
		a.shows("summary.subtotal", "190")

		// One line at the agreed price, and one at its list price.
		a.must(a.checkouts.arrivesAndAgrees(1, "Trail Tent", "95"))
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "checkout_token": "$token", "items": [
			{"product_id": "${Trail Tent}", "quantity": 1, "negotiated_price": 95},
			{"product_id": "${Camp Stove}", "quantity": 2}], "shipping_address": $address}`)
		a.shows(
			"items.*.unit_price", "[95, 40]",
			"summary.subtotal", "175",
			"summary.savings", "5",
		)
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "checkout_token": "$token", "items": [
			{"product_id": "${Trail Tent}", "quantity": 1, "negotiated_price": 95},
			{"product_id": "${Trail Tent}", "quantity": 1, "negotiated_price": 95}], "shipping_address": $address}`)
		a.refused("422 price_mismatch", "items.1.negotiated_price")

		// Two agreements, each with its token.
		a.must(a.remember("token"))
		a.must(a.checkouts.agrees(1, "Camp Stove", "39"))
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "items": [
			{"product_id": "${Trail Tent}", "quantity": 1, "checkout_token": "$remembered_token"},
			{"product_id": "${Camp Stove}", "quantity": 1, "checkout_token": "$token"}], "shipping_address": $address}`)
		a.shows("items.*.unit_price", "[95, 39]", "summary.subtotal", "134")
	})
}

func TestACPCheckoutInit_withoutSession(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}`)
		a.shows("summary.subtotal", "100", "session_id", "matches ^sess_")
	})
}

func TestACPCheckoutInit_shippingOption(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address,
			"shipping_option": "express"}`)
		a.shows(
			"shipping_options.0.selected", "false",
			"shipping_options.1.selected", "true",
			"summary.shipping", "14.99",
		)
		a.asBuyer("POST /acp/checkout/init", `{"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address,
			"shipping_option": "drone"}`)
		a.refused("422 validation_error", "shipping_option")
	})
}

func TestACPCheckoutInit_allowIncomplete(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesFor(2, "Trail Tent", ""))
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2}],
			"shipping_address": {"country": "US"}, "allow_incomplete": true, "buyer": {"email": "ada@example.com"}}`)
		a.shows(
			"status", `"incomplete"`,
			"missing", `["shipping_address.name", "shipping_address.line1", "shipping_address.city", "shipping_address.postal_code"]`,
			"summary.total", "205.99",
		)
		a.must(a.platforms.namesAnswerField("checkout_id", "early"))
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$early", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.refused("409 checkout_incomplete", "shipping_address.line1")
		a.asBuyer("PUT /acp/checkout/$early", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}],
			"shipping_address": $address, "buyer": {"email": "ada@example.com"}}`)
		a.shows("status", `"ready"`, "missing", "[]")
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$early", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.shows("status", `"success"`)
		a.asBuyer("GET /acp/checkout/$early")
		a.shows("status", `"completed"`, "order_id", "matches ^ord_")
	})
}

func TestACPCheckoutInit_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensOutfitter()
	a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))

	for _, row := range [][2]string{
		{`{"product_id": "$product", "quantity": 0}`, "items.0.quantity"},
		{`{"product_id": "$product", "quantity": 1001}`, "items.0.quantity"},
		{`{"product_id": "$product"}`, "items.0.quantity"},
		{`{"quantity": 1}`, "items.0.product_id"},
		{`{"product_id": "$product", "quantity": 1, "negotiated_price": 9.999}`, "items.0.negotiated_price"},
		{`{"product_id": "$product", "quantity": 1, "negotiated_price": -1}`, "items.0.negotiated_price"},
		{`{"product_id": "${Boot}", "quantity": 1}`, "items.0.variant_id"},
		{``, "items"},
	} {
		body := fmt.Sprintf(`{"session_id": "$session", "items": [%s], "shipping_address": $address}`, row[0])
		a.buyerIsRefused([]rejection{{"POST /acp/checkout/init " + body, "422 validation_error", row[1]}})
	}
	a.buyerIsRefused([]rejection{
		{
			`POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}]}`,
			"422 validation_error", "shipping_address.line1",
		},
		{
			`POST /acp/checkout/init {"session_id": "$session", "checkout_token": "ct_made_up", "shipping_address": $address}`,
			"422 validation_error", "checkout_token",
		},
		{
			`POST /acp/checkout/init {"session_id": "sess_unknown", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}`,
			"404 session_not_found", "",
		},
		{
			`POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "prod_unknown", "quantity": 1}], "shipping_address": $address}`,
			"404 product_not_found", "",
		},
		{
			`POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "variant_id": "var_unknown", "quantity": 1}], "shipping_address": $address}`,
			"404 variant_not_found", "",
		},
	})

	for _, address := range []string{`{}`, `{"name": " ", "line1": "", "city": "", "postal_code": "", "country": ""}`} {
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}],
			"shipping_address": `+address+`}`)
		a.refusedNaming("422 validation_error", "shipping_address.name", "shipping_address.line1", "shipping_address.city",
			"shipping_address.postal_code", "shipping_address.country")
	}
}

func TestACPCheckoutInit_atMost50Lines(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))
		a.must(a.checkouts.checksOutLines(50, "Camp Stove"))
		a.answers(200)
		if err := a.checkouts.checksOutLines(51, "Camp Stove"); err != nil {
			a.Fatal(err)
		}
		a.refused("422 validation_error")
	})
}

func TestACPCheckoutCancel(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.asBuyer("POST /acp/checkout/cancel", `{"checkout_id": "$checkout"}`)
		a.shows("checkout_id", `"$checkout"`, "status", `"canceled"`)
		a.asBuyer("POST /acp/checkout/cancel", `{"checkout_id": "$checkout"}`)
		a.shows("status", `"canceled"`)

		a.asBuyer("POST /acp/checkout/cancel", `{"checkout_id": "chk_00000000000000000000000000"}`)
		a.refused("404 checkout_not_found")
	})
}
