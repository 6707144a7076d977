package features

import "testing"

func TestGetStorefront_newShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("GET /v1/projects/$shop/storefront")
		a.shows(
			"description", `""`,
			"logo_url", `""`,
			"shipping_regions", `["US"]`,
			"shipping_rates.*.region", `["*", "*", "*"]`,
			"shipping_rates.*.method", `["standard", "express", "overnight"]`,
			"shipping_rates.*.price", `[5.99, 14.99, 29.99]`,
			"free_shipping_threshold", `null`,
			"tax_rates", `[]`,
			"return_window_days", `30`,
			"return_conditions", `present`,
			"checkout_instructions", `""`,
			"warehouses.0.location", `"main"`,
		)
	})
}

func TestUpdateStorefront_manifest(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"description": "Everything for the trail", "logo_url": "https://cdn.example.com/logo.png",
			"shipping_regions": ["US", "CA"], "free_shipping_threshold": 75, "return_window_days": 14}`)
		a.shows(
			"description", `"Everything for the trail"`,
			"logo_url", `"https://cdn.example.com/logo.png"`,
			"shipping_regions", `["US", "CA"]`,
			"free_shipping_threshold", `75`,
			"return_window_days", `14`,
			"shipping_rates.#", `3`,
		)
		changed := a.recorder.last().value()
		a.asMerchant("GET /v1/projects/$shop/storefront")
		if now := a.recorder.last().value(); !equalJSON(now, changed) {
			a.Errorf("it reads %s, it was %s", encode(now), encode(changed))
		}

		a.asBuyer("GET /.well-known/acp/manifest.json")
		a.shows(
			"merchant.description", `"Everything for the trail"`,
			"merchant.logo_url", `"https://cdn.example.com/logo.png"`,
			"shipping_regions", `["US", "CA"]`,
			"policies.free_shipping_threshold", `75`,
			"policies.return_window_days", `14`,
		)
	})
}

// storefrontFieldIs reads the storefront, and checks a field.
func (a *apiTest) storefrontFieldIs(field, want string) {
	a.Helper()
	a.asMerchant("GET /v1/projects/$shop/storefront")
	a.shows(field, want)
}

func TestUpdateStorefront_nullRestoresDefaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, row := range [][3]string{ // a field, a value, and the default
			{"description", `"Words"`, `""`},
			{"logo_url", `"https://example.com/l.png"`, `""`},
			{"shipping_regions", `["FR"]`, `["US"]`},
			{"free_shipping_threshold", `10`, `null`},
			{"tax_rates", `[{"country": "US", "rate": 5}]`, `[]`},
			{"return_window_days", `0`, `30`},
			{"checkout_instructions", `"Call us."`, `""`},
		} {
			a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"`+row[0]+`": `+row[1]+`}`)
			a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"`+row[0]+`": null}`)
			a.storefrontFieldIs(row[0], row[2])
		}
	})
}

func TestUpdateStorefront_limits(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, row := range [][2]string{
			{"free_shipping_threshold", `0`},
			{"return_window_days", `0`},
			{"return_window_days", `3650`},
			{"tax_rates", `[{"country": "US", "rate": 0}, {"country": "US", "state": "CA", "rate": 100}]`},
			{"tax_rates", `[{"country": "US", "state": "NY", "rate": 8.875}]`},
			{"shipping_rates", `[{"region": "US", "method": "standard", "price": 0, "min_days": 0, "max_days": 0}]`},
		} {
			a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"`+row[0]+`": `+row[1]+`}`)
			a.storefrontFieldIs(row[0], row[1])
		}
	})
}

func TestUpdateStorefront_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	for _, row := range [][3]string{ // a field, its value, and the field that the answer names
		{"description", `5001 characters long`, "description"},
		{"logo_url", `"http://example.com/l.png"`, "logo_url"},
		{"logo_url", `"logo"`, "logo_url"},
		{"shipping_regions", `[]`, "shipping_regions"},
		{"shipping_regions", `["US", "Canada"]`, "shipping_regions.1"},
		{"shipping_regions", `["us"]`, "shipping_regions.0"},
		{"shipping_regions", `["US", "US"]`, "shipping_regions"},
		{"shipping_rates", `[]`, "shipping_rates"},
		{"shipping_rates", `[{"region": "CA", "method": "standard", "price": 1, "min_days": 1, "max_days": 2}]`, "shipping_rates"},
		{"shipping_rates", `[{"region": "US", "method": "pigeon", "price": 1, "min_days": 1, "max_days": 2}]`, "shipping_rates.0.method"},
		{"shipping_rates", `[{"region": "US", "method": "standard", "price": -1, "min_days": 1, "max_days": 2}]`, "shipping_rates.0.price"},
		{"shipping_rates", `[{"region": "US", "method": "standard", "price": 1.005, "min_days": 1, "max_days": 2}]`, "shipping_rates.0.price"},
		{"shipping_rates", `[{"region": "US", "method": "standard", "price": 1, "min_days": 3, "max_days": 2}]`, "shipping_rates.0.max_days"},
		{"free_shipping_threshold", `-1`, "free_shipping_threshold"},
		{"free_shipping_threshold", `10.001`, "free_shipping_threshold"},
		{"free_shipping_threshold", `1e400`, "free_shipping_threshold"},
		{"tax_rates", `[{"country": "USA", "rate": 5}]`, "tax_rates.0.country"},
		{"tax_rates", `[{"country": "US", "rate": -1}]`, "tax_rates.0.rate"},
		{"tax_rates", `[{"country": "US", "rate": 100.001}]`, "tax_rates.0.rate"},
		{"return_window_days", `-1`, "return_window_days"},
		{"return_window_days", `3651`, "return_window_days"},
		{"return_window_days", `"30"`, "return_window_days"},
		{"colour", `"red"`, "colour"},
	} {
		body, err := withField(map[string]any{}, row[0], row[1])
		a.must(err)
		a.bodiesAreRefused("PATCH /v1/projects/$shop/storefront", "422 validation_error", [][2]string{{body, row[2]}})
	}

	a.asMerchant("PATCH /v1/projects/$shop/storefront",
		`{"description": "New words", "logo_url": "?", "shipping_regions": ["?"], "return_window_days": -1}`)
	a.refusedNaming("422 validation_error", "logo_url", "shipping_regions.0", "return_window_days")
	a.storefrontFieldIs("description", `""`)
}
