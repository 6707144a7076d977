package features

import (
	"strconv"

	"github.com/cucumber/godog"
)

func platformSteps(sc book, w *world) {
	sc.Given(`^a merchant with platforms(?: that hold (\{.*\}))?$`, w.hasPlatforms)
	sc.Step(`^the merchant moves to other platforms(?: that hold (\{.*\}))?$`, w.movesTo)
	sc.Step(`^the answer's "([^"]*)" is called "(\w+)"$`, w.callsIt)

	sc.Given(`^a connected (shopify|hubspot|shipstation|shipstation-v2|woocommerce|custom) account$`, w.isConnected)
	sc.Step(`^the merchant begins to connect (\w+)(?: for "([^"]*)")?$`, w.begins)
	sc.Step(`^the merchant consents at the platform$`, w.consents)
	sc.Step(`^the merchant denies consent at the platform$`, w.declines)
	sc.Given(`^the callback's "([^"]*)" is changed to "([^"]*)"$`, w.tampers)
	sc.Step(`^the merchant comes back(?: with (\{.*\}))?$`, w.comesBack)
	sc.When(`^(?:under the key "([^"]*)" )?the merchant comes back (\d+) times at once$`, w.comesBackAtOnce)

	sc.Step(`^(shopify|hubspot|shipstation|custom) meets (\{.*\})$`, w.meets)
	sc.Step(`^the platforms are well again$`, func() error { w.recovers(); return nil })
	sc.Step(`^(\d+) changes? of "([^"]*)" happens? at (\w+)(?:, drawn by (\d+))?$`, func(n int, topics, platform, seed string) error {
		return w.changesHappen(n, platform, topics, number(seed))
	})
	sc.Step(`^(shopify|hubspot) lets nobody in any more$`, w.isRevoked)

	sc.Step(`^the merchant starts a sync(?: with (\{.*\}))?$`, w.startsSync)
	sc.Step(`^the merchant has synced(?: with (\{.*\}))?$`, w.hasSynced)
	sc.Step(`^the sync ends as "(\w+)"$`, w.syncEnds)
	sc.Then(`^at least (\d+) syncs have completed$`, w.wantedRunEnds)
	sc.Then(`^the shop has what (shopify|custom) has$`, w.mirrors)
	sc.Then(`^within (\d+) seconds the shop has what (shopify|custom) has$`, w.mirrorsWithin)
	sc.Given(`^a product of (shopify|woocommerce|custom)$`, w.picks)
	sc.Then(`^there are (\d+) less of it than (custom) has$`, w.hasLess)
	sc.Then(`^(shopify|woocommerce|custom) has (\d+) less of it, and so has the shop$`, w.bothHaveLess)
	sc.Then(`^hubspot has the order as one deal that is (won|lost)$`, w.isDeal)
	sc.Then(`^buyers find it$`, func() error { return w.isFound(true) })
	sc.Then(`^buyers do not find it$`, func() error { return w.isFound(false) })
	sc.Then(`^buyers can have all that there is$`, w.offersWhatThereIs)
	sc.Then(`^within (\d+) seconds buyers can have (\d+) of it$`, w.availableWithin)
	sc.Step(`^a buyer who ordered (\d+) of it$`, w.ordersIt)

	sc.When(`^the merchant registers a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, w.registers)
	sc.Given(`^a webhook for "([^"]*)"(?: with the actions (\[.*\]))?$`, w.hasWebhook)
	sc.Step(`^(shopify|custom|shipstation) tells of (\d+) changes?(?: (\{.*\}))?$`, w.tells)
	sc.Then(`^(\d+) (genuine|forged) calls? (?:was|were) answered (\d+)$`, func(n int, kind string, status int) error {
		return w.callsAnswered(kind, n, status)
	})
	sc.Step(`^shopify calls as "([^"]*)" with:$`, func(name string, body *godog.DocString) error { return w.shopifyCalls(name, appSecret, body) })
	sc.Step(`^a call of shopify's is sent again without "([^"]*)":$`, func(header string, body *godog.DocString) error {
		return w.shopifyCalls("captured", appSecret, body, header)
	})
	sc.Step(`^somebody calls in shopify's name with:$`, func(body *godog.DocString) error { return w.shopifyCalls("forged", "guessed", body) })
	sc.Step(`^(shopify|custom|shipstation) knows (\d+) webhooks?$`, w.platformCalls)

	sc.Then(`^the event shows:$`, w.eventShows)
	sc.Then(`^nothing tells a key or a token$`, w.nothingLeaks)
}

func buyerSteps(sc book, w *world) {
	sc.Step(`^the merchant vouches for "([^"]*)"$`, w.vouches)
	sc.Step(`^the merchant vouches for a (\w*) ?customer of (hubspot|custom)$`, func(tier, platform string) error { return w.vouchesFor(platform, tier) })
	sc.Step(`^a buyer, claiming (\{.*\}), looks at the "([^"]*)"$`, w.comesClaiming)
	sc.Step(`^the opening price is called "(\w+)"$`, w.remembersOpening)
	sc.Then(`^the price "(\w+)" is (below|at most) "(\w+)"$`, w.isBelow)
	sc.Then(`^no answer to a buyer has the token$`, w.tokenIsNowhere)
}

func shippingSteps(sc book, w *world) {
	sc.Step(`^the merchant ships the order at shipstation$`, w.shipsThere)
	sc.Step(`^custom has the order$`, func() error { return w.refersTo(false) })
	sc.Step(`^custom ships the order$`, func() error { return w.refersTo(true) })
	sc.When(`^the merchant buys the label (\d+) times at once$`, w.buysLabelAtOnce)
	sc.Then(`^shipstation has sold (\d+) labels?$`, w.hasSoldLabels)
	sc.Step(`^the merchant buys a label, called "(\w+)", with the tracking number "(\w+)"$`, w.buysLabelCalled)
	sc.Step(`^the carrier has collected the parcel "([^"]+)"$`, func(tracking string) error { return w.platforms.Collect(w.expand(tracking)) })
	sc.Step(`^the label "([^"]+)" is voided at shipstation itself$`, w.voidsThere)
	sc.When(`^the merchant voids the label "([^"]+)" and buys one (\d+) times at once$`, w.voidsAndBuysAtOnce)
	sc.Then(`^within (\d+) seconds the merchant has voided the label "([^"]+)"$`, w.voidsWithin)
	sc.Then(`^shipstation has (\d+) labels? that (?:is|are) not voided$`, w.hasGoodLabels)
	sc.Then(`^the rates rise$`, w.ratesRise)
}

// number is what a step says, or 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the expression lets nothing else through
	return n
}
