package features

import "testing"

// jobEnds waits for the end of the job that the latest answer has started, and reads it. It names its id.
func (a *apiTest) jobEnds(name string) {
	a.Helper()
	a.must(a.platforms.namesAnswerField("id", name))
	a.must((&jobsContext{a.scenario}).ends(name))
}

func TestStartImport_errors(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(stockedProduct("Trail Tent", "100.00", "20"))
		a.must(a.catalog.importFile("text/csv", "", `sku,name,price,cost,quantity
M-1,Mug,12.50,99,3
M-2,Mat,"12,50",,3
M-3,,5,,1
M-1,Mug again,1,,
M-4,Pot
`))
		a.answers(202)
		a.shows(
			"kind", `"import"`,
			"status", `"queued"`,
			"agent_id", `""`,
			"result", `null`,
			"import.format", `"haggle"`,
			"import.dry_run", `false`,
			"import.created", `0`,
		)
		a.jobEnds("job")
		a.shows(
			"status", `"succeeded"`,
			"import.products_read", `5`,
			"import.created", `1`,
			"import.refused", `4`,
			"import.errors.#", `4`,
			"import.errors.0.line", `3`,
			"import.errors.0.sku", `"M-2"`,
			"import.errors.0.field", `"price"`,
			"import.errors.0.value", `"12,50"`,
			"import.errors.0.problem", `"is not a decimal number; write 12.50"`,
			"import.errors.*.line", `[3, 4, 5, 6]`,
			"import.errors.2.problem", `"is also on line 2"`,
			"import.errors.3.problem", `"has 2 fields, the header has 5"`,
			"import.warnings.0.problem", `"is above the price, 12.50"`,
			"import.errors_url", `"/v1/imports/$job/errors"`,
		)
		a.asMerchant("GET /v1/imports/$job/errors")
		a.answers(200)
		a.asMerchant("GET /v1/catalog/products?q=M-")
		a.shows("meta.total", `1`)
	})
}

func TestStartImport_ndjsonDryRun(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.importFile("application/x-ndjson", "dry_run=true", `{"sku":"M-1","name":"Mug","price":12.50}`+"\n"))
		a.jobEnds("job")
		a.shows(
			"status", `"succeeded"`,
			"import.created", `1`,
			"import.dry_run", `true`,
			"import.errors_url", `null`,
		)
		a.asMerchant("GET /v1/catalog/products?q=M-1")
		a.shows("meta.total", `0`)
	})
}

func TestStartImport_shopifyFile(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.importFile("text/csv", "format=shopify", ""+
			"Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price,Variant Compare At Price\n"+
			"shirt,Shirt,<p>Soft.</p>,Size,M,S-M,4,20.00,25.00\n"+
			"shirt,,,,L,S-L,0,22.00,\n"))
		a.jobEnds("job")
		a.shows("status", `"succeeded"`, "import.created", `1`)
		a.asMerchant("GET /v1/catalog/products?q=shirt")
		a.shows(
			"data.0.sku", `"shirt"`,
			"data.0.description", `"Soft."`,
			"data.0.variants.1.sku", `"S-L"`,
			"data.0.variants.1.price", `22`,
		)
	})
}

func TestStartImport_unexpectedFormat(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.catalog.importFile("text/csv", "", "Handle,Title,Body (HTML),Option1 Name,Variant Price\n"))
		a.jobEnds("job")
		a.shows("status", `"failed"`, "error.code", `"unreadable_file"`, "error.message", `matches choose the format shopify`)
	})
}

func TestStartImport_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	for _, row := range [][4]string{ // a media type, a query, a file, and the refusal
		{"application/json", "", "{}\n", "415 unsupported_media_type"},
		{"text/csv", "format=magento", "sku\n", "400 invalid_request"},
		{"application/x-ndjson", "format=shopify", "{}\n", "422 validation_error"},
	} {
		if err := a.catalog.importFile(row[0], row[1], row[2]); err != nil {
			a.Fatal(err)
		}
		a.refused(row[3])
	}
}

// opensShopForRuns opens a shop and names its product "tent" and its agent "active".
func (a *apiTest) opensShopForRuns() {
	a.Helper()
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "100.00",
		cost:  "50.00",
		stock: "20",
	})
	a.must(a.agents.remembersActiveAgent())
	a.platforms.nameValue("tent", a.product.ID)
}

func TestStartMarket_result(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForRuns()
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.offers("75"))
		a.asMerchant("POST /v1/agents/$active/market", `{"policy": {"max_discount_percent": 10}, "buyers": 200, "seed": 7}`)
		a.answers(202)
		a.shows(
			"id", `matches ^job_`,
			"kind", `"market"`,
			"status", `"queued"`,
			"agent_id", `"$active"`,
			"progress.done", `0`,
			"request.policy_version", `null`,
			"request.against_version", `1`,
			"result", `null`,
		)
		a.jobEnds("job")
		a.shows(
			"status", `"succeeded"`,
			"progress.done", `2000`,
			"progress.total", `2000`,
			"finished_at", `matches Z$`,
			"error", `null`,
			"result.currency", `"USD"`,
			"result.negotiations_per_month", `1`,
			"result.before.policy_version", `1`,
			"result.after.policy_version", `null`,
			"result.populations.#", `5`,
			"result.products.#", `1`,
			"result.products.0.product_id", `"$tent"`,
			"result.products.0.cost", `50`,
			"result.before.margin_per_thousand", `at least 20000`,
			"result.best_posted_price.deals_share", `at least 0.4`,
		)
		a.asMerchant("GET /v1/jobs?kind=market&agent_id=$active")
		a.shows("data.*.id", `["$job"]`, "meta.total", `1`)
	})
}

func TestStartMarket_unknownCost(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForRuns()
		a.asMerchant("PATCH /v1/catalog/products/$tent", `{"cost": null}`)
		a.asMerchant("POST /v1/agents/$active/market", `{"buyers": 50}`)
		a.jobEnds("job")
		a.shows(
			"status", `"succeeded"`,
			"request.policy_version", `1`,
			"result.negotiations_per_month", `null`,
			"result.products_without_cost", `1`,
			"result.before.margin_per_thousand", `null`,
			"result.before.revenue_per_month", `null`,
			"result.difference", `null`,
			"result.best_posted_price", `null`,
			"result.products.0.cost", `null`,
		)
	})
}

func TestStartMarket_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopForRuns()
	for _, row := range [][2]string{
		{`{"buyers": 49}`, "422 validation_error"},
		{`{"buyers": 5001}`, "422 validation_error"},
		{`{"seed": 9007199254740992}`, "422 validation_error"},
		{`{"policy": {"depth_percent": 300}}`, "422 validation_error"},
		{`{"policy": {}, "policy_version": 1}`, "422 validation_error"},
		{`{"policy_version": 7}`, "404 policy_not_found"},
		{`{"against_version": 7}`, "404 policy_not_found"},
		{`{"product_ids": ["$active"]}`, "422 validation_error"},
		{`{"product_ids": ["$tent", "$tent"]}`, "422 validation_error"},
		{`{"product_ids": ["prod_00000000000000000000000000"]}`, "404 product_not_found"},
	} {
		a.bodiesAreRefused("POST /v1/agents/$active/market", row[1], [][2]string{{row[0], ""}})
	}
}

func TestStartMarket_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopForRuns()
		a.with("Idempotency-Key", "a").asMerchant("POST /v1/agents/$active/market", `{"buyers": 50}`)
		a.answers(202)
		a.with("Idempotency-Key", "a").asMerchant("POST /v1/agents/$active/market", `{"buyers": 50}`)
		a.must(a.idempotency.isReplay())
	})
}
