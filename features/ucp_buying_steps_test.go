package features

// ucpRuleSteps are about agents that buy over UCP or MCP.
func ucpRuleSteps(sc stepRegistry, s *scenario) {
	a := s.ucp.protocolAgent()
	sc.Step(`^the agent searches for "([^"]*)"$`, a.searches)
	sc.When(`^the agent searches for products up to (\S+) USD$`, a.searchesUpTo)
	sc.Then(`^the agent finds the "([^"]*)" at (\S+) USD, (available|sold out)$`, a.finds)
	sc.When(`^the agent looks up the "([^"]*)" and a product that does not exist$`, a.looksUpWithUnknown)
	sc.Then(`^the agent finds only the "([^"]*)"$`, a.findsOnly)

	sc.Step(`^the agent opens a checkout of (\d+) of the "([^"]*)"$`, a.opensCheckoutOf)
	sc.Step(`^the agent opens a checkout of (\d+) of the "([^"]*)" and of an item that the shop does not sell$`, a.opensCheckoutWithUnknown)
	sc.Step(`^the agent names the buyer of the (\d+) of the "([^"]*)", and chooses express delivery$`, a.namesBuyer)
	sc.Step(`^the agent checks out (\d+) of the "([^"]*)"$`, a.checksOutOf)
	sc.Step(`^the agent checks out (\d+) of the "([^"]*)" by the code$`, a.checksOutByCode)
	sc.Step(`^the agent checks out (\d+) of the "([^"]*)" by the buyer's code$`, a.checksOutByBuyersCode)
	sc.When(`^the agent leaves out the code, and checks out (\d+) of the "([^"]*)"$`, a.leavesOutCode)
	sc.When(`^the agent changes the checkout to (\d+) of the "([^"]*)"$`, a.changesTo)
	sc.Step(`^the agent fills the buyer's cart with (\d+) of the "([^"]*)" and (\d+) of the "([^"]*)"$`, a.fillsBuyersCart)
	sc.Step(`^the agent checks out the buyer's cart$`, a.checksOutBuyersCart)
	sc.Then(`^checking out the cart again is the same checkout$`, a.checksOutCartAgain)
	sc.Step(`^the agent checks out what was agreed$`, a.checksOut)
	sc.Step(`^the agent cancels the checkout$`, a.cancelsCheckout)
	sc.Step(`^the agent pays$`, a.pays)
	sc.Step(`^an agent that bought (\d+) of the "([^"]*)" over (UCP|MCP)$`, func(quantity int, name, protocol string) error {
		a.speaks(protocol, "")
		return a.buys(quantity, name)
	})

	sc.Then(`^the agent can pay (\S+) USD$`, a.canPay)
	sc.Then(`^the agent can pay the agreed price$`, func() error {
		return a.shows("status", `"ready_for_complete"`, "discounts.applied.0.title", `"Agreed price"`)
	})
	sc.Then(`^the shop refuses the code, because it is redeemed$`, func() error { return s.isRefused(409, "token_redeemed") })
	sc.Then(`^the agent cannot pay: (.+)$`, a.cannotPay)
	sc.Then(`^the agent has an order$`, a.hasOrder)

	sc.Step(`^the agent reads the order$`, a.readsOrder)
	sc.Then(`^the agent sees (\d+) of the "([^"]*)" (processing|fulfilled|removed), and no street address$`, a.seesOrdered)
	sc.Then(`^the agent is asked to sign$`, a.mustSign)
	sc.Step(`^the merchant requires agents to sign$`, func() error {
		return s.shops.setsPartField("/settings", "agents.authentication", `"signed"`)
	})
	sc.When(`^the merchant requires no signatures any more$`, func() error {
		return s.shops.setsPartField("/settings", "agents.authentication", "null")
	})
}
