package features

import "fmt"

func hagglingSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the buyer wants (\d+)$`, s.haggling.wants)
	sc.Given(`^the buyer remembers the (\w+)$`, s.remember)
	sc.Given(`^(\d+) other sessions of the buyer's client about the "([^"]*)"$`, s.haggling.othersHaggled)

	sc.Step(`^the buyer asks the price(?: anew| again)?$`, s.haggling.asksPrice)
	sc.Step(`^the buyer offers ([\d.]+|the counter|the quoted price|the bottom of the likely range|what is hinted at|the current price|[\d.]+ (?:more|less) than (?:before|the counter))$`, s.haggling.offers)
	sc.When(`^the buyer offers ([\d.]+) (\d+) times at once$`, s.haggling.offersConcurrently)
	sc.Step(`^the buyer makes an offer that is countered$`, s.haggling.makesCounteredOffer)
	sc.Step(`^the buyer makes (\d+) offers, each (\d+) more$`, s.haggling.makesOffers)
	sc.When(`^the buyer makes the same offer again$`, func() error { return s.haggling.offers("0 more than before") })
	sc.When(`^the buyer offers ([\d.]+) for the remembered quote$`, s.haggling.offersForRemembered)
	sc.When(`^another buyer offers the same, saying "([^"]*)"$`, s.haggling.anotherOffersSaying)
	sc.When(`^another buyer, who claims ([a-z0-9 ,]+), offers (\S+)$`, s.haggling.anotherOffersClaiming)
	sc.When(`^the buyer bargains to the end$`, s.haggling.bargainsToEnd)
	sc.When(`^the buyer haggles like a ([a-z ]+), from (\d+)% up to (\d+)% of the list price$`, s.haggling.hagglesLike)
	sc.Step(`^the buyer takes the bundle$`, func() error { return s.haggling.negotiate(func(b *shopper) { b.TakeBundle() }) })

	sc.Then(`^the merchant quotes ([\d.]+)$`, s.haggling.quotes)
	sc.Then(`^the merchant quotes the same price$`, s.haggling.quotesTheSame)
	sc.Then(`^the merchant quotes the personalized price$`, s.haggling.quotesPersonalized)
	sc.Then(`^the merchant accepts at ([\d.]+)$`, s.haggling.acceptsAt)
	sc.Then(`^the merchant accepts at the counter$`, s.haggling.acceptsAtCounter)
	sc.Then(`^the merchant accepts the offer$`, s.haggling.acceptsOffer)
	sc.Then(`^the merchant counters above the offer$`, s.haggling.countersAbove)
	sc.Step(`^the merchant counters at ([\d.]+)$`, s.haggling.countersAt)
	sc.Then(`^the merchant counters with the same price$`, s.haggling.countersTheSame)
	sc.Then(`^the merchant rejects the offer, and stands at ([\d.]+)$`, s.haggling.rejectsAtPrice)
	sc.Then(`^the merchant rejects the offer, hinting at "([^"]*)"$`, s.haggling.rejectsHinting)
	sc.Then(`^the merchant does not reject the offer$`, s.haggling.doesNotReject)
	sc.Then(`^each counter is at most the one before$`, s.haggling.countersFall)
	sc.Then(`^only the last counter is final$`, s.haggling.onlyLastIsFinal)
	sc.Then(`^the counter is final$`, s.haggling.isFinal)
	sc.Then(`^the hint is a multiple of (\d+), from (\S+) to (\S+)$`, s.haggling.hintsBetween)
	sc.Then(`^the hint is always the same$`, s.haggling.hintStays)
	sc.Then(`^the hint is the first buyer's$`, func() error { return s.haggling.fieldIsBelowFirstBuyers("floor_hint", "0") })
	sc.Then(`^the hint is (\d+) below the first buyer's$`, func(by string) error { return s.haggling.fieldIsBelowFirstBuyers("floor_hint", by) })
	sc.Then(`^the price is (\d+) below the first buyer's$`, func(by string) error { return s.haggling.fieldIsBelowFirstBuyers("offered_price", by) })
	sc.Then(`^both buyers get the same answer$`, s.haggling.bothBuyersGetSameAnswer)
	sc.Then(`^the agreed price is (at least|below) (\S+)$`, s.haggling.agreedPriceIs)
	sc.Then(`^the buyer and the merchant (agree|do not agree)$`, s.haggling.haveAgreed)
	sc.Then(`^the counter suggests the "([^"]*)"$`, s.haggling.suggestsBundle)
	sc.Then(`^the counter suggests nothing$`, s.haggling.suggestsNoBundle)
	sc.Then(`^the bundle costs ([\d.]+) instead of ([\d.]+)$`, s.haggling.bundleCosts)
	sc.Then(`^the bundle adds up$`, s.haggling.bundleAddsUp)
	sc.Then(`^the answer is valid for (\d+) minutes$`, s.haggling.answerIsValidFor)
	sc.Then(`^the session lasts as long as the answer is valid$`, s.haggling.sessionOutlivesAnswer)
	sc.Then(`^the cart holds (\d+) of the "([^"]*)" at the (agreed|bundle) price$`, s.haggling.cartHolds)
	sc.Then(`^the cart holds (\d+) products?$`, s.haggling.cartSizeIs)
	sc.Then(`^the cart is empty$`, func() error { return s.haggling.cartSizeIs(0) })
	hagglingTermSteps(sc, s)
	negotiationListSteps(sc, s)
}

// hagglingTermSteps set limits of the shop and of its agent.
func hagglingTermSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^an agent that concedes patiently$`, s.haggling.concedesPatiently)
	sc.Given(`^the agent allows (\d+) offers below the floor per session$`, func(n int) error { return s.haggling.changesPolicy(fmt.Sprintf(`{"probing": {"session": %d}}`, n)) })
	sc.Given(`^the agent allows any number of sessions about one product$`, func() error { return s.haggling.changesPolicy(`{"probing": {"product": 0}}`) })
	sc.Given(`^the agent's floor is halfway to the lowest price allowed$`, func() error { return s.haggling.changesPolicy(`{"depth_percent": 50}`) })
	sc.Given(`^the shop's sessions last (\d+) minutes$`, func(minutes string) error {
		return s.shops.setsPartField("/settings", "security.session_timeout_minutes", minutes)
	})
	sc.Given(`^the shop's maximum discount is (\d+)%$`, func(percent string) error {
		return s.shops.setsPartField("/settings", "commerce.max_discount_percent", percent)
	})
	sc.Given(`^the shop sells a "([^"]*)" at ([\d.]+), which is not negotiable$`, s.haggling.sellsAtListPrice)
	sc.Then(`^the agent decided by the probing limit, after (\d+) sessions about the product$`, s.haggling.probedProduct)
}
