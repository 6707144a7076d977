package features

import "testing"

func TestListAgents_newShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("GET /v1/agents")
		a.shows(
			"meta.total", `1`,
			"data.0.id", `matches ^agent_`,
			"data.0.status", `"active"`,
			"data.0.handlers.search", `{"type": "builtin", "program": "haggle"}`,
			"data.0.handlers.finalize", `{"type": "builtin", "program": "haggle"}`,
			"data.0.policy_version", `1`,
			"data.0.policy.enabled", `true`,
			"data.0.policy.round_cap", `6`,
			"data.0.policy.min_margin_percent", `10`,
			"data.0.model.wording", `false`,
			"data.0.model.provider", `null`,
			"data.0.model.temperature", `null`,
			"data.0.tuning.automatic", `false`,
			"data.0.tuning.baseline_version", `null`,
			"data.0.secret", `absent`,
		)
	})
}

func TestCreateAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("POST /v1/agents", `{"name": "Ann"}`)
		a.answers(201)
		a.shows(
			"status", `"draft"`,
			"policy_version", `1`,
			"secret", `matches ^whsec_[A-Za-z0-9+/=]{32,}$`,
		)
		a.must(a.agents.agentReadsTheSame())

		a.asMerchant("POST /v1/agents", `{"name": "Ann",
			"handlers": {"quote": {"type": "remote", "url": "https://example.com/quote"}},
			"policy": {"max_discount_percent": 12.5, "curve": {"give_percent": [20, 60.5, 100]},
				"segments": [{"name": "Tents", "category": "outdoor/tents", "cost_to_percent": 40, "price_min": 10.50, "curve": {"take_percent": [50]}}],
				"leanings": {"tiers": {"platinum": 40}, "volume": [{"from": 3, "lean_percent": 7.5}]},
				"bundles": {"enabled": false}},
			"model": {"provider": "openai", "name": "small", "max_tokens": 200, "temperature": 0.25, "wording": true}}`)
		a.answers(201)
		a.shows(
			"handlers.quote", `{"type": "remote", "url": "https://example.com/quote"}`,
			"handlers.search.type", `"builtin"`,
			"policy.max_discount_percent", `12.5`,
			"policy.curve.reach_percent", `107.5`,
			"policy.curve.give_percent", `[20, 60.5, 100]`,
			"policy.segments.0.name", `"Tents"`,
			"policy.segments.0.price_min", `10.50`,
			"policy.segments.0.cost_to_percent", `40`,
			"policy.segments.0.curve.give_percent", `[20, 60.5, 100]`,
			"policy.segments.0.curve.take_percent", `[50]`,
			"policy.leanings.tiers", `{"bronze": 5, "silver": 10, "gold": 15, "platinum": 40}`,
			"policy.leanings.volume", `[{"from": 3, "lean_percent": 7.5}]`,
			"policy.bundles.enabled", `false`,
			"policy.probing", `{"session": 40, "client": 0, "product": 20}`,
			"model.temperature", `0.25`,
			"model.max_tokens", `200`,
			"model.wording", `true`,
			"model.strategy", `false`,
		)
		a.must(a.agents.agentReadsTheSame())
	})
}

