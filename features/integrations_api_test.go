package features

import "testing"

// opensShopOfItsOwnAccount opens a shop of a new account: payment providers' accounts are connected once per account.
func (a *apiTest) opensShopOfItsOwnAccount() {
	a.Helper()
	a.must(a.keys.createsAccount())
	a.opensShop()
}

func TestConnectAPIKey_stripe(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "$stripe_key"}, "name": "Main account"}`)
		a.answers(201)
		a.shows(
			"id", `matches ^int_`,
			"type", `"stripe"`,
			"name", `"Main account"`,
			"status", `"connected"`,
			"config.account_id", `matches ^acct_`,
			"config.live_mode", `false`,
			"last_sync", `null`,
			"last_error", `null`,
			"metrics.products_synced", `0`,
			"metrics.orders_synced", `0`,
			"metrics.errors_24h", `0`,
			"webhook.endpoint", `matches ^http.*/hooks/wh_`,
			"webhook.status", `"active"`,
			"credentials", `absent`,
			"created_at", `matches Z$`,
		)
		a.must(a.integrations.accountKeyNotShown())

		a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_other$slug"}}`)
		a.refused("409 integration_exists")
	})
}

func TestConnectAPIKey_paypal(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "paypal", "credentials": {"api_key": "client-$slug", "api_secret": "secret-$slug"}}`)
		a.answers(201)
		a.shows(
			"type", `"paypal"`,
			"name", `"PayPal"`,
			"status", `"connected"`,
			"config.live_mode", `false`,
			"webhook.status", `"active"`,
		)
	})
}

func TestConnectAPIKey_providerRefusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopOfItsOwnAccount()
	a.bodiesAreRefused("POST /v1/integrations/connect/api-key", "422 validation_error", [][2]string{
		{`{"credentials": {"api_key": "sk_test_1"}}`, "type"},
		{`{"type": "teapot", "credentials": {"api_key": "sk_test_1"}}`, "type"},
		{`{"type": "shopify", "credentials": {"api_key": "sk_test_1"}}`, "type"},
		{`{"type": "stripe"}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": ""}}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": "pk_test_1"}}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": "sk_test_ 1"}}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": "sk_live_1"}}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": "rk_live_1"}}`, "credentials.api_key"},
		{`{"type": "stripe", "credentials": {"api_key": "sk_test_1", "api_secret": "secret"}}`, "credentials.api_secret"},
		{`{"type": "paypal", "credentials": {"api_key": "client"}}`, "credentials.api_secret"},
		{`{"type": "stripe", "credentials": {"api_key": "sk_test_1", "password": "x"}}`, "credentials.password"},
	})
	a.bodiesAreRefused("POST /v1/integrations/connect/api-key", "422 authorization_failed", [][2]string{
		{`{"type": "stripe", "credentials": {"api_key": "sk_test_refused_1"}}`, "credentials.api_key"},
		{`{"type": "paypal", "credentials": {"api_key": "refused-1", "api_secret": "s"}}`, "credentials.api_key"},
	})
	a.must(a.integrations.hasNoIntegration())
}

// A server that is not beside the merchant's systems connects to public addresses only.
func TestConnectAPIKey_privateAddresses(t *testing.T) {
	a := newAPITest(t)
	a.opensShopOfItsOwnAccount()
	for _, url := range []string{
		"http://erp.example.com",
		"http://127.0.0.1:8095/custom",
		"https://127.0.0.1:8095/custom",
		"https://10.0.0.1/haggle",
		"https://169.254.169.254/latest",
		"https://[fd00::1]/haggle",
		"https://[::ffff:10.0.0.1]/haggle",
	} {
		a.bodiesAreRefused("POST /v1/integrations/connect/api-key", "422 validation_error", [][2]string{
			{`{"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "` + url + `"}}`, "config.base_url"},
		})
	}
	a.must(a.integrations.hasNoIntegration())
}

