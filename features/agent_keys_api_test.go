package features

import (
	"strings"
	"testing"
)

const agentKeyBody = `{"name": "Laptop", "profile": "https://haggle.invalid/agent"}`

func TestCreateAgentKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("POST /v1/agent-keys", agentKeyBody)
		a.answers(201)
		a.shows(
			"id", `matches ^akey_`,
			"name", `"Laptop"`,
			"profile", `"https://haggle.invalid/agent"`,
			"key", `matches ^hak_test_[0-9a-z]{32}$`,
			"prefix", `matches ^hak_test_[0-9a-z]{4}$`,
			"created_at", `matches Z$`,
		)
		a.must(a.rememberAnswer("id"))

		a.asMerchant("GET /v1/agent-keys")
		a.shows(
			"data.#", `1`,
			"data.0.id", `"$remembered_id"`,
			"data.0.name", `"Laptop"`,
			"data.0.key", `absent`,
			"data.0.hash", `absent`,
			"meta.total", `1`,
		)
		a.asMerchant("GET /v1/audit-events?project_id=$shop")
		a.shows(
			"data.0.action", `"create-agent-key"`,
			"data.0.target", `"$remembered_id"`,
			"data.0.after.profile", `"https://haggle.invalid/agent"`,
			"data.0.after.key", `absent`,
		)
	})
}

func TestCreateAgentKey_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/agent-keys", "422 validation_error", [][2]string{
		{`{"profile": "https://haggle.invalid/agent"}`, "name"},
		{`{"name": " ", "profile": "https://haggle.invalid/agent"}`, "name"},
		{`{"name": "Laptop"}`, "profile"},
		{`{"name": "Laptop", "profile": "http://agent.example/p"}`, "profile"},
		{`{"name": "Laptop", "profile": "https://a:b@agent.example/"}`, "profile"},
		{`{"name": "Laptop", "profile": "agent"}`, "profile"},
	})
}

func TestCreateAgentKey_scopes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["catalog:write"], "project_ids": ["$shop"]}`))
		a.asHolder("Clerk", "GET /v1/agent-keys")
		a.refused("403 insufficient_scope")

		a.must(a.keys.hasKey("Reader", `{"scopes": ["keys:read"], "project_ids": ["$shop"]}`))
		a.eachIsRefused(`holder of "Reader"`, []rejection{
			{`POST /v1/agent-keys ` + agentKeyBody, "403 insufficient_scope", ""},
			{`DELETE /v1/agent-keys/akey_00000000000000000000000000`, "403 insufficient_scope", ""},
		})
	})
}

func TestRevokeAgentKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.keys.createsAgentKey(a.merchantSends, "Laptop", agentProfile("")))
		a.asMerchant("DELETE /v1/agent-keys/$agent_key_Laptop")
		a.answers(204)
		a.asMerchant("GET /v1/audit-events?project_id=$shop")
		a.shows("data.0.action", `"revoke-agent-key"`, "data.0.target", `"$agent_key_Laptop"`)
		a.asMerchant("GET /v1/agent-keys")
		a.shows("data", `[]`)

		a.merchantIsRefused([]rejection{
			{"DELETE /v1/agent-keys/$agent_key_Laptop", "404 agent_key_not_found", ""},
			{"DELETE /v1/agent-keys/akey_00000000000000000000000000", "404 agent_key_not_found", ""},
			{"DELETE /v1/agent-keys/akey_unknown", "404 agent_key_not_found", ""},
			{"DELETE /v1/agent-keys/$shop", "404 agent_key_not_found", ""},
		})
	})
}

// sendsWithSecret sends a request with a bearer secret to the shop.
func sendsWithSecret(a *apiTest, secret, request string) {
	a.Helper()
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	a.must(a.keys.sendsWithKey("with the secret "+secret, method, path, body))
}

const (
	unknownAgentKey = "hak_test_00000000000000000000000000000000"
	searchArguments = `{"catalog": {"query": "tent"}}`
)

func TestCreateAgentKey_unknownKeys(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "30",
		})
		for _, row := range []struct{ secret, prefix string }{
			{unknownAgentKey, ""},
			{unknownAgentKey, "/2026-04-08"},
			{"hak_live_00000000000000000000000000000000", ""},
			{"hak_", ""},
		} {
			sendsWithSecret(a, row.secret, `POST /ucp/carts {"line_items": []}`)
			a.answers(401)
			a.shows("code", `"agent_key_invalid"`)
			a.must(a.keys.callsTool("with the secret "+row.secret, "search_catalog", searchArguments, row.prefix+"/mcp"))
			a.answers(401)
			a.shows("error.data.code", `"agent_key_invalid"`)
		}

		// requests that need no agent are refused as well
		for _, row := range []struct{ request, field string }{
			{`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`, "error.data.code"},
			{`POST /2026-04-08/mcp {"jsonrpc": "2.0", "id": 1, "method": "ping"}`, "error.data.code"},
			{
				`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "a", "version": "1"}}}`,
				"error.data.code",
			},
			{`GET /.well-known/ucp`, "code"},
			{`GET /2026-04-08/.well-known/ucp`, "code"},
			{`POST /acp/search {"query": "tent"}`, "error"},
		} {
			sendsWithSecret(a, unknownAgentKey, row.request)
			a.answers(401)
			a.shows(row.field, `"agent_key_invalid"`)
		}

		// credentials of other kinds are ignored
		for _, secret := range []string{"hk_test_00000000000000000000000000000000", "something"} {
			a.must(a.keys.callsTool("with the secret "+secret, "search_catalog", searchArguments, "/mcp"))
			a.answers(200)
		}
	})
}

func TestCreateAgentKey_requestsWithoutAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "30",
		})
		a.must(a.keys.createsAgentKey(a.merchantSends, "Laptop", agentProfile("")))
		const withKey = `with the key "Laptop"`
		a.must(a.keys.sendsWithKey(withKey, "POST", "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`))
		a.answers(200)
		a.must(a.keys.sendsWithKey(withKey, "POST", "/acp/search", `{"query": "tent"}`))
		a.answers(200)
	})
}
