package features

import (
	"testing"
)

func (a *apiTest) setsProtocol(protocol, state string) {
	a.Helper()
	c := &protocolsContext{a.scenario}
	a.must(c.sets(protocol, state))
}

func (a *apiTest) opensShopForAgents() {
	a.Helper()
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "100.00",
		stock: "7",
	})
}

func TestUpdateSettings_ucpOff(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForAgents()
		a.setsProtocol("UCP", "false")
		for _, row := range []struct{ method, path, body string }{
			{"GET", "/.well-known/ucp", ""},
			{"GET", "/2026-04-08/.well-known/ucp", ""},
			{"POST", "/ucp/catalog/search", `{"query": "tent"}`},
			{"POST", "/2026-04-08/ucp/catalog/search", `{"query": "tent"}`},
			{"POST", "/ucp/checkout-sessions", `{"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`},
			{"GET", "/ucp/orders/ord_unknown", ""},
		} {
			a.must(a.ucp.agentSends("", row.method, row.path, row.body))
			a.answers(404)
			a.shows("code", `"protocol_off"`)
		}
	})
}

func TestUpdateSettings_mcpOff(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForAgents()
		a.setsProtocol("MCP", "false")
		for _, row := range []struct{ method, params, path string }{
			{"initialize", "", "/mcp"},
			{"tools/list", "", "/mcp"},
			{"tools/list", "", "/2026-04-08/mcp"},
			{"tools/call", `{"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}}`, "/mcp"},
		} {
			a.must(a.ucp.modelSends(row.method, row.params, row.path))
			a.answers(404)
			a.shows("error.data.code", `"protocol_off"`)
		}
	})
}

func TestUpdateSettings_protocolsOfProfile(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForAgents()
		for _, version := range []string{"", "/2026-04-08"} {
			a.setsProtocol("MCP", "false")
			a.must(a.ucp.sendsUnchecked("GET", version+"/.well-known/ucp", ""))
			a.shows("ucp.services.*.*.transport", `[["rest"], ["rest"]]`)
			a.setsProtocol("MCP", "null")
			a.must(a.ucp.sendsUnchecked("GET", version+"/.well-known/ucp", ""))
			a.shows("ucp.services.*.*.transport", `[["rest", "mcp"], ["rest", "mcp"]]`)
		}
	})
}

func TestACPLlms_protocols(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForAgents()
		for protocol, path := range map[string]string{"ucp": "/.well-known/ucp", "mcp": "/mcp"} {
			a.setsProtocol(protocol, "false")
			a.must(a.ucp.sendsUnchecked("GET", "/llms.txt", ""))
			a.answers(200)
			a.must(a.ucp.introductionNames("does not name", path))
			a.setsProtocol(protocol, "true")
			a.must(a.ucp.sendsUnchecked("GET", "/llms.txt", ""))
			a.must(a.ucp.introductionNames("names", path))
		}
	})
}
