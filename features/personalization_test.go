package features

import "strings"

// personalizationSteps read which personal signals moved a price, and change whether they count.
func personalizationSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^(?:the merchant decides that )?personal signals do not count$`, func() error {
		return s.merchantSends("PATCH", "/v1/projects/$shop/storefront", `{"personalization": {"default": "off", "regions": {}}}`)
	})
	sc.Then(`^the price says that nothing personal moved it$`, func() error { return s.answerShows("personalization", `absent`) })
	sc.Then(`^the price says that (claimed_[a-z_, ]+) moved it$`, func(signals string) error {
		return s.answerShows(
			"personalization.used", `["`+strings.ReplaceAll(signals, ", ", `", "`)+`"]`,
			"personalization.by", `"automated"`,
		)
	})
	sc.Then(`^the buyer pays the list price$`, func() error {
		return s.answerShows("offered_price", s.shopper.Quote.ListPrice.String())
	})
}
