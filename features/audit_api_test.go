package features

import "testing"

func TestListAuditEvents_openedShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.shops.openShop("First"))
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.#", `1`,
			"data.0.id", `present`,
			"data.0.action", `"create-project"`,
			"data.0.target", `"$shop"`,
			"data.0.project_id", `"$shop"`,
			"data.0.key_id", `matches ^key_`,
			"data.0.address", `"127.0.0.1"`,
			"data.0.request_id", `matches ^$scenario`,
			"data.0.created_at", `matches Z$`,
			"data.0.before", `null`,
			"data.0.after.name", `"First"`,
			"meta.total", `1`,
		)

		a.with("X-Request-Id", "change-1").asMerchant(`PATCH /v1/projects/$shop {"name": "Named"}`)
		a.asMerchant("GET /v1/audit-events")
		a.shows("data.0.request_id", `"change-1"`, "data.0.action", `"update-project"`)
	})
}

// Before and after hold only what differs.
func TestListAuditEvents_changedSettings(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.shops.openShop("Before"))
		a.asMerchant("PATCH /v1/projects/$shop/settings " +
			`{"general": {"name": "After"}, "commerce": {"max_discount_percent": 35, "bundle_suggestions": true}}`)
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.action", `"update-settings"`,
			"data.0.target", `"$shop"`,
			"data.0.before.general.name", `"Before"`,
			"data.0.after.general.name", `"After"`,
			"data.0.before.commerce.max_discount_percent", `20`,
			"data.0.after.commerce.max_discount_percent", `35`,
			"data.0.after.commerce.bundle_suggestions", `absent`,
			"data.0.after.general.timezone", `absent`,
			"data.0.after.security", `absent`,
		)
	})
}

func TestListAuditEvents_keyOfTheChange(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.keys.hasKeyFor("Clerk", "catalog:write", ", in this shop only"))
		a.asHolder("Clerk", `POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}`)
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.action", `"create-product"`,
			"data.0.key_id", `"$key_Clerk"`,
			"data.0.project_id", `"$shop"`,
			"data.0.target", `matches ^prod_`,
			"data.1.action", `"create-api-key"`,
			"data.1.target", `"$key_Clerk"`,
			"data.1.project_id", `null`,
		)
	})
}

func TestListAuditEvents_eachOperation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShopSelling(product{
			name:  "Tent",
			price: "10",
			stock: "5",
		})
		a.must(a.keys.hasKeyFor("Clerk", "catalog:read", ""))
		for _, change := range []struct{ request, action, target string }{
			{`PATCH /v1/projects/$shop/storefront {"return_window_days": 60}`, "update-storefront", `"$shop"`},
			{`POST /v1/catalog/products {"name": "Mat", "sku": "M-1", "price": 5}`, "create-product", `matches ^prod_`},
			{`PATCH /v1/catalog/products/$product {"price": 12}`, "update-product", `"$product"`},
			{`POST /v1/catalog/products/batch {"products": [{"name": "Rope", "sku": "R-1", "price": 5}]}`, "upsert-products", `present`},
			{`PUT /v1/catalog/inventory {"levels": [{"sku": "tent", "location": "main", "quantity": 3}]}`, "set-inventory", `present`},
			{
				`POST /v1/catalog/inventory/adjust {"adjustments": [{"sku": "tent", "location": "main", "delta": 1, "reason": "found"}]}`,
				"adjust-inventory", `present`,
			},
			{`DELETE /v1/catalog/products/$product`, "delete-product", `"$product"`},
			{`DELETE /v1/api-keys/$key_Clerk`, "revoke-api-key", `"$key_Clerk"`},
			{`PATCH /v1/account {"name": "Renamed"}`, "update-account", `matches ^acct_`},
			{`POST /v1/account/mfa`, "enrol-mfa", `matches ^acct_`},
		} {
			a.asMerchant(change.request)
			a.asMerchant("GET /v1/audit-events")
			a.shows("data.0.action", `"`+change.action+`"`, "data.0.target", change.target)
		}
	})
}

func TestListAuditEvents_removedAuthenticator(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.account.hasAuthenticator())
		a.must(a.account.doesWithCode("a fresh code", "", "removes the authenticator"))
		a.asMerchant("GET /v1/audit-events")
		a.shows("data.0.action", `"disable-mfa"`, "data.0.before", `null`)
	})
}

// The path of a chat webhook's address is a secret.
func TestListAuditEvents_chatWebhook(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.shops.setsPartField("/settings", "notifications.chat_webhook", `"https://192.0.66.2/hooks/s3cr3t"`))
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.before.notifications.chat_webhook", `""`,
			"data.0.after.notifications.chat_webhook", `"https://192.0.66.2/…"`,
		)
	})
}

