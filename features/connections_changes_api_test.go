package features

import "testing"

const (
	connectCustomBody = `{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}`
	connectShipBody   = `{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}`
)

func TestConnectAPIKey_custom(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.asMerchant("POST /v1/integrations/connect/api-key",
			`{"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url/", "sync_customers": false}}`)
		a.answers(201)
		a.shows(
			"type", `"custom"`,
			"name", `"Custom"`,
			"status", `"connected"`,
			"config.base_url", `"$base_url"`,
			"config.sync_products", `true`,
			"config.sync_orders", `true`,
			"config.sync_customers", `false`,
			"credentials", `absent`,
		)

		a.asMerchant("POST /v1/integrations/connect/api-key", connectCustomBody)
		a.refused("409 integration_exists")
	})
}

func TestConnectAPIKey_platformRefusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms()
	a.bodiesAreRefused("POST /v1/integrations/connect/api-key", "422 validation_error", [][2]string{
		{`{"type": "hubspot", "credentials": {"api_key": "k"}}`, "type"},
		{`{"type": "shopify", "credentials": {"api_key": "k"}}`, "type"},
		{`{"type": "shipstation", "credentials": {"api_secret": "s"}}`, "credentials.api_key"},
		{`{"type": "custom", "credentials": {"api_key": "k"}}`, "config.base_url"},
		{`{"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "ftp://a.example.com"}}`, "config.base_url"},
		{`{"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a:b@a.example.com"}}`, "config.base_url"},
		{`{"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a.example.com?x=1"}}`, "config.base_url"},
		{`{"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a.example.com", "sync": true}}`, "config.sync"},
	})
	a.bodiesAreRefused("POST /v1/integrations/connect/api-key", "422 authorization_failed", [][2]string{
		{`{"type": "shipstation", "credentials": {"api_key": "guessed", "api_secret": "guessed"}}`, "credentials.api_key"},
		{`{"type": "shipstation", "credentials": {"api_key": "guessed"}}`, "credentials.api_key"},
		{`{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "guessed"}}`, "credentials.api_key"},
		{`{"type": "custom", "credentials": {"api_key": "guessed"}, "config": {"base_url": "$base_url"}}`, "credentials.api_key"},
	})
	a.must(a.integrations.hasNoIntegration())
}

func TestConnectAPIKey_platformFaults(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms()
	for _, row := range []struct{ platform, kind, body string }{
		{"custom", "error", connectCustomBody},
		{"custom", "garbage", connectCustomBody},
		{"shipstation", "throttle", connectShipBody},
	} {
		a.platforms.clearsPlatformFaults()
		a.must(a.platforms.setsPlatformFault(row.platform, `{"kind": "`+row.kind+`", "times": -1, "resource": "account", "ms": 100}`))
		a.asMerchant("POST /v1/integrations/connect/api-key", row.body)
		a.refused("503 provider_unavailable")
		a.must(a.integrations.hasNoIntegration())
	}
}

func TestConnectAPIKey_concurrent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.sendsConcurrently(8, "POST", "/v1/integrations/connect/api-key", connectCustomBody)
		a.must(a.succeedAndRefused(1, 7, 409, "integration_exists"))
		a.asMerchant("GET /v1/integrations")
		a.shows("meta.total", `1`)
	})
}

func TestUpdateIntegration_nameAndConfig(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.asMerchant("PATCH /v1/integrations/$integration",
			`{"name": "Our ERP", "config": {"sync_products": false, "sync_customers": false}}`)
		a.shows(
			"name", `"Our ERP"`,
			"config.sync_products", `false`,
			"config.sync_orders", `true`,
			"config.sync_customers", `false`,
		)
		a.asMerchant("PATCH /v1/integrations/$integration", `{"name": null, "config": {"sync_products": null}}`)
		a.shows(
			"name", `"Custom"`,
			"config.sync_products", `true`,
			"config.sync_customers", `false`,
		)
		a.asMerchant("PATCH /v1/integrations/$integration", `{"config": null}`)
		a.shows("config.sync_customers", `true`, "config.base_url", `"$base_url"`)
	})
}

func TestUpdateIntegration_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms("custom")
	a.bodiesAreRefused("PATCH /v1/integrations/$integration", "422 validation_error", [][2]string{
		{`{"name": ""}`, "name"},
		{`{"status": "connected"}`, "status"},
		{`{"config": {"base_url": "https://other.example.com"}}`, "config.base_url"},
		{`{"config": {"sync_orders": "yes"}}`, "config.sync_orders"},

		{`{"config": {"sync_schedule": "often"}}`, "config.sync_schedule"},
		{`{"config": {"sync_schedule": "* * * * *"}}`, "config.sync_schedule"},
		{`{"config": {"sync_schedule": "@every 1s"}}`, "config.sync_schedule"},
		{`{"config": {"sync_schedule": "0 0 30 2 *"}}`, "config.sync_schedule"},
		{`{"config": {"sync_schedule": "TZ=0"}}`, "config.sync_schedule"},
	})
}

