package features

import "testing"

var ucpRainCoat = product{
	name:     "Rain Coat",
	price:    "80.00",
	variants: "S/Red=2, M/Red=0, M/Blue=4",
}

// CAT-001, CAT-002, CAT-003, CAT-024: Following the cursors reads every product once, in pages of 10.
func TestUCPCatalog_cursors(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.must(a.catalog.openShopWithMany(23))
		a.must(a.ucp.followsCursors(a.prefix, a.transport, 23, "[10,10,3]"))
	})
}

// CAT-005: A page has 10 products unless the agent asks for fewer.
func TestUCPCatalog_limit(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.must(a.catalog.openShopWithMany(12))
		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"min": 0}}`, `"pagination": {}`)
		a.shows("products.#", "10", "pagination.has_next_page", "true")

		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"min": 0}}`, `"pagination": {"limit": 1}`)
		a.shows("products.#", "1", "pagination.has_next_page", "true")

		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"min": 0}}`, `"pagination": {"limit": 0}`)
		a.answers(400)
		a.shows("content", `contains "limit"`, "products", "absent")

		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"min": 0}}`, `"pagination": {"limit": -1}`)
		a.answers(400)
	})
}

// CAT-009, CAT-010: A search needs a query or a filter that the shop knows.
func TestUCPCatalog_searchNeedsInput(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/search", `"query": "stove"`)
		a.shows("ucp.status", `"success"`, "products.*.id", `contains "${Camp Stove}"`)

		a.asAgent("POST /ucp/catalog/search", `"filters": {"price": {"max": 5000}}`)
		a.shows("ucp.status", `"success"`, "products.*.id", `["${Camp Stove}"]`)

		for _, body := range []string{
			"{}",
			`{"query": "", "filters": {}}`,
			`{"query": " "}`,
			`{"mood": "cosy"}`,
			`{"filters": {"mood": "cosy"}}`,
			`{"context": {"currency": "USD"}, "pagination": {"limit": 5}}`,
			`{"filters": {"mood": "cosy", "categories": []}}`,
			`{"filters": {"price": {}}}`,
		} {
			a.asAgent("POST /ucp/catalog/search", body)
			a.answers(200)
			a.shows(
				"ucp.status", `"error"`,
				"products", "absent",
				"messages.*.type", `["error"]`,
				"messages.*.code", `["invalid_input"]`,
			)
		}
	})
}

// CAT-012, CAT-020, CAT-029: A search has ucp and products, and no message if it finds nothing.
func TestUCPCatalog_searchResult(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/search", `"query": "tent"`)
		a.answers(200)
		a.shows(
			"ucp.version", `"$version"`,
			"ucp.status", `"success"`,
			"products.*.id", `contains "${Trail Tent}"`,
			"messages", "absent",
		)

		a.asAgent("POST /ucp/catalog/search", `"query": "tent"`, `"filters": {"price": {"min": 99999}}`)
		a.answers(200)
		a.shows(
			"ucp.version", `"$version"`,
			"ucp.status", `"success"`,
			"products", "[]",
			"pagination.has_next_page", "false",
			"messages", "absent",
		)

		a.asAgent("POST /ucp/catalog/search", `"query": "zeppelin hangar"`)
		a.answers(200)
		a.shows(
			"ucp.status", `"success"`,
			"products", "[]",
			"messages", "absent",
		)
	})
}

