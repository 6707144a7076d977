package features

import "testing"

func TestTuneAgent_refusals(t *testing.T) {
	a := newAPITest(t)
	opensShopWithActiveAgent(a)
	a.merchantIsRefused([]rejection{
		{`POST /v1/agents/$active/tune {"limit": 199}`, "422 validation_error", ""},
		{`POST /v1/agents/$active/tune {"limit": 5001}`, "422 validation_error", ""},
		{`POST /v1/agents/$active/tune {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}`, "422 validation_error", ""},
		{`POST /v1/agents/agent_unknown/tune {}`, "404 agent_not_found", ""},
	})
}

func TestGetAgentHoldout_noHoldout(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		opensShopWithActiveAgent(a)
		a.asMerchant("GET /v1/agents/$active/holdout")
		a.refused("409 no_holdout")
		a.asMerchant("GET /v1/agents/agent_unknown/holdout")
		a.refused("404 agent_not_found")

		a.must(a.agents.setsHoldout(50)) // there is no session yet
		a.asMerchant("GET /v1/agents/$active/holdout")
		a.refused("409 no_holdout")
	})
}
