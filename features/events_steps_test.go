package features

func eventSteps(sc book, w *world) {
	sc.Given(`^a server beside the merchant's systems$`, func() error {
		w.goTo(w.server.beside)
		return nil
	})
	sc.Step(`^a subscription to (\[.*\])$`, w.isSubscribed)
	sc.Given(`^(\d+) subscriptions to (\[.*\])$`, w.hasSubscriptions)
	sc.Given(`^the receiver answers (\d+) once$`, w.receiverAnswers)
	sc.Given(`^the merchant turns to another shop$`, w.turnsToAnother)

	sc.When(`^the merchant subscribes to (\[.*\])$`, w.subscribes)
	sc.When(`^the merchant subscribes (\d+) times at once$`, w.subscribesAtOnce)
	sc.When(`^the merchant asks for it again$`, w.asksAgain)

	sc.Step(`^(\d+) events? "([^"]*)" arrives?, signed$`, w.arriveSigned)
	sc.Then(`^(\d+) events? "([^"]*)" arrives?, signed by both secrets$`, w.arriveSignedTwice)
	sc.Then(`^no event "([^"]*)" arrived$`, w.noneArrived)
	sc.Then(`^all that arrived is of the shop$`, w.arrivedForShop)
	sc.Then(`^they are the same event$`, w.sameEvent)
	sc.Then(`^it tells the order$`, w.tellsOrder)
	sc.Then(`^the secret is another one$`, w.secretIsNew)
	sc.Step(`^within (\d+) seconds the answer shows:$`, w.answerShowsWithin)
}
