package features

import "testing"

// eachNegotiationProtocol runs a test of an agent that negotiates over UCP and over MCP, on both engines.
func eachNegotiationProtocol(t *testing.T, test func(a *apiTest, agent *protocolAgent)) {
	t.Helper()
	onEngines(t, func(a *apiTest) {
		for _, protocol := range []string{"UCP", "MCP"} {
			a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
			test(a, &protocolAgent{scenario: a.scenario, protocol: protocol})
		}
	})
}

// A negotiation shows the item, the rounds, the standing price, and what the buyer may do.
func TestUCPNegotiation_questionToDeal(t *testing.T) {
	eachNegotiationProtocol(t, func(a *apiTest, agent *protocolAgent) {
		a.must(agent.asksPrice(2, "Trail Tent"))
		a.must(agent.shows(
			"ucp.status", `"success"`,
			"status", `"open"`,
			"id", "matches ^quote_",
			"cart_id", "matches ^sess_",
			"item.title", `"Trail Tent"`,
			"item.list_price.amount", "10000",
			"quantity", "2",
			"lines.0.quantity", "2",
			"rounds.used", "0",
			"standing_price.currency", `"USD"`,
			"deal", "null",
			"buyer_actions", `["make_offer", "accept_offer", "decline_offer"]`,
		))

		a.must(agent.offers("1.00", "USD"))
		a.must(agent.shows(
			"status", `"rejected"`,
			"messages.0.code", `"reject"`,
			"messages.0.type", `"info"`,
			"hint.currency", `"USD"`,
		))

		a.must(agent.accepts("1.00", "USD"))
		a.must(agent.shows(
			"status", `"rejected"`,
			"messages.0.code", `"price_changed"`,
			"messages.0.severity", `"recoverable"`,
			"rounds.used", "1",
		))

		a.must(agent.acceptsCurrentPrice())
		a.must(agent.shows(
			"status", `"accepted"`,
			"deal.code", "matches ^ct_",
			"deal.quantity", "2",
			"buyer_actions", `["create_checkout"]`,
		))

		// The code is shown once.
		a.must(agent.readsNegotiation())
		a.must(agent.shows("status", `"accepted"`, "deal", "null"))

		a.must(agent.offers("99.00", "USD"))
		a.must(agent.shows("status", `"accepted"`, "messages.0.code", `"quote_accepted"`))
	})
}

// Unknown items and negotiations are errors in the body of an answer.
func TestUCPNegotiation_unknown(t *testing.T) {
	eachNegotiationProtocol(t, func(a *apiTest, agent *protocolAgent) {
		a.must(agent.start("nothing", 1))
		a.must(agent.shows("ucp.status", `"error"`, "messages.0.code", `"item_unavailable"`))

		a.must(agent.readsNegotiationOf("quote_unknown"))
		a.must(agent.shows("ucp.status", `"error"`, "messages.0.code", `"not_found"`))
	})
}

// An offer in another currency is refused, naming the field.
func TestUCPNegotiation_otherCurrency(t *testing.T) {
	eachNegotiationProtocol(t, func(a *apiTest, agent *protocolAgent) {
		a.must(agent.asksPrice(1, "Trail Tent"))
		a.must(agent.offers("90.00", "EUR"))
		a.must(agent.shows(
			"status", `"open"`,
			"messages.0.code", `"invalid_input"`,
			"messages.0.content", "matches ^offer.currency",
			"messages.0.severity", `"recoverable"`,
		))
	})
}

// A buyer declines once, with a reason. Then only a new negotiation is possible.
func TestUCPNegotiation_decline(t *testing.T) {
	eachNegotiationProtocol(t, func(a *apiTest, agent *protocolAgent) {
		a.must(agent.asksPrice(1, "Trail Tent"))
		a.must(agent.givesUp("shipping_cost"))
		a.must(agent.shows(
			"status", `"declined"`,
			"standing_price", "null",
			"buyer_actions", `["start_negotiation"]`,
		))

		a.must(agent.givesUp("comparison"))
		a.must(agent.shows("status", `"declined"`))

		a.must(agent.offers("99.00", "USD"))
		a.must(agent.shows("status", `"declined"`, "messages.0.code", `"quote_closed"`))
	})
}
