package features

import (
	"fmt"
	"strings"
	"testing"
)

// MCP-001, MCP-003, MCP-004, MCP-005: Every operation is a tool, with the same answers as over REST.
func TestUCPTools_allOperations(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.sendsMessage("", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`)
		for _, tool := range []string{
			"search_catalog", "lookup_catalog", "get_product", "create_cart", "get_cart", "update_cart", "cancel_cart",
			"create_checkout", "get_checkout", "update_checkout", "complete_checkout", "cancel_checkout", "get_order",
		} {
			a.shows("result.tools.*.name", `contains "`+tool+`"`)
		}

		a.callsTool("", "search_catalog", `"catalog": {"query": "tent"}`)
		a.showsContent("products.*.title", `["Trail Tent"]`)

		a.callsTool("", "lookup_catalog", `"catalog": {"ids": ["${Trail Tent}", "prod_unknown"]}`)
		a.showsContent("products.*.title", `["Trail Tent"]`)

		a.callsTool("", "get_product", `"catalog": {"id": "${Trail Tent}"}`)
		a.showsContent("product.title", `"Trail Tent"`)

		a.callsTool("", "create_cart", `"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`)
		a.remembersContent("id")
		a.callsTool("", "update_cart",
			`"id": "$remembered_id"`,
			`"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 3}]}`,
		)
		a.callsTool("", "get_cart", `"id": "$remembered_id"`)
		a.showsContent(
			"id", `"$remembered_id"`,
			"line_items.*.quantity", "[3]",
		)

		a.callsTool("", "cancel_cart", `"id": "$remembered_id"`)
		a.showsContent("line_items.*.quantity", "[3]")

		a.callsTool("", "create_checkout", `"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`)
		a.remembersContent("id")
		a.callsTool("", "cancel_checkout", `"id": "$remembered_id"`)
		a.showsContent("status", `"canceled"`)

		a.callsTool("", "create_checkout", `"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`)
		a.showsContent("status", `"incomplete"`, "messages.0.type", `"error"`)
		a.remembersContent("id")

		a.callsTool("", "update_checkout",
			`"id": "$remembered_id"`,
			`"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}`,
		)
		a.callsTool("", "get_checkout", `"id": "$remembered_id"`)
		a.showsContent(
			"status", `"ready_for_complete"`,
			"line_items.*.quantity", "[2]",
		)

		a.callsTool("", "complete_checkout", `"id": "$remembered_id"`, `"checkout": {"payment": $payment_ok}`)
		a.showsContent("status", `"completed"`, "ucp.version", `"$version"`)
		a.remembersContent("order.id")

		a.callsTool("", "get_order", `"id": "$remembered_order_id"`)
		a.showsContent(
			"id", `"$remembered_order_id"`,
			"checkout_id", `"$remembered_id"`,
			"line_items.0.quantity", `{"original": 2, "total": 2, "fulfilled": 0}`,
			"currency", `"USD"`,
		)

		a.callsTool("", "get_order", `"id": "ord_unknown"`)
		a.showsContent("ucp.status", `"error"`, "messages.0.code", `"not_found"`)
		a.must(a.ucp.answersAreJSON())
	})
}

// MCP-003, MCP-004, MCP-006: Messages are those of JSON-RPC 2.0.
func TestUCPTools_jsonRPC(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.sendsMessage("", `{"jsonrpc": "2.0", "id": "greeting", "method": "initialize", `+
			`"params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}}`)
		a.shows(
			"jsonrpc", `"2.0"`,
			"id", `"greeting"`,
			"result.protocolVersion", "present",
			"result.capabilities.tools", "present",
		)

		a.sendsMessage("", `{"jsonrpc": "2.0", "id": 7, "method": "create_cart", "params": {"cart": {"line_items": []}}}`)
		a.shows("error.code", "-32601", "result", "absent")

		a.sendsMessage("", `{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "make_coffee", "arguments": {}}}`)
		a.shows("id", "8", "error.code", "-32602")

		a.sendsMessage("", `{"jsonrpc": "2.0", "id": 9, "method": }`)
		a.shows("error.code", "-32700")

		a.callsTool("", "get_checkout", `"id": "chk_unknown"`)
		a.answers(200)
		a.shows(
			"id", "1",
			"error", "absent",
			"result.structuredContent.ucp.status", `"error"`,
			"result.structuredContent.messages.0.code", `"not_found"`,
		)
	})
}

