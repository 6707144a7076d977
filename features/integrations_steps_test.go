package features

func integrationSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a connected (Stripe|PayPal) account$`, func(kind string) error { return s.integrations.connectsAccount(kind, "") })
	sc.Given(`^a connected Stripe account whose webhooks are signed with "([^"]*)"$`, func(secret string) error {
		return s.integrations.connectsAccount("Stripe", s.expand(secret))
	})
	sc.Given(`^every (request|answer) of the account gets lost from now on$`, s.integrations.losesTraffic)
	sc.Given(`^another shop that the merchant goes to$`, s.integrations.goesToAnotherShop)

	sc.When(`^the buyer pays with a token granted to the account$`, s.integrations.paysWithGrantedToken)
	sc.When(`^somebody calls (\S+) about a payment, signing it with "([^"]*)"$`, s.integrations.callsStripeWebhook)

	sc.Then(`^the account has received (\d+) payments?$`, s.integrations.providerCharged)
	sc.Then(`^the shop has no integration$`, s.integrations.hasNoIntegration)
	sc.Then(`^no answer, and no audit event, holds the account's key$`, s.integrations.accountKeyNotShown)
}