// CAT-013, CAT-017, CAT-018, CAT-030: A lookup finds products by their ids and variants by theirs, and shows only those.
func TestUCPCatalog_lookupByID(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}", "${Rain Coat: M/Blue}", "${Camp Stove: variant}"]`)
		a.answers(200)
		a.shows(
			"ucp.version", `"$version"`,
			"ucp.status", `"success"`,
			"products.*.id", `["${Trail Tent}", "${Rain Coat}", "${Camp Stove}"]`,
			"products.*.variants.#", "[1, 1, 1]",
			"products.0.variants.0.id", `"${Trail Tent: variant}"`,
			"products.0.variants.0.inputs", `[{"id": "${Trail Tent}", "match": "featured"}]`,
			"products.1.variants.0.id", `"${Rain Coat: M/Blue}"`,
			"products.1.variants.0.inputs", `[{"id": "${Rain Coat: M/Blue}", "match": "exact"}]`,
			"products.2.variants.0.id", `"${Camp Stove: variant}"`,
			"products.2.variants.0.inputs", `[{"id": "${Camp Stove: variant}", "match": "exact"}]`,
		)

		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["prod_unknown"]`)
		a.answers(200)
		a.shows(
			"ucp.version", `"$version"`,
			"ucp.status", `"success"`,
			"products", "[]",
		)
	})
}

// CAT-015, CAT-016: Repeated ids and ids of one product are answered once.
func TestUCPCatalog_lookupOncePerProduct(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/lookup",
			`"ids": ["${Rain Coat: M/Blue}", "${Rain Coat}", "${Rain Coat: M/Blue}", "${Rain Coat: M/Red}", "${Rain Coat}"]`,
		)
		a.shows(
			"products.*.id", `["${Rain Coat}"]`,
			"products.0.variants.*.id", `["${Rain Coat: M/Blue}", "${Rain Coat: S/Red}", "${Rain Coat: M/Red}"]`,
			"products.0.variants.*.inputs.*.id", `[["${Rain Coat: M/Blue}"], ["${Rain Coat}"], ["${Rain Coat: M/Red}"]]`,
			"messages", "absent",
		)

		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["prod_unknown", "${Trail Tent: variant}", "${Trail Tent}", "prod_unknown"]`)
		a.shows(
			"products.*.id", `["${Trail Tent}"]`,
			"products.0.variants.*.inputs", `[[{"id": "${Trail Tent: variant}", "match": "exact"}, {"id": "${Trail Tent}", "match": "featured"}]]`,
			"messages.*.code", `["not_found"]`,
		)
	})
}

