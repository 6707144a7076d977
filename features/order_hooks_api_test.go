package features

import "testing"

// startsWithWebhooks opens a shop selling a Trail Tent, on the server that may send webhooks to this machine.
func (a *apiTest) startsWithWebhooks() {
	a.Helper()
	a.useServer(a.server.loopback)
	a.opensTentShop()
	a.must(a.orderHooks.agentReceivesWebhooks())
}

// A revision replaces the whole checkout, also its webhook.
func TestACPCheckoutRevise_orderWebhook(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.startsWithWebhooks()
		a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
		a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
			"shipping_address": $address, "order_webhook": {"url": "$hook"}}`)
		a.shows("order_webhook.url", `"$hook"`)
		a.asBuyer("GET /acp/checkout/$checkout")
		a.shows("order_webhook", "absent")

		a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
			"shipping_address": $address}`)
		a.shows("order_webhook", "absent")
		a.must(a.checkouts.paysSuccessfully())
		a.must(a.orderHooks.agentReceivesNoMore())
	})
}

func TestACPCheckoutInit_webhookAddresses(t *testing.T) {
	a := newAPITest(t)
	a.startsWithWebhooks()
	for _, url := range []string{
		"",
		"agent.example/hook",
		"http://agent.example/hook",
		"ftp://agent.example/hook",
		"https://ada:pw@agent.example",
		"https://10.0.0.1/hook",
		"https://169.254.169.254/",
		"https://agent.internal/",
	} {
		a.buyerIsRefused([]rejection{{
			request: `POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}],
				"shipping_address": $address, "order_webhook": {"url": "` + url + `"}}`,
			with:  "422 validation_error",
			field: "order_webhook.url",
		}})
	}

	a.must(a.checkouts.isAtCheckout(1, "Trail Tent"))
	a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
		"shipping_address": $address, "order_webhook": {"url": "http://agent.example/hook"}}`)
	a.refused("422 validation_error", "order_webhook.url")
}

func TestGetOrder_webhook(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.startsWithWebhooks()
		a.must(a.orderHooks.ordersWithWebhook(1, "Trail Tent"))
		a.asMerchant("GET /v1/orders/$order")
		a.shows(
			"order_webhook.protocol", `"haggle"`,
			"order_webhook.url", "matches ^http://127.0.0.1:.*…",
			"order_webhook.status", `"active"`,
			"order_webhook.ended_at", "null",
		)
	})
}

// The merchant sees the profile of the agent that bought, if that is an HTTPS URL.
func TestGetOrder_agent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.startsWithWebhooks()
		a.must(a.orderHooks.agentBuys("https://agent.example/profile.json?key=1", 1, "Trail Tent"))
		a.asMerchant("GET /v1/orders/$order")
		a.shows(
			"agent.profile", `"https://agent.example/profile.json?key=1"`,
			"agent.verified", "false",
			"agent.key_thumbprint", "null",
		)
		for _, profile := range []string{"http://agent.example/profile", "agent.example"} {
			a.must(a.orderHooks.agentBuys(profile, 1, "Trail Tent"))
			a.asMerchant("GET /v1/orders/$order")
			a.shows("agent", "absent")
		}
	})
}

func TestACPSigningKeys_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.useServer(a.server.loopback)
		a.opensShop()
		a.asBuyer("GET /.well-known/jwks.json")
		a.shows(
			"keys.#", `2`,
			"keys.0.kid", "matches ^[A-Za-z0-9_-]+$",
			"keys.0.kty", `"EC"`,
			"keys.0.crv", `"P-256"`,
			"keys.0.x", "matches ^[A-Za-z0-9_-]+$",
			"keys.0.y", "matches ^[A-Za-z0-9_-]+$",
			"keys.0.d", "absent",
			"keys.0.use", `"sig"`,
			"keys.0.alg", `"ES256"`,
		)
		a.showsHeaders("Cache-Control", `"public, max-age=300"`)
	})
}

func TestListSigningKeys_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.useServer(a.server.loopback)
		a.opensShop()
		a.asMerchant("GET /v1/signing-keys")
		a.shows(
			"data.*.state", `["current", "next"]`,
			"data.*.alg", `["ES256", "ES256"]`,
			"data.0.kid", `"$current_kid"`,
			"data.0.current_at", "matches Z$",
			"data.0.retired_at", "null",
			"data.0.may_sign_at", "null",
			"data.1.current_at", "null",
			"data.1.may_sign_at", "matches Z$",
		)
		a.must(a.orderHooks.publishesKeys("current", "next"))
	})
}

func TestRotateSigningKeys_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.useServer(a.server.loopback)
		a.opensShop()
		a.asMerchant("GET /v1/signing-keys")
		a.must(a.orderHooks.agesSigningKeys("10m"))
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/signing-keys/rotate")
		a.shows(
			"data.*.state", `["current", "next", "retired"]`,
			"data.2.retired_at", "matches Z$",
			"data.2.gone_at", "matches Z$",
		)
		a.asMerchant("GET /v1/audit-events?project_id=$shop")
		a.shows("data.0.action", `"rotate-signing-keys"`, "data.0.target", `"$current_kid"`)

		// The same request again rotates nothing.
		a.with("Idempotency-Key", "once").asMerchant("POST /v1/signing-keys/rotate")
		a.shows("data.*.state", `["current", "next", "retired"]`)
	})
}

func TestRevokeSigningKey_unknownKey(t *testing.T) {
	a := newAPITest(t)
	a.useServer(a.server.loopback)
	a.opensShop()
	a.asMerchant("GET /v1/signing-keys")
	a.asMerchant("POST /v1/signing-keys/nobodys/revoke")
	a.refused("404 signing_key_not_found")
}
