package features

// remoteAgentSteps are about agents whose events a handler of the merchant answers. Steps name the agent "agent".
func remoteAgentSteps(sc stepRegistry, w *world) {
	sc.Given(`^a handler of the merchant's own for (\[.*\]) that is told to (\w+)$`, w.hasHandler)
	sc.Step(`^the handler is told to (\w+)$`, func(mode string) error { return w.handler.Behave(mode) })
	sc.Step(`^the handler answers (acp\.\w+) with (\{.*\})$`, func(event, body string) { w.handler.setAnswer(event, w.expand(body)) })
	sc.Step(`^the handler learns the agent's secret$`, w.handlerTakesSecret)
	sc.Step(`^the agent "(\w+)" takes over$`, func(name string) error { return w.merchantSends("POST", agentsPath+"/$"+name+"/activate", "") })

	sc.When(`^(\d+) buyers at once offer (\S+) for the "([^"]*)"$`, w.offerConcurrently)
	sc.Step(`^buyers bargain for the "([^"]*)" in every way, and pay$`, w.bargainWithEveryStrategy)

	sc.Then(`^each was answered within (\d+) seconds$`, w.allAnsweredWithin)
	sc.Then(`^the handler was asked (\d+) times about (acp\.\w+)$`, w.handlerWasAsked)
	sc.Then(`^the handler was asked (\d+) times in all, and at most once in each (\d+) seconds after$`, w.handlerWasAskedAtMost)
	sc.Then(`^all of them have an order$`, w.allHaveOrders)
	sc.Then(`^no price was below (\S+) or above (\S+)$`, w.pricesWereBetween)
	sc.Then(`^no text had a number that its answer does not show$`, w.textsShowOnlyAnswerNumbers)
	sc.Then(`^no answer to a buyer had (.+)$`, w.noBuyerSaw)
	sc.Then(`^the record of "(\w+)" names the (handler|fallback)s (\[.*\])$`, w.decisionsName)
}
