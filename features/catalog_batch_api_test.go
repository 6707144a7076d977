package features

import "testing"

func TestUpsertProducts_eachForItself(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		a.asMerchant("POST /v1/catalog/products/batch", `{"products": [
			{"sku": "TENT", "price": 90},
			{"sku": "STOVE", "name": "Stove", "price": 50, "quantity": 3},
			{"sku": "MUG", "name": "Mug", "price": 9.999},
			{"sku": "POT"},
			{"name": "No sku", "price": 1},
			{"sku": "SPOON", "name": "Spoon", "price": 4}
		]}`)
		a.answers(200)
		a.shows(
			"data.*.sku", `["TENT", "STOVE", "MUG", "POT", "", "SPOON"]`,
			"data.*.status", `["updated", "created", "failed", "failed", "failed", "created"]`,
			"data.0.id", `"$product"`,
			"data.0.errors", `[]`,
			"data.1.id", `matches ^prod_`,
			"data.2.id", `null`,
			"data.2.errors.0.field", `"price"`,
			"data.3.errors.*.field", `["name", "price"]`,
			"data.4.errors.0.field", `"sku"`,
		)
		a.must(a.catalog.productFieldIs("price", "90"))
		a.must(a.catalog.productFieldIs("brand", `"Norrsken"`))
		a.must(a.catalog.shopFigureIs("statistics.products", 3))
	})
}

func TestUpsertProducts_allErrorsOfAProduct(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("POST /v1/catalog/products/batch", `{"products": [
			{"sku": "TENT", "name": "Tent", "price": "abc", "colour": "red", "cost": 1.999},
			{"SKU": "MUG", "name": "Mug", "price": 9},
			7,
			{"sku": "STOVE", "name": "Stove", "price": 50}
		]}`)
		a.answers(200)
		a.shows(
			"data.*.sku", `["TENT", "", "", "STOVE"]`,
			"data.*.status", `["failed", "failed", "failed", "created"]`,
			"data.0.errors.*.field", `["colour", "price", "cost"]`,
			"data.1.errors.*.field", `["SKU", "sku"]`,
			"data.2.errors.*.field", `["", "sku"]`,
		)
		a.must(a.catalog.shopFigureIs("statistics.products", 1))
	})
}

func TestUpsertProducts_repeatedSKU(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("POST /v1/catalog/products/batch", `{"products": [{"sku": "MUG", "name": "Mug", "price": 9}, {"sku": "MUG", "price": 8}]}`)
		a.shows("data.*.status", `["created", "updated"]`)
		a.must(a.catalog.shopFigureIs("statistics.products", 1))

		// of another product's variant
		a.must(a.catalog.creates(`{"name": "Trail Tent", "sku": "TENT", "price": 100, "variants": [{"sku": "TENT-G"}]}`))
		a.asMerchant("POST /v1/catalog/products/batch", `{"products": [{"sku": "OTHER", "name": "Other", "price": 5, "variants": [{"sku": "TENT-G"}]}]}`)
		a.shows("data.*.status", `["failed"]`)
		a.must(a.catalog.shopFigureIs("statistics.products", 2))
	})
}

func TestUpsertProducts_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/catalog/products/batch", "422 validation_error", [][2]string{
		{`{"products": []}`, "products"},
		{`{}`, "products"},
		{`{"products": {}}`, "products"},
		{`{"products": [], "dry": true}`, "dry"},
		{`{"product": []}`, "product"},
	})
	a.must(a.catalog.sendBatchOf(1000))
	a.answers(200)
}

func TestListInventory_bySKU(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		a.asMerchant("GET /v1/catalog/inventory?sku=TENT")
		a.shows(
			"data.#", `1`,
			"data.0.sku", `"TENT"`,
			"data.0.product_id", `"$product"`,
			"data.0.variant_id", `"$variant"`,
			"data.0.location", `"main"`,
			"data.0.quantity", `5`,
			"meta.total", `1`,
		)

		a.asMerchant("GET /v1/catalog/inventory?sku=UNKNOWN")
		a.shows("data", `[]`, "meta.total", `0`)
	})
}

func TestSetInventory_status(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithTent()
	a.asMerchant("PUT /v1/catalog/inventory", `{"levels": [{"sku": "TENT", "location": "berlin", "quantity": 4}]}`)
	a.answers(200)

	a.asMerchant("POST /v1/catalog/inventory/adjust", `{"adjustments": [{"sku": "TENT", "location": "main", "delta": -2, "reason": "Damaged"}]}`)
	a.answers(200)
}

func TestSetInventory_refusals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithTent()
		for _, row := range [][2]string{
			{`{"sku": "TENT", "quantity": -1}`, "levels.0.quantity"},
			{`{"sku": "TENT", "quantity": 1.5}`, "levels.0.quantity"},
			{`{"sku": "TENT", "quantity": 1000000001}`, "levels.0.quantity"},
			{`{"sku": "", "quantity": 1}`, "levels.0.sku"},
			{`{"sku": "UNKNOWN", "quantity": 1}`, "levels.0.sku"},
			{`{"sku": "TENT", "quantity": 1}, {"sku": "NO", "quantity": 1}`, "levels.1.sku"},
			{`{"sku": "TENT", "location": "New York", "quantity": 1}`, "levels.0.location"},
			{`{"sku": "TENT", "quantity": 1}, {"sku": "TENT", "quantity": 2}`, "levels.1.sku"},
			{`{"sku": "TENT"}`, "levels.0.quantity"},
		} {
			a.bodiesAreRefused("PUT /v1/catalog/inventory", "422 validation_error", [][2]string{{`{"levels": [` + row[0] + `]}`, row[1]}})
			a.must(a.catalog.stockIs(5, "Trail Tent"))
		}
		a.bodiesAreRefused("POST /v1/catalog/inventory/adjust", "422 validation_error", [][2]string{
			{`{"adjustments": [{"sku": "TENT", "delta": 0}]}`, "adjustments.0.delta"},
			{`{"adjustments": [{"sku": "UNKNOWN", "delta": 1}]}`, "adjustments.0.sku"},
			{`{"adjustments": [{"sku": "TENT", "delta": 2000000000}]}`, "adjustments.0.delta"},
			{`{"adjustments": [{"sku": "TENT", "delta": 1, "location": "?"}]}`, "adjustments.0.location"},
		})
	})
}
