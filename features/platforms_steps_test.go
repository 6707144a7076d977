package features

import (
	"strconv"

	"github.com/cucumber/godog"
)

func platformSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant with platforms(?: that hold (\{.*\}))?$`, s.platforms.hasPlatforms)
	sc.Step(`^the merchant moves to other platforms(?: that hold (\{.*\}))?$`, s.platforms.opensPlatforms)
	sc.Step(`^the answer's "([^"]*)" is called "(\w+)"$`, s.platforms.namesAnswerField)

	sc.Given(`^a connected (shopify|hubspot|shipstation|shipstation-v2|woocommerce|custom) account$`, s.connections.connectsPlatform)
	sc.Step(`^the merchant begins to connect (\w+)(?: for "([^"]*)")?$`, s.connections.beginsConnecting)
	sc.Step(`^the merchant consents at the platform$`, s.connections.givesConsent)
	sc.Step(`^the merchant denies consent at the platform$`, s.connections.deniesConsent)
	sc.Given(`^the callback's "([^"]*)" is changed to "([^"]*)"$`, s.connections.changesCallback)
	sc.Step(`^the merchant comes back(?: with (\{.*\}))?$`, s.connections.completesConnecting)
	sc.When(`^(?:under the key "([^"]*)" )?the merchant comes back (\d+) times at once$`, s.connections.completesConcurrently)

	sc.Step(`^(shopify|hubspot|shipstation|custom) meets (\{.*\})$`, s.platforms.setsPlatformFault)
	sc.Step(`^the platforms are well again$`, func() error { s.platforms.clearsPlatformFaults(); return nil })
	sc.Step(`^(\d+) changes? of "([^"]*)" happens? at (\w+)(?:, drawn by (\d+))?$`, func(n int, topics, platform, seed string) error {
		return s.platforms.changesPlatform(n, platform, topics, number(seed))
	})
	sc.Step(`^(shopify|hubspot) lets nobody in any more$`, s.platforms.revokesPlatformAccess)

	sc.Step(`^the merchant starts a sync(?: with (\{.*\}))?$`, s.platforms.startsSync)
	sc.Step(`^the merchant has synced(?: with (\{.*\}))?$`, s.platforms.hasSynced)
	sc.Step(`^the sync ends as "(\w+)"$`, s.platforms.syncEnds)
	sc.Then(`^at least (\d+) syncs have completed$`, s.platforms.syncsComplete)
	sc.Then(`^the shop has what (shopify|custom) has$`, s.platforms.matchesPlatform)
	sc.Then(`^within (\d+) seconds the shop has what (shopify|custom) has$`, s.platforms.matchesPlatformWithin)
	sc.Given(`^a product of (shopify|woocommerce|custom)$`, s.platforms.choosesProduct)
	sc.Then(`^there are (\d+) less of it than (custom) has$`, s.platforms.stockIsLessThanPlatform)
	sc.Then(`^(shopify|woocommerce|custom) has (\d+) less of it, and so has the shop$`, s.platforms.bothStocksFellBy)
	sc.Then(`^hubspot has the order as one deal that is (won|lost)$`, s.platforms.orderIsDeal)
	sc.Then(`^buyers find it$`, func() error { return s.platforms.buyersFindProduct(true) })
	sc.Then(`^buyers do not find it$`, func() error { return s.platforms.buyersFindProduct(false) })
	sc.Then(`^buyers can have all that there is$`, s.platforms.allStockIsAvailable)
	sc.Then(`^within (\d+) seconds buyers can have (\d+) of it$`, s.platforms.availableIsWithin)
	sc.Step(`^a buyer who ordered (\d+) of it$`, s.platforms.ordersProduct)

	sc.When(`^the merchant registers a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, s.platforms.registersWebhook)
	sc.Given(`^a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, s.platforms.hasWebhook)
	sc.Step(`^(shopify|custom|shipstation) tells of (\d+) changes?(?: (\{.*\}))?$`, s.platforms.platformSendsWebhooks)
	sc.Then(`^(\d+) (genuine|forged) calls? (?:was|were) answered (\d+)$`, func(n int, kind string, status int) error {
		return s.platforms.webhookCallsAnswered(kind, n, status)
	})
	sc.Step(`^shopify calls as "([^"]*)" with:$`, func(name string, body *godog.DocString) error {
		return s.platforms.callsShopifyWebhook(name, appSecret, body)
	})
	sc.Step(`^a call of shopify's is sent again without "([^"]*)":$`, func(header string, body *godog.DocString) error {
		return s.platforms.callsShopifyWebhook("captured", appSecret, body, header)
	})
	sc.Step(`^somebody calls in shopify's name with:$`, func(body *godog.DocString) error { return s.platforms.callsShopifyWebhook("forged", "guessed", body) })
	sc.Step(`^(shopify|custom|shipstation) knows (\d+) webhooks?$`, s.platforms.platformWebhooksAre)

	sc.Then(`^the event shows:$`, s.events.eventShows)
	sc.Then(`^nothing tells a key or a token$`, s.platforms.integrationLeaksNothing)
}

func shippingSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^the merchant ships the order at shipstation$`, s.shipping.shipsAtShipStation)
	sc.Step(`^custom has the order$`, func() error { return s.shipping.addsOrderAtCustom(false) })
	sc.Step(`^custom ships the order$`, func() error { return s.shipping.addsOrderAtCustom(true) })
	sc.When(`^the merchant buys the label (\d+) times at once$`, s.shipping.buysLabelConcurrently)
	sc.Then(`^shipstation has sold (\d+) labels?$`, s.shipping.soldLabelsAre)
	sc.Step(`^the merchant buys a label, called "(\w+)", with the tracking number "(\w+)"$`, s.shipping.buysNamedLabel)
	sc.Step(`^the carrier has collected the parcel "([^"]+)"$`, func(tracking string) error { return s.platforms.platforms.Collect(s.expand(tracking)) })
	sc.Step(`^the label "([^"]+)" is voided at shipstation itself$`, s.shipping.voidsAtShipStation)
	sc.When(`^the merchant voids the label "([^"]+)" and buys one (\d+) times at once$`, s.shipping.voidsAndBuysConcurrently)
	sc.Then(`^within (\d+) seconds the merchant has voided the label "([^"]+)"$`, s.shipping.voidsWithin)
	sc.Then(`^shipstation has (\d+) labels? that (?:is|are) not voided$`, s.shipping.unvoidedLabelsAre)
	sc.Then(`^the rates rise$`, s.shipping.ratesRise)
}

// number parses digits; "" is 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the step's expression matches only digits
	return n
}
