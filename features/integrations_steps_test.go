package features

import "github.com/haggle-commerce/haggle/simulator/acp"

func integrationSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a connected (Stripe|PayPal) account$`, func(kind string) error { return s.integrations.connectsAccount(kind, "") })
	sc.Given(`^a connected Stripe account whose webhooks are signed with "([^"]*)"$`, func(secret string) error {
		return s.integrations.connectsAccount("Stripe", s.expand(secret))
	})
	sc.Given(`^a connected Stripe account whose webhooks are signed$`, func() error {
		return s.integrations.connectsAccount("Stripe", s.expand("whsec_$slug"))
	})
	sc.Given(`^every (request|answer) of the account gets lost from now on$`, s.integrations.losesTraffic)
	sc.Given(`^another shop that the merchant goes to$`, s.integrations.goesToAnotherShop)

	sc.When(`^the buyer pays with a token granted to the account$`, s.integrations.paysWithGrantedToken)
	sc.When(`^the buyer pays with a token of the sandbox$`, func() error { return s.checkouts.pays(acp.PSPToken, "spt_sandbox_outage_1") })
	sc.When(`^Stripe calls about a payment$`, func() error { return s.integrations.callsStripeWebhook("$webhook", "whsec_$slug") })
	sc.When(`^somebody calls about a payment in Stripe's name$`, func() error { return s.integrations.callsStripeWebhook("$webhook", "whsec_guessed") })
	sc.Step(`^the merchant names the integration "([^"]*)"$`, func(name string) error { return s.integrations.changes(`{"name": "` + name + `"}`) })
	sc.Step(`^the merchant turns off the reading of (.+)$`, func(resources string) error { return s.integrations.disables(readingSettings(resources)...) })
	sc.Step(`^the merchant turns off the writing of orders$`, func() error { return s.integrations.disables("write_orders") })
	sc.Step(`^the merchant disconnects the integration$`, s.integrations.disconnects)

	sc.Then(`^the account has received (\d+) payments?$`, s.integrations.providerCharged)
	sc.Given(`^"([^"]*)" manages the shop$`, func(name string) error {
		return s.members.becomesMember(name, `{"role": "manager", "project_ids": ["$shop"]}`)
	})
	sc.When(`^"([^"]*)" opens the page of the latest sync$`, s.integrations.opensLatestSync)
	sc.Then(`^the integration syncs every hour$`, s.integrations.syncsHourly)

	sc.Then(`^Stripe declines the payment$`, s.integrations.paymentIsDeclined)
	sc.Then(`^the only integration is "([^"]*)", and it is connected$`, s.integrations.isOnlyIntegration)
	sc.Then(`^the call (is accepted|is rejected|finds no webhook)$`, s.integrations.callIsAnswered)

}
