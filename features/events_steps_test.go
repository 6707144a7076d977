package features

func eventSteps(sc stepRegistry, w *world) {
	sc.Given(`^a server beside the merchant's systems$`, func() error {
		w.useServer(w.server.loopback)
		return nil
	})
	sc.Step(`^a subscription to (\[.*\])$`, w.isSubscribed)
	sc.Given(`^(\d+) subscriptions to (\[.*\])$`, w.hasSubscriptions)
	sc.Given(`^the receiver answers (\d+) once$`, w.receiverAnswers)
	sc.Given(`^the merchant turns to another shop$`, w.switchesShop)

	sc.When(`^the merchant subscribes to (\[.*\])$`, w.subscribes)
	sc.When(`^the merchant subscribes (\d+) times at once$`, w.subscribesConcurrently)
	sc.When(`^the merchant asks for it again$`, w.redelivers)

	sc.Step(`^(\d+) events? "([^"]*)" arrives?, signed$`, w.eventsArriveSigned)
	sc.Then(`^(\d+) events? "([^"]*)" arrives?, signed by both secrets$`, w.eventsArriveSignedByBoth)
	sc.Then(`^no event "([^"]*)" arrived$`, w.noEventArrived)
	sc.Then(`^all that arrived is of the shop$`, w.allEventsOfShop)
	sc.Then(`^they are the same event$`, w.sameEvent)
	sc.Then(`^it tells the order$`, w.eventNamesOrder)
	sc.Then(`^the secret is another one$`, w.secretIsNew)
	sc.Step(`^within (\d+) seconds the answer shows:$`, w.answerShowsWithin)
}
