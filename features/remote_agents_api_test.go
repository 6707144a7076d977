package features

import "testing"

func TestACPSearch_handlerReasons(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.useServer(a.server.loopback)
		a.opensShopSelling(
			product{
				name:  "Trail Tent",
				price: "1000.00",
				stock: "40",
				cost:  "770.05",
			},
			product{
				name:  "Camp Tent",
				price: "300.00",
				stock: "20",
			},
		)
		a.must(a.remoteAgents.hasHandler("searches", "honest"))
		a.remoteAgents.handler.setAnswer("acp.search", a.expand(
			`{"results": [{"product_id": "${Camp Tent}", "score": 0.5, "reasons": ["Our favourite"]}, {"product_id": "${Trail Tent}"}]}`))
		a.must(a.discovery.searches("tent", ""))
		a.shows(
			"results.*.name", `["Camp Tent", "Trail Tent"]`,
			"results.0.semantic_match.score", `0.5`,
			"results.0.semantic_match.reasons", `["Our favourite"]`,
		)
	})
}