func TestUpdateIntegration_schedule(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.asMerchant("PATCH /v1/integrations/$integration", `{"config": {"sync_schedule": "CRON_TZ=Europe/Berlin 0 6 * * 1-5"}}`)
		a.shows("config.sync_schedule", `"CRON_TZ=Europe/Berlin 0 6 * * 1-5"`, "next_sync", `matches T0[45]:00:`)
		a.asMerchant("PATCH /v1/integrations/$integration", `{"config": {"sync_schedule": null}}`)
		a.shows("config.sync_schedule", `absent`, "next_sync", `null`)
	})
}

func TestRotateCredentials_platforms(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shipstation")
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "$ship_key", "api_secret": "guessed"}`)
		a.refused("422 authorization_failed")
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "$ship_key"}`)
		a.refused("422 authorization_failed", "api_key")
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "$ship_key", "api_secret": "$ship_secret"}`)
		a.shows("id", `"$integration"`, "status", `"connected"`)

		// consent is not replaced by a key
		a.must(a.connections.connectsPlatform("hubspot"))
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "guessed"}`)
		a.refused("422 validation_error")
	})
}

func TestDisconnectIntegration_platform(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasWebhook("products/update", ""))
		a.must(a.platforms.hasWebhook("inventory_levels/update", ""))
		a.must(a.platforms.platformWebhooksAre("custom", 2))
		a.must(a.platforms.hasSynced(""))
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "slow", "ms": 5000, "times": -1}`))
		a.must(a.platforms.startsSync(""))
		a.asMerchant("DELETE /v1/integrations/$integration")
		a.answers(204)
		a.must(a.platforms.platformWebhooksAre("custom", 0))

		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("status", `"disconnected"`, "metrics.products_synced", `12`)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync")
		a.shows("status", `"canceled"`)
		a.asMerchant("GET /v1/integrations/$integration/webhooks")
		a.shows("data", `[]`)
		a.asMerchant("DELETE /v1/integrations/$integration")
		a.answers(204)

		a.merchantIsRefused([]rejection{
			{"POST /v1/integrations/$integration/sync", "409 integration_disconnected", ""},
			{`POST /v1/integrations/$integration/webhooks {"topic": "products/update"}`, "409 integration_disconnected", ""},
			{`PUT /v1/integrations/$integration/credentials {"api_key": "$custom_key"}`, "409 integration_disconnected", ""},
		})
		a.must(a.platforms.integrationLeaksNothing())
	})
}

func TestGetProject_integrations(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom", "hubspot", "shipstation")
		a.must(a.shops.readsShop())
		a.shows(
			"integrations.#", `3`,
			"integrations", `contains {"type": "custom", "status": "connected"}`,
			"integrations", `contains {"type": "hubspot", "status": "connected"}`,
			"integrations", `contains {"type": "shipstation", "status": "connected"}`,
		)
	})
}

func TestGetIntegration_platformOfAnotherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.integrations.goesToAnotherShop())
		a.merchantIsRefused([]rejection{
			{`PATCH /v1/integrations/$integration {"name": "x"}`, "404 integration_not_found", ""},
			{"POST /v1/integrations/$integration/sync", "404 integration_not_found", ""},
			{"GET /v1/integrations/$integration/sync/history", "404 integration_not_found", ""},
			{"GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a", "404 integration_not_found", ""},
			{"GET /v1/integrations/$integration/records?resource=products", "404 integration_not_found", ""},
			{"GET /v1/integrations/$integration/webhooks", "404 integration_not_found", ""},
			{`POST /v1/integrations/$integration/webhooks {"topic": "products/update"}`, "404 integration_not_found", ""},
			{"GET /v1/integrations/$integration/webhooks/logs", "404 integration_not_found", ""},
		})
	})
}

func TestUpdateIntegration_scopes(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms("custom")
	a.must(a.keys.hasKey("Clerk", `{"scopes": ["integrations:read"], "project_ids": ["$shop"]}`))
	for _, request := range []string{
		`POST /v1/integrations/connect {"type": "hubspot", "redirect_uri": "https://a.example.com/"}`,
		`POST /v1/integrations/connect/complete {"type": "hubspot", "code": "c", "state": "s"}`,
		`PATCH /v1/integrations/$integration {"name": "x"}`,
		"POST /v1/integrations/$integration/sync",
		"POST /v1/integrations/$integration/sync/sync_0000000000000000000000000a/cancel",
		`POST /v1/integrations/$integration/webhooks {"topic": "products/update"}`,
		"DELETE /v1/integrations/$integration/webhooks/wh_0000000000000000000000000a",
		"POST /v1/integrations/$integration/webhooks/logs/whlog_0000000000000000000000000a/retry",
	} {
		a.asHolder("Clerk", request)
		a.refused("403 insufficient_scope")
	}
}
