package features

func integrationSteps(sc stepRegistry, w *world) {
	sc.Given(`^a connected (Stripe|PayPal) account$`, func(kind string) error { return w.connectsAccount(kind, "") })
	sc.Given(`^a connected Stripe account whose webhooks are signed with "([^"]*)"$`, func(secret string) error {
		return w.connectsAccount("Stripe", w.expand(secret))
	})
	sc.Given(`^every (request|answer) of the account gets lost from now on$`, w.losesTraffic)
	sc.Given(`^another shop that the merchant goes to$`, w.goesToAnotherShop)

	sc.When(`^the buyer pays with a token granted to the account$`, w.paysWithGrantedToken)
	sc.When(`^somebody calls (\S+) about a payment, signing it with "([^"]*)"$`, w.callsStripeWebhook)

	sc.Then(`^the account has received (\d+) payments?$`, w.providerCharged)
	sc.Then(`^the shop has no integration$`, w.hasNoIntegration)
	sc.Then(`^no answer, and no audit event, holds the account's key$`, w.accountKeyNotShown)
}
