package features

import (
	"strconv"

	"github.com/cucumber/godog"
)

func platformSteps(sc stepRegistry, w *world) {
	sc.Given(`^a merchant with platforms(?: that hold (\{.*\}))?$`, w.hasPlatforms)
	sc.Step(`^the merchant moves to other platforms(?: that hold (\{.*\}))?$`, w.opensPlatforms)
	sc.Step(`^the answer's "([^"]*)" is called "(\w+)"$`, w.namesAnswerField)

	sc.Given(`^a connected (shopify|hubspot|shipstation|shipstation-v2|woocommerce|custom) account$`, w.connectsPlatform)
	sc.Step(`^the merchant begins to connect (\w+)(?: for "([^"]*)")?$`, w.beginsConnecting)
	sc.Step(`^the merchant consents at the platform$`, w.givesConsent)
	sc.Step(`^the merchant denies consent at the platform$`, w.deniesConsent)
	sc.Given(`^the callback's "([^"]*)" is changed to "([^"]*)"$`, w.changesCallback)
	sc.Step(`^the merchant comes back(?: with (\{.*\}))?$`, w.completesConnecting)
	sc.When(`^(?:under the key "([^"]*)" )?the merchant comes back (\d+) times at once$`, w.completesConcurrently)

	sc.Step(`^(shopify|hubspot|shipstation|custom) meets (\{.*\})$`, w.setsPlatformFault)
	sc.Step(`^the platforms are well again$`, func() error { w.clearsPlatformFaults(); return nil })
	sc.Step(`^(\d+) changes? of "([^"]*)" happens? at (\w+)(?:, drawn by (\d+))?$`, func(n int, topics, platform, seed string) error {
		return w.changesPlatform(n, platform, topics, number(seed))
	})
	sc.Step(`^(shopify|hubspot) lets nobody in any more$`, w.revokesPlatformAccess)

	sc.Step(`^the merchant starts a sync(?: with (\{.*\}))?$`, w.startsSync)
	sc.Step(`^the merchant has synced(?: with (\{.*\}))?$`, w.hasSynced)
	sc.Step(`^the sync ends as "(\w+)"$`, w.syncEnds)
	sc.Then(`^at least (\d+) syncs have completed$`, w.syncsComplete)
	sc.Then(`^the shop has what (shopify|custom) has$`, w.matchesPlatform)
	sc.Then(`^within (\d+) seconds the shop has what (shopify|custom) has$`, w.matchesPlatformWithin)
	sc.Given(`^a product of (shopify|woocommerce|custom)$`, w.choosesProduct)
	sc.Then(`^there are (\d+) less of it than (custom) has$`, w.stockIsLessThanPlatform)
	sc.Then(`^(shopify|woocommerce|custom) has (\d+) less of it, and so has the shop$`, w.bothStocksFellBy)
	sc.Then(`^hubspot has the order as one deal that is (won|lost)$`, w.orderIsDeal)
	sc.Then(`^buyers find it$`, func() error { return w.buyersFindProduct(true) })
	sc.Then(`^buyers do not find it$`, func() error { return w.buyersFindProduct(false) })
	sc.Then(`^buyers can have all that there is$`, w.allStockIsAvailable)
	sc.Then(`^within (\d+) seconds buyers can have (\d+) of it$`, w.availableIsWithin)
	sc.Step(`^a buyer who ordered (\d+) of it$`, w.ordersProduct)

	sc.When(`^the merchant registers a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, w.registersWebhook)
	sc.Given(`^a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, w.hasWebhook)
	sc.Step(`^(shopify|custom|shipstation) tells of (\d+) changes?(?: (\{.*\}))?$`, w.platformSendsWebhooks)
	sc.Then(`^(\d+) (genuine|forged) calls? (?:was|were) answered (\d+)$`, func(n int, kind string, status int) error {
		return w.webhookCallsAnswered(kind, n, status)
	})
	sc.Step(`^shopify calls as "([^"]*)" with:$`, func(name string, body *godog.DocString) error { return w.callsShopifyWebhook(name, appSecret, body) })
	sc.Step(`^a call of shopify's is sent again without "([^"]*)":$`, func(header string, body *godog.DocString) error {
		return w.callsShopifyWebhook("captured", appSecret, body, header)
	})
	sc.Step(`^somebody calls in shopify's name with:$`, func(body *godog.DocString) error { return w.callsShopifyWebhook("forged", "guessed", body) })
	sc.Step(`^(shopify|custom|shipstation) knows (\d+) webhooks?$`, w.platformWebhooksAre)

	sc.Then(`^the event shows:$`, w.eventShows)
	sc.Then(`^nothing tells a key or a token$`, w.integrationLeaksNothing)
}

func buyerSteps(sc stepRegistry, w *world) {
	sc.Step(`^the merchant vouches for "([^"]*)"$`, w.issuesBuyerToken)
	sc.Step(`^the merchant vouches for a (\w*) ?customer of (hubspot|custom)$`, func(tier, platform string) error { return w.issuesTokenForTier(platform, tier) })
	sc.Step(`^a buyer, claiming (\{.*\}), looks at the "([^"]*)"$`, w.arrivesClaiming)
	sc.Step(`^the opening price is called "(\w+)"$`, w.namesOpeningPrice)
	sc.Then(`^the price "(\w+)" is (below|at most) "(\w+)"$`, w.priceIsBelow)
	sc.Then(`^no answer to a buyer has the token$`, w.buyerTokenNotShown)
}

func shippingSteps(sc stepRegistry, w *world) {
	sc.Step(`^the merchant ships the order at shipstation$`, w.shipsAtShipStation)
	sc.Step(`^custom has the order$`, func() error { return w.addsOrderAtCustom(false) })
	sc.Step(`^custom ships the order$`, func() error { return w.addsOrderAtCustom(true) })
	sc.When(`^the merchant buys the label (\d+) times at once$`, w.buysLabelConcurrently)
	sc.Then(`^shipstation has sold (\d+) labels?$`, w.soldLabelsAre)
	sc.Step(`^the merchant buys a label, called "(\w+)", with the tracking number "(\w+)"$`, w.buysNamedLabel)
	sc.Step(`^the carrier has collected the parcel "([^"]+)"$`, func(tracking string) error { return w.platforms.Collect(w.expand(tracking)) })
	sc.Step(`^the label "([^"]+)" is voided at shipstation itself$`, w.voidsAtShipStation)
	sc.When(`^the merchant voids the label "([^"]+)" and buys one (\d+) times at once$`, w.voidsAndBuysConcurrently)
	sc.Then(`^within (\d+) seconds the merchant has voided the label "([^"]+)"$`, w.voidsWithin)
	sc.Then(`^shipstation has (\d+) labels? that (?:is|are) not voided$`, w.unvoidedLabelsAre)
	sc.Then(`^the rates rise$`, w.ratesRise)
}

// number parses digits; "" is 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the step's expression matches only digits
	return n
}
