package features

import "testing"

// CART-026: A key replays its answer, and refuses another body.
func TestUCPIdempotency_cart(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/carts", ucpLines("1 Camp Stove"))
		a.remembers("id")
		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/carts", ucpLines("1 Camp Stove"))
		a.must(a.idempotency.isReplay())
		a.shows("id", `"$remembered_id"`)

		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/carts", ucpLines("2 Camp Stove"))
		a.answers(409)
		a.shows("code", `"idempotency_conflict"`)
	})
}

// CHK-048: A key replays its answer, and refuses another body.
func TestUCPIdempotency_checkout(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove"))
		a.remembers("id")
		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/checkout-sessions", ucpLines("1 Camp Stove"))
		a.shows("id", `"$remembered_id"`)

		a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/checkout-sessions", ucpLines("2 Camp Stove"))
		a.answers(409)
		a.shows("code", `"idempotency_conflict"`)
	})
}

// A refusal by a limit is not replayed: the same key succeeds once there is room.
func TestUCPIdempotency_limitReached(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
	for range 20 {
		a.opensCheckout(2, "Trail Tent", ucpCodes("$token"))
	}
	a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"))
	a.answers(409)
	a.shows("code", `"limit_reached"`, "content", `contains "cart"`)

	a.asAgent("POST /ucp/checkout-sessions/$remembered_id/cancel")
	a.withKey("key-of-an-agent-0123456789").asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpCodes("$token"))
	a.answers(201)
}

// SIG-023, SIG-025: A key is remembered for a day.
func TestUCPIdempotency_retryAfter23Hours(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpNamedBuyer)
		a.remembers("id")
		a.asPlatform(`keyed "key-of-a-platform-00000005"`, "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.remembers("order.id")
		a.must(a.ucp.agesIdempotencyKeys("$remembered_order_id", "23h"))
		a.asPlatform(`keyed "key-of-a-platform-00000005"`, "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.must(a.ucp.answersEqualExceptIDs())
		a.shows("order.id", `"$remembered_order_id"`)
		a.showsHeaders("Idempotent-Replayed", "true")
		a.hasLeft(28, "Trail Tent")

		a.asMerchant("GET /v1/finance/payments")
		a.shows("data.#", "1")
	})
}

// SIG-024: A request with a key is refused while the keys cannot be stored.
func TestUCPIdempotency_keyStoreUnavailable(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.must(a.wireServer.starts())
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		a.must(a.wireServer.locksIdempotencyKeys())
		a.withKey("key-of-a-platform-00000006").asAgent("POST /ucp/carts", `"line_items": []`)
		a.answers(503)
		a.shows("code", "matches ^(storage_unavailable|overloaded)$", "content", "present")

		a.must(a.wireServer.unlocksIdempotencyKeys())
		a.withKey("key-of-a-platform-00000006").asAgent("POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.answers(201)
		a.showsHeaders("Idempotent-Replayed", "absent")
	})
}
