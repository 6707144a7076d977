package features

import "testing"

func TestCreateProject_defaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.tryOpening(`{"name": "Alpine Gear", "slug": "$new_slug"}`))
		a.answers(201)
		a.shows(
			"id", `matches ^proj_`,
			"name", `"Alpine Gear"`,
			"slug", `"$new_slug"`,
			"description", `""`,
			"status", `"active"`,
			"created_at", `matches Z$`,
			"updated_at", `matches Z$`,
			"settings.default_currency", `"USD"`,
			"settings.timezone", `"UTC"`,
			"settings.locale", `"en-US"`,
			"settings.negotiation_enabled", `true`,
			"settings.max_discount_percent", `20`,
			"endpoints.acp", `matches /$new_slug$`,
			"endpoints.api", `matches /v1$`,
		)
		a.must(a.shops.buyersFindShop())
		a.must(a.shops.managementAPIAnswers())
	})
}

func TestCreateProject_settings(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.tryOpening(`
			{"name": "和風", "slug": "$new_slug", "description": "Tea and tea things",
			 "settings": {"default_currency": "JPY", "timezone": "Asia/Tokyo", "locale": "ja-JP",
			              "negotiation_enabled": false, "max_discount_percent": 12.5}}`))
		a.answers(201)
		a.shows(
			"name", `"和風"`,
			"description", `"Tea and tea things"`,
			"settings.default_currency", `"JPY"`,
			"settings.timezone", `"Asia/Tokyo"`,
			"settings.locale", `"ja-JP"`,
			"settings.negotiation_enabled", `false`,
			"settings.max_discount_percent", `12.5`,
		)
	})
}

func TestCreateProject_limitsOfFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		for _, field := range [][2]string{
			{"name", `1 character long`},
			{"name", `200 characters long`},
			{"slug", `3 characters long`},
			{"slug", `63 characters long`},
			{"description", `5000 characters long`},
		} {
			a.newSlug = uniqueSlug()
			a.must(a.shops.tryOpeningWith(field[0], field[1]))
			a.answers(201)
		}
	})
}

func TestCreateProject_refusals(t *testing.T) {
	a := newAPITest(t)
	a.fieldsAreRefused(a.shops.tryOpeningWith, "422 validation_error", [][3]string{
		{"name", `missing`, "name"},
		{"name", `""`, "name"},
		{"name", `null`, "name"},
		{"name", `7`, "name"},
		{"name", `201 characters long`, "name"},
		{"slug", `missing`, "slug"},
		{"slug", `null`, "slug"},
		{"slug", `""`, "slug"},
		{"slug", `2 characters long`, "slug"},
		{"slug", `64 characters long`, "slug"},
		{"slug", `"Alpine"`, "slug"},
		{"slug", `"-alpine"`, "slug"},
		{"slug", `"alpine-"`, "slug"},
		{"slug", `"al pine"`, "slug"},
		{"slug", `"alpíne"`, "slug"},
		{"slug", `"admin"`, "slug"},
		{"slug", `"demo"`, "slug"},
		{"description", `5001 characters long`, "description"},
		{"settings.default_currency", `"EURO"`, "settings.default_currency"},
		{"settings.default_currency", `"eur"`, "settings.default_currency"},
		{"settings.timezone", `"Mars/Phobos"`, "settings.timezone"},
		{"settings.locale", `"english"`, "settings.locale"},
		{"settings.max_discount_percent", `91`, "settings.max_discount_percent"},
		{"settings.max_discount_percent", `-1`, "settings.max_discount_percent"},
		{"settings.max_discount_percent", `12.55`, "settings.max_discount_percent"},
		{"settings.negotiation_enabled", `"yes"`, "settings.negotiation_enabled"},
		{"settings.colour", `"red"`, "settings.colour"},
		{"colour", `"red"`, "colour"},
	})

	a.asMerchant("POST /v1/projects", `
		{"name": "", "slug": "No Slug",
		 "settings": {"default_currency": "XXQ", "timezone": "Nowhere", "locale": "?", "max_discount_percent": 99}}`)
	a.refusedNaming("422 validation_error",
		"name",
		"slug",
		"settings.default_currency",
		"settings.timezone",
		"settings.locale",
		"settings.max_discount_percent",
	)
}

func TestListProjects_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openOtherShops(3))
		a.must(a.shops.openShop("Newcomer"))
		a.asMerchant("GET /v1/projects?limit=100")
		a.answers(200)
		a.must(a.shops.shopIsListedWith("id", "name", "slug", "status", "created_at"))

		a.asMerchant("GET /v1/projects?limit=2&offset=1")
		a.shows(
			"data.#", `2`,
			"meta.limit", `2`,
			"meta.offset", `1`,
			"meta.total", `at least 3`,
		)
		a.asMerchant("GET /v1/projects")
		a.shows("data.#", `at most 20`, "meta.limit", `20`, "meta.offset", `0`)
		a.asMerchant("GET /v1/projects?offset=1000000")
		a.shows("data", `[]`, "meta.total", `at least 0`)

		for _, page := range []string{"limit=1", "offset=0"} {
			a.asMerchant("GET /v1/projects?" + page)
			a.answers(200)
		}
	})
}

