package features

import (
	"strings"
	"testing"
)

// opensTentShop opens a shop that sells the Trail Tent, its current product, and the Camp Stove.
func (a *apiTest) opensTentShop() {
	a.Helper()
	tent := product{
		name:  "Trail Tent",
		price: "100.00",
		stock: "20",
		cost:  "51.37",
	}
	stove := product{
		name:  "Camp Stove",
		price: "40.00",
		stock: "50",
	}
	a.opensShopSelling(tent, stove)
}

func TestGetOrder_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("GET /v1/orders/$order")
		a.answers(200)
		a.shows(
			"id", `"$order"`,
			"confirmation_number", `"$confirmation"`,
			"status", `"confirmed"`,
			"email", `"buyer@example.com"`,
			"total", `205.99`,
			"subtotal", `200`,
			"shipping", `5.99`,
			"tax", `0`,
			"savings", `0`,
			"currency", `"USD"`,
			"payment.id", `"$payment"`,
			"payment.status", `"succeeded"`,
			"payment.amount", `205.99`,
			"fulfillment.status", `"processing"`,
			"fulfillment.shipping_option", `"standard"`,
			"fulfillment.carrier", "null",
			"fulfillment.shipped_at", "null",
			"shipping_address.name", `"A. Buyer"`,
			"shipping_address.country", `"US"`,
			"lines.#", `1`,
			"lines.0.product_id", `"$product"`,
			"lines.0.name", `"Trail Tent"`,
			"lines.0.quantity", `2`,
			"lines.0.unit_price", `100`,
			"refunds", `[]`,
			"returns", `[]`,
		)
		a.must(a.orders.answerHasNoSecret())
	})
}

func TestGetOrder_unknownIDs(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/orders/ord_unknown", "404 order_not_found", ""},
		{"GET /v1/orders/ord_0000000000000000000000000a", "404 order_not_found", ""},
		{"POST /v1/orders/ord_unknown/cancel", "404 order_not_found", ""},
		{"POST /v1/orders/ord_0000000000000000000000000a/cancel", "404 order_not_found", ""},
		{"GET /v1/orders/ord_0000000000000000000000000a/notes", "404 order_not_found", ""},
		{`POST /v1/orders/ord_0000000000000000000000000a/notes {"text": "Lost"}`, "404 order_not_found", ""},
		{`POST /v1/orders/ord_0000000000000000000000000a/fulfillment {"status": "shipped"}`, "404 order_not_found", ""},
		{"GET /v1/returns/ret_0000000000000000000000000a", "404 return_not_found", ""},
		{"POST /v1/returns/ret_0000000000000000000000000a/approve", "404 return_not_found", ""},
		{`POST /v1/returns/ret_unknown/approve {"amount": 1}`, "404 return_not_found", ""},
		{"POST /v1/returns/ret_0000000000000000000000000a/reject", "404 return_not_found", ""},
	})
}

func TestCreateOrderNote_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("POST /v1/orders/$order/notes", `{"text": "Quokka first"}`)
		a.answers(201)
		a.shows(
			"id", "matches ^note_",
			"text", `"Quokka first"`,
			"key_id", "matches ^key_",
			"member", "absent",
		)
		a.must(a.orders.writesNote("Quokka second"))
		a.asMerchant("GET /v1/orders/$order/notes")
		a.answers(200)
		a.shows("data.*.text", `["Quokka first", "Quokka second"]`)
	})
}

func TestCreateOrderNote_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
	a.bodiesAreRefused("POST /v1/orders/$order/notes", "422 validation_error", [][2]string{
		{`{"text": ""}`, "text"},
		{`{"text": "  "}`, "text"},
	})
}

func TestCancelOrder_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/orders/$order/cancel", `{"reason": "Out of season"}`)
		a.answers(200)
		a.shows(
			"status", `"canceled"`,
			"fulfillment.status", `"canceled"`,
			"payment.status", `"refunded"`,
			"payment.refunded_amount", `205.99`,
			"refunds.*.amount", `[205.99]`,
			"refunds.*.status", `["succeeded"]`,
		)

		// The same request again.
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/orders/$order/cancel", `{"reason": "Out of season"}`)
		a.must(a.idempotency.isReplay())
		a.shows("payment.status", `"refunded"`)
	})
}

