package features

import "testing"

// opensShopWithActiveAgent opens a shop that sells tents, and names its agent "active".
func opensShopWithActiveAgent(a *apiTest) {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		},
		product{
			name:  "Camp Stove",
			price: "60.00",
			stock: "20",
		},
	)
	a.must(a.agents.remembersActiveAgent())
}

func TestCreateAgentPolicy(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensShopWithActiveAgent(a)
		a.asMerchant("POST /v1/agents/$active/policies", `{"policy": {"max_discount_percent": 5}, "note": "Spring"}`)
		a.answers(201)
		a.shows(
			"version", `2`,
			"origin", `"merchant"`,
			"note", `"Spring"`,
			"in_force", `false`,
			"activated_at", `null`,
			"policy.max_discount_percent", `5`,
		)

		a.asMerchant("POST /v1/agents/$active/policies/2/activate")
		a.answers(200)
		a.shows("policy_version", `2`, "policy.max_discount_percent", `5`)
		a.asMerchant("GET /v1/agents/$active/policies")
		a.shows(
			"data.*.version", `[2, 1]`,
			"data.*.in_force", `[true, false]`,
			"data.*.origin", `["merchant", "builtin"]`,
			"data.0.activated_at", `matches Z$`,
		)

		a.asMerchant("POST /v1/agents/$active/policies/1/activate")
		a.shows("policy_version", `1`)
		a.asMerchant("GET /v1/agents/$active/policies/2")
		a.shows("in_force", `false`, "policy.max_discount_percent", `5`)

		a.merchantIsRefused([]rejection{
			{"GET /v1/agents/$active/policies/9", "404 policy_not_found", ""},
			{"POST /v1/agents/$active/policies/9/activate", "404 policy_not_found", ""},
		})
	})
}

func TestCreateAgentPolicy_refusals(t *testing.T) {
	a := newAPITest(t)
	opensShopWithActiveAgent(a)
	a.bodiesAreRefused("POST /v1/agents/$active/policies", "422 validation_error", [][2]string{
		{`{}`, "policy"},
		{`{"policy": {"round_cap": 21}}`, "policy.round_cap"},
		{`{"policy": {}, "note": "a\u0000b"}`, "note"},
		{`{"policy": {"probing": {"session": -1}}}`, "policy.probing.session"},
		{`{"policy": {"min_margin_percent": "10"}}`, "policy.min_margin_percent"},
	})
	a.asMerchant("GET /v1/agents/$active/policies")
	a.shows("meta.total", `1`)
}

func TestDryRunAgentPolicy(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		})
		a.must(a.agents.remembersActiveAgent())
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.offers("82"))
		a.asMerchant("POST /v1/agents/$active/policies/dry-run", `{"policy": {"max_discount_percent": 10}}`)
		a.answers(200)
		a.shows(
			"products.#", `1`,
			"products.0.name", `"Trail Tent"`,
			"products.0.before.floor", `80`,
			"products.0.before.target", `92.50`,
			"products.0.after.floor", `90`,
			"products.0.after.target", `96.25`,
			"products.0.after.opening", `100`,
			"products.0.after.hint", `90`,
			"policy.max_discount_percent", `10`,
			"record.negotiations", `1`,
			"record.decisions", `1`,
			"record.identical", `0`,
			"record.policy_version", `null`,
		)
		a.asMerchant("GET /v1/agents/$active/policies")
		a.shows("meta.total", `1`)
	})
}

func TestDryRunAgentPolicy_refusals(t *testing.T) {
	a := newAPITest(t)
	opensShopWithActiveAgent(a)
	const dryRun = "POST /v1/agents/$active/policies/dry-run "
	a.merchantIsRefused([]rejection{
		{dryRun + `{}`, "422 validation_error", ""},
		{dryRun + `{"policy": {"depth_percent": -1}}`, "422 validation_error", ""},
		{dryRun + `{"policy": {}, "product_ids": ["prod_unknown"]}`, "404 product_not_found", ""},
		{dryRun + `{"policy": {}, "product_ids": ["a","a","a","a","a","a","a","a","a","a","a"]}`, "404 product_not_found", ""},
	})
}

