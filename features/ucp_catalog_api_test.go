package features

import "testing"

var ucpTentsAndNoStoves = []product{
	{name: "Trail Tent", price: "100.00", stock: "7"},
	{name: "Camp Stove", price: "40.00", stock: "0"},
}

// A search has words or filters, and shows list prices in minor units.
func TestUCPCatalog_search(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensShopSelling(ucpTentsAndNoStoves...)
		a.asAgent("POST /ucp/catalog/search", `"query": "tent"`)
		a.shows(
			"products.0.id", `"${Trail Tent}"`,
			"products.0.price_range.min.amount", "10000",
			"products.0.price_range.min.currency", `"USD"`,
			"products.0.variants.0.availability.available", "true",
			"messages", "absent",
		)

		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"max": 5000}}`, `"pagination": {"limit": 1000}`)
		a.shows(
			"products.#", "1",
			"products.0.id", `"${Camp Stove}"`,
			"products.0.variants.0.availability.available", "false",
			"pagination.has_next_page", "false",
			"pagination.total_count", "1",
		)
	})
}

// Other inputs of a search are refused or ignored, and a message says so.
func TestUCPCatalog_ignoredInput(t *testing.T) {
	a := newUCPTest(t)
	a.opensShopSelling(ucpTentsAndNoStoves...)
	a.asAgent("POST /ucp/catalog/search")
	a.shows("ucp.status", `"error"`, "messages.0.code", `"invalid_input"`)

	a.asAgent("POST /ucp/catalog/search", `"query": "tent"`, `"filters": {"mood": "cosy"}`)
	a.shows(
		"products.#", "1",
		"messages.0.type", `"warning"`,
		"messages.0.code", `"unknown_filter"`,
	)

	a.asAgent("POST /ucp/catalog/search", `"query": "tent"`, `"filters": {"price": {"max": 1}}`, `"context": {"currency": "EUR"}`)
	a.shows("products.#", "1", "messages.0.code", `"price_filter_ignored"`)
}

// A page says whether there is another.
func TestUCPCatalog_page(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensShopSelling(ucpTentsAndNoStoves...)
		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"min": 1}}`, `"pagination": {"limit": 1}`)
		a.shows(
			"products.#", "1",
			"pagination.has_next_page", "true",
			"pagination.total_count", "2",
		)
	})
}

// A lookup says which id led to which variant.
func TestUCPCatalog_lookup(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensShopSelling(ucpTentsAndNoStoves...)
		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}", "${Trail Tent}", "prod_unknown", "${Camp Stove}"]`)
		a.shows(
			"products.*.id", `["${Trail Tent}", "${Camp Stove}"]`,
			"products.0.variants.0.inputs", `[{"id": "${Trail Tent}", "match": "featured"}]`,
			"messages.*.code", `["not_found"]`,
		)
	})
}

// A product is shown with its variants.
func TestUCPCatalog_product(t *testing.T) {
	eachUCPVersionOnEngines(t, func(a *ucpTest) {
		a.opensShopSelling(ucpTentsAndNoStoves...)
		a.asAgent("POST /ucp/catalog/product", `"id": "${Trail Tent}"`)
		a.shows("product.id", `"${Trail Tent}"`, "product.variants.#", "1")

		a.asAgent("POST /ucp/catalog/product", `"id": "prod_unknown"`)
		a.shows(
			"ucp.status", `"error"`,
			"messages.0.code", `"not_found"`,
			"messages.0.severity", `"unrecoverable"`,
		)
	})
}
