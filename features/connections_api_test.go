package features

import "testing"

// opensShopWithPlatforms opens a shop whose merchant has fake platforms, and connects the named ones.
func (a *apiTest) opensShopWithPlatforms(connected ...string) {
	a.Helper()
	a.must(a.platforms.hasPlatforms(""))
	a.opensShop()
	for _, kind := range connected {
		a.must(a.connections.connectsPlatform(kind))
	}
}

// beginsWithConsent starts an OAuth connection and consents at the platform.
func (a *apiTest) beginsWithConsent(kind, store string) {
	a.Helper()
	a.must(a.connections.beginsConnecting(kind, store))
	a.must(a.connections.givesConsent())
}

// completes completes the OAuth connection, with changes of the request. Null removes a field.
func (a *apiTest) completes(changes string) {
	a.Helper()
	if err := a.connections.completesConnecting(changes); err != nil {
		a.Fatal(err)
	}
}

func TestConnectIntegration_shopify(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.asMerchant("POST /v1/integrations/connect",
			`{"type": "shopify", "redirect_uri": "https://shop.example.com/back", "store_domain": "https://Trailhead-Outfitters.myshopify.com/"}`)
		a.answers(200)
		a.shows(
			"authorization_url", `matches /shopify/admin/oauth/authorize\?.*client_id=haggle-sandbox`,
			"authorization_url", `matches redirect_uri=\S+%2Foauth%2Fcallback`,
			"authorization_url", `matches shop=trailhead-outfitters.myshopify.com`,
			"state", `matches ^\S{40,}$`,
			"expires_in", `600`,
		)
	})
}

func TestCompleteConnection_shopify(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.beginsWithConsent("shopify", "trailhead-outfitters.myshopify.com")
		a.completes("")
		a.answers(201)
		a.shows(
			"id", `matches ^int_`,
			"type", `"shopify"`,
			"status", `"connected"`,
			"store_domain", `"trailhead-outfitters.myshopify.com"`,
		)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows(
			"name", `"Shopify"`,
			"status", `"connected"`,
			"config.store_domain", `"trailhead-outfitters.myshopify.com"`,
			"config.sync_products", `true`,
			"config.sync_orders", `true`,
			"config.sync_customers", `true`,
			"last_sync", `null`,
			"last_error", `null`,
			"metrics", `{"products_synced": 0, "orders_synced": 0, "errors_24h": 0}`,
			"webhook", `absent`,
		)
		a.must(a.platforms.integrationLeaksNothing())
	})
}

// Shopify signs the query of its redirect. Without it, the code proves nothing.
func TestCompleteConnection_shopifyQuery(t *testing.T) {
	for name, store := range map[string]string{"chosen at Shopify": "", "asked for": "trailhead-outfitters.myshopify.com"} {
		t.Run(name, func(t *testing.T) {
			onEngines(t, func(a *apiTest) {
				a.opensShopWithPlatforms()
				a.beginsWithConsent("shopify", store)
				a.completes(`{"callback_query": null}`)
				a.refused("422 validation_error", "code")
				a.completes(`{"callback_query": null, "store_domain": "trailhead-outfitters.myshopify.com"}`)
				a.refused("422 validation_error", "code")
				a.completes("")
				a.answers(201)
			})
		})
	}
	t.Run("alone", func(t *testing.T) {
		onEngines(t, func(a *apiTest) {
			a.opensShopWithPlatforms()
			a.beginsWithConsent("shopify", "")
			a.completes(`{"code": null, "state": null}`)
			a.answers(201)
		})
	})
}

func TestCompleteConnection_hubspot(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.must(a.connections.beginsConnecting("hubspot", ""))
		a.shows(
			"authorization_url", `matches code_challenge=\S+`,
			"authorization_url", `matches code_challenge_method=S256`,
		)
		a.must(a.connections.givesConsent())
		a.completes("")
		a.answers(201)
		a.shows(
			"type", `"hubspot"`,
			"status", `"connected"`,
			"store_domain", `null`,
		)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows(
			"config.account_id", `present`,
			"config.store_domain", `absent`,
			"config.sync_products", `absent`,
			"config.sync_orders", `true`,
			"config.sync_customers", `true`,
		)
		a.must(a.platforms.integrationLeaksNothing())
	})
}

func TestConnectIntegration_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms()
	a.bodiesAreRefused("POST /v1/integrations/connect", "422 validation_error", [][2]string{
		{`{"redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "teapot", "redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "stripe", "redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "paypal", "redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "shipstation", "redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "custom", "redirect_uri": "https://a.example.com/"}`, "type"},
		{`{"type": "shopify"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "a.example.com/back"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "http://a.example.com/back"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "ftp://127.0.0.1/back"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "javascript:alert(1)"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "https://ada:pw@a.example.com/"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "https://a.example.com/#top"}`, "redirect_uri"},
		{`{"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "evil.example.com"}`, "store_domain"},
		{`{"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "a.myshopify.com/x"}`, "store_domain"},
		{`{"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "evil.example.com#.myshopify.com"}`, "store_domain"},
		{`{"type": "hubspot", "redirect_uri": "https://a.example.com/", "store_domain": "a.myshopify.com"}`, "store_domain"},
	})
}

