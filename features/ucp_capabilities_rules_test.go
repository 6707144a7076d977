package features

import "testing"

// NEG-001, NEG-003, NEG-004: A profile that cannot be fetched or read, or of an unknown version, is a transport error.
func TestUCPCapabilities_uselessProfile(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	for _, row := range []struct {
		profile, code, words  string
		profileStatus, status int
	}{
		{`{"ucp": {"version": "2020-01-01"}}`, "version_unsupported", "2026-08-25", 200, 422},
		{`{"ucp": {"version": "2020-01-01"}}`, "version_unsupported", "2026-04-08", 200, 422},
		{`{"ucp": {"version": "2027-01-01"}}`, "version_unsupported", "2026-08-25", 200, 422},
		{"{}", "profile_unreachable", "profile", 404, 424},
		{"{}", "profile_unreachable", "profile", 500, 424},
		{"{}", "profile_unreachable", "profile", 302, 424},
		{"<html>", "profile_malformed", "not JSON", 200, 422},
		{"{}", "profile_malformed", "ucp.version", 200, 422},
		{`{"ucp": {"version": "draft"}}`, "profile_malformed", "ucp.version", 200, 422},
		{`{"ucp": {"version": "2026-08-25", "capabilities": []}}`, "profile_malformed", "capabilities", 200, 422},
	} {
		a.must(a.wirePlatform.starts(a.version)) // at another URL: the server caches profiles
		a.wirePlatform.answersProfile(row.profileStatus, row.profile)
		a.asPlatform("", "POST /ucp/carts", `"line_items": []`)
		a.answers(row.status)
		a.shows("code", `"`+row.code+`"`, "content", `contains "`+row.words+`"`)

		a.callsTool("", "create_cart", `"cart": {"line_items": []}`)
		a.answers(row.status)
		a.shows(
			"error.code", "-32001",
			"error.data.code", `"`+row.code+`"`,
			"error.data.content", `contains "`+row.words+`"`,
		)
	}
}

// NEG-003: A profile that is not answered in time is unreachable.
func TestUCPCapabilities_profileTimeout(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	a.wirePlatform.hangs = true
	a.asPlatform("", "POST /ucp/carts", `"line_items": []`)
	a.answers(424)
	a.shows("code", `"profile_unreachable"`, "content", `contains "in time"`)
}

// NEG-001: A platform of a newer version is refused at the path of an older one.
func TestUCPCapabilities_newerVersionAtOlderPath(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	a.prefix = "/" + aprilVersion
	a.asPlatform("", "POST /ucp/carts", `"line_items": []`)
	a.answers(422)
	a.shows("code", `"version_unsupported"`, "content", `contains "2026-04-08"`)
}

// NEG-002: A platform without the capability of an operation gets 200 and capabilities_incompatible.
func TestUCPCapabilities_nothingInCommon(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.wirePlatform.capabilities = []string{"catalog.search"}
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.answers(200)
		a.shows(
			"ucp.status", `"error"`,
			"messages.0.code", `"capabilities_incompatible"`,
			"messages.0.severity", `"unrecoverable"`,
			"continue_url", "matches /p/$slug$",
			"line_items", "absent",
		)

		a.callsTool("", "create_checkout", `"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}`)
		a.answers(200)
		a.showsContent(
			"ucp.status", `"error"`,
			"messages.0.code", `"capabilities_incompatible"`,
			"continue_url", "matches /p/$slug$",
		)
	})
}

// OVR-012: An extension is active only where its parent is.
func TestUCPCapabilities_extensionOfMissingParent(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.wirePlatform.capabilities = []string{"cart", "discount", "fulfillment"}
		a.asPlatform("", "POST /ucp/carts", ucpLines("2 Trail Tent"))
		a.must(a.ucp.activeCapabilitiesAre("cart, discount"))

		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"))
		a.shows("messages.0.code", `"capabilities_incompatible"`)
	})
}

// OVR-012: Extensions without any parent are not active.
func TestUCPCapabilities_extensionsAlone(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.wirePlatform.capabilities = []string{"catalog.search", "discount", "fulfillment"}
		a.asPlatform("", "POST /ucp/catalog/search", `"query": "tent"`)
		a.must(a.ucp.activeCapabilitiesAre("catalog.search"))
	})
}

// OVR-004, OVR-005: Every answer names the version, and the capabilities that matter to it.
func TestUCPCapabilities_activeCapabilities(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("", "POST /ucp/catalog/search", `"query": "tent"`)
		a.must(a.ucp.activeCapabilitiesAre("catalog.search"))

		a.asPlatform("", "POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}"]`)
		a.must(a.ucp.activeCapabilitiesAre("catalog.lookup"))

		a.asPlatform("", "POST /ucp/carts", ucpLines("1 Trail Tent"))
		a.must(a.ucp.activeCapabilitiesAre("cart, discount"))

		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpNamedBuyer)
		a.must(a.ucp.activeCapabilitiesAre("checkout, discount, fulfillment"))
		a.remembers("id")

		a.asPlatform("", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.must(a.ucp.activeCapabilitiesAre("checkout, discount, fulfillment"))
		a.remembers("order.id")

		a.asPlatform("", "GET /ucp/orders/$remembered_order_id")
		a.must(a.ucp.activeCapabilitiesAre("order"))

		a.asPlatform("", "GET /ucp/orders/ord_unknown")
		a.must(a.ucp.hasOnlyMessages())
		a.must(a.ucp.answersNameVersion(a.version))
		a.must(a.ucp.answersAreJSON())
	})
}

// OVR-005: An answer uses only the capabilities of both sides.
func TestUCPCapabilities_intersection(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.wirePlatform.capabilities = []string{"checkout", "order"}
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.must(a.ucp.activeCapabilitiesAre("checkout"))
		a.shows("fulfillment", "absent", "discounts", "absent")
	})
}

// OVR-003: Specification and schema of a capability are at the domain of its name.
func TestUCPProfile_schemaOwners(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		a.asAgent("GET /.well-known/ucp")
		a.must(a.ucp.schemasAreAtOwners())
	})
}

// OVR-008: Bodies have the content type application/json.
func TestUCPCapabilities_contentType(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("", "POST /ucp/carts", `"line_items": []`)
		a.answers(201)

		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml"} {
			a.asPlatform("typed "+kind, "POST /ucp/carts", `"line_items": []`)
			a.answers(400)
			a.shows("code", "present", "content", `contains "application/json"`)
			a.must(a.ucp.answersAreJSON())
		}
	})
}

// NEG-005: A request without a profile, or with one whose URL is not public and https, is refused.
func TestUCPCapabilities_noProfile(t *testing.T) {
	a := newUCPTest(t)
	a.opensCampingShop()
	for _, agent := range []string{"nobody", "http://agent.example/", "https://127.0.0.1/profile"} {
		a.as(agent).asAgent("GET /ucp/checkout-sessions/chk_unknown")
		a.answers(400)
		a.shows("code", `"invalid_profile_url"`)
	}
}
