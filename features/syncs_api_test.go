package features

import "testing"

func TestStartSync_everything(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.asMerchant("POST /v1/integrations/$integration/sync")
		a.answers(202)
		a.shows(
			"sync_id", `matches ^sync_`,
			"status", `"running"`,
			"resources", `["products", "inventory", "customers", "orders"]`,
			"started_at", `matches Z$`,
		)
		a.must(a.platforms.recordSync())
		a.must(a.platforms.syncEnds("completed"))
		a.shows(
			"sync_id", `"$sync"`,
			"full_sync", `false`,
			"resources.products.total", `12`,
			"resources.products.created", `12`,
			"resources.products.updated", `0`,
			"resources.products.errors", `0`,
			"resources.inventory.created", `at least 24`,
			"resources.inventory.errors", `0`,
			"resources.customers.created", `8`,
			"resources.orders.created", `6`,
			"completed_at", `matches Z$`,
			"duration_ms", `at least 0`,
			"error", `null`,
		)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows(
			"status", `"connected"`,
			"last_sync", `matches Z$`,
			"metrics.products_synced", `12`,
			"metrics.orders_synced", `6`,
			"metrics.errors_24h", `0`,
		)
		a.must(a.platforms.integrationLeaksNothing())

		// of no changes
		a.must(a.platforms.hasSynced(`{"full_sync": true}`))
		a.shows(
			"full_sync", `true`,
			"resources.products.unchanged", `12`,
			"resources.products.updated", `0`,
			"resources.customers.unchanged", `8`,
			"resources.orders.unchanged", `6`,
		)
	})
}

func TestStartSync_resources(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.startsSync(`{"resources": ["inventory", "products"]}`))
		a.shows("resources", `["products", "inventory"]`)
		a.must(a.platforms.syncEnds("completed"))
		a.shows("resources.orders", `absent`, "resources.customers", `absent`)
		a.must(a.platforms.matchesPlatform("custom"))

		a.must(a.connections.connectsPlatform("hubspot"))
		a.must(a.platforms.startsSync(""))
		a.shows("resources", `["customers", "orders"]`)
		a.must(a.platforms.syncEnds("completed"))
	})
}

func TestStartSync_refusals(t *testing.T) {
	for platform, rows := range map[string][][2]string{
		"custom": {
			{`{"resources": ["products", "teapots"]}`, "resources.1"},
			{`{"resources": ["items"]}`, "resources.0"},
			{`{"resources": ["orders", "orders"]}`, "resources.1"},
			{`{"resources": "orders"}`, "resources"},
			{`{"full_sync": "yes"}`, "full_sync"},
			{`{"preview": true, "resources": ["products", "inventory"]}`, "resources.1"},
		},
		"hubspot":     {{`{"resources": ["products"]}`, "resources.0"}},
		"shipstation": {{`{"resources": ["customers"]}`, "resources.0"}},
	} {
		t.Run(platform, func(t *testing.T) {
			a := newAPITest(t)
			a.opensShopWithPlatforms(platform)
			a.bodiesAreRefused("POST /v1/integrations/$integration/sync", "422 validation_error", rows)
		})
	}
}

func TestStartSync_disabledResources(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.integrations.disables("sync_products", "sync_customers"))
		a.asMerchant("POST /v1/integrations/$integration/sync", `{"resources": ["products"]}`)
		a.refused("422 validation_error", "resources.0")
		a.must(a.platforms.hasSynced(""))
		a.shows("resources.products", `absent`, "resources.orders.created", `6`)

		a.must(a.integrations.disables("sync_orders"))
		a.asMerchant("POST /v1/integrations/$integration/sync")
		a.refused("422 validation_error", "resources")
	})
}

func TestStartSync_preview(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.hasSynced(`{"preview": true}`))
		a.shows(
			"status", `"completed"`,
			"preview", `true`,
			"resources.products.created", `12`,
			"resources.orders.created", `6`,
			"resources.inventory", `absent`,
		)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("last_sync", `null`, "metrics.products_synced", `0`)
		a.must(a.platforms.hasSynced(""))
		a.shows("preview", `false`, "resources.products.created", `12`)
	})
}

func TestListSyncChanges_preview(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.platforms.hasPlatforms(`{"products": 12, "seed": 2}`))
		a.opensShop()
		a.must(a.connections.connectsPlatform("custom"))
		a.must(a.platforms.hasSynced(`{"preview": true, "resources": ["products", "customers"]}`))
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes?kind=created&resource=products")
		a.shows(
			"data.#", `12`,
			"data.0.kind", `"created"`,
			"data.0.local_id", `null`,
			"data.0.sync_id", `"$sync"`,
			"data.0.record_id", `matches ^p-`,
			"data.0.title", `matches [a-z]`,
			"data.0.fields", `[]`,
			"meta.total", `12`,
			"found.created", `at least 13`,
			"cut", `false`,
		)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes?resource=customers&limit=1")
		a.shows(
			"data.0.record_id", `matches .`,
			"data.0.title", `null`,
			"data.0.fields", `[]`,
			"meta.total", `at least 1`,
		)

		a.must(a.platforms.hasSynced(""))
		a.must(a.platforms.changesPlatform(1, "custom", "products/delete", 0))
		a.must(a.platforms.changesPlatform(8, "custom", "products/update", 4))
		a.must(a.platforms.hasSynced(`{"preview": true, "full_sync": true, "resources": ["products"]}`))
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes?kind=archived")
		a.shows(
			"data.0.kind", `"archived"`,
			"data.0.local_id", `matches ^prod_`,
			"data.0.title", `matches [a-z]`,
			"found.archived", `at least 1`,
		)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes?kind=changed")
		a.shows(
			"data.0.kind", `"changed"`,
			"data.0.local_id", `matches ^prod_`,
			"data.0.fields.#", `at least 1`,
			"data.0.fields.0.winner", `absent`,
			"data.0.fields.0.rule", `absent`,
			"found.changed", `at least 1`,
		)
		a.merchantIsRefused([]rejection{
			{"GET /v1/integrations/$integration/sync/$sync/changes?kind=nonsense", "400 invalid_request", ""},
			{"GET /v1/integrations/$integration/sync/$sync/changes?resource=inventory", "400 invalid_request", ""},
		})
	})
}