func TestCreateAgent_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/agents", "422 validation_error", [][2]string{
		{`{}`, "name"},
		{`{"name": ""}`, "name"},
		{`{"name": null}`, "name"},
		{`{"name": "a\u0000b"}`, "name"},
		{`{"name": "Ann", "handlers": {"quote": {"type": "lambda"}}}`, "handlers.quote.type"},
		{`{"name": "Ann", "handlers": {"search": {"type": "builtin", "program": "mine"}}}`, "handlers.search.program"},
		{`{"name": "Ann", "handlers": {"checkout": {"type": "remote"}}}`, "handlers.checkout.url"},
		{`{"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "http://example.com/q"}}}`, "handlers.quote.url"},
		{`{"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://10.0.0.1/q"}}}`, "handlers.quote.url"},
		{`{"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://127.0.0.1/q"}}}`, "handlers.quote.url"},
		{`{"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://169.254.169.254/latest"}}}`, "handlers.quote.url"},
		{`{"name": "Ann", "handlers": {"finalize": {"type": "remote", "url": "https://ada:pw@example.com"}}}`, "handlers.finalize.url"},
		{`{"name": "Ann", "policy": {"max_discount_percent": 91}}`, "policy.max_discount_percent"},
		{`{"name": "Ann", "policy": {"max_discount_percent": 12.55}}`, "policy.max_discount_percent"},
		{`{"name": "Ann", "policy": {"round_cap": 0}}`, "policy.round_cap"},
		{`{"name": "Ann", "policy": {"curve": {"give_percent": []}}}`, "policy.curve.give_percent"},
		{`{"name": "Ann", "policy": {"curve": {"give_percent": [50, 40]}}}`, "policy.curve.give_percent.1"},
		{`{"name": "Ann", "policy": {"curve": {"take_percent": [1, 2, 3, 4, 5, 6, 7, 8, 9]}}}`, "policy.curve.take_percent"},
		{`{"name": "Ann", "policy": {"curve": {"take_percent": [10, 20.05]}}}`, "policy.curve.take_percent.1"},
		{`{"name": "Ann", "policy": {"segments": [{"name": ""}]}}`, "policy.segments.0.name"},
		{`{"name": "Ann", "policy": {"segments": [{"name": "a\u0000b"}]}}`, "policy.segments.0.name"},
		{`{"name": "Ann", "policy": {"segments": [{"name": "a", "price_min": 1.999}]}}`, "policy.segments.0.price_min"},
		{`{"name": "Ann", "policy": {"segments": [{"name": "a", "price_min": 9, "price_max": 8}]}}`, "policy.segments.0.price_max"},
		{`{"name": "Ann", "policy": {"leanings": {"volume": [{"from": 5, "lean_percent": 101}]}}}`, "policy.leanings.volume.0.lean_percent"},
		{`{"name": "Ann", "policy": {"bundles": {"share_percent": -1}}}`, "policy.bundles.share_percent"},
		{`{"name": "Ann", "policy": {"discount": 5}}`, "policy.discount"},
		{`{"name": "Ann", "model": {"temperature": 2.1}}`, "model.temperature"},
		{`{"name": "Ann", "model": {"temperature": 0.0001}}`, "model.temperature"},
		{`{"name": "Ann", "model": {"max_tokens": 0}}`, "model.max_tokens"},
		{`{"name": "Ann", "tuning": {"holdout_percent": 51}}`, "tuning.holdout_percent"},
		{`{"name": "Ann", "status": "active"}`, "status"},
	})
	a.must(a.agents.activeAgentIs("Negotiator"))
	a.shows("meta.total", `1`)

	a.asMerchant("POST /v1/agents", `{"handlers": {"quote": {"type": "remote", "url": "https://10.0.0.1"}},
		"policy": {"depth_percent": 101, "round_cap": 21}, "model": {"max_tokens": -1}}`)
	a.refusedNaming("422 validation_error", "name", "handlers.quote.url", "policy.depth_percent", "policy.round_cap", "model.max_tokens")
}

// annAgent has values other than the defaults, so that a change shows what it leaves alone.
const annAgent = `{"name": "Ann", "policy": {"max_discount_percent": 15, "curve": {"reach_percent": 120}}, "model": {"temperature": 1, "wording": true}}`

func TestUpdateAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, row := range []struct{ change, version, path, value string }{
			{`{}`, `1`, "name", `"Ann"`},
			{`{"name": "Bob"}`, `1`, "name", `"Bob"`},
			{`{"handlers": {"search": {"type": "remote", "url": "https://example.com"}}}`, `1`, "handlers.search.url", `"https://example.com"`},
			{`{"handlers": null}`, `1`, "handlers.search", `{"type": "builtin", "program": "haggle"}`},
			{`{"model": {"temperature": null}}`, `1`, "model.temperature", `null`},
			{`{"model": {"temperature": null}}`, `1`, "model.wording", `true`},
			{`{"model": null}`, `1`, "model.wording", `false`},
			{
				`{"model": {"templates": [{"id": "warm", "answer": "counter_offer", "message": "{product}: {price}?"}]}}`, `1`,
				"model.templates", `[{"id": "warm", "answer": "counter_offer", "message": "{product}: {price}?"}]`,
			},
			{`{"model": {"templates": null}}`, `1`, "model.templates", `[]`},
			{`{"policy": {"round_cap": 4}}`, `2`, "policy.round_cap", `4`},
			{`{"policy": {"round_cap": 4}}`, `2`, "policy.max_discount_percent", `15`},
			{`{"policy": {"max_discount_percent": null}}`, `2`, "policy.max_discount_percent", `90`},
			{`{"policy": {"curve": {"markup_percent": 115}}}`, `2`, "policy.curve.reach_percent", `120`},
			{`{"policy": {"curve": null}}`, `2`, "policy.curve.reach_percent", `107.5`},
			{`{"policy": null}`, `2`, "policy.max_discount_percent", `90`},
			{`{"policy": {"leanings": {"purchases": null, "cart_times": 3}}}`, `2`, "policy.leanings.cart_times", `3`},
			{`{"tuning": {"automatic": true, "holdout_percent": 10}}`, `1`, "tuning.baseline_version", `1`},
		} {
			a.must(a.agents.createsAgent(annAgent))
			a.asMerchant("PATCH /v1/agents/$agent", row.change)
			a.answers(200)
			a.shows(
				"id", `"$agent"`,
				"policy_version", row.version,
				row.path, row.value,
			)
			a.must(a.agents.agentReadsTheSame())
		}
	})
}

