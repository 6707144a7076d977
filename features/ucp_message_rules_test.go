package features

import "testing"

// ERR-001, ERR-002, ERR-003, ERR-005, ERR-009, ERR-010, ERR-025, ERR-026, ERR-031: Errors, warnings and information have the fields of their types.
func TestUCPMessages_types(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("", "POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}", "prod_unknown"]`)
		a.shows("messages.0.type", `"info"`)

		a.asPlatform("", "POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent", "1 var_unknown"),
			ucpCodes("SUMMER20"),
			`"buyer": {"email": "nobody"}`,
		)
		a.shows("messages.*.type", `contains "warning"`, "messages.*.type", `contains "error"`)

		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 var_unknown"))
		a.asPlatform("", "GET /ucp/carts/sess_unknown")
		a.asPlatform("", "POST /ucp/catalog/product", `"id": "prod_unknown"`)
		a.must(a.ucp.messagesAreComplete())
	})
}

// ERR-028, ERR-029, ERR-030: An error without a resource is ucp and messages, with 200.
func TestUCPMessages_errorOnly(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, row := range []struct{ request, body string }{
			{"POST /ucp/checkout-sessions", `{"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}`},
			{"POST /ucp/checkout-sessions", `{"cart_id": "sess_unknown", "line_items": []}`},
			{"GET /ucp/checkout-sessions/chk_unknown", ``},
			{"GET /ucp/carts/sess_unknown", ``},
			{"GET /ucp/orders/ord_unknown", ``},
			{"POST /ucp/catalog/product", `{"id": "prod_unknown"}`},
		} {
			a.asPlatform("", row.request, row.body)
			a.answers(200)
			a.must(a.ucp.hasOnlyMessages())
		}
	})
}

// An unknown path is refused in the form of UCP.
func TestUCPErrors_unknownRoute(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, row := range []struct{ request, body string }{
			{"GET /ucp/nowhere", ``},
			{"GET /ucp/", ``},
			{"POST /ucp/carts/sess_unknown/pay", "{}"},
			{"GET /ucp/checkout-sessions/chk_x/orders", ``},
		} {
			a.asAgent(row.request, row.body)
			a.answers(404)
			a.shows(
				"code", `"route_not_found"`,
				"content", "present",
				"error", "absent",
			)
		}
	})
}

// A method that a path does not have is refused in the form of UCP.
func TestUCPErrors_methodNotAllowed(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, row := range []struct{ request, body, allowed string }{
			{"GET /ucp/carts", ``, "POST"},
			{"DELETE /ucp/checkout-sessions/chk_unknown", ``, "GET, HEAD, PUT"},
			{"PATCH /ucp/checkout-sessions/chk_unknown", "{}", "GET, HEAD, PUT"},
			{"GET /ucp/negotiations", ``, "POST"},
			{"POST /ucp/orders/ord_unknown", "{}", "GET, HEAD"},
			{"PUT /ucp/carts/sess_x/cancel", "{}", "POST"},
			{"DELETE /ucp/catalog/search", ``, "POST"},
		} {
			a.asAgent(row.request, row.body)
			a.answers(405)
			a.shows(
				"code", `"method_not_allowed"`,
				"content", "present",
				"error", "absent",
			)
			a.showsHeaders("Allow", `"`+row.allowed+`"`)
		}
	})
}

// Free texts are limited.
func TestUCPErrors_longText(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, row := range []struct{ request, body, field string }{
			{"POST /ucp/catalog/search", `{"query": "tent", "context": {"intent": "$long_text"}}`, "context.intent"},
			{"POST /ucp/carts", `{"line_items": [], "context": {"intent": "$long_text"}}`, "context.intent"},
			{"POST /ucp/checkout-sessions", `{"line_items": [], "context": {"intent": "$long_text"}}`, "context.intent"},
			{"POST /ucp/carts", `{"line_items": [], "attribution": {"gclid": "$long_text"}}`, "attribution"},
			{"POST /ucp/catalog/search", `{"query": "tent", "attribution": {"gclid": "$long_text"}}`, "attribution"},
		} {
			a.asAgent(row.request, row.body)
			a.answers(400)
			a.shows("content", `contains "`+row.field+`"`)
		}
	})
}
