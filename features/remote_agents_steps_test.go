package features

// remoteAgentSteps are about agents whose events a handler of the merchant answers. Steps name the agent "agent".
func remoteAgentSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a handler of the merchant's own for (\[.*\]) that is told to (\w+)$`, s.remoteAgents.hasHandler)
	sc.Step(`^the handler is told to (\w+)$`, func(mode string) error { return s.remoteAgents.handler.Behave(mode) })
	sc.Step(`^the handler answers (acp\.\w+) with (\{.*\})$`, func(event, body string) { s.remoteAgents.handler.setAnswer(event, s.expand(body)) })
	sc.Step(`^the handler learns the agent's secret$`, s.remoteAgents.handlerTakesSecret)
	sc.Step(`^the agent "(\w+)" takes over$`, func(name string) error { return s.merchantSends("POST", agentsPath+"/$"+name+"/activate", "") })

	sc.When(`^(\d+) buyers at once offer (\S+) for the "([^"]*)"$`, s.remoteAgents.offerConcurrently)
	sc.Step(`^buyers bargain for the "([^"]*)" in every way, and pay$`, s.remoteAgents.bargainWithEveryStrategy)

	sc.Then(`^each was answered within (\d+) seconds$`, s.remoteAgents.allAnsweredWithin)
	sc.Then(`^the handler was asked (\d+) times about (acp\.\w+)$`, s.remoteAgents.handlerWasAsked)
	sc.Then(`^the handler was asked (\d+) times in all, and at most once in each (\d+) seconds after$`, s.remoteAgents.handlerWasAskedAtMost)
	sc.Then(`^all of them have an order$`, s.remoteAgents.allHaveOrders)
	sc.Then(`^no price was below (\S+) or above (\S+)$`, s.remoteAgents.pricesWereBetween)
	sc.Then(`^no text had a number that its answer does not show$`, s.remoteAgents.textsShowOnlyAnswerNumbers)
	sc.Then(`^no answer to a buyer had (.+)$`, s.remoteAgents.noBuyerSaw)
	sc.Then(`^the record of "(\w+)" names the (handler|fallback)s (\[.*\])$`, s.remoteAgents.decisionsName)
}
