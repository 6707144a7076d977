package features

import "testing"

// stockedProduct is a product of a shop with a quantity in stock.
func stockedProduct(name, price, stock string) product {
	return product{
		name:  name,
		price: price,
		stock: stock,
	}
}

// variedProduct is a product of a shop with variants, such as "M/Red=3, L/Red=0".
func variedProduct(name, price, variants string) product {
	return product{
		name:     name,
		price:    price,
		variants: variants,
	}
}

func TestCreateProduct_defaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.creates(`{"name": "Trail Tent", "sku": "TENT-1", "price": 249.9, "category": "outdoor/tents"}`))
		a.answers(201)
		a.shows(
			"id", `matches ^prod_`,
			"name", `"Trail Tent"`,
			"sku", `"TENT-1"`,
			"price", `249.90`,
			"category", `"outdoor/tents"`,
			"created_at", `matches Z$`,
			"updated_at", `matches Z$`,
			"description", `""`,
			"brand", `""`,
			"negotiable", `true`,
			"cost", `null`,
			"competitor_price", `null`,
			"status", `"active"`,
			"quantity", `0`,
			"variants.#", `1`,
			"variants.0.id", `matches ^var_`,
			"variants.0.sku", `"TENT-1"`,
		)
		a.must(a.catalog.productReadsTheSame())

		a.must(a.catalog.creates(`{"name": "Stove", "sku": "STOVE-1", "price": 49, "quantity": 12}`))
		a.shows("quantity", `12`, "variants.0.quantity", `12`)
	})
}

func TestCreateProduct_allFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.creates(`{
			"name": "Trail Tent", "sku": "TENT-2", "price": 249.90, "category": "outdoor/tents",
			"description": "Sleeps two.", "brand": "Norrsken", "negotiable": false, "cost": 120, "competitor_price": 239.00,
			"images": [{"url": "https://cdn.example.com/tent.jpg", "alt": "A tent"}, {"url": "/images/tent-2.jpg"}],
			"attributes": {"weight": "1.9 kg", "season": "3"}, "tags": ["light", "two-person"],
			"reviews": {"average_rating": 4.55, "count": 31, "summary": "Light, but loud in wind."},
			"related": ["STOVE-1"], "status": "archived",
			"variants": [
				{"sku": "TENT-2-G", "size": "2P", "color": "Green", "quantity": 4},
				{"sku": "TENT-2-R", "size": "3P", "color": "Red", "price": 299, "quantity": 0}
			]}`))
		a.answers(201)
		a.shows(
			"brand", `"Norrsken"`,
			"negotiable", `false`,
			"cost", `120`,
			"competitor_price", `239`,
			"images.*.url", `["https://cdn.example.com/tent.jpg", "/images/tent-2.jpg"]`,
			"images.0.alt", `"A tent"`,
			"attributes", `{"weight": "1.9 kg", "season": "3"}`,
			"tags", `["light", "two-person"]`,
			"reviews.average_rating", `4.55`,
			"reviews.count", `31`,
			"related", `["STOVE-1"]`,
			"status", `"archived"`,
			"variants.*.sku", `["TENT-2-G", "TENT-2-R"]`,
			"variants.*.size", `["2P", "3P"]`,
			"variants.*.color", `["Green", "Red"]`,
			"variants.*.price", `[null, 299]`,
			"variants.*.quantity", `[4, 0]`,
			"quantity", `4`,
		)
		a.must(a.catalog.productReadsTheSame())
	})
}