// MCP-003, MCP-006: Arguments that break their schema are refused with -32602.
func TestUCPTools_invalidArguments(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, row := range []struct{ tool, arguments string }{
			{"search_catalog", `{"catalog": {"query": 1}}`},
			{"search_catalog", `{"catalog": {"query": "tent", "pagination": {"limit": 0}}}`},
			{"lookup_catalog", `{"catalog": {"ids": []}}`},
			{"lookup_catalog", `{"catalog": {}}`},
			{"get_product", `{"catalog": {}}`},
			{"create_cart", `{"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 0}]}}`},
			{"create_cart", "{}"},
			{"create_checkout", `{"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}}]}}`},
			{"complete_checkout", `{"id": "chk_unknown", "checkout": {}}`},
			{"get_order", "{}"},
		} {
			a.callsTool("", row.tool, row.arguments)
			a.answers(400)
			a.shows(
				"error.code", "-32602",
				"error.data.content", "present",
				"result", "absent",
			)
		}
	})
}

// A method that the endpoint does not have is refused under the id of the message.
func TestUCPTools_unknownMethods(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, method := range []string{
			"resources/list",
			"resources/templates/list",
			"prompts/list",
			"logging/setLevel",
			"completion/complete",
		} {
			a.sendsMessage("", `{"jsonrpc": "2.0", "id": "once", "method": "`+method+`", "params": {}}`)
			a.answers(404)
			a.shows(
				"id", `"once"`,
				"error.code", "-32601",
				"error.message", `"There is no such method."`,
			)
		}
	})
}

// A message that breaks its schema is refused under its id, naming the field.
func TestUCPTools_invalidMessages(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, row := range []struct{ message, field string }{
			{`{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5}}`, "params.name"},
			{`{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": []}`, "params"},
			{`{"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 5}}`, "params.protocolVersion"},
			{`{"jsonrpc": "2.0", "id": 7, "method": 5}`, "method"},
			{`{"id": 7, "method": "tools/list"}`, "jsonrpc"},
			{`{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_cart", "arguments": []}}`, "params.arguments"},
		} {
			a.sendsMessage("", row.message)
			a.answers(400)
			a.shows("id", "7", "error.message", `contains "`+row.field+`"`)
		}
	})
}

// MCP-006: A search has pages of 10 products, and a lookup takes at most 50 ids.
func TestUCPTools_pagesAndBatches(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		var more []product
		for i := range 11 {
			more = append(more, ucpProduct(fmt.Sprint("Trail Tent ", i+2), fmt.Sprint(101+i, ".00"), "5"))
		}
		a.startsPlatform(more...)
		a.callsTool("", "search_catalog", `"catalog": {"query": "tent"}`)
		a.showsContent(
			"products.#", "10",
			"pagination.has_next_page", "true",
			"products.0.price_range.min.currency", `"USD"`,
			"products.0.price_range.min.amount", "at least 10000",
		)
		a.remembersContent("pagination.cursor")

		a.callsTool("", "search_catalog",
			`"catalog": {"query": "tent", "pagination": {"cursor": "$remembered_pagination_cursor"}}`,
		)
		a.showsContent("products.#", "2", "pagination.has_next_page", "false")

		lookup := func(n int) string {
			ids := make([]string, n)
			for i := range ids {
				ids[i] = fmt.Sprintf(`"p%d"`, i+1)
			}
			return `"catalog": {"ids": [` + strings.Join(ids, ", ") + `]}`
		}
		a.callsTool("", "lookup_catalog", lookup(51))
		a.answers(400)
		a.shows("error.code", "-32602", "error.data.code", `"request_too_large"`)

		a.callsTool("", "lookup_catalog", lookup(50))
		a.showsContent("products", "[]")
	})
}
