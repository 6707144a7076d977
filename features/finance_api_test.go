package features

import (
	"strings"
	"testing"
)

func TestGetPayment_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("GET /v1/finance/payments/$payment")
		a.answers(200)
		a.shows(
			"id", `"$payment"`,
			"status", `"succeeded"`,
			"amount", `205.99`,
			"refunded_amount", `0`,
			"currency", `"USD"`,
			"method", `"psp_spt"`,
			"instrument", "present",
			"provider", `"sandbox"`,
			"order_id", `"$order"`,
			"checkout_id", `"$checkout"`,
			"created_at", "matches Z$",
			"refunds", `[]`,
		)
	})
}

func TestGetPayment_unknownIDs(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/finance/payments/pay_unknown", "404 payment_not_found", ""},
		{"GET /v1/finance/payments/pay_0000000000000000000000000a", "404 payment_not_found", ""},
		{"GET /v1/finance/payments/pay_unknown/refunds", "404 payment_not_found", ""},
		{"POST /v1/finance/payments/pay_unknown/refund", "404 payment_not_found", ""},
		{`POST /v1/finance/payments/pay_0000000000000000000000000a/refund {"amount": 1}`, "404 payment_not_found", ""},
		{"GET /v1/finance/refunds/ref_0000000000000000000000000a", "404 refund_not_found", ""},
		{"GET /v1/finance/transactions/txn_0000000000000000000000000a", "404 transaction_not_found", ""},
	})
}

func TestListPayments_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))
		a.asMerchant("GET /v1/finance/payments?limit=1")
		a.shows(
			"data.*.amount", `[45.99]`,
			"data.0.id", `"$payment"`,
			"meta.total", `2`,
		)
		a.asMerchant("GET /v1/finance/payments?limit=1&offset=1")
		a.shows("data.*.amount", `[105.99]`, "meta.offset", `1`)
	})
}

func TestListPayments_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.finance.refunds(`{"amount": 5}`))
		a.must(a.checkouts.isAtCheckout(1, "Camp Stove"))
		a.must(a.checkouts.pays("wallet_ba", "ba_sandbox_ok"))
		for _, row := range [][2]string{
			{"status=partially_refunded", `[105.99]`},
			{"status=succeeded", `[45.99]`},
			{"status=refunded", `[]`},
			{"method=wallet_ba", `[45.99]`},
			{"method=psp_spt", `[105.99]`},
			{"order_id=$order", `[45.99]`},
			{"order_id=ord_unknown", `[]`},
			{"from=2020-01-01T00:00:00Z", `[45.99, 105.99]`},
			{"from=2100-01-01T00:00:00Z", `[]`},
			{"to=2020-01-01T00:00:00Z", `[]`},
			{"from=2020-01-01", `[45.99, 105.99]`},
			{"to=2020-01-01", `[]`},
			{"method=psp_spt&status=succeeded", `[]`},
		} {
			a.moneyListShows("/v1/finance/payments?"+row[0], "data.*.amount", row[1])
		}
	})
}

func TestListPayments_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/finance/payments?status=paid", "400 invalid_request", "status"},
		{"GET /v1/finance/payments?method=cash", "400 invalid_request", "method"},
		{"GET /v1/finance/payments?from=yesterday", "400 invalid_request", "from"},
		{"GET /v1/finance/payments?limit=101", "400 invalid_request", "limit"},
		{"GET /v1/finance/transactions?type=gift", "400 invalid_request", "type"},
		{"GET /v1/finance/transactions?to=2026-13-01", "400 invalid_request", "to"},
		{"GET /v1/finance/payments.csv?from=1", "400 invalid_request", "from"},
		{"GET /v1/finance/transactions.csv?to=1", "400 invalid_request", "to"},
		{"GET /v1/finance/reconciliation?to=2026-01-01T00:00:00Z", "400 invalid_request", "from"},
		{"GET /v1/finance/payments?status=unresolved&limit=101", "400 invalid_request", "limit"},
		{"GET /v1/finance/payments?status=unresolved&method=cash", "400 invalid_request", "method"},
		{"GET /v1/finance/refunds?status=unresolved&from=yesterday", "400 invalid_request", "from"},
		{"GET /v1/finance/refunds?status=undecided", "400 invalid_request", "status"},
	})
}