func TestListSyncChanges_conflict(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.platforms.hasPlatforms(onlyProducts(1)))
		a.opensShop()
		a.must(a.connections.connectsPlatform("custom"))
		a.must(a.platforms.hasSynced(""))
		a.must(a.platforms.choosesProduct("custom"))
		a.must(a.platforms.editsConflictingly())
		a.must(a.platforms.changesPlatform(6, "custom", "products/update", 4))
		a.must(a.platforms.hasSynced(""))
		a.shows("resources.products.conflicts", `at least 1`)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes?kind=conflict")
		a.shows(
			"data.0.kind", `"conflict"`,
			"data.0.local_id", `matches ^prod_`,
			"data.0.fields.#", `1`,
			"data.0.fields.0.field", `"price"`,
			"data.0.fields.0.ours", `1.5`,
			"data.0.fields.0.theirs", `at least 2`,
			"data.0.fields.0.winner", `"ours"`,
			"data.0.fields.0.rule", `"edited_here"`,
			"found.conflicts", `1`,
			"found.changed", `0`,
		)
		a.must(a.platforms.hasSynced(`{"full_sync": true}`))
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/changes")
		a.shows(
			"data.*.kind", `["conflict"]`,
			"data.0.fields.0.winner", `"theirs"`,
			"data.0.fields.0.rule", `"full_sync"`,
		)
		a.asMerchant("GET /v1/integrations/$integration/conflicts")
		a.shows("data.*.fields.0.winner", `["theirs", "ours"]`, "data.0.sync_id", `"$sync"`)
	})
}

func TestListSyncErrors_badRecords(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "bad_price", "times": 2}`))
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "no_name"}`))
		a.must(a.platforms.hasSynced(`{"resources": ["products"]}`))
		a.shows(
			"resources.products.total", `12`,
			"resources.products.errors", `3`,
			"resources.products.created", `9`,
		)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/errors")
		a.shows(
			"meta.total", `3`,
			"data.*.resource", `["products", "products", "products"]`,
			"data.0.record_id", `matches ^p-`,
			"data.0.reason", `present`,
			"data.0.at", `matches Z$`,
			"data.*.record_id", `contains "p-1001"`,
		)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/errors?limit=1&offset=2")
		a.shows("data.#", `1`, "meta.offset", `2`)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("metrics.products_synced", `9`, "metrics.errors_24h", `3`)
	})
}

func TestListSyncErrors_duplicateSKU(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.must(a.platforms.setsPlatformFault("custom", `{"kind": "duplicate_sku"}`))
		a.must(a.platforms.hasSynced(`{"resources": ["products"]}`))
		a.shows("resources.products.errors", `1`, "resources.products.created", `11`)
		a.asMerchant("GET /v1/integrations/$integration/sync/$sync/errors")
		a.shows("data.*.record_id", `["p-1002"]`, "data.0.reason", `matches (?i)sku`)
	})
}

func TestListSyncs_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("custom")
		a.asMerchant("GET /v1/integrations/$integration/sync/history")
		a.shows("data", `[]`, "meta.total", `0`)

		a.must(a.platforms.hasSynced(`{"resources": ["customers"]}`))
		a.must(a.platforms.namesAnswerField("sync_id", "first"))
		a.must(a.platforms.hasSynced(`{"full_sync": true, "resources": ["orders"]}`))
		a.must(a.platforms.namesAnswerField("sync_id", "second"))
		a.asMerchant("GET /v1/integrations/$integration/sync/history")
		a.shows(
			"data.*.sync_id", `["$second", "$first"]`,
			"data.*.status", `["completed", "completed"]`,
			"data.*.full_sync", `[true, false]`,
			"data.0.resources.orders.created", `6`,
			"meta.total", `2`,
		)
		a.asMerchant("GET /v1/integrations/$integration/sync/history?limit=1")
		a.shows(
			"data.*.sync_id", `["$second"]`,
			"meta.limit", `1`,
			"meta.total", `2`,
		)
		a.asMerchant("POST /v1/integrations/$integration/sync/$sync/cancel")
		a.refused("409 sync_ended")
	})
}

func TestGetSync_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms("custom")
	a.merchantIsRefused([]rejection{
		{"GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a", "404 sync_not_found", ""},
		{"GET /v1/integrations/$integration/sync/nonsense", "404 sync_not_found", ""},
		{"GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a/errors", "404 sync_not_found", ""},
		{"GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a/changes", "404 sync_not_found", ""},
		{"POST /v1/integrations/$integration/sync/sync_0000000000000000000000000a/cancel", "404 sync_not_found", ""},

		{"GET /v1/integrations/$integration/records", "400 invalid_request", ""},
		{"GET /v1/integrations/$integration/records?resource=teapots", "400 invalid_request", ""},
	})
}