func TestUpdateAgent_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.must(a.agents.createsAgent(annAgent))
	a.bodiesAreRefused("PATCH /v1/agents/$agent", "422 validation_error", [][2]string{
		{`{"name": null}`, "name"},
		{`{"handlers": {"quote": {"type": "remote", "url": "https://192.168.0.1/"}}}`, "handlers.quote.url"},
		{`{"name": "Bob", "policy": {"round_cap": 99}}`, "policy.round_cap"},
		{`{"policy": {"anchor_percent": 1.23}}`, "policy.anchor_percent"},
		{`{"model": {"max_tokens": 2000000}}`, "model.max_tokens"},
		{`{"model": {"templates": [{"id": "a", "answer": "quote", "message": "Yes."}]}}`, "model.templates.0.answer"},
		{`{"model": {"templates": [{"id": "A b", "answer": "accept", "message": "Yes."}]}}`, "model.templates.0.id"},
		{
			`{"model": {"templates": [{"id": "a", "answer": "accept", "message": "Yes."}, {"id": "a", "answer": "reject", "message": "No."}]}}`,
			"model.templates.1.id",
		},
		{`{"model": {"templates": [{"id": "a", "answer": "accept"}]}}`, "model.templates.0.message"},
		{`{"model": {"templates": [{"id": "a", "answer": "accept", "message": "Yours at 95 USD."}]}}`, "model.templates.0.message"},
		{`{"model": {"templates": [{"id": "a", "answer": "accept", "reasoning": "{floor}"}]}}`, "model.templates.0.reasoning"},
		{`{"model": {"templates": [{"id": "a", "answer": "accept", "reasoning": "{hint}"}]}}`, "model.templates.0.reasoning"},
		{`{"id": "agent_mine"}`, "id"},
	})
	a.asMerchant("GET /v1/agents/$agent")
	a.shows("name", `"Ann"`, "policy_version", `1`)
}

func TestRotateAgentSecret(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.agents.createsAgent(annAgent))
		a.asMerchant("POST /v1/agents/$agent/rotate-secret")
		a.answers(200)
		a.shows("id", `"$agent"`, "secret", `matches ^whsec_[A-Za-z0-9+/=]{32,}$`)
	})
}

func TestActivateAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.agents.remembersActiveAgent())
		a.must(a.agents.createsAgent(`{"name": "Ann"}`))
		for range 2 { // the second time changes nothing
			a.asMerchant("POST /v1/agents/$agent/activate")
			a.answers(200)
			a.shows("status", `"active"`)
			a.must(a.agents.activeAgentIs("Ann"))
		}

		a.asMerchant("DELETE /v1/agents/$active")
		a.answers(204)
		a.asMerchant("GET /v1/agents/$active")
		a.refused("404 agent_not_found")
	})
}

func TestDeleteAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.agents.remembersActiveAgent())
		a.must(a.agents.createsAgent(`{"name": "Ann"}`))

		a.asMerchant("DELETE /v1/agents/$active")
		a.refused("409 agent_active")
		a.must(a.agents.activeAgentIs("Negotiator"))

		a.asMerchant("DELETE /v1/agents/$agent")
		a.answers(204)
		a.asMerchant("DELETE /v1/agents/$agent")
		a.refused("404 agent_not_found")
		a.asMerchant("GET /v1/agents/$agent/policies")
		a.refused("404 agent_not_found")
	})
}