// A refused request and a GET leave no event. A request that was sent again leaves one.
func TestListAuditEvents_noChange(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.asMerchant("GET /v1/projects/$shop")
		a.answers(200)
		a.merchantIsRefused([]rejection{
			{`PATCH /v1/projects/$shop {"name": ""}`, "422 validation_error", ""},
			{`DELETE /v1/projects/$shop`, "400 confirmation_required", ""},
			{`POST /v1/projects {"name": "Copy", "slug": "$slug"}`, "409 slug_taken", ""},
			{`PATCH /v1/catalog/products/prod_unknown {"price": 1}`, "404 product_not_found", ""},
		})
		a.asMerchant("GET /v1/audit-events")
		a.shows("data.*.action", `["create-project"]`)

		for range 2 {
			a.with("Idempotency-Key", "once").asMerchant(`PATCH /v1/projects/$shop {"name": "Once"}`)
		}
		a.asMerchant("GET /v1/audit-events")
		a.shows("data.*.action", `["update-project", "create-project"]`)
	})
}

func TestListAuditEvents_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.audit.renamesShop(2))
		for _, filter := range [][2]string{
			{"action=update-project", `2`},
			{"action=create-project", `1`},
			{"action=delete-project", `0`},
			{"project_id=$shop", `3`},
			{"project_id=proj_00000000000000000000000000", `0`},
			{"project_id=nonsense", `0`},
			{"key_id=key_00000000000000000000000000", `0`},
			{"key_id=nonsense", `0`},
			{"from=2000-01-01T00:00:00Z", `3`},
			{"to=2000-01-01T00:00:00Z", `0`},
			{"from=2000-01-01", `3`},
			{"to=2000-01-01", `0`},
			{"from=2999-01-01T00:00:00Z", `0`},
			{"from=2000-01-01T00:00:00Z&to=2999-01-01T00:00:00%2B02:00", `3`},
			{"action=update-project&project_id=$shop&to=2999-01-01T00:00:00Z", `2`},
		} {
			a.asMerchant("GET /v1/audit-events?" + filter[0])
			a.shows("data.#", filter[1], "meta.total", filter[1])
		}
	})
}

func TestListAuditEvents_byKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.keys.hasKeyFor("Clerk", "projects:write", ""))
		a.asHolder("Clerk", `PATCH /v1/projects/$shop {"name": "Clerk's"}`)
		a.asMerchant("GET /v1/audit-events?key_id=$key_Clerk")
		a.shows("data.*.action", `["update-project"]`, "data.0.after.general.name", `"Clerk's"`)
	})
}

// From includes its time, and to excludes it.
func TestListAuditEvents_fromAndTo(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.asMerchant("GET /v1/audit-events")
		a.asMerchant("GET /v1/audit-events?from=$latest_time")
		a.shows("meta.total", `1`)
		a.asMerchant("GET /v1/audit-events?to=$latest_time")
		a.shows("meta.total", `0`)
	})
}

func TestListAuditEvents_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.audit.renamesShop(5))
		a.asMerchant("GET /v1/audit-events?limit=2&offset=1")
		a.shows(
			"data.*.after.general.name", `["Name 4", "Name 3"]`,
			"meta.total", `6`,
			"meta.limit", `2`,
			"meta.offset", `1`,
		)
	})
}

func TestListAuditEvents_closedShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.shops.openShop("Short-lived"))
		a.must(a.shops.closesConfirmed())
		a.asMerchant("GET /v1/audit-events?project_id=$shop")
		a.shows(
			"data.*.action", `["delete-project", "create-project"]`,
			"data.0.target", `"$shop"`,
			"data.0.before.name", `"Short-lived"`,
			"data.0.after", `null`,
		)
	})
}

func TestListAuditEvents_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.merchantIsRefused([]rejection{
		{"GET /v1/audit-events?from=yesterday", "400 invalid_request", "from"},
		{"GET /v1/audit-events?to=1", "400 invalid_request", "to"},
		{"GET /v1/audit-events?limit=0", "400 invalid_request", "limit"},
		{"GET /v1/audit-events?limit=101", "400 invalid_request", "limit"},
		{"GET /v1/audit-events?offset=-1", "400 invalid_request", "offset"},
	})
	for _, request := range []string{"POST /v1/audit-events {}", "PATCH /v1/audit-events {}", "DELETE /v1/audit-events"} {
		a.asMerchant(request)
		a.refused("405 method_not_allowed")
		a.showsHeaders("Allow", `"GET, HEAD"`)
	}
}
