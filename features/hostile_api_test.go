package features

import (
	"strings"
	"testing"
)

// opensHostileShop opens a shop whose product has a cost that no buyer may see, and lets a buyer look at the product.
func (a *apiTest) opensHostileShop() {
	a.Helper()
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "1000.00",
		stock: "20",
		cost:  "437.21",
	})
	a.must(a.buyers.arrivesLookingAt("Trail Tent"))
}

// Names

func TestACPQuote_refusedNames(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	a.buyerIsRefused([]rejection{
		{`POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 100, "OFFER_PRICE": -1}`, "422 validation_error", "OFFER_PRICE"},
		{`POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 100, "OFFER_PRICE": 1000}`, "422 validation_error", "OFFER_PRICE"},
		{`POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 100, "offer_price": 1000}`, "400 invalid_request", ""},
		{`POST /acp/search {"query": "tent", "filters": {"size": "M", "size": "L"}}`, "400 invalid_request", ""},
		{`POST /acp/search {"query": "tent", "unheard_of": {"a": 1, "a": 2}}`, "400 invalid_request", ""},
	})
}

func TestCreateProduct_refusedNames(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{`POST /v1/catalog/products {"name": "A", "sku": "A", "price": 5, "price": 1}`, "400 invalid_request", ""},
		{`POST /v1/catalog/products {"name": "A", "sku": "A", "price": 5, "PRICE": -1}`, "422 validation_error", ""},
		{`PATCH /v1/projects/$shop {"NAME": "Capital"}`, "422 validation_error", ""},
	})
}

func TestListOrders_unknownParameter(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/orders?stauts=confirmed", "400 invalid_request", "stauts"},
		{"GET /v1/orders?Status=confirmed", "400 invalid_request", "Status"},
		{"GET /v1/catalog/products?offset=0&page=2", "400 invalid_request", "page"},
		{"GET /v1/projects/$shop?expand=settings", "400 invalid_request", "expand"},
		{"GET /v1/finance/payments.csv?limit=5", "400 invalid_request", "limit"},
		{"GET /v1/audit-events?since=2026-01-01", "400 invalid_request", "since"},
		{`PATCH /v1/projects/$shop?dry_run=true {"name": "Never"}`, "400 invalid_request", "dry_run"},
		{`POST /v1/catalog/products?upsert=1 {"name": "A", "sku": "A", "price": 5}`, "400 invalid_request", "upsert"},
	})
}

func TestACPSearch_unknownParameter(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	a.asBuyer(`POST /acp/search?utm_source=agent {"query": "tent"}`)
	a.answers(200)
}

// Bodies

func TestACPSearch_notJSON(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	for _, body := range []string{
		`{`,
		`{"query": "tent"} {}`,
		`{"query": "tent",}`,
		`{'query': 'tent'}`,
		`tent`,
		`{"query": NaN}`,
		`{"query": "\ud800"}`,
		``,
	} {
		a.asBuyer("POST /acp/search", body)
		a.refused("400 invalid_request")
	}
	for _, body := range []string{`[]`, `"tent"`, `5`} {
		a.asBuyer("POST /acp/search", body)
		a.refused("422 validation_error")
	}
}

func TestCreateProject_notJSON(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/projects", "400 invalid_request", [][2]string{
		{`{`, ""},
		{`{"name": "A"} x`, ""},
		{`{"name": "\x"}`, ""},
	})
}

func TestACPSearch_contentType(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	for _, kind := range []string{"text/plain", "application/xml", "application/x-www-form-urlencoded", "application/json; charset=utf-16"} {
		a.with("Content-Type", kind).asBuyer(openSession)
		a.refused("400 invalid_request")
	}
	a.with("Content-Encoding", "gzip").asBuyer(openSession)
	a.refused("415 unsupported_media_type")
}

// The body would fail validation if the server read it.
func TestCreateAPIKey_contentType(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	for _, row := range []struct{ header, value, with string }{
		{"Content-Type", "text/plain", "400 invalid_request"},
		{"Content-Type", "application/json", "422 validation_error"},
		{"Content-Encoding", "gzip", "415 unsupported_media_type"},
	} {
		a.with(row.header, row.value).asMerchant(`POST /v1/api-keys {"name": ""}`)
		a.refused(row.with)
		a.must(a.hostile.refusalHasFormOf("merchants"))
	}
}

// Sizes

func TestCreateAPIKey_bodyTooLarge(t *testing.T) {
	twoMiB := func(field string) string { return `{"` + field + `": "` + strings.Repeat("a", 2<<20) + `"}` }
	a := newAPITest(t)
	a.opensHostileShop()
	a.with(idempotencyHeader, "a").asMerchant("POST /v1/api-keys", twoMiB("name"))
	a.refused("413 body_too_large")
	a.asBuyer("POST /acp/search", twoMiB("query"))
	a.refused("413 body_too_large")
	a.asMerchant("POST /v1/event-subscriptions", twoMiB("products"))
	a.refused("413 body_too_large")

	// A product with many variants, and a batch of products, may be larger.
	a.asMerchant("POST /v1/catalog/products", twoMiB("products"))
	a.refused("422 validation_error")
	a.asMerchant("POST /v1/catalog/products/batch", twoMiB("products"))
	a.refused("422 validation_error")
}