func TestListProjects_refusals(t *testing.T) {
	a := newAPITest(t)
	a.merchantIsRefused([]rejection{
		{"GET /v1/projects?limit=0", "400 invalid_request", "limit"},
		{"GET /v1/projects?limit=101", "400 invalid_request", "limit"},
		{"GET /v1/projects?limit=-1", "400 invalid_request", "limit"},
		{"GET /v1/projects?limit=ten", "400 invalid_request", "limit"},
		{"GET /v1/projects?limit=1.5", "400 invalid_request", "limit"},
		{"GET /v1/projects?offset=-1", "400 invalid_request", "offset"},
		{"GET /v1/projects?offset=one", "400 invalid_request", "offset"},
	})
}

func TestGetProject_figures(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openShop("Quiet Corner"))
		a.asMerchant("GET /v1/projects/$shop")
		a.shows(
			"id", `"$shop"`,
			"name", `"Quiet Corner"`,
			"slug", `"$slug"`,
			"status", `"active"`,
			"settings.timezone", `"UTC"`,
			"statistics.products", `0`,
			"statistics.agents", `1`,
			"statistics.orders_30d", `0`,
			"statistics.revenue_30d", `0`,
			"integrations", `[]`,
			"endpoints.acp", `matches /$slug$`,
		)
	})
}

// A change touches only what it names, and null restores a setting's default.
func TestUpdateProject_someFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openShop("Before"))
		a.asMerchant(`PATCH /v1/projects/$shop {"name": "After"}`)
		a.shows(
			"id", `"$shop"`,
			"name", `"After"`,
			"settings.default_currency", `"USD"`,
			"settings.max_discount_percent", `20`,
			"updated_at", `matches Z$`,
		)
		a.must(a.shops.shopUpdatedLater())

		a.asMerchant(`PATCH /v1/projects/$shop {"settings": {"max_discount_percent": 35}}`)
		a.shows(
			"name", `"After"`,
			"settings.max_discount_percent", `35`,
			"settings.negotiation_enabled", `true`,
			"settings.locale", `"en-US"`,
		)
		a.asMerchant(`PATCH /v1/projects/$shop {"settings": {"max_discount_percent": null}}`)
		a.shows("settings.max_discount_percent", `20`)
	})
}

func TestUpdateProject_refusals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openShop("Steady"))
		a.bodiesAreRefused("PATCH /v1/projects/$shop", "422 validation_error", [][2]string{
			{`{"name": "Changed", "settings": {"max_discount_percent": 90.1}}`, "settings.max_discount_percent"},
			{`{"name": "Changed", "settings": {"timezone": ""}}`, "settings.timezone"},
			{`{"name": "Changed", "settings": {"colour": "red"}}`, "settings.colour"},
			{`{"name": "Changed", "colour": "red"}`, "colour"},
			{`{"name": "Changed", "status": "closed"}`, "status"},
			{`{"name": "Changed", "settings": 5}`, "settings"},
			{`{"name": null}`, "name"},
		})
		a.must(a.shops.shopIsNamed("Steady"))
	})
}

func TestGetProject_invalidCredentials(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, credentials := range []string{
			`no key`,
			`the key "hk_test_0000000000000000000000000000000000"`,
			`the key "hk_live_0123456789abcdefghijklmnopqrstuvwxyz"`,
			`the key "nonsense"`,
			`the authorization "Basic aGtfdGVzdDo="`,
			`the authorization "Bearer"`,
		} {
			if err := a.shops.readsShopWithCredentials(credentials); err != nil {
				a.Fatal(err)
			}
			a.refused("401 unauthenticated")
			a.must(a.challengesForBearer())
		}
	})
}

func TestGetProject_unknown(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.merchantIsRefused([]rejection{
			{`GET /v1/projects/proj_unknown`, "404 project_not_found", ""},
			{`GET /v1/projects/proj_0000000000000000000000000a`, "404 project_not_found", ""},
			{`GET /v1/projects/sess_0000000000000000000000000a`, "404 project_not_found", ""},
			{`GET /v1/projects/1`, "404 project_not_found", ""},
			{`GET /v1/projects/%20`, "404 project_not_found", ""},
			{`PATCH /v1/projects/proj_unknown {"name": "X"}`, "404 project_not_found", ""},
			{`DELETE /v1/projects/proj_unknown`, "404 project_not_found", ""},
			{`GET /v1/projects/proj_unknown/settings`, "404 project_not_found", ""},
			{`PATCH /v1/projects/proj_unknown/settings {"general": {}}`, "404 project_not_found", ""},
			{`GET /v1/projects/proj_unknown/storefront`, "404 project_not_found", ""},
			{`PATCH /v1/projects/proj_unknown/storefront {}`, "404 project_not_found", ""},
		})
	})
}