func TestListPolicyPresets(t *testing.T) {
	a := newAPITest(t)
	opensShopWithActiveAgent(a)
	a.asMerchant("GET /v1/agents/policy-presets")
	a.shows(
		"data.*.name", `["keep_margin", "balanced", "clear_stock"]`,
		"data.*.policy.depth_percent", `[60, 100, 100]`,
	)
	a.asMerchant("GET /v1/agents/$active")
	a.shows("policy.curve.give_percent", `[51.5, 52.5, 60, 67.5, 73, 78, 79, 80]`)
}

func TestSimulateAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensShopWithActiveAgent(a)
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.asMerchant("POST /v1/agents/$active/simulate", `{"product_id": "$product", "offers": [null, 75, 79, 82, 99]}`)
		a.answers(200)
		a.shows(
			"policy_version", `1`,
			"bounds.floor", `80`,
			"bounds.target", `92.50`,
			"bounds.hint", `80`,
			"steps.*.answer.response", `["quote", "reject", "reject", "accept"]`,
			"steps.*.answer.price", `[100, 83.25, 83.25, 82]`,
			"steps.*.rule", `["no_offer", "below_floor", "below_floor", "at_ask"]`,
			"steps.1.answer.floor_hint", `80`,
			"steps.3.progress.moves", `2`,
			"steps.3.progress.counter", `83.25`,
			"steps.0.handler", `"builtin:haggle"`,
			"deal", `82`,
		)
		a.asMerchant("GET /v1/agents/$active/decisions")
		a.shows("meta.total", `0`)

		// a product that the shop does not have, under a policy that is not stored
		a.asMerchant("POST /v1/agents/$active/simulate", `{"list_price": 200, "cost": 170, "stock": 5, "quantity": 2,
			"buyer_context": {"loyalty_tier": "gold"}, "offers": [150],
			"policy": {"max_discount_percent": 50, "leanings": {"volume": [], "tiers": {"gold": 0, "bronze": 0, "silver": 0, "platinum": 0}}}}`)
		a.answers(200)
		a.shows(
			"policy_version", `null`,
			"bounds.floor", `190`,
			"steps.*.rule", `["below_floor"]`,
			"deal", `null`,
		)

		// a stored version that is not in force
		a.asMerchant("POST /v1/agents/$active/policies", `{"policy": {"enabled": false}}`)
		a.asMerchant("POST /v1/agents/$active/simulate", `{"list_price": 200, "offers": [199], "policy_version": 2}`)
		a.shows(
			"policy_version", `2`,
			"bounds.floor", `200`,
			"steps.*.rule", `["list_only"]`,
		)
	})
}

func TestSimulateAgent_remoteHandler(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensShopWithActiveAgent(a)
		a.must(a.agents.createsAgent(`{"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://agent.invalid/quote"}}}`))
		a.asMerchant("POST /v1/agents/$agent/simulate", `{"list_price": 100, "offers": [95]}`)
		a.shows("steps.0.handler", `"builtin:haggle"`, "steps.0.fallback", `null`)
		a.asMerchant("POST /v1/agents/$agent/simulate", `{"list_price": 100, "offers": [95], "remote": true}`)
		a.shows(
			"steps.0.handler", `"builtin:haggle"`,
			"steps.0.fallback", `"agent_unreachable"`,
			"deal", `95`,
		)
	})
}

func TestSimulateAgent_refusals(t *testing.T) {
	a := newAPITest(t)
	opensShopWithActiveAgent(a)
	const simulate = "POST /v1/agents/$active/simulate "
	a.merchantIsRefused([]rejection{
		{simulate + `{"offers": [1]}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": []}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": [0]}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": [1.999]}`, "422 validation_error", ""},
		{simulate + `{"list_price": 0, "offers": [1]}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": [1], "quantity": 0}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": [1], "policy": {}, "policy_version": 1}`, "422 validation_error", ""},
		{simulate + `{"list_price": 100, "offers": [1], "policy_version": 9}`, "404 policy_not_found", ""},
		{simulate + `{"list_price": 100, "offers": [1], "policy": {"round_cap": 0}}`, "422 validation_error", ""},
		{simulate + `{"product_id": "prod_unknown", "offers": [1]}`, "404 product_not_found", ""},
		{simulate + `{"product_id": "$product", "list_price": 5, "offers": [1]}`, "422 validation_error", ""},
	})

	a.asMerchant(simulate + `{"cost": -1, "stock": -1, "quantity": 1001, "offers": [50, 0, -3]}`)
	a.refusedNaming("422 validation_error", "list_price", "cost", "stock", "quantity", "offers.1", "offers.2")
}
