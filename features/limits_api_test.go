package features

import "testing"

// from sets the address that the proxy names for the next request.
func (a *apiTest) from(address string) *apiTest { return a.with("X-Forwarded-For", address) }

func TestGetAccount_rateLimitHeaders(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.asMerchant("GET /v1/account")
		a.shows("limits.requests_per_minute", `60`, "limits.burst", `20`)
		a.showsHeaders(
			"RateLimit-Limit", `20`,
			"RateLimit-Remaining", `19`,
			"RateLimit-Reset", `at most 1`,
			"Retry-After", `absent`,
		)

		a.must(a.limits.useStrictServer()) // another account
		a.asMerchant("GET /v1/projects/proj_unknown")
		a.refused("404 project_not_found")
		a.showsHeaders("RateLimit-Limit", `20`, "RateLimit-Remaining", `19`)
	})
}

func TestGetAccount_rateLimited(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		if err := a.limits.askUntilRefused(a.limits.asMerchant("")); err != nil {
			a.Fatal(err)
		}
		a.refused("429 rate_limited")
		a.must(a.hostile.refusalHasFormOf("merchants"))
		a.showsHeaders(
			"RateLimit-Limit", `20`,
			"RateLimit-Remaining", `0`,
			"RateLimit-Reset", `at most 20`,
			"Retry-After", `1`,
		)
	})
}

func TestACPProduct_rateLimited(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.opensShop()
		if err := a.limits.askUntilRefused(a.limits.asBuyer("198.51.100.7", a.shop.Slug)); err != nil {
			a.Fatal(err)
		}
		a.refused("429 rate_limited")
		a.must(a.hostile.refusalHasFormOf("buyers"))
		a.showsHeaders(
			"RateLimit-Limit", `10`,
			"RateLimit-Remaining", `0`,
			"RateLimit-Reset", `at most 10`,
			"Retry-After", `1`,
		)
		a.shows("retry_after", `1`)
	})
}

// The server of most tests has no limit for buyers.
func TestACPProduct_noRateLimit(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.limits.buyerReadsProduct("198.51.100.7", 50))
		a.showsHeaders("RateLimit-Limit", `absent`, "RateLimit-Remaining", `absent`)
	})
}

func TestGetAccount_rateLimitedWithoutKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		if err := a.limits.askUntilRefused(a.limits.asAnonymous("198.51.100.20")); err != nil {
			a.Fatal(err)
		}
		a.refused("429 rate_limited")
		a.showsHeaders("RateLimit-Remaining", `0`, "Retry-After", `1`)
	})
}

func TestUpdateSettings_ipAllowlist(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.opensShop()
		a.from("198.51.100.7").asMerchant(`PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.0/28", "2001:db8::7"]}}`)
		a.answers(200)
		for _, row := range []struct{ address, request string }{
			{"198.51.100.7", "GET /v1/projects/$shop"},
			{"198.51.100.15", "GET /v1/projects/$shop/settings"},
			{"2001:db8::7", "GET /v1/catalog/products"},
			{"203.0.113.5, 198.51.100.7", "GET /v1/projects/$shop"},
			{"198.51.100.7, 127.0.0.1", "GET /v1/projects/$shop"},
			{"203.0.113.5", "GET /v1/projects"}, // not of one shop
			{"203.0.113.5", "GET /v1/account"},
		} {
			a.from(row.address).asMerchant(row.request)
			a.answers(200)
		}
		for _, row := range []struct{ address, request string }{
			{"198.51.100.16", "GET /v1/projects/$shop"},
			{"198.51.100.16", `PATCH /v1/projects/$shop {"name": "X"}`},
			{"198.51.100.16", "DELETE /v1/projects/$shop"},
			{"203.0.113.5", "GET /v1/catalog/products"},
			{"2001:db8::8", "GET /v1/catalog/products"},
			{"198.51.100.7, 203.0.113.5", "GET /v1/projects/$shop"},
		} {
			a.from(row.address).asMerchant(row.request)
			a.refused("403 ip_not_allowed")
		}
	})
}

func TestUpdateSettings_ipAllowlistWithoutOwnAddress(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.opensShop()
		a.from("203.0.113.5").asMerchant(`PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.0/24"]}}`)
		a.refused("422 validation_error", "security.ip_allowlist")
	})
}

// A server that trusts no proxy ignores X-Forwarded-For.
func TestUpdateSettings_ipAllowlistWithoutProxy(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useServerWithoutProxy())
		a.opensShop()
		a.from("198.51.100.7").asMerchant(`PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.7"]}}`)
		a.refused("422 validation_error")
		a.asMerchant(`PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["127.0.0.1"]}}`)
		a.answers(200)
		a.from("198.51.100.7").asMerchant("GET /v1/projects/$shop")
		a.answers(200)
	})
}

func TestListAuditEvents_addressBehindProxy(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.limits.useStrictServer())
		a.opensShop()
		a.from("203.0.113.5, 198.51.100.7").asMerchant(`PATCH /v1/projects/$shop {"name": "From There"}`)
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.action", `"update-project"`,
			"data.0.address", `"198.51.100.7"`,
			"data.1.address", `"127.0.0.1"`,
		)
	})
}