func TestConnectIntegration_loopbackRedirect(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms()
	for _, uri := range []string{"http://localhost:3000/back", "http://127.0.0.1/back", "http://[::1]:3000/back"} {
		a.asMerchant("POST /v1/integrations/connect", `{"type": "hubspot", "redirect_uri": "`+uri+`"}`)
		a.answers(200)
	}
}

// A code that the platform rejects uses up the state.
func TestCompleteConnection_unknownCode(t *testing.T) {
	for kind, changes := range map[string]string{
		"shopify": `{"code": "guessed"}`,
		"hubspot": `{"code": "guessed", "callback_query": null}`,
	} {
		t.Run(kind, func(t *testing.T) {
			onEngines(t, func(a *apiTest) {
				a.opensShopWithPlatforms()
				a.beginsWithConsent(kind, "")
				a.completes(changes)
				a.refused("422 authorization_failed", "code")
				a.must(a.integrations.hasNoIntegration())
				a.completes("")
				a.refused("400 invalid_state")
			})
		})
	}
}

// A request that does not fit the state does not use it up.
func TestCompleteConnection_refusals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.beginsWithConsent("hubspot", "")
		a.completes(`{"redirect_uri": "http://127.0.0.1:9/back"}`) // the one that the state was issued for
		a.answers(201)

		for _, row := range []struct{ changes, with string }{
			{`{"state": "guessed"}`, "400 invalid_state"},
			{`{"state": null}`, "422 validation_error"},
			{`{"code": null}`, "422 validation_error"},
			{`{"redirect_uri": "https://evil.example.com/back"}`, "400 invalid_state"},
			{`{"type": "shopify", "callback_query": "shop=a.myshopify.com"}`, "400 invalid_state"},
			{`{"type": "stripe"}`, "422 validation_error"},
			{`{"type": "teapot"}`, "422 validation_error"},
			{`{"type": null}`, "422 validation_error"},
		} {
			a.beginsWithConsent("hubspot", "")
			a.completes(row.changes)
			a.refused(row.with)
			a.completes("")
			a.shows("status", `"connected"`)
		}
	})
}

func TestCompleteConnection_concurrentUnderOneKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.beginsWithConsent("hubspot", "")
		a.must(a.connections.completesConcurrently("a", 20))
		a.must(a.idempotency.allGotSameAnswer())
		a.asMerchant("GET /v1/integrations")
		a.shows("data.*.status", `["connected"]`)
	})
}

func TestCompleteConnection_again(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("shopify")
		a.asMerchant("PATCH /v1/integrations/$integration", `{"name": "Our shop", "config": {"sync_orders": false}}`)
		a.must(a.platforms.namesAnswerField("id", "before"))
		a.must(a.platforms.revokesPlatformAccess("shopify"))
		a.beginsWithConsent("shopify", "")
		a.completes("")
		a.shows("id", `"$before"`, "status", `"connected"`)
		a.asMerchant("GET /v1/integrations")
		a.shows(
			"meta.total", `1`,
			"data.0.name", `"Our shop"`,
			"data.0.config.sync_orders", `false`,
		)
		a.must(a.platforms.hasSynced(`{"resources": ["customers"]}`))
	})
}

func TestCompleteConnection_afterDisconnecting(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms("hubspot")
		a.asMerchant("PATCH /v1/integrations/$integration", `{"name": "Our CRM"}`)
		a.must(a.platforms.namesAnswerField("id", "before"))
		a.asMerchant("DELETE /v1/integrations/$integration")
		a.beginsWithConsent("hubspot", "")
		a.completes("")
		a.shows("id", `"$before"`, "status", `"connected"`)
		a.asMerchant("GET /v1/integrations/$before")
		a.shows("name", `"Our CRM"`)
	})
}

func TestConnectAPIKey_shipStation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.asMerchant("POST /v1/integrations/connect/api-key",
			`{"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}, "name": "Warehouse"}`)
		a.answers(201)
		a.shows(
			"type", `"shipstation"`,
			"name", `"Warehouse"`,
			"status", `"connected"`,
			"config.account_id", `present`,
			"config.sync_orders", `true`,
			"config.sync_products", `absent`,
			"credentials", `absent`,
		)
	})
}

// A key of ShipStation's API V2 has no secret.
func TestConnectAPIKey_shipStationV2(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithPlatforms()
		a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "shipstation", "credentials": {"api_key": "$ship_v2_key"}}`)
		a.answers(201)
		a.shows("status", `"connected"`, "config.account_id", `matches ^carrier-`)
	})
}
