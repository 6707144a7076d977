package features

import "testing"

func TestACPOrder_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.orders.buyerShows(
			"order.id", `"$order"`,
			"order.status", `"confirmed"`,
			"order.confirmation_number", "present",
			"payment.status", `"succeeded"`,
			"payment.amount", `205.99`,
			"fulfillment.status", `"processing"`,
			"tracking.available", "false",
			"summary.items", `[{"name": "Trail Tent", "quantity": 2, "price": 100}]`,
			"summary.total", `205.99`,
			"items.*.product_id", `["${Trail Tent}"]`,
			"items.*.quantity", `[2]`,
		))
	})
}

func TestACPOrder_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.buyerIsRefused([]rejection{
		{"GET /acp/orders/ord_unknown", "404 order_not_found", ""},
		{"GET /acp/orders/ord_0000000000000000000000000a", "404 order_not_found", ""},
		{"GET /acp/orders/1", "404 order_not_found", ""},
		{"GET /acp/orders/ord_0000000000000000000000000a/receipt", "404 order_not_found", ""},
	})

	// Tokens and receipts of another order.
	a.must(a.checkouts.hasOrdered(1, "Camp Stove"))
	a.must(a.remember("manage_token"))
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
	a.buyerIsRefused([]rejection{
		{"GET /acp/orders/$order?manage_token=$remembered_manage_token", "403 order_token_required", ""},
		{"GET /acp/orders/$order?manage_token=om_made_up", "403 order_token_required", ""},
		{"GET /acp/orders/$order/receipt/rc_00000000000000000000000000000000", "404 receipt_not_found", ""},
		{"GET /acp/orders/$order/receipt/$manage_token", "404 receipt_not_found", ""},
	})
}

func TestACPOrder_otherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.shops.openOtherShops(1))
		if err := a.buyerSendsToOtherShop("GET", "/acp/orders/$order", ""); err != nil {
			a.Fatal(err)
		}
		a.refused("404 order_not_found")
	})
}

// The ids that the merchant's staff sees are no rights of the buyer.
func TestACPOrderCancel_negotiationID(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("GET /v1/orders/$order")
		a.shows("negotiation_id", "matches ^neg_[0-9a-z]{26}$", "session_id", "absent")
		a.must(a.rememberAnswer("negotiation_id"))

		a.asBuyer("POST /acp/orders/$order/cancel", `{"session_id": "$remembered_negotiation_id"}`)
		a.refused("403 order_token_required")
		a.asBuyer("GET /acp/sessions/$remembered_negotiation_id")
		a.refused("404 session_not_found")

		// Finalizing the paid checkout with another token shows the order without the right to cancel it.
		a.asBuyer("POST /acp/checkout/finalize", `{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok_of_another"}}`)
		a.shows("order.id", `"$order"`, "order.manage_token", "absent")
	})
}

func TestACPBuyerReceipt_hostileNames(t *testing.T) {
	a := newAPITest(t)
	a.must(a.shops.openShop("<script>alert('shop')</script>"))
	a.asMerchant("POST /v1/catalog/products", `{"name": "<img src=x onerror=alert(1)> & \"Co\"", "sku": "XSS", "price": 10,
		"variants": [{"sku": "XSS-1", "color": "<b>red</b>", "quantity": 5}]}`)
	a.must(a.catalog.rememberCreated(nil))
	a.must(a.aftersales.hasOrderedUnderName("</td><script>alert('buyer')</script>"))
	a.must(a.aftersales.opensReceipt())
	a.must(a.lastBodyContains("&lt;img src=x onerror=alert(1)&gt;", true))
	for _, text := range []string{"<script", "<img", "<b>red"} {
		a.must(a.lastBodyContains(text, false))
	}
	a.must(a.aftersales.receiptIsInert())
}

func TestACPReturnCreate_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.finance.chargesTax("10"))
		a.must(a.checkouts.hasOrdered(3, "Trail Tent"))
		a.must(a.aftersales.returnsItems(2, "Trail Tent"))
		a.answers(201)
		a.shows(
			"return_id", "matches ^ret_",
			"status", `"requested"`,
			"refund_estimate", `220`,
			"currency", `"USD"`,
			"instructions", "present",
		)
		a.must(a.aftersales.returnReadsTheSame())
	})
}

func TestACPReturnCreate_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(3, "Trail Tent"))
	a.buyerIsRefused([]rejection{
		{`POST /acp/returns {"order_id": "$order", "items": []}`, "422 validation_error", "items"},
		{`POST /acp/returns {"order_id": "$order"}`, "422 validation_error", "items"},
		{`POST /acp/returns {"items": [{"product_id": "$product", "quantity": 1}]}`, "422 validation_error", "order_id"},
		{`POST /acp/returns {"order_id": "$order", "items": [{"product_id": "$product", "quantity": 0}]}`, "422 validation_error", "items.0.quantity"},
		{`POST /acp/returns {"order_id": "$order", "items": [{"quantity": 1}]}`, "422 validation_error", "items.0.product_id"},
		{`POST /acp/returns {"order_id": "ord_unknown", "items": [{"product_id": "$product", "quantity": 1}]}`, "404 order_not_found", ""},
		{"GET /acp/returns/ret_unknown", "404 return_not_found", ""},
		{"GET /acp/returns/ret_0000000000000000000000000a", "404 return_not_found", ""},
		{"GET /acp/returns/$order", "404 return_not_found", ""},
	})
}
