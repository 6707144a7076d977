package features

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func TestACPCheckoutFinalize_order(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysByCard())
		a.shows(
			"status", `"success"`,
			"order.id", "matches ^ord_",
			"order.confirmation_number", "present",
			"order.status", `"confirmed"`,
			"order.created_at", "matches Z$",
			"payment.id", "matches ^pay_",
			"payment.status", `"succeeded"`,
			"payment.amount", "195.99",
			"payment.currency", `"USD"`,
			"payment.method", "present",
			"fulfillment.status", `"processing"`,
			"fulfillment.estimated_ship_date", `matches ^\d{4}-\d\d-\d\d$`,
			"fulfillment.estimated_delivery", `matches ^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$`,
			"order.manage_token", "matches ^om_[0-9a-z]{32}$",
			"receipt_url", "matches ^http.*/acp/orders/ord_[0-9a-z]{26}/receipt/rc_[0-9a-f]{32}$",
			"tracking.available", "false",
			"tracking.url", "null",
			"tracking.message", "present",
			"items.0.product_id", `"$product"`,
			"items.0.quantity", "2",
			"summary.items", `[{"name": "Trail Tent", "quantity": 2, "price": 95}]`,
			"summary.subtotal", "190",
			"summary.shipping", "5.99",
			"summary.tax", "0",
			"summary.total", "195.99",
		)
	})
}

func TestACPCheckoutFinalize_defaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.shows("status", `"success"`, "summary.shipping", "5.99")

		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.must(a.checkouts.pays(acp.PSPToken, "spt_sandbox_ok_anything"))
		a.must(a.checkouts.paymentSucceeds())
	})
}

func TestACPCheckoutFinalize_declined(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		left := 30
		for _, row := range []struct{ method, token, code, reason string }{
			{"psp_spt", "spt_sandbox_decline_insufficient_funds", `"card_declined"`, "insufficient_funds"},
			{"psp_spt", "spt_sandbox_decline_expired_card", `"card_declined"`, "expired_card"},
			{"psp_spt", "spt_sandbox_decline_do_not_honor", `"card_declined"`, "do_not_honor"},
			{"psp_spt", "nonsense", `"card_declined"`, "invalid_token"},
			{"psp_spt", "ba_sandbox_ok", `"card_declined"`, "invalid_token"},
			{"wallet_ba", "spt_sandbox_ok", "present", "invalid_token"},
		} {
			a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
			a.must(a.checkouts.pays(row.method, row.token))
			a.shows(
				"status", `"payment_failed"`,
				"error.code", row.code,
				"error.message", "present",
				"error.decline_code", `"`+row.reason+`"`,
				"checkout_id", `"$checkout"`,
				"checkout_status", `"pending"`,
				"retry_allowed", "true",
			)
			a.must(a.catalog.stockIs(left, "Trail Tent"))
			a.must(a.checkouts.paysSuccessfully())
			left -= 2
			a.must(a.catalog.stockIs(left, "Trail Tent"))
		}
	})
}

func TestACPCheckoutFinalize_again(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.must(a.checkouts.paysByCard())
		a.must(a.remember("manage_token"))
		a.must(a.checkouts.paysAgain())
		a.must(a.checkouts.sameOrder())
		a.shows("order.manage_token", `"$remembered_manage_token"`)

		// Another payment token does not prove that the buyer is the same.
		a.must(a.checkouts.pays(acp.PSPToken, "spt_sandbox_decline_stolen_card"))
		a.must(a.checkouts.sameOrder())
		a.shows("order.manage_token", "absent", "receipt_url", "matches /receipt$")
	})
}

func TestACPCheckoutFinalize_oldRevision(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
			"shipping_address": $address}`)
		a.answers(200)
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "revision": 1,
			"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.refused("409 checkout_changed")
		a.must(a.catalog.stockIs(30, "Trail Tent"))

		// A declined payment with another shipping option makes a new revision.
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "revision": 1, "shipping_option": "express",
			"payment": {"method": "psp_spt", "token": "spt_sandbox_decline_insufficient_funds"}}`)
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "revision": 1,
			"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.refused("409 checkout_changed")
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "revision": 2, "shipping_option": "express",
			"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
		a.shows("status", `"success"`)
	})
}

func TestACPCheckoutFinalize_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensOutfitter()
	a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
	for _, row := range [][2]string{
		{`{"checkout_id": "$checkout", "payment": {"method": "cash", "token": "spt_sandbox_ok"}}`, "payment.method"},
		{`{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": ""}}`, "payment.token"},
		{`{"checkout_id": "$checkout", "payment": {"method": "psp_spt"}}`, "payment.token"},
		{`{"checkout_id": "$checkout"}`, "payment"},
		{`{"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`, "checkout_id"},
		{`{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "shipping_option": "pigeon"}`, "shipping_option"},
		{`{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "nobody"}`, "buyer_email"},
		{`{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "A <a@example.com>"}`, "buyer_email"},
	} {
		a.buyerIsRefused([]rejection{{"POST /acp/checkout/finalize " + row[0], "422 validation_error", row[1]}})
	}
	for _, checkout := range []string{"chk_unknown", "chk_0000000000000000000000000a", "$session"} {
		body := `{"checkout_id": "` + checkout + `", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`
		a.buyerIsRefused([]rejection{{"POST /acp/checkout/finalize " + body, "404 checkout_not_found", ""}})
	}
	if err := a.checkouts.paysWithNote(2001); err != nil {
		a.Fatal(err)
	}
	a.refused("422 validation_error", "notes")
	a.must(a.catalog.shopFigureIs("statistics.orders_30d", 0))
}
