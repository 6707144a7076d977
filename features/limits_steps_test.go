package features

import "github.com/haggle-commerce/haggle/cmd/boot/boottest"

func limitSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant on the strict server$`, func() error {
		s.useServer(s.server.strict)
		return s.keys.createsAccount()
	})

	sc.Given(`^a merchant on a server that trusts no proxy$`, func() error {
		s.useServer(boottest.Start(s.tb, s.server.engine.URL(s.tb)))
		return s.keys.createsAccount()
	})

	sc.When(`^the merchant asks until it is refused$`, func() error { return s.limits.askUntilRefused(s.limits.asMerchant("")) })
	sc.When(`^somebody without a key asks from "([^"]*)" until it is refused for good$`, func(from string) error {
		return s.limits.askUntilRefused(s.limits.asAnonymous(from))
	})
	sc.When(`^a buyer asks from "([^"]*)" until it is refused$`, func(from string) error {
		return s.limits.askUntilRefused(s.limits.asBuyer(from, s.shop.Slug))
	})
	sc.When(`^a buyer asks from "([^"]*)" (\d+) times$`, s.limits.buyerReadsProduct)

	sc.Then(`^it had been answered (\d+) times before, and once more for each (?:second|(\d+) ms) that passed$`, s.limits.answeredBeforeRefusal)
	sc.Then(`^the refusal tells when to come back, and who comes back then is answered$`, s.limits.answeredAfterRetryAfter)
	sc.Then(`^the merchant is still refused with another key$`, s.limits.refusedWithAnotherKey)
	sc.Then(`^another merchant is answered$`, s.limits.anotherMerchantIsAnswered)
	sc.Step(`^the merchant is answered from "([^"]*)"$`, func(from string) error { return s.limits.asMerchant(from)() })
	sc.Then(`^somebody without a key is told from "([^"]*)" that it needs one$`, s.limits.anonymousNeedsKey)
	sc.Then(`^a buyer is (answered|refused) from "([^"]*)"$`, func(how, from string) error {
		return s.limits.buyerOutcomeIs(how, from, s.shop.Slug)
	})
	sc.Then(`^a buyer is answered from "([^"]*)" in the other shop$`, func(from string) error {
		return s.limits.buyerOutcomeIs("answered", from, s.otherShops[0].Slug)
	})
}
