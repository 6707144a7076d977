package features

import "github.com/haggle-commerce/haggle/cmd/boot/boottest"

func limitSteps(sc stepRegistry, w *world) {
	sc.Given(`^a merchant on the strict server$`, func() error {
		w.useServer(w.server.strict)
		return w.createsAccount()
	})

	sc.Given(`^a merchant on a server that trusts no proxy$`, func() error {
		w.useServer(boottest.Start(w.server.t, w.server.engine.URL(w.server.t)))
		return w.createsAccount()
	})

	sc.When(`^the merchant asks until it is refused$`, func() error { return w.askUntilRefused(w.asMerchant("")) })
	sc.When(`^somebody without a key asks from "([^"]*)" until it is refused for good$`, func(from string) error {
		return w.askUntilRefused(w.asAnonymous(from))
	})
	sc.When(`^a buyer asks from "([^"]*)" until it is refused$`, func(from string) error {
		return w.askUntilRefused(w.asBuyer(from, w.shop.Slug))
	})
	sc.When(`^a buyer asks from "([^"]*)" (\d+) times$`, w.buyerReadsProduct)

	sc.Then(`^it had been answered (\d+) times before, and once more for each (?:second|(\d+) ms) that passed$`, w.answeredBeforeRefusal)
	sc.Then(`^the refusal tells when to come back, and who comes back then is answered$`, w.answeredAfterRetryAfter)
	sc.Then(`^the merchant is still refused with another key$`, w.refusedWithAnotherKey)
	sc.Then(`^another merchant is answered$`, w.anotherMerchantIsAnswered)
	sc.Step(`^the merchant is answered from "([^"]*)"$`, func(from string) error { return w.asMerchant(from)() })
	sc.Then(`^somebody without a key is told from "([^"]*)" that it needs one$`, w.anonymousNeedsKey)
	sc.Then(`^a buyer is (answered|refused) from "([^"]*)"$`, func(how, from string) error {
		return w.buyerOutcomeIs(how, from, w.shop.Slug)
	})
	sc.Then(`^a buyer is answered from "([^"]*)" in the other shop$`, func(from string) error {
		return w.buyerOutcomeIs("answered", from, w.otherShops[0].Slug)
	})
}
