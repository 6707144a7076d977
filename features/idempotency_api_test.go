package features

import (
	"fmt"
	"testing"
)

// repeats sends a request twice under one idempotency key. The first answer must have the status and be new, and the second
// one must be its replay.
func (a *apiTest) repeats(who, key, request string, status int) {
	a.Helper()
	a.with(idempotencyHeader, key).request(who, request, nil)
	a.answers(status)
	a.must(a.idempotency.isNotReplay())
	a.with(idempotencyHeader, key).request(who, request, nil)
	a.answers(status)
	a.must(a.idempotency.isReplay())
}

const (
	createTent = `POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}`
	buyersKey  = "key-of-the-buyer" // long enough for a buyer's key
)

// A merchant's request

func TestUpdateProject_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Tent",
			price: "10",
			stock: "5",
		})
		for i, row := range []struct {
			request string
			status  int
		}{
			{`PATCH /v1/projects/$shop {"name": "Again"}`, 200},
			{`PATCH /v1/projects/$shop/settings {"commerce": {"max_discount_percent": 5}}`, 200},
			{`PATCH /v1/projects/$shop/storefront {"return_window_days": 60}`, 200},
			{`PATCH /v1/catalog/products/$product {"price": 12}`, 200},
			{`DELETE /v1/catalog/products/$product`, 204},
			{`POST /v1/catalog/products/batch {"products": [{"name": "Mat", "sku": "M-1", "price": 5}]}`, 200},
			{`POST /v1/projects {"name": "Another", "slug": "$new_slug"}`, 201},
		} {
			a.repeats("merchant", fmt.Sprint("row ", i), row.request, row.status)
		}
	})
}

func TestCreateProduct_sameJSONInOtherWriting(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.with(idempotencyHeader, "a").asMerchant(createTent)
		a.answers(201)
		a.with(idempotencyHeader, "a").asMerchant("POST /v1/catalog/products", `{
			"price": 10.0,
			"sku":   "T\u002d1",
			"name":  "Tent"
		}`)
		a.must(a.idempotency.isReplay())
	})
}

func TestCreateAPIKey_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.repeats("merchant", "a", `POST /v1/api-keys {"name": "Clerk", "scopes": ["catalog:read"]}`, 201)
		a.asMerchant("GET /v1/api-keys")
		a.shows("meta.total", `2`)
	})
}

func TestDeleteProject_repeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.idempotency.closesShopWithKey("a"))
		a.answers(204)
		a.must(a.idempotency.closesShopWithKey("a"))
		a.answers(204)
		a.must(a.idempotency.isReplay())

		if err := a.idempotency.closesShopWithKey("b"); err != nil {
			a.Fatal(err)
		}
		a.refused("404 project_not_found")
	})
}

func TestGetProject_neverReplayed(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openShop("Before"))
		a.with(idempotencyHeader, "a").asMerchant("GET /v1/projects/$shop")
		a.asMerchant(`PATCH /v1/projects/$shop {"name": "After"}`)
		a.with(idempotencyHeader, "a").asMerchant("GET /v1/projects/$shop")
		a.must(a.idempotency.isNotReplay())
		a.shows("name", `"After"`)
	})
}

// Refusals

// A refusal is replayed although the request would succeed now.
func TestCreateProduct_refusalRepeatedUnderKey(t *testing.T) {
	const double = `POST /v1/catalog/products {"name": "Double", "sku": "tent", "price": 10}`
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Tent",
			price: "10",
			stock: "5",
		})
		a.with(idempotencyHeader, "a").asMerchant(double)
		a.refused("409 sku_taken")
		a.must(a.catalog.deleteProduct())
		a.with(idempotencyHeader, "a").asMerchant(double)
		a.refused("409 sku_taken")
		a.showsHeaders(replayedHeader, `true`)
	})
}

func TestUpdateProject_refusalRepeatedUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for range 2 {
			a.with(idempotencyHeader, "a").asMerchant(`PATCH /v1/projects/$shop {"name": ""}`)
			a.refused("422 validation_error")
		}
		a.must(a.idempotency.isReplay())
	})
}

