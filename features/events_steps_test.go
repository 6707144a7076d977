package features

func eventSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a server beside the merchant's systems$`, func() error {
		s.useServer(s.server.loopback)
		return nil
	})
	sc.Step(`^a subscription to (\[.*\])$`, s.events.isSubscribed)
	sc.Given(`^(\d+) subscriptions to (\[.*\])$`, s.events.hasSubscriptions)
	sc.Given(`^the receiver answers (\d+) once$`, s.events.receiverAnswers)
	sc.Given(`^the merchant turns to another shop$`, s.events.switchesShop)

	sc.When(`^the merchant subscribes to (\[.*\])$`, s.events.subscribes)
	sc.When(`^the merchant subscribes (\d+) times at once$`, s.events.subscribesConcurrently)
	sc.When(`^the merchant asks for it again$`, s.events.redelivers)

	sc.Step(`^(\d+) events? "([^"]*)" arrives?, signed$`, s.events.eventsArriveSigned)
	sc.Then(`^(\d+) events? "([^"]*)" arrives?, signed by both secrets$`, s.events.eventsArriveSignedByBoth)
	sc.Then(`^no event "([^"]*)" arrived$`, s.events.noEventArrived)
	sc.Then(`^all that arrived is of the shop$`, s.events.allEventsOfShop)
	sc.Then(`^they are the same event$`, s.events.sameEvent)
	sc.Then(`^it tells the order$`, s.events.eventNamesOrder)
	sc.Then(`^the secret is another one$`, s.events.secretIsNew)
	sc.Step(`^within (\d+) seconds the answer shows:$`, s.events.answerShowsWithin)
}