func TestCancelOrder_refundedBefore(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.finance.refunds(`{"amount": 50}`))
		a.asMerchant("POST /v1/orders/$order/cancel")
		a.shows("refunds.*.amount", `[50, 155.99]`, "payment.refunded_amount", `205.99`)

		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.finance.refunds(""))
		a.asMerchant("POST /v1/orders/$order/cancel")
		a.answers(200)
		a.shows("status", `"canceled"`, "refunds.*.amount", `[205.99]`)
	})
}

func TestCancelOrder_longReason(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
	a.asMerchant("POST /v1/orders/$order/cancel", `{"reason": "`+strings.Repeat("x", 2001)+`"}`)
	a.refused("422 validation_error", "reason")
	a.must(a.orders.orderIs("confirmed"))
}

func TestUpdateFulfillment_repeated(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.orders.reportsFulfillment(`{"status": "shipped"}`))
		a.asMerchant("POST /v1/orders/$order/fulfillment", `{"status": "shipped", "carrier": "DHL"}`)
		a.answers(200)
		a.asMerchant("POST /v1/orders/$order/fulfillment", `{"status": "delivered"}`)
		a.shows("fulfillment.status", `"delivered"`, "fulfillment.delivered_at", "matches Z$")
		a.asMerchant("POST /v1/orders/$order/fulfillment", `{"status": "delivered"}`)
		a.answers(200)
	})
}

func TestUpdateFulfillment_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
	a.bodiesAreRefused("POST /v1/orders/$order/fulfillment", "422 validation_error", [][2]string{
		{`{}`, "status"},
		{`{"status": "lost"}`, "status"},
		{`{"status": "processing"}`, "status"},
		{`{"status": "shipped", "tracking_url": "http://ups.example.com/"}`, "tracking_url"},
		{`{"status": "shipped", "tracking_url": "javascript:alert(1)"}`, "tracking_url"},
		{`{"status": "shipped", "price": 1}`, "price"},
		{`{"status": "delivered", "carrier": "UPS"}`, "carrier"},
	})
	a.must(a.orders.orderIs("not shipped yet"))
}

func TestApproveReturn_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/returns/$return/approve", `{"restock": true}`)
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/returns/$return/approve", `{"restock": true}`)
		a.must(a.idempotency.isReplay())
		a.shows("refund.status", `"succeeded"`)
		a.asMerchant("GET /v1/returns/$return")
		a.shows("refund.status", `"succeeded"`)
	})
}

func TestApproveReturn_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
	a.must(a.aftersales.returnsItems(1, "Trail Tent"))
	a.bodiesAreRefused("POST /v1/returns/$return/approve", "422 validation_error", [][2]string{
		{`{"amount": -1}`, "amount"},
		{`{"amount": 0.001}`, "amount"},
		{`{"amount": 106}`, "amount"},
		{`{"restock": "no"}`, "restock"},
		{`{"refund": 5}`, "refund"},
	})
	a.must(a.orders.returnIs("requested"))
	a.must(a.catalog.stockIs(19, "Trail Tent"))
}

func TestRejectReturn_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		a.must(a.orders.rejects("It is burnt"))
		a.answers(200)
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		a.answers(201)
	})
}

func TestListAuditEvents_orders(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.aftersales.returnsItems(1, "Trail Tent"))
		a.must(a.orders.succeeds("POST", "/v1/returns/$return/approve", ""))
		a.must(a.orders.reportsFulfillment(`{"status": "shipped"}`))
		a.asMerchant("GET /v1/audit-events?project_id=$shop&limit=2")
		a.shows(
			"data.*.action", `["update-fulfillment", "approve-return"]`,
			"data.*.target", `["$order", "$return"]`,
			"data.0.after.fulfillment", `"shipped"`,
			"data.1.after.status", `"approved"`,
			"data.1.after.refund.amount", `100`,
		)
		a.must(a.orders.answerHasNoPersonalData())

		// A key that may not see the returns does not see what was changed.
		a.must(a.keys.hasKey("Auditor", `{"scopes": ["keys:read"]}`))
		a.asHolder("Auditor", "GET /v1/audit-events?action=approve-return")
		a.shows("data.*.target", `[""]`, "data.*.before", `[null]`, "data.*.after", `[null]`)
	})
}