func TestCreateProduct_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	for _, row := range [][3]string{ // a field, its value, and the field that the answer names
		{"name", `missing`, "name"},
		{"name", `""`, "name"},
		{"name", `501 characters long`, "name"},
		{"sku", `missing`, "sku"},
		{"sku", `""`, "sku"},
		{"sku", `101 characters long`, "sku"},
		{"price", `missing`, "price"},
		{"price", `null`, "price"},
		{"price", `0`, "price"},
		{"price", `-1`, "price"},
		{"price", `19.999`, "price"},
		{"price", `1e400`, "price"},
		{"price", `10000000000`, "price"},
		{"price", `"19.99"`, "price"},
		{"cost", `-0.01`, "cost"},
		{"cost", `1.001`, "cost"},
		{"competitor_price", `0`, "competitor_price"},
		{"category", `"/outdoor"`, "category"},
		{"category", `"outdoor//tents"`, "category"},
		{"category", `201 characters long`, "category"},
		{"description", `5001 characters long`, "description"},
		{"brand", `201 characters long`, "brand"},
		{"status", `"hidden"`, "status"},
		{"negotiable", `"no"`, "negotiable"},
		{"quantity", `-1`, "quantity"},
		{"quantity", `1.5`, "quantity"},
		{"images", `[{"url": ""}]`, "images.0.url"},
		{"images", `[{"url": "javascript:alert(1)"}]`, "images.0.url"},
		{"images", `[{"url": "//evil.example.com/x.jpg"}]`, "images.0.url"},
		{"reviews", `{"average_rating": 5.01, "count": 1}`, "reviews.average_rating"},
		{"reviews", `{"average_rating": 4, "count": -1}`, "reviews.count"},
		{"tags", `[""]`, "tags.0"},
		{"related", `["", "STOVE"]`, "related.0"},
		{"variants", `[{"sku": "A"}, {"sku": "A"}]`, "variants.1.sku"},
		{"variants", `[{"sku": ""}]`, "variants.0.sku"},
		{"variants", `[{"sku": "A", "price": -5}]`, "variants.0.price"},
		{"variants", `[{"sku": "A", "price": 5.005}]`, "variants.0.price"},
		{"variants", `[{"sku": "A", "quantity": -5}]`, "variants.0.quantity"},
		{"colour", `"red"`, "colour"},
	} {
		body, err := withField(map[string]any{"name": "Trail Tent", "sku": "TENT", "price": 100}, row[0], row[1])
		a.must(err)
		a.bodiesAreRefused("POST /v1/catalog/products", "422 validation_error", [][2]string{{body, row[2]}})
	}
	for _, gtin := range []string{"4006381333932", "12345", "EAN"} {
		a.bodiesAreRefused("POST /v1/catalog/products", "422 validation_error", [][2]string{
			{`{"name": "Lamp", "sku": "LAMP", "price": 10, "gtin": "` + gtin + `"}`, "gtin"},
		})
	}

	a.asMerchant("POST /v1/catalog/products", `{"name": "", "price": 1.234, "category": "/", "cost": -1, "status": "gone"}`)
	a.refusedNaming("422 validation_error", "name", "sku", "price", "category", "cost", "status")
}

func TestCreateProduct_skuTaken(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.creates(`{"name": "Trail Tent", "sku": "TENT", "price": 100, "variants": [{"sku": "TENT-G"}, {"sku": "TENT-R"}]}`))
		a.bodiesAreRefused("POST /v1/catalog/products", "409 sku_taken", [][2]string{
			{`{"name": "Copy", "sku": "TENT", "price": 5}`, ""},
			{`{"name": "Copy", "sku": "COPY", "price": 5, "variants": [{"sku": "TENT-G"}]}`, ""},
		})

		a.must(a.catalog.creates(`{"name": "Stove", "sku": "STOVE", "price": 50}`))
		a.asMerchant("PATCH /v1/catalog/products/$product", `{"sku": "TENT"}`)
		a.refused("409 sku_taken")
	})
}

func TestListProducts_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfOutdoorGear()
		for query, want := range map[string][2]string{ // the total, and how many are shown
			"":                       {"4", "4"},
			"q=tent":                 {"2", "2"},
			"q=STV-1":                {"1", "1"},
			"q=nothing-like-it":      {"0", "0"},
			"category=outdoor":       {"3", "3"},
			"category=outdoor/tents": {"2", "2"},
			"status=archived":        {"1", "1"},
			"status=active":          {"3", "3"},
			"q=tent&status=active":   {"1", "1"},
			"limit=3":                {"4", "3"},
			"limit=3&offset=3":       {"4", "1"},
			"offset=4":               {"4", "0"},
		} {
			a.asMerchant("GET /v1/catalog/products?" + query)
			a.shows("meta.total", want[0], "data.#", want[1])
		}
	})
}

func TestListProducts_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/catalog/products?status=hidden", "400 invalid_request", "status"},
		{"GET /v1/catalog/products?limit=0", "400 invalid_request", "limit"},
		{"GET /v1/catalog/products?limit=101", "400 invalid_request", "limit"},
		{"GET /v1/catalog/products?offset=-1", "400 invalid_request", "offset"},
	})
}

// opensShopOfOutdoorGear opens a shop with an archived product and two levels of categories.
func (a *apiTest) opensShopOfOutdoorGear() {
	a.Helper()
	a.must(a.catalog.openShopWith([]map[string]string{
		{"name": "Trail Tent", "sku": "TENT-1", "price": "249.00", "category": "outdoor/tents", "status": "active"},
		{"name": "Family Tent", "sku": "TENT-2", "price": "399.00", "category": "outdoor/tents", "status": "archived"},
		{"name": "Camp Stove", "sku": "STV-1", "price": "49.00", "category": "outdoor/kitchen", "status": "active"},
		{"name": "Outdoor Book", "sku": "BOOK-1", "price": "19.00", "category": "outdoors", "status": "active"},
	}))
}

