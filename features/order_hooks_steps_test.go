package features

// orderHookSteps are about an agent that hears of its orders, and about the keys by which it knows the shop.
func orderHookSteps(sc book, w *world) {
	sc.Given(`^an agent that listens$`, w.agentListens)
	sc.Given(`^the agent answers (\d+)( once)?$`, w.agentAnswers)
	sc.Step(`^the agent's buyer orders (\d+) of the "([^"]*)"$`, w.ordersWithHook)
	sc.Given(`^an agent with the profile "([^"]*)" buys (\d+) of the "([^"]*)"$`, w.agentBuys)
	sc.Step(`^the signing keys were published (\S+) ago$`, w.keysWerePublished)

	sc.Step(`^the agent hears (\d+) times of the order, last "([^"]*)"$`, w.agentHears)
	sc.Then(`^the agent hears of the order, and so does the merchant's system$`, w.bothHear)
	sc.Then(`^the agent hears no more$`, w.agentHearsNoMore)
	sc.Then(`^all that it heard is signed with keys that the shop publishes$`, w.newsAreSigned)
	sc.Then(`^it was signed with (\d+) different keys?$`, w.signedWith)
	sc.Then(`^the news show:$`, w.newsShow)
	sc.Then(`^the news are the order as anybody who knows its id reads it$`, w.newsAreTheOrder)
	sc.Then(`^the news tell nothing of the buyer$`, w.newsTellNobody)
}
