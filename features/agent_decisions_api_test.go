package features

import "testing"

// opensHaggledShop opens a shop whose agent, "active", has decided about a buyer's offers of 75, 79 and 82.
func opensHaggledShop(a *apiTest) {
	a.Helper()
	opensShopWithActiveAgent(a)
	a.must(a.buyers.arrivesLookingAt("Trail Tent"))
	for _, price := range []string{"75", "79", "82"} {
		a.must(a.haggling.offers(price))
	}
}

func TestListAgentDecisions(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensHaggledShop(a)
		a.asMerchant("GET /v1/agents/$active/decisions")
		a.shows(
			"meta.total", `3`,
			"data.*.answer.response", `["accept", "reject", "reject"]`,
			"data.*.answer.price", `[82, 83.25, 83.25]`,
			"data.*.offer", `[82, 79, 75]`,
			"data.*.rule", `["at_ask", "below_floor", "below_floor"]`,
			"data.0.policy_version", `1`,
			"data.0.handler", `"builtin:haggle"`,
			"data.0.fallback", `null`,
			"data.0.bounds.floor", `80`,
			"data.0.progress.moves", `2`,
			"data.0.progress.best_offer", `79`,
			"data.2.progress.counter", `null`,
			"data.0.inputs.list_price", `100`,
			"data.0.inputs.stock", `20`,
			"data.0.session_id", `"$session"`,
			"data.0.negotiation_id", `matches ^neg_`,
		)

		for _, row := range []struct{ query, total string }{
			{"response=reject", `2`},
			{"rule=at_ask", `1`},
			{"rule=concession", `0`},
			{"session_id=$session", `3`},
			{"quote_id=$quote&response=accept", `1`},
			{"order_id=ord_unknown", `0`},
			{"product_id=$product", `3`},
			{"session_id=sess_unknown", `0`},
			{"product_id=prod_unknown", `0`},
			{"from=2020-01-01T00:00:00Z", `3`},
			{"to=2020-01-01T00:00:00Z", `0`},
			{"from=2020-01-01", `3`},
			{"to=2020-01-01", `0`},
		} {
			a.asMerchant("GET /v1/agents/$active/decisions?" + row.query)
			a.shows("meta.total", row.total)
		}

		a.merchantIsRefused([]rejection{
			{"GET /v1/agents/$active/decisions?response=maybe", "400 invalid_request", ""},
			{"GET /v1/agents/$active/decisions?rule=whim", "400 invalid_request", ""},
			{"GET /v1/agents/$active/decisions?limit=101", "400 invalid_request", ""},
			{"GET /v1/agents/$active/decisions?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "422 validation_error", ""},
		})
	})
}

func TestVerifyAgentDecisions(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensHaggledShop(a)
		a.must(a.agents.waitsForSeal())
		a.asMerchant("GET /v1/agents/$active/decisions/verify")
		a.shows(
			"verified", `true`,
			"decisions", `3`,
			"checkpoint", `null`,
			"head.position", `3`,
			"head.hash", `matches ^[0-9a-f]{64}$`,
			"broken_at", `null`,
			"next", `null`,
		)
		a.asMerchant("GET /v1/agents/$active/decisions/verify?from=3")
		a.shows("verified", `true`, "decisions", `1`)
		a.asMerchant("GET /v1/agents/$active/decisions/verify?from=9")
		a.shows("verified", `true`, "decisions", `0`)

		a.asMerchant("GET /v1/agents/$active/decisions")
		a.shows(
			"data.*.chain.position", `[3, 2, 1]`,
			"data.0.chain.hash", `matches ^[0-9a-f]{64}$`,
			"data.2.chain.prior", `null`,
		)
	})
}

func TestReplayAgent(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensHaggledShop(a)

		// under the policy that decided
		a.asMerchant("POST /v1/agents/$active/replay", `{}`)
		a.answers(200)
		a.shows(
			"policy_version", `1`,
			"negotiations", `1`,
			"decisions", `3`,
			"identical", `3`,
			"changed", `0`,
			"deals.before", `1`,
			"deals.bought", `0`,
			"deals.after_certain", `1`,
			"deals.after_possible", `1`,
			"before.revenue", `82`,
			"after.revenue", `82`,
			"before.average_discount_percent", `18`,
			"examples", `[]`,
			"per_month", `null`, // of less than a day
		)

		// under a policy that is not stored
		a.asMerchant("POST /v1/agents/$active/replay", `{"policy": {"max_discount_percent": 10}}`)
		a.shows(
			"after.revenue", `0`,
			"after_possible.revenue", `94`,
			"after_possible.average_discount_percent", `6`,
		)

		// under a stored version that is not in force
		a.asMerchant("POST /v1/agents/$active/policies", `{"policy": {"max_discount_percent": 10}}`)
		a.asMerchant("POST /v1/agents/$active/replay", `{"policy_version": 2}`)
		a.shows(
			"policy_version", `2`,
			"identical", `0`,
			"changed", `3`,
			"deals.before", `1`,
			"deals.after_certain", `0`,
			"deals.after_possible", `1`,
			"before.revenue", `82`,
			"after.revenue", `0`,
			"examples.#", `1`,
			"examples.0.before", `{"response": "reject", "price": 83.25}`,
			"examples.0.after", `{"response": "reject", "price": 94.85}`,
			"examples.0.offer", `75`,
		)

		// under the policy of a draft
		a.must(a.agents.createsAgent(`{"name": "Ann", "policy": {"max_discount_percent": 10}}`))
		a.asMerchant("POST /v1/agents/$agent/replay", `{}`)
		a.shows(
			"policy_version", `1`,
			"negotiations", `1`,
			"identical", `0`,
		)
	})
}

func TestReplayAgent_selection(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensHaggledShop(a)
		a.asMerchant("GET /v1/negotiations")
		a.must(a.platforms.namesAnswerField("data.0.id", "negotiation"))
		for _, row := range []struct{ body, negotiations string }{
			{`{"from": "2020-01-01T00:00:00Z", "limit": 10000}`, `1`},
			{`{"to": "2020-01-01T00:00:00Z"}`, `0`},
			{`{"from": "2020-01-01"}`, `1`},
			{`{"to": "2020-01-01"}`, `0`},
			{`{"negotiation_ids": ["$negotiation", "neg_00000000000000000000000000"]}`, `1`},
			{`{"negotiation_ids": ["neg_00000000000000000000000000"]}`, `0`},
		} {
			a.asMerchant("POST /v1/agents/$active/replay", row.body)
			a.shows("negotiations", row.negotiations)
		}

		a.asMerchant("POST /v1/agents/$active/replay", `{"negotiation_ids": ["$negotiation", "$session"]}`)
		a.refused("422 validation_error")
		a.shows("error.details.0.field", `"negotiation_ids.1"`)
	})
}

func TestReplayAgent_refusals(t *testing.T) {
	a := newAPITest(t)
	opensHaggledShop(a)
	const replay = "POST /v1/agents/$active/replay "
	a.merchantIsRefused([]rejection{
		{replay + `{"limit": 0}`, "422 validation_error", ""},
		{replay + `{"limit": 10001}`, "422 validation_error", ""},
		{replay + `{"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}`, "422 validation_error", ""},
		{replay + `{"policy_version": 7}`, "404 policy_not_found", ""},
		{replay + `{"policy": {"depth_percent": 300}}`, "422 validation_error", ""},
		{replay + `{"policy": {}, "policy_version": 1}`, "422 validation_error", ""},
	})
}
