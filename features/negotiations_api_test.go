package features

import "testing"

// opensNegotiatingShop opens a shop whose only buyer agreed on a tent.
func (a *apiTest) opensNegotiatingShop(quantity int) {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		},
		product{
			name:  "Camp Stove",
			price: "40.00",
			stock: "50",
		},
	)
	a.must(a.checkouts.arrivesAndAgrees(quantity, "Trail Tent", "95.00"))
}

func TestGetNegotiation_deal(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensNegotiatingShop(2)
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysSuccessfully())
		a.asMerchant("GET /v1/orders")
		a.must(a.platforms.namesAnswerField("data.0.negotiation_id", "negotiation"))
		a.asMerchant("GET /v1/negotiations/$negotiation")
		a.answers(200)
		a.shows(
			"id", `"$negotiation"`,
			"state", `"deal"`,
			"protocol", `"haggle"`,
			"agent", "absent",
			"session_id", "absent",
			"items.0.product_name", `"Trail Tent"`,
			"items.0.variant_name", `""`,
			"items.0.quantity", "2",
			"items.0.state", `"deal"`,
			"items.0.deal_price", "95.00",
			"items.0.off_list_percent", "5",
			"items.0.list_price", "100.00",
			"items.0.currency", `"USD"`,
			"steps.0.seq", "1",
			"steps.0.product_name", `"Trail Tent"`,
			"steps.0.decision.rule", "matches ^[a-z_]+$",
			"steps.0.decision.session_id", "absent",
			"orders.0.id", "matches ^ord_",
			"orders.0.confirmation_number", "matches ^HG-",
			"orders.1", "absent",
		)
	})
}

func TestGetNegotiation_open(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensNegotiatingShop(1)
		a.must(a.checkouts.arrivesFor(1, "Trail Tent", ""))
		a.must(a.haggling.offers("70.00"))
		a.asMerchant("GET /v1/negotiations")
		a.must(a.platforms.namesAnswerField("data.0.id", "negotiation"))
		a.asMerchant("GET /v1/negotiations/$negotiation")
		a.shows(
			"state", `"open"`,
			"items.0.state", `"open"`,
			"items.0.last_offer", "70.00",
			"items.0.deal_price", "null",
			"items.0.off_list_percent", "null",
			"orders", "[]",
		)
	})
}

func TestExplainNegotiation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensHaggledShop(a)
		a.asMerchant("GET /v1/negotiations")
		a.must(a.platforms.namesAnswerField("data.0.id", "negotiation"))
		a.asMerchant("GET /v1/negotiations/$negotiation/explanations")
		a.answers(200)
		a.shows(
			"data.*.seq", "[1, 2, 3]",
			"data.*.rule", `["below_floor", "below_floor", "at_ask"]`,
			"data.0.decision_id", "matches ^dec_",
			"data.0.explanation", `matches ^The list price was 100.00 USD for one piece and the stock 20. The floor was 80.00 USD .* Rule below_floor: .* and the price came down 16.75 USD to 83.25 USD\.`,
			"data.2.explanation", "matches Rule at_ask: .* the offer was accepted at 82.00 USD",
			"data.0.inputs.0", `{"name": "list_price", "value": "100.00 USD"}`,
			"data.2.others.*.policy", `["keep_margin", "balanced", "clear_stock", "in_force"]`,
			"data.2.others.0", `{"policy": "keep_margin", "policy_version": null, "response": "reject", "price": 92.80, "rule": "below_floor"}`,
			"data.2.others.3", `{"policy": "in_force", "policy_version": 1, "response": "accept", "price": 82, "rule": "at_ask"}`,
		)

		// another policy in force
		a.asMerchant("PATCH /v1/agents/$active", `{"policy": {"max_discount_percent": 40}}`)
		a.answers(200)
		a.asMerchant("GET /v1/negotiations/$negotiation/explanations")
		a.shows(
			"data.2.rule", `"at_ask"`,
			"data.2.others.3.policy_version", "2",
		)
	})
}

func TestExplainNegotiation_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/negotiations/neg_00000000000000000000000000/explanations", "404 negotiation_not_found", ""},
	})
}

