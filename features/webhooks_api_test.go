package features

import "testing"

func TestRegisterWebhook_platforms(t *testing.T) {
	for _, row := range []struct{ name, platform, topic, actions string }{
		{"shopify", "shopify", "products/update", `["sync_inventory"]`},
		{"custom", "custom", "inventory_levels/update", `["sync_products", "sync_customers"]`},
		{"shipStation", "shipstation", "SHIP_NOTIFY", `["sync_orders"]`},
		{"noActions", "custom", "orders/create", `[]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			onEngines(t, func(a *apiTest) {
				a.opensShopWithPlatforms(row.platform)
				a.must(a.platforms.registersWebhook(row.topic, row.actions))
				a.answers(201)
				a.shows(
					"id", `matches ^wh_`,
					"topic", `"`+row.topic+`"`,
					"endpoint", `matches ^http.*/hooks/wh_`,
					"status", `"active"`,
					"actions", row.actions,
					"created_at", `matches Z$`,
				)
				a.must(a.platforms.platformWebhooksAre(row.platform, 1))
				a.asMerchant("GET /v1/integrations/$integration/webhooks")
				a.shows(
					"data.*.id", `["$wh"]`,
					"data.0.topic", `"`+row.topic+`"`,
					"data.0.actions", row.actions,
					"meta.total", `1`,
				)

				a.asMerchant("DELETE /v1/integrations/$integration/webhooks/$wh")
				a.answers(204)
				a.must(a.platforms.platformWebhooksAre(row.platform, 0))
				a.asMerchant("GET /v1/integrations/$integration/webhooks")
				a.shows("data", `[]`)
				a.asMerchant("DELETE /v1/integrations/$integration/webhooks/$wh")
				a.refused("404 webhook_not_found")
				a.must(a.platforms.integrationLeaksNothing())
			})
		})
	}
}

func TestRegisterWebhook_refusals(t *testing.T) {
	for platform, rows := range map[string][][2]string{
		"custom": {
			{`{}`, "topic"},
			{`{"topic": "teapots/boil"}`, "topic"},
			{`{"topic": "SHIP_NOTIFY"}`, "topic"},
			{`{"topic": "products/update", "actions": ["boil"]}`, "actions.0"},
			{`{"topic": "products/update", "actions": ["sync_orders", "sync_orders"]}`, "actions.1"},
		},
		"shipstation": {
			{`{"topic": "products/update"}`, "topic"},
			{`{"topic": "SHIP_NOTIFY", "actions": ["sync_products"]}`, "actions.0"},
		},
		"hubspot": {
			{`{"topic": "customers/update"}`, "topic"},
		},
	} {
		t.Run(platform, func(t *testing.T) {
			a := newAPITest(t)
			a.opensShopWithPlatforms(platform)
			a.bodiesAreRefused("POST /v1/integrations/$integration/webhooks", "422 validation_error", rows)
		})
	}
}

func TestRegisterWebhook_existing(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasWebhook("products/update", ""))
		a.asMerchant("POST /v1/integrations/$integration/webhooks", `{"topic": "products/update"}`)
		a.refused("409 webhook_exists", "topic")
		a.must(a.platforms.platformWebhooksAre("custom", 1))
	})
}

func TestRegisterWebhook_concurrent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.sendsConcurrently(8, "POST", "/v1/integrations/$integration/webhooks", `{"topic": "products/update"}`)
		a.must(a.succeedAndRefused(1, 7, 409, "webhook_exists"))
		a.must(a.platforms.platformWebhooksAre("custom", 1))
	})
}

func TestRegisterWebhook_platformFaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "error", "resource": "webhooks", "times": -1}`))
		a.asMerchant("POST /v1/integrations/$integration/webhooks", `{"topic": "products/update"}`)
		a.refused("503 provider_unavailable")
		a.asMerchant("GET /v1/integrations/$integration/webhooks")
		a.shows("data", `[]`)

		a.platforms.clearsPlatformFaults()
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "refuse", "resource": "webhooks", "times": -1}`))
		a.asMerchant("POST /v1/integrations/$integration/webhooks", `{"topic": "products/update"}`)
		a.refused("409 credentials_refused")
	})
}

func TestRemoveWebhook_platformFault(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasWebhook("products/update", ""))
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "error", "resource": "webhooks"}`))
		a.asMerchant("DELETE /v1/integrations/$integration/webhooks/$wh")
		a.refused("503 provider_unavailable")
		a.asMerchant("GET /v1/integrations/$integration/webhooks")
		a.shows("data.*.id", `["$wh"]`)
		a.asMerchant("DELETE /v1/integrations/$integration/webhooks/$wh")
		a.answers(204)
		a.must(a.platforms.platformWebhooksAre("custom", 0))
	})
}

func TestListWebhookLogs_processed(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasWebhook("customers/create", ""))
		a.must(a.platforms.hasWebhook("orders/create", ""))
		a.must(a.platforms.platformSendsWebhooks("custom", 10, ""))
		a.must(a.platforms.webhookCallsAnswered("genuine", 10, 200))
		a.must(a.platforms.webhookLogShows("status=processed&limit=50",
			"meta.total", `10`,
			"data.0.id", `matches ^whlog_`,
			"data.0.webhook_id", `matches ^wh_`,
			"data.0.topic", `matches /`,
			"data.0.status", `"processed"`,
			"data.0.error", `null`,
			"data.0.payload_size", `above 10`,
			"data.0.received_at", `matches Z$`,
		))
		a.asMerchant("GET /v1/integrations/$integration/records?resource=customers")
		a.shows("data.0.customer.email", `matches @example.com$`)
		a.asMerchant("GET /v1/integrations/$integration/records?resource=orders")
		a.shows("data.0.order.currency", `"USD"`)
		a.must(a.platforms.integrationLeaksNothing())
	})
}

