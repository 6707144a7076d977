package features

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// DISC-003: Caches may keep the profile for at least a minute.
func TestUCPProfile_caching(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShop()
		a.asAgent("GET /.well-known/ucp")
		a.answers(200)
		a.showsHeaders(
			"Cache-Control", "matches (^|, )public(,|$)",
			"Cache-Control", `matches (^|, )max-age=([6-9]\d|[1-9]\d\d+)(,|$)`,
			"Cache-Control", `without "private"`,
			"Cache-Control", `without "no-store"`,
			"Cache-Control", `without "no-cache"`,
		)
	})
}

// DISC-005: Endpoints are at the shop's public https address.
func TestUCPProfile_publicEndpoints(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.must(a.ucp.startsPublicServer("sandbox", "https://shops.example.com",
			knownAgent{"https://agent.example/1", a.version, ""},
		))
		a.opensShop()

		a.asAgent("GET /.well-known/ucp")
		a.shows(
			"ucp.services.[dev.ucp.shopping].*.transport", `["rest", "mcp"]`,
			"ucp.services.[dev.ucp.shopping].*.endpoint", `["https://shops.example.com/p/$slug$prefix/ucp", "https://shops.example.com/p/$slug$prefix/mcp"]`,
			"ucp.services.[com.example.shops.negotiation].*.endpoint", `["https://shops.example.com/p/$slug$prefix/ucp", "https://shops.example.com/p/$slug$prefix/mcp"]`,
		)

		a.as("https://agent.example/1").asAgent("GET /ucp/checkout-sessions/chk_unknown")
		a.answers(200)
	})
}

// DISC-004: A platform whose profile is not served over https is refused.
func TestUCPProfile_agentNotHTTPS(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShop()
		for _, agent := range []string{"http://agent.example/profile", "ftp://agent.example/profile"} {
			a.as(agent).asAgent("POST /ucp/carts", `"line_items": []`)
			a.answers(400)
			a.shows("code", `"invalid_profile_url"`)
		}
	})
}

// DISC-002, OVR-001, OVR-010: The profile names its versions, which are dates, and has names in reverse-domain form, at its address without redirect.
func TestUCPProfile_currentVersion(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	a.asAgent("GET /.well-known/ucp")
	a.shows(
		"ucp.version", `"2026-08-25"`,
		"ucp.supported_versions.2026-04-08", "matches /2026-04-08/.well-known/ucp$",
		"keys.#", "2",
	)
}

// OVR-009: The profile of an older version names no others.
func TestUCPProfile_olderVersion(t *testing.T) {
	t.Parallel()
	a := startUCPTest(t, "sqlite", schema.V20260408, "REST")
	a.opensCampingShop()
	a.asAgent("GET /.well-known/ucp")
	a.shows(
		"ucp.version", `"2026-04-08"`,
		"ucp.supported_versions", "absent",
		"signing_keys.#", "2",
	)
}