func TestGetNegotiation_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/negotiations/neg_00000000000000000000000000", "404 negotiation_not_found", ""},
		{"GET /v1/negotiations/sess_x", "404 negotiation_not_found", ""},
		{"GET /v1/negotiations?after=x", "422 validation_error", "after"},
		{"GET /v1/negotiations?state=won", "400 invalid_request", "state"},
		{"GET /v1/negotiations?limit=101", "400 invalid_request", "limit"},
	})
}

func TestListNegotiations_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensNegotiatingShop(1)
		a.must(a.checkouts.arrivesFor(2, "Camp Stove", ""))
		a.must(a.haggling.offers("1.00"))
		a.asMerchant("GET /v1/negotiations?limit=1")
		a.answers(200)
		a.shows(
			"data.0.id", "matches ^neg_",
			"data.0.product_name", `"Camp Stove"`,
			"data.0.quantity", "2",
			"data.0.state", `"open"`,
			"data.0.last_offer", "1.00",
			"data.0.list_price", "40.00",
			"data.0.protocol", `"haggle"`,
			"data.0.session_id", "absent",
			"data.1", "absent",
			"meta.limit", "1",
		)
		a.must(a.platforms.namesAnswerField("meta.next", "next"))
		a.asMerchant("GET /v1/negotiations?limit=1&after=$next")
		a.shows(
			"data.0.product_name", `"Trail Tent"`,
			"data.0.state", `"deal"`,
			"data.0.off_list_percent", "5",
			"meta.next", "null",
		)
	})
}

func TestListNegotiations_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensNegotiatingShop(1)
		a.asMerchant("GET /v1/negotiations")
		a.must(a.platforms.namesAnswerField("data.0.id", "negotiation"))
		a.must(a.checkouts.arrivesFor(1, "Camp Stove", ""))
		a.must(a.haggling.offers("1.00"))
		for _, row := range [][2]string{
			{"state=deal", `"Trail Tent"`},
			{"state=open", `"Camp Stove"`},
			{"state=left", "absent"},
			{"protocol=ucp", "absent"},
			{"state=deal&protocol=haggle", `"Trail Tent"`},
			{"to=2026-01-01", "absent"},
			{"product_id=prod_x", "absent"},
			{"ids=$negotiation", `"Trail Tent"`},
			{"ids=$negotiation,neg_none", `"Trail Tent"`},
			{"ids=neg_none", "absent"},
			{"ids=$negotiation&state=open", "absent"},
		} {
			a.asMerchant("GET /v1/negotiations?" + row[0])
			a.shows("data.0.product_name", row[1], "data.1", "absent")
		}
	})
}

func TestListNegotiations_scopes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensNegotiatingShop(1)
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysSuccessfully())
		a.must(a.keys.hasKey("Support", `{"scopes": ["finance:read"], "project_ids": ["$shop"]}`))
		a.must(a.keys.hasKey("Analyst", `{"scopes": ["agents:read"], "project_ids": ["$shop"]}`))
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["catalog:write", "projects:write"], "project_ids": ["$shop"]}`))

		a.asHolder("Support", "GET /v1/negotiations")
		a.answers(200)
		a.shows("data.0.shop_price", "95.00", "data.0.floor", "absent")
		a.must(a.platforms.namesAnswerField("data.0.id", "negotiation"))
		a.asHolder("Support", "GET /v1/negotiations/$negotiation")
		a.answers(200)
		a.shows(
			"items.0.floor", "absent",
			"steps.0.decision", "absent",
			"orders.0.id", "matches ^ord_",
		)

		a.asHolder("Analyst", "GET /v1/negotiations")
		a.answers(200)
		a.asHolder("Analyst", "GET /v1/negotiations/$negotiation")
		a.answers(200)
		a.shows(
			"items.0.floor", "80.00",
			"steps.0.decision.bounds.floor", "80.00",
			"orders", "absent",
		)

		for _, path := range []string{"/v1/negotiations", "/v1/negotiations/neg_00000000000000000000000000"} {
			a.asHolder("Clerk", "GET "+path)
			a.refused("403 insufficient_scope")
		}
	})
}
