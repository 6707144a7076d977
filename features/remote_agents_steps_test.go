package features

import "fmt"

// remoteAgentSteps are about agents whose events a handler of the merchant answers. Steps name that agent "agent", and the
// built-in one "active".
func remoteAgentSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the merchant's own handler for ([a-z, ]+), in "(\w+)" mode$`, s.remoteAgents.hasHandler)
	sc.Given(`^the merchant's own handler, which cannot be reached$`, s.remoteAgents.hasUnreachableHandler)
	sc.Given(`^a new agent that gives discounts of at most (\d+)%$`, func(percent int) error {
		return s.agents.createsAgent(fmt.Sprintf(`{"name": "Strict", "policy": {"max_discount_percent": %d}}`, percent))
	})
	sc.Step(`^the handler switches to "(\w+)" mode$`, func(mode string) error { return s.remoteAgents.handler.Behave(mode) })
	sc.Step(`^the handler finds (nothing|".*")$`, s.remoteAgents.handlerFinds)
	sc.Step(`^the handler (approves|refuses|holds) (checkouts|payments)(?: for review)?(?:, saying "([^"]*)")?$`, s.remoteAgents.handlerDecides)
	sc.Step(`^the merchant rotates the agent's secret$`, func() error { return s.merchantSends("POST", agentsPath+"/$agent/rotate-secret", "") })
	sc.Step(`^the handler gets the new secret$`, s.remoteAgents.handlerTakesSecret)
	sc.Step(`^the (new|built-in) agent takes over$`, s.remoteAgents.agentTakesOver)
	sc.Step(`^the merchant deletes the new agent$`, func() error { return s.merchantSends("DELETE", agentsPath+"/$agent", "") })

	sc.When(`^(\d+) buyers at once offer (\S+) for the "([^"]*)"$`, s.remoteAgents.offerConcurrently)
	sc.Step(`^buyers of every strategy negotiate for the "([^"]*)", and pay$`, s.remoteAgents.bargainWithEveryStrategy)
	sc.When(`^a UCP (\S+) agent orders (\d+) of the "([^"]*)"$`, s.remoteAgents.ucpAgentOrders)
	sc.When(`^the UCP agent completes the checkout again$`, s.remoteAgents.ucpAgentCompletes)

	sc.Then(`^each was answered within (\d+) seconds$`, s.remoteAgents.allAnsweredWithin)
	sc.Then(`^the handler was asked (\d+) times? about (\w+)$`, s.remoteAgents.handlerWasAsked)
	sc.Then(`^the handler was asked (\d+) times in all, and at most once in each (\d+) seconds after$`, s.remoteAgents.handlerWasAskedAtMost)
	sc.Then(`^the handler's (message|reasoning) reaches the buyer: "([^"]*)"$`, s.remoteAgents.textReachesBuyer)
	sc.Then(`^the handler's order is kept: (.+)$`, s.remoteAgents.resultsAre)
	sc.Then(`^the handler has refused the (checkout|payment), and the buyer reads (a reason|"[^"]*")$`, s.remoteAgents.handlerHasRefused)
	sc.Then(`^the UCP agent is referred to a review that says "([^"]*)"$`, s.remoteAgents.ucpAgentNeedsReview)
	sc.Then(`^the UCP agent's checkout is completed$`, func() error { return s.answerShows("status", `"completed"`) })
	sc.Then(`^all of them have an order$`, s.remoteAgents.allHaveOrders)
	sc.Then(`^no price was below (\S+) or above (\S+)$`, s.remoteAgents.pricesWereBetween)
	sc.Then(`^no text contains a number that its answer does not show$`, s.remoteAgents.textsShowOnlyAnswerNumbers)
	sc.Then(`^no answer to a buyer contains the numbers (.+)$`, s.remoteAgents.noBuyerSaw)
	sc.Then(`^the (new|built-in) agent's record names the (handler|fallback)s (.+)$`, s.remoteAgents.decisionsName)
}
