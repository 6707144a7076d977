package features

import "testing"

// SIG-001, SIG-002: Only the platform that signed a request reads what it made.
func TestUCPRecords_ownRecords(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("signed", "POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.answers(201)
		a.remembers("id")

		a.asPlatform("", "GET /ucp/carts/$remembered_id")
		a.shows("ucp.status", `"error"`, "messages.0.code", `"not_found"`)

		a.asPlatform("signed", "GET /ucp/carts/$remembered_id")
		a.shows("id", `"$remembered_id"`)

		a.callsTool("", "get_cart", `"id": "$remembered_id"`)
		a.shows("result.structuredContent.messages.0.code", `"not_found"`)

		a.callsTool("signed", "get_cart", `"id": "$remembered_id"`)
		a.shows("result.structuredContent.id", `"$remembered_id"`)
	})
}

// A cart of a signed request gives its buyer and deals to no other agent's checkout.
func TestUCPRecords_cartOfSignedRequest(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("signed", "POST /ucp/carts", ucpLines("1 Trail Tent"), `"buyer": {"email": "ada@example.com"}`)
		a.remembers("id")
		a.asPlatform("", "GET /ucp/carts/sess_06fszq2d8v3m5xk9t1c7w4hpeg")
		a.asPlatform("", "POST /ucp/checkout-sessions", `"cart_id": "$remembered_id"`, `"line_items": []`)
		a.answers(200)
		a.must(a.ucp.answersEqualExceptIDs())
		a.shows(
			"messages.0.code", `"not_found"`,
			"messages.0.content", `"There is no such cart."`,
			"buyer", "absent",
		)

		a.callsTool("", "create_checkout", `"checkout": {"cart_id": "$remembered_id", "line_items": []}`)
		a.shows("result.structuredContent.messages.0.code", `"not_found"`, "result.structuredContent.buyer", "absent")

		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$remembered_id", "from_cart": true}`)
		a.refused("404 session_not_found")

		a.asPlatform("signed", "POST /ucp/checkout-sessions", `"cart_id": "$remembered_id"`, `"line_items": []`)
		a.answers(201)
		a.shows("buyer.email", `"ada@example.com"`)
	})
}

// ACP does not find what a signed request made.
func TestUCPRecords_notReadableOverACP(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("signed", "POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.remembers("id")
		a.buyerIsRefused([]rejection{
			{"GET /acp/cart?session_id=$remembered_id", "404 session_not_found", ""},
			{`PUT /acp/cart {"session_id": "$remembered_id", "items": []}`, "404 session_not_found", ""},
			{"DELETE /acp/cart?session_id=$remembered_id", "404 session_not_found", ""},
			{"GET /acp/sessions/$remembered_id", "404 session_not_found", ""},
			{`POST /acp/sessions/$remembered_id/extend {"duration_minutes": 5}`, "404 session_not_found", ""},
			{`POST /acp/search {"query": "tent", "session_id": "$remembered_id"}`, "404 session_not_found", ""},
		})

		a.asPlatform("signed", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.remembers("id")
		a.buyerIsRefused([]rejection{
			{"GET /acp/checkout/$remembered_id", "404 checkout_not_found", ""},
			{`PUT /acp/checkout/$remembered_id {"items": [{"product_id": "prod_06fszq2d8v3m5xk9t1c7w4hpeg", "quantity": 2}], ` +
				`"allow_incomplete": true}`, "404 checkout_not_found", ""},
			{`POST /acp/checkout/finalize {"checkout_id": "$remembered_id", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`, "404 checkout_not_found", ""},
			{`POST /acp/checkout/cancel {"checkout_id": "$remembered_id"}`, "404 checkout_not_found", ""},
		})

		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.shows("messages.0.content", `"There is no such checkout."`)

		a.asPlatform("signed", "GET /ucp/checkout-sessions/$remembered_id")
		a.shows("status", `"incomplete"`)
	})
}

// The buyer of an unsigned checkout is shown only while it is open.
func TestUCPRecords_unsignedBuyer(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), `"buyer": {"email": "ada@example.com"}`)
	a.remembers("id")
	a.asPlatform("", "GET /ucp/checkout-sessions/$remembered_id")
	a.shows("buyer.email", `"ada@example.com"`)

	for range 2 { // the second time it may be a stranger
		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/cancel")
		a.shows("status", `"canceled"`, "buyer", "absent")
	}
	a.asPlatform("", "GET /ucp/checkout-sessions/$remembered_id")
	a.shows("status", `"canceled"`, "buyer", "absent")

	a.callsTool("", "get_checkout", `"id": "$remembered_id"`)
	a.shows("result.structuredContent.buyer", "absent")
}

// An agent that completes another's checkout again, with another payment token, learns neither its buyer nor its address.
func TestUCPRecords_unsignedPayer(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpNamedBuyer)
	a.remembers("id")
	a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
	a.shows("status", `"completed"`, "buyer.email", `"ada@example.com"`)

	a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_ok_of_another"))
	a.shows("status", `"completed"`, "buyer", "absent", "fulfillment.methods.0.destinations", "[]")
}