func TestListPayments_otherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.shops.openOtherShops(1))
		for _, row := range [][3]string{
			{"/v1/finance/payments", "meta.total", `0`},
			{"/v1/finance/transactions?order_id=$order", "meta.total", `0`},
			{"/v1/finance/wallets", "data", `[]`},
		} {
			a.must(a.sendsToOtherShop("GET", a.expand(row[0]), ""))
			a.shows(row[1], row[2])
		}
	})
}

func TestReconcile_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/finance/reconciliation?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z", "422 validation_error", "to"},
		{"GET /v1/finance/reconciliation?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "422 validation_error", "to"},
	})
}

func TestRefundPayment_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("POST /v1/finance/payments/$payment/refund")
		a.answers(201)
		a.shows(
			"id", "matches ^ref_",
			"payment_id", `"$payment"`,
			"order_id", `"$order"`,
			"return_id", "null",
			"amount", `205.99`,
			"currency", `"USD"`,
			"status", `"succeeded"`,
			"reason", `""`,
			"failure_code", "null",
			"payment.id", `"$payment"`,
			"payment.status", `"refunded"`,
			"payment.refunded_amount", `205.99`,
		)
	})
}

func TestRefundPayment_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
	a.bodiesAreRefused("POST /v1/finance/payments/$payment/refund", "422 validation_error", [][2]string{
		{`{"amount": 206}`, "amount"},
		{`{"amount": 0}`, "amount"},
		{`{"amount": -1}`, "amount"},
		{`{"amount": 1.999}`, "amount"},
		{`{"amount": "5"}`, "amount"},
		{`{"amount": 1e400}`, "amount"},
		{`{"reason": 5}`, "reason"},
		{`{"currency": "EUR"}`, "currency"},
		{`{"reason": "` + strings.Repeat("x", 2001) + `"}`, "reason"},
	})
	a.must(a.finance.paymentIs("succeeded", "0", ""))
}

func TestListPaymentRefunds_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.with("Idempotency-Key", "part").asMerchant("POST /v1/finance/payments/$payment/refund", `{"amount": 50, "reason": "A scratch"}`)
		a.answers(201)
		a.shows(
			"amount", `50`,
			"reason", `"A scratch"`,
			"payment.status", `"partially_refunded"`,
			"payment.refunded_amount", `50`,
		)
		a.asMerchant("GET /v1/finance/refunds/$refund")
		a.shows(
			"id", `"$refund"`,
			"amount", `50`,
			"status", `"succeeded"`,
			"payment.id", `"$payment"`,
			"payment.refunded_amount", `50`,
		)

		a.asMerchant("POST /v1/finance/payments/$payment/refund")
		a.shows(
			"amount", `155.99`,
			"payment.status", `"refunded"`,
			"payment.refunded_amount", `205.99`,
		)
		a.asMerchant("GET /v1/finance/payments/$payment/refunds")
		a.shows(
			"data.*.amount", `[50, 155.99]`,
			"data.*.status", `["succeeded", "succeeded"]`,
			"meta.total", `2`,
		)
		a.asMerchant("GET /v1/finance/payments/$payment/refunds?limit=1&offset=1")
		a.shows("data.*.amount", `[155.99]`, "meta.total", `2`)
	})
}

func TestRefundPayment_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		refund := func(body string) {
			a.with("Idempotency-Key", "once").asMerchant("POST /v1/finance/payments/$payment/refund", body)
		}
		refund(`{"amount": 50}`)
		refund(`{"amount": 50.00}`)
		a.must(a.idempotency.isReplay())
		a.shows("status", `"succeeded"`)
		a.must(a.finance.paymentIs("partially_refunded", "50", ""))

		refund(`{"amount": 51}`)
		a.refused("422 idempotency_key_reused")
		a.must(a.finance.paymentIs("partially_refunded", "50", ""))
	})
}