func TestGetIntegration_stripe(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.must(a.integrations.connectsAccount("Stripe", ""))
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows(
			"id", `"$integration"`,
			"status", `"connected"`,
			"credentials", `absent`,
		)
		a.asMerchant("GET /v1/integrations")
		a.shows("data.*.id", `["$integration"]`, "meta.total", `1`)
		a.must(a.shops.readsShop())
		a.shows("integrations.*.type", `["stripe"]`, "integrations.*.status", `["connected"]`)

		// another shop does not see it
		a.must(a.integrations.goesToAnotherShop())
		a.merchantIsRefused([]rejection{
			{"GET /v1/integrations/$integration", "404 integration_not_found", ""},
			{`PUT /v1/integrations/$integration/credentials {"api_key": "sk_test_1"}`, "404 integration_not_found", ""},
			{"DELETE /v1/integrations/$integration", "404 integration_not_found", ""},
			{"GET /v1/integrations/int_00000000000000000000000000", "404 integration_not_found", ""},
			{"GET /v1/integrations/nonsense", "404 integration_not_found", ""},
		})
	})
}

func TestConnectAPIKey_scopes(t *testing.T) {
	a := newAPITest(t)
	a.opensShopOfItsOwnAccount()
	a.must(a.keys.hasKey("Cataloger", `{"scopes": ["catalog:write"], "project_ids": ["$shop"]}`))
	a.must(a.keys.hasKey("Reader", `{"scopes": ["integrations:read"], "project_ids": ["$shop"]}`))
	for _, row := range []struct{ key, request string }{
		{"Cataloger", "GET /v1/integrations"},
		{"Reader", `POST /v1/integrations/connect/api-key {"type": "stripe", "credentials": {"api_key": "sk_test_1"}}`},
		{"Reader", `PUT /v1/integrations/int_00000000000000000000000000/credentials {"api_key": "sk_test_1"}`},
		{"Reader", "DELETE /v1/integrations/int_00000000000000000000000000"},
	} {
		a.asHolder(row.key, row.request)
		a.refused("403 insufficient_scope")
	}
}

func TestRotateCredentials_providers(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.must(a.integrations.connectsAccount("PayPal", ""))
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "client-$slug", "api_secret": "another"}`)
		a.shows(
			"id", `"$integration"`,
			"status", `"connected"`,
			"credentials", `absent`,
		)

		a.must(a.integrations.connectsAccount("Stripe", ""))
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "sk_test_other$slug"}`) // of another account
		a.refused("422 validation_error", "api_key")
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "sk_test_refused_1"}`)
		a.refused("422 authorization_failed")
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("status", `"connected"`)
	})
}

func TestDisconnectIntegration_stripe(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.must(a.integrations.connectsAccount("Stripe", ""))
		a.asMerchant("DELETE /v1/integrations/$integration")
		a.answers(204)
		a.asMerchant("GET /v1/integrations/$integration")
		a.shows("status", `"disconnected"`, "webhook.status", `"none"`)
		a.asMerchant("DELETE /v1/integrations/$integration")
		a.answers(204)
		a.asMerchant("PUT /v1/integrations/$integration/credentials", `{"api_key": "$stripe_key"}`)
		a.refused("409 integration_disconnected")

		// the same account is the same integration again
		a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "$stripe_key"}}`)
		a.shows("id", `"$integration"`, "status", `"connected"`)
	})
}

func TestHooks_stripe(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfItsOwnAccount()
		a.must(a.integrations.connectsAccount("Stripe", a.expand("whsec_$slug")))
		for _, row := range []struct {
			address, secret string
			status          int
		}{
			{"$webhook", "whsec_$slug", 200},
			{"$webhook", "whsec_other", 401},
			{"$webhook", "", 401},
			{"/hooks/wh_00000000000000000000000000", "whsec_$slug", 404},
			{"/hooks/nonsense", "whsec_$slug", 404},
		} {
			a.must(a.integrations.callsStripeWebhook(row.address, row.secret))
			a.answers(row.status)
		}

		a.asMerchant("DELETE /v1/integrations/$integration")
		a.must(a.integrations.callsStripeWebhook("$webhook", "whsec_$slug"))
		a.answers(404)
	})
}

func TestStartSync_paymentProvider(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithPlatforms()
	a.asMerchant("POST /v1/integrations/connect/api-key", `{"type": "paypal", "credentials": {"api_key": "client-$slug", "api_secret": "s"}}`)
	a.must(a.platforms.namesAnswerField("id", "paypal"))
	a.merchantIsRefused([]rejection{
		{"POST /v1/integrations/$paypal/sync", "422 validation_error", "resources"},
		{`POST /v1/integrations/$paypal/webhooks {"topic": "products/update"}`, "422 validation_error", "topic"},
		{`PATCH /v1/integrations/$paypal {"config": {"sync_schedule": "@hourly"}}`, "422 validation_error", "config.sync_schedule"},
	})
}
