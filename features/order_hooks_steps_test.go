package features

// orderHookSteps are about order webhooks to agents and about the keys that sign them.
func orderHookSteps(sc stepRegistry, w *world) {
	sc.Given(`^an agent that listens$`, w.agentReceivesWebhooks)
	sc.Given(`^the agent answers (\d+)( once)?$`, w.agentAnswers)
	sc.Step(`^the agent's buyer orders (\d+) of the "([^"]*)"$`, w.ordersWithWebhook)
	sc.Given(`^an agent with the profile "([^"]*)" buys (\d+) of the "([^"]*)"$`, w.agentBuys)
	sc.Step(`^the signing keys were published (\S+) ago$`, w.agesSigningKeys)

	sc.Step(`^the agent hears (\d+) times of the order, last "([^"]*)"$`, w.agentReceives)
	sc.Then(`^the agent hears of the order, and so does the merchant's system$`, w.agentAndMerchantReceive)
	sc.Then(`^the agent hears no more$`, w.agentReceivesNoMore)
	sc.Then(`^all that it heard is signed with keys that the shop publishes$`, w.webhooksAreSigned)
	sc.Then(`^it was signed with (\d+) different keys?$`, w.signedWithKeys)
	sc.Then(`^the news show:$`, w.latestWebhookShows)
	sc.Then(`^the news are the order as anybody who knows its id reads it$`, w.webhookMatchesOrder)
	sc.Then(`^the news tell nothing of the buyer$`, w.webhooksHaveNoPersonalData)
}