// CAT-020, CAT-025: A lookup leaves out an unknown id, and says so.
func TestUCPCatalog_lookupUnknownID(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["prod_unknown", "${Trail Tent}"]`)
		a.answers(200)
		a.shows(
			"ucp.status", `"success"`,
			"products.*.id", `["${Trail Tent}"]`,
			"messages.*.type", `["info"]`,
			"messages.*.code", `["not_found"]`,
		)
	})
}

// CAT-026, CAT-027: A lookup takes at most 50 ids.
func TestUCPCatalog_lookupAtMost50(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.must(a.ucp.looksUpMany(a.transport, 50, a.prefix, "${Trail Tent}"))
		a.answers(200)
		a.shows("products.*.id", `["${Trail Tent}"]`)

		a.must(a.ucp.looksUpMany(a.transport, 51, a.prefix, "${Trail Tent}"))
		a.answers(400)
		a.shows(
			"code", `"request_too_large"`,
			"content", `contains "50"`,
			"rpc", a.invalidParams(),
			"products", "absent",
		)
	})
}

// CAT-028: A lookup needs an id.
func TestUCPCatalog_lookupNeedsID(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		for _, body := range []string{"{}", `{"ids": []}`, `{"ids": null}`, `{"ids": [], "filters": {}}`} {
			a.asAgent("POST /ucp/catalog/lookup", body)
			a.answers(400)
			a.shows(
				"content", `contains "ids"`,
				"rpc", a.invalidParams(),
				"products", "absent",
			)
		}
	})
}

// CAT-014, CAT-031, CAT-032: A product is read by its id and by a variant's id, which makes that variant the first.
func TestUCPCatalog_productByID(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/product", `"id": "${Rain Coat}"`)
		a.answers(200)
		a.shows(
			"ucp.version", `"$version"`,
			"ucp.status", `"success"`,
			"product.id", `"${Rain Coat}"`,
			"product.variants.0.id", `"${Rain Coat: S/Red}"`,
			"products", "absent",
		)

		for _, variant := range []string{"${Rain Coat: M/Blue}", "${Rain Coat: M/Red}"} {
			a.asAgent("POST /ucp/catalog/product", `"id": "`+variant+`"`)
			a.answers(200)
			a.shows(
				"ucp.version", `"$version"`,
				"product.id", `"${Rain Coat}"`,
				"product.variants.0.id", `"`+variant+`"`,
				"products", "absent",
			)

			a.asAgent("POST /ucp/catalog/product",
				`"id": "`+variant+`"`,
				`"selected": [{"name": "Color", "label": "Red"}, {"name": "Size", "label": "S"}]`,
			)
			a.shows("product.variants.0.id", `"`+variant+`"`)
		}
	})
}

// CAT-033: A product says which options are selected.
func TestUCPCatalog_selectedOptions(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("POST /ucp/catalog/product", `"id": "${Rain Coat}"`)
		a.shows(
			"product.options.*.name", `["Size", "Color"]`,
			"product.selected", `[{"name": "Size", "label": "S"}, {"name": "Color", "label": "Red"}]`,
		)

		a.asAgent("POST /ucp/catalog/product", `"id": "${Rain Coat: M/Blue}"`)
		a.shows("product.selected", `[{"name": "Size", "label": "M"}, {"name": "Color", "label": "Blue"}]`)

		a.asAgent("POST /ucp/catalog/product", `"id": "${Rain Coat}"`, `"selected": [{"name": "Size", "label": "M"}]`)
		a.shows("product.selected", `[{"name": "Size", "label": "M"}]`)

		a.asAgent("POST /ucp/catalog/product",
			`"id": "${Rain Coat}"`,
			`"selected": [{"name": "Size", "label": "S"}, {"name": "Color", "label": "Blue"}]`,
			`"preferences": ["Color", "Size"]`,
		)
		a.shows("product.selected", `[{"name": "Color", "label": "Blue"}]`)
	})
}

// CAT-019, CAT-020: An unknown product is an error in the body of a 200.
func TestUCPCatalog_unknownProduct(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		for _, id := range []string{"prod_unknown", "no id at all", "var_unknown"} {
			a.asAgent("POST /ucp/catalog/product", `"id": "`+id+`"`)
			a.answers(200)
			a.shows(
				"ucp.version", `"$version"`,
				"ucp.status", `"error"`,
				"product", "absent",
				"messages.*.type", `["error"]`,
				"messages.*.code", `["not_found"]`,
				"messages.*.severity", `["unrecoverable"]`,
				"messages.0.content", `contains "product"`,
			)
		}
	})
}

// CAT-022, CAT-023: Each advertised catalog capability has its endpoints.
func TestUCPCatalog_advertised(t *testing.T) {
	eachUCPTransport(t, func(a *ucpTest) {
		a.opensCampingShop(ucpRainCoat)
		a.asAgent("GET /.well-known/ucp")
		a.shows(
			"ucp.capabilities.[dev.ucp.shopping.catalog.search].*.version", `["$version"]`,
			"ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version", `["$version"]`,
			"ucp.services.[dev.ucp.shopping].*.transport", `["rest", "mcp"]`,
			"ucp.services.[dev.ucp.shopping].0.endpoint", "matches /p/$slug$prefix/ucp$",
			"ucp.services.[dev.ucp.shopping].1.endpoint", "matches /p/$slug$prefix/mcp$",
		)

		a.asAgent("POST /ucp/catalog/search", `"query": "tent"`)
		a.answers(200)
		a.shows(
			"ucp.capabilities.[dev.ucp.shopping.catalog.search].*.version", `["$version"]`,
			"products.*.id", `contains "${Trail Tent}"`,
		)

		a.asAgent("POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}"]`)
		a.answers(200)
		a.shows(
			"ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version", `["$version"]`,
			"products.*.id", `["${Trail Tent}"]`,
		)

		a.asAgent("POST /ucp/catalog/product", `"id": "${Trail Tent}"`)
		a.answers(200)
		a.shows(
			"ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version", `["$version"]`,
			"product.id", `"${Trail Tent}"`,
		)
	})
}