// TestListCategories_countsActiveProducts also checks that buyers see the same categories.
func TestListCategories_countsActiveProducts(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopOfOutdoorGear()
		a.asMerchant("GET /v1/catalog/categories")
		a.shows(
			"data.*.id", `["outdoor", "outdoor/kitchen", "outdoor/tents", "outdoors"]`,
			"data.*.name", `["outdoor", "kitchen", "tents", "outdoors"]`,
			"data.*.product_count", `[2, 1, 1, 1]`,
			"meta.total", `4`,
		)

		a.asBuyer("GET /.well-known/acp/manifest.json")
		a.shows(
			"categories.*.id", `["outdoor", "outdoor/kitchen", "outdoor/tents", "outdoors"]`,
			"categories.*.product_count", `[2, 1, 1, 1]`,
		)
	})
}

func TestUpdateProduct_namedFieldsOnly(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		a.asMerchant("PATCH /v1/catalog/products/$product", `{"price": 89.5}`)
		a.shows(
			"id", `"$product"`,
			"price", `89.5`,
			"name", `"Trail Tent"`,
			"brand", `"Norrsken"`,
			"cost", `60`,
			"quantity", `5`,
		)
		a.must(a.catalog.productReadsTheSame())

		a.asMerchant("PATCH /v1/catalog/products/$product", `{"brand": null, "cost": null}`)
		a.shows("brand", `""`, "cost", `null`)
	})
}

// opensShopWithTent opens a shop with one product, whose variant has the same SKU, TENT.
func (a *apiTest) opensShopWithTent() {
	a.Helper()
	a.opensShop()
	a.must(a.catalog.creates(`{"name": "Trail Tent", "sku": "TENT", "price": 100, "brand": "Norrsken", "cost": 60, "quantity": 5}`))
}

func TestUpdateProduct_variantsKeepTheirIDs(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		a.asMerchant("PATCH /v1/catalog/products/$product", `{"variants": [
			{"sku": "TENT", "color": "Green"},
			{"sku": "TENT-XL", "size": "XL", "quantity": 2}
		]}`)
		a.shows(
			"variants.0.id", `"$variant"`,
			"variants.*.sku", `["TENT", "TENT-XL"]`,
			"variants.*.quantity", `[5, 2]`,
		)
	})
}

func TestUpdateProduct_refusals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		for _, row := range [][2]string{
			{`{"price": 12.345}`, "price"},
			{`{"price": null}`, "price"},
			{`{"price": 50, "name": ""}`, "name"},
			{`{"price": 50, "sku": null}`, "sku"},
			{`{"price": 50, "colour": "red"}`, "colour"},
			{`{"price": 50, "id": "prod_another"}`, "id"},
		} {
			a.bodiesAreRefused("PATCH /v1/catalog/products/$product", "422 validation_error", [][2]string{row})
			a.must(a.catalog.productFieldIs("price", "100"))
		}
	})
}

func TestDeleteProduct_status(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithTent()
	a.asMerchant("DELETE /v1/catalog/products/$product")
	a.answers(204)
}

func TestListProducts_projectRequired(t *testing.T) {
	a := newAPITest(t)
	a.merchantIsRefused([]rejection{
		{"GET /v1/catalog/products", "400 project_required", ""},
		{`POST /v1/catalog/products {"name": "X", "sku": "X", "price": 1}`, "400 project_required", ""},
		{`POST /v1/catalog/products/batch {"products": [{"sku": "X"}]}`, "400 project_required", ""},
		{"GET /v1/catalog/products/prod_unknown", "400 project_required", ""},
		{"GET /v1/catalog/categories", "400 project_required", ""},
		{"GET /v1/catalog/inventory", "400 project_required", ""},
		{`PUT /v1/catalog/inventory {"levels": []}`, "400 project_required", ""},
		{`POST /v1/catalog/inventory/adjust {"adjustments": []}`, "400 project_required", ""},
	})
	for _, project := range []string{"proj_unknown", "proj_0000000000000000000000000a", "prod_0000000000000000000000000a", "*"} {
		a.catalog.selectsShop(project)
		a.merchantIsRefused([]rejection{{"GET /v1/catalog/products", "404 project_not_found", ""}})
	}
}

func TestGetProduct_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/catalog/products/prod_unknown", "404 product_not_found", ""},
		{"GET /v1/catalog/products/1", "404 product_not_found", ""},
		{"GET /v1/catalog/products/$shop", "404 product_not_found", ""},
		{`PATCH /v1/catalog/products/prod_unknown {"price": 5}`, "404 product_not_found", ""},
		{"DELETE /v1/catalog/products/prod_unknown", "404 product_not_found", ""},
	})
}
