package features

import "github.com/cucumber/godog"

func projectSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a shop$`, func() error { return s.shops.openShop("Test Shop") })
	sc.Given(`^a shop named "([^"]*)"$`, s.shops.openShop)
	sc.Given(`^another shop$`, func() error { return s.shops.openOtherShops(1) })
	sc.Given(`^(\d+) more shops$`, s.shops.openOtherShops)
	sc.Given(`^a shop whose (\S+) is (.+)$`, s.shops.openShopWith)

	sc.When(`^the merchant opens a shop with:$`, func(body *godog.DocString) error { return s.shops.tryOpening(body.Content) })
	sc.When(`^the merchant opens a shop whose (\S+) is (.+)$`, s.shops.tryOpeningWith)
	sc.When(`^the merchant lists shops with "([^"]*)"$`, s.shops.listShops)
	sc.When(`^the merchant looks at the shop$`, s.shops.readsShop)
	sc.When(`^the merchant changes the shop with:$`, s.shops.changeShop)
	sc.When(`^the merchant closes the shop without confirmation$`, func() error { return s.shops.closeShop("") })
	sc.Step(`^the merchant closes the shop, confirming "([^"]*)"$`, s.shops.closeShop)
	sc.When(`^somebody with (no key|the key ".*"|the authorization ".*") looks at the shop$`, s.shops.readsShopWithCredentials)
	sc.When(`^somebody with a key for (\S+) (.+)$`, s.shops.keyHolderDoes)

	sc.Then(`^buyers find the shop at its address$`, s.shops.buyersFindShop)
	sc.Then(`^buyers see the shop as "([^"]*)"$`, s.shops.buyersSeeName)
	sc.Then(`^buyers no longer find the shop$`, func() error { return s.shops.noShopAt(s.shop.Slug) })
	sc.Then(`^buyers no longer find the shop at its old address$`, func() error { return s.shops.noShopAt(s.oldSlug) })
	sc.Then(`^the merchant finds the Management API at its address$`, s.shops.managementAPIAnswers)
	sc.Then(`^the shop is in the list, and shows nothing but:$`, s.shops.shopIsListedWith)
	sc.Then(`^the shop was updated after it was created$`, s.shops.shopUpdatedLater)
	sc.Then(`^the shop is still named "([^"]*)"$`, s.shops.shopIsNamed)
	sc.Then(`^the shop is still open$`, func() error { return s.shops.shopIsNamed(s.shop.Name) })
	sc.Then(`^the merchant no longer finds the shop$`, s.shops.shopNotFound)
	sc.Then(`^its slug is free again$`, s.shops.slugIsFree)
}

func settingsSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the merchant reads the settings$`, func() error { return s.shops.readsPart("/settings") })
	sc.Step(`^the merchant changes the settings with:$`, func(b *godog.DocString) error { return s.shops.patchesPart("/settings", b.Content) })
	sc.Step(`^the merchant sets "([^"]*)" to (.+)$`, func(field, value string) error { return s.shops.setsPartField("/settings", field, value) })
	sc.When(`^the merchant gives the shop the other shop's slug$`, s.shops.takesOtherShopsSlug)
	sc.When(`^the merchant reads the storefront$`, func() error { return s.shops.readsPart("/storefront") })
	sc.Step(`^the merchant changes the storefront with:$`, func(b *godog.DocString) error { return s.shops.patchesPart("/storefront", b.Content) })
	sc.Step(`^the merchant sets the storefront's "([^"]*)" to (.+)$`, func(field, value string) error { return s.shops.setsPartField("/storefront", field, value) })

	sc.Then(`^the setting "([^"]*)" is (.+)$`, func(field, want string) error { return s.shops.partFieldIs("/settings", field, want) })
	sc.Then(`^the storefront's "([^"]*)" is (.+)$`, func(field, want string) error { return s.shops.partFieldIs("/storefront", field, want) })
	sc.Then(`^the settings read the same$`, func() error { return s.shops.partReadsTheSame("/settings") })
	sc.Then(`^the storefront reads the same$`, func() error { return s.shops.partReadsTheSame("/storefront") })
	sc.Then(`^the manifest shows:$`, s.shops.manifestShows)
	sc.Then(`^buyers see prices in "([^"]*)"$`, s.shops.pricesAreIn)
	sc.Then(`^a new session lasts (\d+) minutes$`, s.shops.newSessionLasts)
}
