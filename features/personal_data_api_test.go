package features

import "testing"

// ordersTent opens a shop that sells tents, and orders 2 of them as buyer@example.com.
func (a *apiTest) ordersTent() {
	a.Helper()
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "100.00",
		stock: "20",
	})
	a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
}

func TestExportBuyer_document(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.ordersTent()
		a.asMerchant(`POST /v1/buyers/export {"email": "Buyer@Example.COM"}`)
		a.answers(200)
		a.shows(
			"subject", `matches ^buyer_[0-9a-f]+$`,
			"orders.#", `1`,
			"orders.0.id", `"$order"`,
			"orders.0.email", `"buyer@example.com"`,
			"orders.0.shipping_address.name", `"A. Buyer"`,
			"sessions.#", `1`,
			"checkouts", `[]`,
			"events.#", `at least 1`,
			"events.0.type", `"order.completed"`,
			"events.0.data.buyer_email", `"buyer@example.com"`,
			"platforms", `[]`,
			"next_offset", `null`,
		)
	})
}

func TestEraseBuyer_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.ordersTent()
		a.must(a.orders.reportsFulfillment(`{"status": "shipped"}`))
		a.with("Idempotency-Key", "delivered").asMerchant(`POST /v1/orders/$order/fulfillment {"status": "delivered"}`)
		a.asMerchant(`POST /v1/orders/$order/notes {"text": "A. Buyer rang twice"}`)
		a.asMerchant(`POST /v1/buyers/erase {"email": "BUYER@example.com"}`)
		a.answers(200)
		a.shows(
			"complete", `true`,
			"erased.sessions", `1`,
			"erased.orders", `1`,
			"erased.checkouts", `1`,
			"kept_messages", `0`,
			"pending", `[]`,
		)

		// The stored answer to an earlier request named the buyer.
		a.with("Idempotency-Key", "delivered").asMerchant(`POST /v1/orders/$order/fulfillment {"status": "delivered"}`)
		a.refused("409 answer_erased")
	})
}

func TestEraseBuyer_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/buyers/erase", "422 validation_error", [][2]string{{`{"email": "Everybody"}`, "email"}})
}
