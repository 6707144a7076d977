package features

func hostileSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the buyer searches for "(.*)"$`, s.hostile.buyerSearchesFor)
	sc.Given(`^the "[^"]*" costs the merchant (\S+)$`, func(cost string) error { return s.catalog.productFieldIs("cost", cost) })
	sc.When(`^the buyer makes every kind of request$`, s.hostile.callsEveryEndpoint)

	sc.Then(`^the search succeeds$`, func() error { return s.statusIs(200) })
	sc.Then(`^no answer names a floor, a target, a cost or a margin$`, s.secrets)
}
