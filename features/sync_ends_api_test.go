package features

import "testing"

func TestCancelSync_running(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "slow", "ms": 5000, "times": -1}`))
		a.must(a.platforms.startsSync(""))
		a.asMerchant("POST /v1/integrations/$integration/sync", `{"resources": ["orders"]}`)
		a.refused("409 sync_in_progress")
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync")
		a.shows(
			"status", `"running"`,
			"completed_at", `null`,
			"duration_ms", `null`,
		)
		a.asMerchant("POST /v1/integrations/$integration/sync/$sync/cancel")
		a.shows("status", `"canceled"`, "completed_at", `matches Z$`)
		a.asMerchant("POST /v1/integrations/$integration/sync/$sync/cancel")
		a.shows("status", `"canceled"`)
	})
}

func TestListRecords_resources(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasSynced(""))
		for _, row := range []struct{ resource, total, prefix, local string }{
			{"products", `12`, "p-", `matches ^prod_`},
			{"customers", `8`, "c-", `null`},
			{"orders", `6`, "o-", `null`},
		} {
			a.asMerchant("GET /v1/integrations/$integration/records?limit=100&resource=" + row.resource)
			a.shows(
				"meta.total", row.total,
				"data.0.record_id", "matches ^"+row.prefix,
				"data.0.local_id", row.local,
				"data.0.removed", `false`,
			)
		}
	})
}

func TestListRecords_hubspotCustomers(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("hubspot")
		a.must(a.platforms.hasSynced(""))
		a.asMerchant("GET /v1/integrations/$integration/records?resource=customers")
		a.shows(
			"meta.total", `8`,
			"data.0.resource", `"customers"`,
			"data.0.customer.email", `matches @example.com$`,
			"data.0.removed", `false`,
		)
	})
}

func TestOnSyncFailed_endlessPages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.must(a.events.isSubscribed(`["sync.failed", "sync.completed"]`))
		a.must(a.connections.connectsPlatform("custom"))
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "circle", "resource": "products", "times": -1}`))
		a.must(a.platforms.startsSync(""))
		a.must(a.platforms.syncEnds("failed"))
		a.shows("error", `matches loop`, "completed_at", `matches Z$`)

		a.must(a.events.eventsArriveSigned(1, "sync.failed"))
		a.must(a.platforms.eventHas(
			"sync_id", `"$sync"`,
			"integration_id", `"$integration"`,
			"error", `matches loop`,
			"started_at", `matches Z$`,
			"failed_at", `matches Z$`,
		))
		a.must(a.events.noEventArrived("sync.completed"))
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows(
			"status", `"connected"`,
			"last_sync", `null`,
			"metrics.errors_24h", `1`,
		)
	})
}

func TestOnSyncCompleted_counters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.must(a.events.isSubscribed(`["sync.failed", "sync.completed"]`))
		a.must(a.connections.connectsPlatform("custom"))
		a.must(a.platforms.hasSynced(`{"resources": ["customers", "orders"]}`))
		a.must(a.events.eventsArriveSigned(1, "sync.completed"))
		a.must(a.platforms.eventHas(
			"sync_id", `"$sync"`,
			"integration_id", `"$integration"`,
			"full_sync", `false`,
			"resources.customers", `{"total": 8, "created": 8, "updated": 0, "unchanged": 0, "errors": 0}`,
			"resources.orders", `{"total": 6, "created": 6, "updated": 0, "unchanged": 0, "errors": 0}`,
			"started_at", `matches Z$`,
			"completed_at", `matches Z$`,
		))
	})
}

func TestOnIntegrationError_invalidKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.must(a.events.isSubscribed(`["integration.error"]`))
		a.must(a.connections.connectsPlatform("custom"))
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "refuse", "times": -1}`))
		a.must(a.platforms.startsSync(""))
		a.must(a.platforms.syncEnds("failed"))
		a.must(a.events.eventsArriveSigned(1, "integration.error"))
		a.must(a.platforms.eventHas(
			"integration_id", `"$integration"`,
			"type", `"custom"`,
			"name", `"Custom"`,
			"error", `present`,
		))
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("status", `"error"`, "last_error", `present`)
		a.must(a.shops.readsShop())
		a.shows("integrations", `[{"type": "custom", "status": "error"}]`)

		a.platforms.clearsPlatformFaults()
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "$custom_key"}`)
		a.shows("status", `"connected"`, "last_error", `null`)
	})
}

func TestOnIntegrationError_withdrawnConsent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.must(a.events.isSubscribed(`["integration.error"]`))
		a.must(a.connections.connectsPlatform("hubspot"))
		before := a.expand(`"$integration"`)
		a.must(a.platforms.revokesPlatformAccess("hubspot"))
		a.must(a.platforms.startsSync(""))
		a.must(a.platforms.syncEnds("failed"))
		a.must(a.events.eventsArriveSigned(1, "integration.error"))
		a.must(a.platforms.eventHas("integration_id", before, "type", `"hubspot"`))
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("status", `"error"`)

		a.beginsWithConsent("hubspot", "")
		a.completes("")
		a.shows("id", before, "status", `"connected"`)
	})
}