// A request without the required scope does not use up the key.
func TestCreateProduct_keyNotUsedByForbiddenRequest(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.keys.hasKey("Reader", `{"scopes": ["catalog:read"], "project_ids": ["$shop"]}`))
		a.must(a.keys.hasKey("Writer", `{"scopes": ["catalog:write"], "project_ids": ["$shop"]}`))
		a.with(idempotencyHeader, "a").asHolder("Reader", createTent)
		a.refused("403 insufficient_scope")
		a.with(idempotencyHeader, "a").asHolder("Writer", createTent)
		a.answers(201)
	})
}

func TestCreateProduct_notJSONUnderKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.with(idempotencyHeader, "a").asMerchant("POST /v1/catalog/products {")
		a.refused("400 invalid_request")
	})
}

// A key belongs to one request

func TestUpdateProject_keyReusedForOtherBody(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.with(idempotencyHeader, "a").asMerchant(`PATCH /v1/projects/$shop {"name": "One"}`)
		a.answers(200)
		for _, body := range []string{`{"name": "Two"}`, `{"name": "one"}`, `{"name": "One", "settings": {}}`, `{}`} {
			a.with(idempotencyHeader, "a").asMerchant("PATCH /v1/projects/$shop", body)
			a.refused("422 idempotency_key_reused")
		}
		a.must(a.shops.shopIsNamed("One"))
	})
}

func TestUpdateSettings_keyUsedForOtherOperation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.with(idempotencyHeader, "a").asMerchant("PATCH /v1/projects/$shop {}")
		a.with(idempotencyHeader, "a").asMerchant("PATCH /v1/projects/$shop/settings {}")
		a.answers(200)
		a.must(a.idempotency.isNotReplay())
	})
}

func TestUpdateAccount_keyUsedByOtherMerchant(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		for range 2 {
			a.must(a.keys.createsAccount())
			a.with(idempotencyHeader, "a").asMerchant(`PATCH /v1/account {"name": "Renamed"}`)
			a.answers(200)
		}
		a.must(a.idempotency.isNotReplay())
	})
}

func TestCreateProduct_keyUsedInOtherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.shops.openOtherShops(1))
		a.with(idempotencyHeader, "a").asMerchant(createTent)
		a.answers(201)
		a.catalog.selectsShop("$other")
		a.with(idempotencyHeader, "a").asMerchant(createTent)
		a.answers(201)
		a.must(a.idempotency.isNotReplay())
	})
}

// The project is that of the API key, and no header names it.
func TestCreateProduct_keyUsedInOtherShopOfAPIKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.shops.openOtherShops(1))
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["catalog:write"], "project_ids": ["$shop"]}`))
		a.must(a.keys.hasKey("Other", `{"scopes": ["catalog:write"], "project_ids": ["$other"]}`))
		a.with(idempotencyHeader, "a").asHolder("Clerk", createTent)
		a.answers(201)
		a.with(idempotencyHeader, "a").asHolder("Other", createTent)
		a.answers(201)
		a.must(a.idempotency.isNotReplay())
	})
}

// The holder of another API key does not get an answer that this API key may not have.
func TestCreateAPIKey_keyUsedByOtherAPIKey(t *testing.T) {
	const master = `POST /v1/api-keys {"name": "Master", "scopes": ["*"]}`
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["keys:write"]}`))
		a.with(idempotencyHeader, "a").asMerchant(master)
		a.answers(201)
		a.with(idempotencyHeader, "a").asHolder("Clerk", master)
		a.refused("422 validation_error", "scopes.0")
	})
}

func TestUpdateProject_lengthOfKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, key := range []string{randomLetters(1), randomLetters(255), "with spaces (& so)"} {
			a.with(idempotencyHeader, key).asMerchant(`PATCH /v1/projects/$shop {"name": "Edge"}`)
			a.answers(200)
		}
		a.with(idempotencyHeader, randomLetters(256)).asMerchant(`PATCH /v1/projects/$shop {"name": "Edge"}`)
		a.refused("400 invalid_request", idempotencyHeader)
	})
}