func TestGetAgent_otherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.agents.remembersActiveAgent())
		a.must(a.shops.openOtherShops(1))
		for _, request := range []string{
			`GET /v1/agents/$active`,
			`PATCH /v1/agents/$active {"name": "Taken over"}`,
			`DELETE /v1/agents/$active`,
			`POST /v1/agents/$active/activate`,
			`POST /v1/agents/$active/rotate-secret`,
			`GET /v1/agents/$active/policies`,
			`POST /v1/agents/$active/policies {"policy": {}}`,
			`GET /v1/agents/$active/policies/1`,
			`POST /v1/agents/$active/policies/1/activate`,
			`POST /v1/agents/$active/policies/dry-run {"policy": {}}`,
			`GET /v1/agents/$active/decisions`,
			`GET /v1/agents/$active/decisions/verify`,
			`POST /v1/agents/$active/simulate {"list_price": 9, "offers": [1]}`,
			`POST /v1/agents/$active/replay {}`,
			`GET /v1/agents/agent_unknown`,
		} {
			a.with("X-Project-Id", a.otherShops[0].ID).asMerchant(request)
			a.refused("404 agent_not_found")
		}
	})
}

func TestCreateAgent_scopes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.agents.remembersActiveAgent())
		const refused = "403 insufficient_scope"

		a.must(a.keys.hasKey("Reader", `{"scopes": ["agents:read", "projects:write"], "project_ids": ["$shop"]}`))
		a.eachIsRefused(`holder of "Reader"`, []rejection{
			{`POST /v1/agents {"name": "Ann"}`, refused, ""},
			{`PATCH /v1/agents/$active {"name": "Taken over"}`, refused, ""},
			{`DELETE /v1/agents/$active`, refused, ""},
			{`POST /v1/agents/$active/activate`, refused, ""},
			{`POST /v1/agents/$active/rotate-secret`, refused, ""},
			{`POST /v1/agents/$active/policies {"policy": {}}`, refused, ""},
			{`POST /v1/agents/$active/policies/1/activate`, refused, ""},
		})

		a.must(a.keys.hasKey("Clerk", `{"scopes": ["catalog:write", "analytics:read"], "project_ids": ["$shop"]}`))
		a.eachIsRefused(`holder of "Clerk"`, []rejection{
			{`GET /v1/agents`, refused, ""},
			{`GET /v1/agents/$active/decisions`, refused, ""},
			{`POST /v1/agents/$active/simulate {"list_price": 9, "offers": [1]}`, refused, ""},
			{`POST /v1/agents/$active/replay {}`, refused, ""},
			{`POST /v1/agents/$active/policies/dry-run {"policy": {}}`, refused, ""},
		})
	})
}

// requestTwice is a request that is sent twice under one idempotency key, and the status of both answers.
type requestTwice struct {
	request string
	status  int
}

// replays sends the request twice under a key and checks that the second answer is a replay of the first.
func (r requestTwice) replays(a *apiTest, key string) {
	a.Helper()
	for range 2 {
		a.with(idempotencyHeader, key).asMerchant(r.request)
		a.answers(r.status)
	}
	a.must(a.idempotency.isReplay())
}

func TestCreateAgent_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		for _, row := range []requestTwice{
			{`POST /v1/agents {"name": "Bob"}`, 201},
			{`PATCH /v1/agents/$agent {"policy": {"round_cap": 3}}`, 200},
			{`POST /v1/agents/$agent/activate`, 200},
			{`POST /v1/agents/$agent/rotate-secret`, 200},
			{`POST /v1/agents/$agent/policies {"policy": {"round_cap": 3}}`, 201},
			{`DELETE /v1/agents/$agent`, 204},
			{`POST /v1/agents/$agent/simulate {"list_price": 9, "offers": [1]}`, 200},
			{`POST /v1/agents/$agent/replay {}`, 200},
		} {
			a.opensShop()
			a.must(a.agents.createsAgent(`{"name": "Ann"}`))
			row.replays(a, "a")
		}
	})
}

func TestListAuditEvents_agents(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.agents.createsAgent(`{"name": "Ann"}`))
		a.asMerchant("PATCH /v1/agents/$agent", `{"policy": {"round_cap": 3}}`)
		a.asMerchant("POST /v1/agents/$agent/simulate", `{"list_price": 9, "offers": [1]}`)
		a.asMerchant("POST /v1/agents/$agent/activate")
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.action", `"activate-agent"`,
			"data.0.target", `"$agent"`,
			"data.0.after.status", `"active"`,
			"data.1.action", `"update-agent"`,
			"data.1.before.policy.round_cap", `6`,
			"data.1.after.policy.round_cap", `3`,
			"data.1.after.policy_version", `2`,
			"data.2.action", `"create-agent"`,
			"data.2.after.name", `"Ann"`,
			"data.2.after.secret", `absent`,
		)
	})
}