func TestRefundPayment_sameKeyConcurrently(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.finance.refundsConcurrently("once", "50", 8))
		a.must(a.finance.paymentIs("partially_refunded", "50", ""))
		a.must(a.finance.booksBalance())

		a.with("Idempotency-Key", "once").asMerchant("POST /v1/finance/payments/$payment/refund", `{"amount": 50}`)
		a.answers(201)
		a.shows("status", `"succeeded"`, "payment.refunded_amount", `50`)
	})
}

// The answer to a repeated request stays "pending" after the refund has succeeded.
func TestRefundPayment_pendingRepeated(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.integrations.connectsAccount("Stripe", ""))
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.must(a.finance.paysThroughStripe("the first 5 tries to refund fail"))
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/finance/payments/$payment/refund", `{"amount": 50}`)
		a.must(a.finance.refundAnswerIs("pending"))
		a.must(a.finance.paymentBecomes("30", "partially_refunded", "50", ""))

		a.with("Idempotency-Key", "once").asMerchant("POST /v1/finance/payments/$payment/refund", `{"amount": 50}`)
		a.answers(201)
		a.shows("status", `"pending"`)
		a.must(a.finance.paymentIs("partially_refunded", "50", ""))
		a.asMerchant("GET /v1/finance/payments/$payment/refunds")
		a.shows("data.*.status", `["succeeded"]`)
	})
}

// The audit log has the amount of a refund, and not its reason, which may name the buyer.
func TestRefundPayment_audit(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.finance.refunds(`{"amount": 5, "reason": "Mrs Lovelace wrote"}`))
		a.asMerchant("GET /v1/audit-events?action=refund-payment")
		a.shows(
			"data.#", `1`,
			"data.0.action", `"refund-payment"`,
			"data.0.target", `"$payment"`,
			"data.0.project_id", `"$shop"`,
			"data.0.after.amount", `5`,
			"data.0.after.currency", `"USD"`,
			"data.0.after.reason", "absent",
		)
	})
}

func TestListTransactions_sale(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.finance.chargesTax("10"))
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.asMerchant("GET /v1/finance/transactions")
		a.shows(
			"data.#", `1`,
			"data.0.id", "matches ^txn_",
			"data.0.type", `"sale"`,
			"data.0.currency", `"USD"`,
			"data.0.amount", `225.99`,
			"data.0.order_id", `"$order"`,
			"data.0.payment_id", `"$payment"`,
			"data.0.refund_id", "null",
			"data.0.entries", `[{"account": "funds:sandbox", "amount": 225.99}, {"account": "sales", "amount": -200}, {"account": "shipping", "amount": -5.99}, {"account": "tax", "amount": -20}]`,
		)
		a.must(a.finance.booksBalance())
	})
}

func TestListTransactions_refund(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.finance.refunds(`{"amount": 50}`))
		a.asMerchant("GET /v1/finance/transactions?type=refund")
		a.shows(
			"data.#", `1`,
			"data.0.amount", `50`,
			"data.0.refund_id", `"$refund"`,
			"data.0.entries", `[{"account": "refunds", "amount": 50}, {"account": "funds:sandbox", "amount": -50}]`,
		)
		a.must(a.finance.booksBalance())

		a.asMerchant("GET /v1/finance/transactions?order_id=$order")
		a.shows("data.*.type", `["refund", "sale"]`, "meta.total", `2`)
		a.asMerchant("GET /v1/finance/transactions/$transaction")
		a.shows(
			"id", `"$transaction"`,
			"type", `"refund"`,
			"amount", `50`,
		)
		a.asMerchant("GET /v1/finance/transactions?type=sale&limit=1")
		a.shows("data.*.type", `["sale"]`, "meta.total", `1`)
		a.asMerchant("GET /v1/finance/transactions?from=2100-01-01T00:00:00Z")
		a.shows("meta.total", `0`)
	})
}
