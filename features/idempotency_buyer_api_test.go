package features

import (
	"fmt"
	"testing"
)

const (
	payCheckout = `POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`
	openSession = `POST /acp/search {"query": "tent"}`
)

// opensShopWithBuyer opens a shop and lets a buyer look at its tent.
func (a *apiTest) opensShopWithBuyer() {
	a.Helper()
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "1000.00",
		stock: "20",
	})
	a.must(a.buyers.arrivesLookingAt("Trail Tent"))
}

func TestACPQuote_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.repeats("buyer", buyersKey, `POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 1}`, 200)
		a.asBuyer("GET /acp/sessions/$session")
		a.shows("negotiation_history.#", `1`)
	})
}

func TestACPSearch_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.repeats("buyer", buyersKey, openSession, 200)

		a.with(idempotencyHeader, buyersKey).asBuyer(`POST /acp/search {"query": "tents"}`)
		a.refused("422 idempotency_key_reused")
		a.must(a.hostile.refusalHasFormOf("buyers"))
	})
}

func TestACPCheckoutInit_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.repeats("buyer", buyersKey,
			`POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}`, 200)
	})
}

func TestACPCheckoutFinalize_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.repeats("buyer", "a", payCheckout, 200)
	})
}

func TestACPCheckoutFinalize_declineRepeatedUnderKey(t *testing.T) {
	const decline = `POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_decline_do_not_honor"}}`
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.with(idempotencyHeader, "a").asBuyer(decline)
		a.with(idempotencyHeader, "a").asBuyer(decline)
		a.must(a.idempotency.isReplay())
		a.shows("status", `"payment_failed"`)

		a.with(idempotencyHeader, "a").asBuyer(payCheckout)
		a.refused("422 idempotency_key_reused")
		a.with(idempotencyHeader, "b").asBuyer(payCheckout)
		a.shows("status", `"success"`)
	})
}

func TestACPQuote_refusalRepeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		for range 2 {
			a.with(idempotencyHeader, buyersKey).asBuyer(`POST /acp/quote {"product_id": "prod_unknown", "quantity": 1}`)
			a.refused("404 product_not_found")
		}
		a.must(a.idempotency.isReplay())
	})
}

func TestACPSearch_keyTooLong(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.with(idempotencyHeader, randomLetters(256)).asBuyer(openSession)
		a.refused("400 invalid_request", idempotencyHeader)
	})
}

// A short key could be guessed by another buyer, which would get the answer and its session.
func TestACPSearch_keyTooShort(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		for _, request := range []string{
			openSession,
			`POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1}`,
			`POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}`,
		} {
			a.with(idempotencyHeader, randomLetters(15)).asBuyer(request)
			a.refused("422 idempotency_key_too_short", idempotencyHeader)
			a.must(a.hostile.refusalHasFormOf("buyers"))
		}
	})
}

func TestACPQuote_keyUsedInOtherSession(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.with(idempotencyHeader, buyersKey).asBuyer(`POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 900}`)
		a.answers(200)
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.with(idempotencyHeader, buyersKey).asBuyer(`POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 950}`)
		a.answers(200)
		a.must(a.idempotency.isNotReplay())
	})
}

// A request that opened a session is not replayed once the session was used: the sender may be another buyer that guessed the key.
func TestACPSearch_sessionInUse(t *testing.T) {
	const quote = `POST /acp/quote {"product_id": "$product", "quantity": 1}`
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		for i, row := range []struct{ opens, uses string }{
			{openSession, `GET /acp/sessions/$remembered_session_id`},
			{openSession, `POST /acp/search {"query": "tent", "session_id": "$remembered_session_id"}`},
			{quote, `POST /acp/quote {"session_id": "$remembered_session_id", "product_id": "$product", "quantity": 1}`},
			{quote, `POST /acp/sessions/$remembered_session_id/extend {"duration_minutes": 5}`},
			{quote, `POST /acp/checkout/init {"session_id": "$remembered_session_id", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}`},
		} {
			key := fmt.Sprint(buyersKey, i)
			a.with(idempotencyHeader, key).asBuyer(row.opens)
			a.answers(200)
			a.must(a.rememberAnswer("session_id"))
			a.asBuyer(row.uses)
			a.answers(200)
			a.with(idempotencyHeader, key).asBuyer(row.opens)
			a.refused("409 idempotency_key_used")
			a.must(a.lastBodyContains(a.expand("$remembered_session_id"), false))
		}
	})
}

// The same holds for the carts, negotiations and checkouts of UCP.
func TestACPSearch_ucpResourceInUse(t *testing.T) {
	const items = `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		for i, row := range []struct{ path, body, method, use, useBody string }{
			{"/ucp/carts", items, "GET", "/ucp/carts/$remembered_id", ""},
			{"/ucp/negotiations", `{"item": {"id": "${Trail Tent}"}, "quantity": 1}`, "GET", "/ucp/negotiations/$remembered_id", ""},
			{"/ucp/checkout-sessions", items, "PUT", "/ucp/checkout-sessions/$remembered_id", `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}`},
			{"/ucp/checkout-sessions", items, "POST", "/ucp/checkout-sessions/$remembered_id/cancel", `{}`},
		} {
			key := fmt.Sprintf(`under the key "key-of-an-agent-012345678%d" `, i)
			a.must(a.ucp.agentSends(key, "POST", row.path, row.body))
			a.must(a.rememberAnswer("id"))
			a.must(a.ucp.agentSends(key, "POST", row.path, row.body))
			a.shows("id", `"$remembered_id"`)
			a.must(a.ucp.agentSends("", row.method, row.use, row.useBody))
			a.answers(200)
			a.must(a.ucp.agentSends(key, "POST", row.path, row.body))
			a.answers(409)
			a.shows("code", `"idempotency_key_used"`)
			a.must(a.lastBodyContains(a.expand("$remembered_id"), false))
		}
	})
}

func TestACPSearch_keyUsedInOtherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithBuyer()
		a.must(a.shops.openOtherShops(1))
		a.with(idempotencyHeader, buyersKey).asBuyer(openSession)
		a.answers(200)
		a.must(a.idempotency.buyerSendsToOtherShopWithKey(buyersKey, "POST", "/acp/search", `{"query": "tent"}`))
		a.answers(200)
		a.must(a.idempotency.isNotReplay())
	})
}

// A buyer without a session is identified by its address.
func TestACPSearch_keyUsedFromOtherAddress(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.opensShop()
		a.with("X-Forwarded-For", "198.51.100.7").with(idempotencyHeader, buyersKey).asBuyer(openSession)
		a.with("X-Forwarded-For", "198.51.100.8").with(idempotencyHeader, buyersKey).asBuyer(openSession)
		a.answers(200)
		a.must(a.idempotency.isNotReplay())
		a.with("X-Forwarded-For", "198.51.100.8").with(idempotencyHeader, buyersKey).asBuyer(openSession)
		a.must(a.idempotency.isReplay())
	})
}
