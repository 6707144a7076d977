package features

import "net/http"

func limitSteps(sc stepRegistry, s *scenario) {

	sc.Given(`^a merchant on the strict server$`, s.limits.useStrictServer)
	sc.Given(`^the account has another key$`, func() error { return s.keys.hasKey("Other", `{"scopes": ["projects:read"]}`) })
	sc.Given(`^the shop is managed only from "([^"]*)"$`, s.limits.isManagedFrom)

	sc.When(`^the merchant sends requests until one is refused$`, func() error { return s.limits.askUntilRefused(s.limits.asMerchant("")) })
	sc.When(`^somebody without a key sends requests from "([^"]*)" until too many were refused$`, func(from string) error {
		return s.limits.askUntilRefused(s.limits.asAnonymous(from))
	})
	sc.When(`^a buyer sends requests from "([^"]*)" until one is refused$`, func(from string) error {
		return s.limits.askUntilRefused(s.limits.asBuyer(from, s.shop.Slug))
	})

	sc.Then(`^there are too many requests$`, func() error { return s.isRefused(http.StatusTooManyRequests, "rate_limited") })
	sc.Then(`^it had been answered (\d+) times before, and once more for each (?:second|(\d+) ms) that passed$`, s.limits.answeredBeforeRefusal)
	sc.Then(`^a request is answered after the time that the refusal names$`, s.limits.answeredAfterRetryAfter)
	sc.Then(`^requests with the other key are refused, too$`, s.limits.refusedWithAnotherKey)
	sc.Then(`^another merchant is answered$`, s.limits.anotherMerchantIsAnswered)
	sc.Step(`^the merchant is answered from "([^"]*)"$`, func(from string) error { return s.limits.asMerchant(from)() })
	sc.Then(`^somebody without a key at "([^"]*)" is asked for a key$`, s.limits.anonymousNeedsKey)
	sc.Then(`^a buyer is (answered|refused) from "([^"]*)"$`, func(how, from string) error {
		return s.limits.buyerOutcomeIs(how, from, s.shop.Slug)
	})
	sc.Then(`^a buyer is answered from "([^"]*)" in the other shop$`, func(from string) error {
		return s.limits.buyerOutcomeIs("answered", from, s.otherShops[0].Slug)
	})
}
