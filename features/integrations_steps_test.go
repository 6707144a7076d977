package features

func integrationSteps(sc book, w *world) {
	sc.Given(`^a connected (Stripe|PayPal) account$`, func(kind string) error { return w.connects(kind, "") })
	sc.Given(`^a connected Stripe account whose webhooks are signed with "([^"]*)"$`, func(secret string) error {
		return w.connects("Stripe", w.expand(secret))
	})
	sc.Given(`^every (request|answer) of the account gets lost from now on$`, w.loses)
	sc.Given(`^another shop that the merchant goes to$`, w.goesToAnotherShop)

	sc.When(`^the buyer pays with a token granted to the account$`, w.paysWithGranted)
	sc.When(`^somebody calls (\S+) about a payment, signing it with "([^"]*)"$`, w.callsHook)

	sc.Then(`^the account has received (\d+) payments?$`, w.hasReceived)
	sc.Then(`^the shop has no integration$`, w.hasNoIntegration)
	sc.Then(`^no answer, and no audit event, holds the account's key$`, w.keyIsNowhere)
}