func TestACPSearch_deepNesting(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	nested := func(depth int) string {
		return `{"query": "tent", "deep": ` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	a.asBuyer("POST /acp/search", nested(20))
	a.answers(200)
	for _, depth := range []int{40, 9000} {
		a.asBuyer("POST /acp/search", nested(depth))
		a.refused("400 invalid_request")
	}
}

// Texts

func TestACPSearch_nulInText(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHostileShop()
		a.buyerIsRefused([]rejection{
			{`POST /acp/search {"query": "tent\u0000"}`, "422 validation_error", ""},
			{`POST /acp/search {"query": "tent", "buyer_context": {"loyalty_tier": "gold\u0000"}}`, "422 validation_error", ""},
			{`POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 500, "message": "\u0000"}`, "422 validation_error", ""},
		})
	})
}

func TestCreateProject_nulInText(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.merchantIsRefused([]rejection{
			{`POST /v1/projects {"name": "A\u0000", "slug": "$new_slug"}`, "422 validation_error", ""},
			{`PATCH /v1/projects/$shop/storefront {"description": "\u0000"}`, "422 validation_error", ""},
			{`POST /v1/catalog/products {"name": "A", "sku": "A\u0000", "price": 5}`, "422 validation_error", ""},
		})
	})
}

func TestACPProduct_pathNotText(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHostileShop()
		a.buyerIsRefused([]rejection{
			{"GET /acp/products/%00", "400 invalid_request", ""},
			{"GET /acp/products/%ff", "400 invalid_request", ""},
			{"GET /acp/sessions/a%00b", "400 invalid_request", ""},
		})
	})
}

func TestACPProduct_refusalHasNoInternals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHostileShop()
		for _, request := range []string{
			`GET /acp/products/'%20OR%201=1`,
			`POST /acp/search {"query": {"$ne": null}}`,
			`POST /acp/quote {"product_id": ["a"], "quantity": {}}`,
		} {
			a.asBuyer(request)
			a.must(a.hostile.answerHasNoInternals())
		}
	})
}

// Paths and methods

func TestGetProject_unknownPath(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	for _, path := range []string{"/v1/unheard-of", "/v1", "/v1/projects/$shop/unheard-of", "/unheard-of"} {
		a.asMerchant("GET " + path)
		a.refused("404 route_not_found")
		a.must(a.hostile.refusalHasFormOf("merchants"))
	}
	for _, request := range []string{"GET /acp/unheard-of", "GET /acp", "POST /acp/checkout"} {
		a.asBuyer(request)
		a.refused("404 route_not_found")
		a.must(a.hostile.refusalHasFormOf("buyers"))
	}
}

func TestListProjects_methodNotAllowed(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	for _, row := range []struct{ request, allowed string }{
		{"PUT /v1/projects", "GET, HEAD, POST"},
		{"DELETE /v1/catalog/products", "GET, HEAD, POST"},
		{"PATCH /v1/api-keys", "GET, HEAD, POST"},
		{"PATCH /v1/api-keys/x", "GET, HEAD, DELETE"},
		{"DELETE /v1/account", "GET, HEAD, PATCH"},
		{"GET /v1/account/mfa", "POST, DELETE"},
		{"GET /v1/account/mfa/confirm", "POST"},
		{"GET /acp/search", "POST"},
		{"DELETE /acp/quote", "POST"},
		{"POST /acp/products/x", "GET, HEAD"},
	} {
		who, form := "merchant", "merchants"
		if strings.Contains(row.request, "/acp/") {
			who, form = "buyer", "buyers"
		}
		a.request(who, row.request, nil)
		a.refused("405 method_not_allowed")
		a.must(a.hostile.refusalHasFormOf(form))
		a.must(a.hostile.allowHeaderIs(row.allowed))
	}
}

// Request ids

func TestACPProduct_requestID(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	for _, id := range []string{"a", "7f1c9f0e-3b1a-4a56-9f3e-0a4c7d9e2b11", `with spaces and "quotes"`} {
		a.with(requestIDHeader, id).asBuyer("GET /acp/products/$product")
		a.must(nil)
		if got := a.recorder.last().header.Get(requestIDHeader); got != id {
			a.Fatalf("the answer has %s %q, want %q", requestIDHeader, got, id)
		}
	}
	for _, id := range []string{strings.Repeat("a", 129), "", "caf\u00e9"} {
		a.with(requestIDHeader, id).asBuyer("GET /acp/products/$product")
		a.must(nil)
		if got := a.recorder.last().header.Get(requestIDHeader); got == "" || got == id {
			a.Fatalf("the answer to %s %q has %q", requestIDHeader, id, got)
		}
	}
}

func TestACPProduct_requestIDInRefusal(t *testing.T) {
	a := newAPITest(t)
	a.opensHostileShop()
	a.with(requestIDHeader, "find-me").asBuyer("GET /acp/products/prod_unknown")
	a.refused("404 product_not_found")
	a.must(a.hostile.showsRequestID("request_id", "find-me"))
}

func TestGetAPIKey_requestIDInRefusal(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.with(requestIDHeader, "find-me").asMerchant("GET /v1/api-keys/key_unknown")
	a.refused("404 api_key_not_found")
	a.must(a.hostile.showsRequestID("error.request_id", "find-me"))
	a.with(requestIDHeader, "find-me-too").asMerchant("GET /v1/unheard-of")
	a.refused("404 route_not_found")
	a.must(a.hostile.showsRequestID("error.request_id", "find-me-too"))
}
