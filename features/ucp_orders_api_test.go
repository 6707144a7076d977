package features

import "testing"

// An order shows what was bought and what became of it, without the buyer's address.
func TestUCPOrder_fields(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpNamedBuyer)
		a.remembers("id")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.remembers("order.id")
		a.asAgent("GET /ucp/orders/$remembered_order_id")
		a.shows(
			"checkout_id", "matches ^chk_",
			"permalink_url", "matches /acp/orders/ord_",
			"line_items.0.id", `"li_1"`,
			"line_items.0.quantity", `{"original": 2, "total": 2, "fulfilled": 0}`,
			"line_items.0.status", `"processing"`,
			"fulfillment.expectations.0.destination", `{"address_country": "US", "address_region": "OR"}`,
			"fulfillment.events", "absent",
			"adjustments", "absent",
			"totals.*.type", `["subtotal", "fulfillment", "tax", "total"]`,
		)
	})
}

// An unknown order is an error with 200.
func TestUCPOrder_unknownID(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("GET /ucp/orders/ord_unknown")
	a.shows("ucp.status", `"error"`, "messages.0.code", `"not_found"`)
}

// A shop may require signatures to read orders, over REST and MCP.
func TestUCPOrder_signedOnly(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.shops.setsPartField("/settings", "agents.authentication", `"signed"`))
		a.asAgent("GET /ucp/orders/ord_unknown")
		a.answers(401)
		a.shows("code", `"signature_missing"`)

		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.answers(201)

		a.must(a.ucp.modelSends("tools/call", `{"name": "get_order", "arguments": {"id": "ord_unknown"}}`, a.prefix+"/mcp"))
		a.answers(401)
		a.shows("error.data.code", `"signature_missing"`)

		a.must(a.ucp.modelSends("tools/call", `{"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}}`, a.prefix+"/mcp"))
		a.answers(200)

		a.must(a.shops.setsPartField("/settings", "agents.authentication", `null`))
		a.asAgent("GET /ucp/orders/ord_unknown")
		a.answers(200)
	})
}