func TestListWebhookLogs_rejected(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shopify")
		a.must(a.platforms.hasWebhook("products/update", ""))
		a.must(a.platforms.callsShopifyWebhook("forged", "guessed", `{"id": 1, "title": "Free tent", "variants": [{"id": 2, "price": "0.01"}]}`))
		a.answers(401)
		a.must(a.platforms.webhookLogShows("limit=1",
			"data.*.status", `["rejected"]`,
			"data.0.error", `present`,
			"meta.total", `1`,
		))

		for query, total := range map[string]string{
			"since=30m":                `1`,
			"since=1h":                 `1`,
			"since=7d&status=rejected": `1`,
			"since=1h&status=failed":   `0`,
			"status=duplicate":         `0`,
			"status=rejected&offset=1": `1`,
		} {
			a.asMerchant("GET /v1/integrations/$integration/webhooks/logs?" + query)
			a.shows("meta.total", total)
		}
	})
}

// A signed call needs the headers that say what it is about.
func TestHooks_shopifyWithoutHeader(t *testing.T) {
	for _, header := range []string{"X-Shopify-Topic", "X-Shopify-Shop-Domain"} {
		t.Run(header, func(t *testing.T) {
			onEngines(t, func(a *apiTest) {
				a.opensShopWithPlatforms("shopify")
				a.must(a.platforms.hasWebhook("products/update", ""))
				a.must(a.platforms.callsShopifyWebhook("captured", appSecret, `{"id": 1}`, header))
				a.answers(401)
				a.must(a.platforms.webhookLogShows("", "data.*.status", `["rejected"]`))
			})
		})
	}
}

// ShipStation's calls name a resource to read. The server reads none of another host.
func TestHooks_shipStationForeignResource(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shipstation")
		a.must(a.platforms.hasWebhook("SHIP_NOTIFY", ""))
		a.must(a.platforms.callsShopifyWebhook("led astray", appSecret,
			`{"resource_url": "http://169.254.169.254/shipments?batchId=1", "resource_type": "SHIP_NOTIFY"}`))
		a.answers(200)
		a.must(a.platforms.webhookLogShows("status=failed", "data.0.topic", `"SHIP_NOTIFY"`, "data.0.error", `present`))
	})
}

func TestListWebhookLogs_unknownItem(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shopify")
		a.must(a.platforms.hasWebhook("inventory_levels/update", ""))
		a.must(a.platforms.reportsShopifyStock(4321, "12:00", "early"))
		a.answers(200)
		a.must(a.platforms.webhookLogShows("",
			"data.0.status", `"received"`,
			"data.0.retry_count", `at least 1`,
			"data.0.error", `present`,
		))
		a.must(a.platforms.hasSynced(`{"resources": ["products"]}`))
		a.must(a.platforms.webhookLogShows("since=1h", "data.0.status", `"processed"`, "data.0.error", `null`))
		a.asMerchant("GET /v1/catalog/inventory?limit=100")
		a.shows("data.*.quantity", `contains 4321`)
	})
}

func TestRetryWebhookCall_invalidRecord(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shopify")
		a.must(a.platforms.hasWebhook("products/update", ""))
		a.must(a.platforms.callsShopifyWebhook("bad", appSecret, `{"id": 7000000001, "title": "", "status": "active", `+
			`"updated_at": "2026-01-01T00:00:00Z", "variants": [{"id": 78, "sku": "S-77", "price": "abc", "inventory_management": "shopify"}]}`))
		a.answers(200)
		a.must(a.platforms.webhookLogShows("status=failed", "data.0.error", `present`, "data.0.retry_count", `0`))
		a.must(a.platforms.namesAnswerField("data.0.id", "log"))
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("metrics.errors_24h", `1`)
		a.asMerchant("POST /v1/integrations/$integration/webhooks/logs/$log/retry")
		a.answers(202)
		a.shows("id", `"$log"`, "status", `"received"`)
		a.must(a.platforms.webhookLogShows("status=failed", "data.*.id", `["$log"]`))
	})
}

func TestRetryWebhookCall_failed(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shipstation")
		a.must(a.platforms.hasWebhook("SHIP_NOTIFY", ""))
		a.must(a.platforms.setsPlatformFault("shipstation", `{"kind": "error", "status": 400, "resource": "shipments"}`))
		a.must(a.platforms.platformSendsWebhooks("shipstation", 1, ""))
		a.must(a.platforms.webhookLogShows("status=failed", "meta.total", `1`, "data.0.error", `present`))
		a.must(a.platforms.namesAnswerField("data.0.id", "log"))
		a.asMerchant("POST /v1/integrations/$integration/webhooks/logs/$log/retry")
		a.answers(202)
		a.must(a.platforms.webhookLogShows("status=processed", "data.*.id", `["$log"]`, "data.0.error", `null`))
		a.asMerchant("POST /v1/integrations/$integration/webhooks/logs/$log/retry")
		a.refused("409 delivery_not_failed")
	})
}

func TestListWebhookLogs_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms("custom")
	for _, query := range []string{"since=1", "since=h", "since=0h", "since=-1h", "since=1w", "since=31d", "since=1.5h", "status=lost"} {
		a.asMerchant("GET /v1/integrations/$integration/webhooks/logs?" + query)
		a.refused("400 invalid_request")
	}
	a.asMerchant("POST /v1/integrations/$integration/webhooks/logs/whlog_0000000000000000000000000a/retry")
	a.refused("404 delivery_not_found")
}
