package features

// orderHookSteps are about order webhooks to agents and about the keys that sign them.
func orderHookSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^an agent that listens$`, s.orderHooks.agentReceivesWebhooks)
	sc.Given(`^the agent answers (\d+)( once)?$`, s.orderHooks.agentAnswers)
	sc.Step(`^the agent's buyer orders (\d+) of the "([^"]*)"$`, s.orderHooks.ordersWithWebhook)
	sc.Given(`^an agent with the profile "([^"]*)" buys (\d+) of the "([^"]*)"$`, s.orderHooks.agentBuys)
	sc.Step(`^the signing keys were published (\S+) ago$`, s.orderHooks.agesSigningKeys)

	sc.Step(`^the agent hears (\d+) times of the order, last "([^"]*)"$`, s.orderHooks.agentReceives)
	sc.Then(`^the agent hears of the order, and so does the merchant's system$`, s.orderHooks.agentAndMerchantReceive)
	sc.Then(`^the agent hears no more$`, s.orderHooks.agentReceivesNoMore)
	sc.Then(`^all that it heard is signed with keys that the shop publishes$`, s.orderHooks.webhooksAreSigned)
	sc.Then(`^it was signed with (\d+) different keys?$`, s.orderHooks.signedWithKeys)
	sc.Then(`^the news show:$`, s.orderHooks.latestWebhookShows)
	sc.Then(`^the news are the order as anybody who knows its id reads it$`, s.orderHooks.webhookMatchesOrder)
	sc.Then(`^the news tell nothing of the buyer$`, s.orderHooks.webhooksHaveNoPersonalData)
}
