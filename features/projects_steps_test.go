package features

import "github.com/cucumber/godog"

func projectSteps(sc stepRegistry, w *world) {
	sc.Given(`^a shop$`, func() error { return w.openShop("Test Shop") })
	sc.Given(`^a shop named "([^"]*)"$`, w.openShop)
	sc.Given(`^another shop$`, func() error { return w.openOtherShops(1) })
	sc.Given(`^(\d+) more shops$`, w.openOtherShops)
	sc.Given(`^a shop whose (\S+) is (.+)$`, w.openShopWith)

	sc.When(`^the merchant opens a shop with:$`, func(body *godog.DocString) error { return w.tryOpening(body.Content) })
	sc.When(`^the merchant opens a shop whose (\S+) is (.+)$`, w.tryOpeningWith)
	sc.When(`^the merchant lists shops with "([^"]*)"$`, w.listShops)
	sc.When(`^the merchant looks at the shop$`, w.readsShop)
	sc.When(`^the merchant changes the shop with:$`, w.changeShop)
	sc.When(`^the merchant closes the shop without confirmation$`, func() error { return w.closeShop("") })
	sc.Step(`^the merchant closes the shop, confirming "([^"]*)"$`, w.closeShop)
	sc.When(`^somebody with (no key|the key ".*"|the authorization ".*") looks at the shop$`, w.readsShopWithCredentials)
	sc.When(`^somebody with a key for (\S+) (.+)$`, w.keyHolderDoes)

	sc.Then(`^buyers find the shop at its address$`, w.buyersFindShop)
	sc.Then(`^buyers see the shop as "([^"]*)"$`, w.buyersSeeName)
	sc.Then(`^buyers no longer find the shop$`, func() error { return w.noShopAt(w.shop.Slug) })
	sc.Then(`^buyers no longer find the shop at its old address$`, func() error { return w.noShopAt(w.oldSlug) })
	sc.Then(`^the merchant finds the Management API at its address$`, w.managementAPIAnswers)
	sc.Then(`^the shop is in the list, and shows nothing but:$`, w.shopIsListedWith)
	sc.Then(`^the shop was updated after it was created$`, w.shopUpdatedLater)
	sc.Then(`^the shop is still named "([^"]*)"$`, w.shopIsNamed)
	sc.Then(`^the shop is still open$`, func() error { return w.shopIsNamed(w.shop.Name) })
	sc.Then(`^the merchant no longer finds the shop$`, w.shopNotFound)
	sc.Then(`^its slug is free again$`, w.slugIsFree)
}

func settingsSteps(sc stepRegistry, w *world) {
	sc.When(`^the merchant reads the settings$`, func() error { return w.readsPart("/settings") })
	sc.Step(`^the merchant changes the settings with:$`, func(b *godog.DocString) error { return w.patchesPart("/settings", b.Content) })
	sc.Step(`^the merchant sets "([^"]*)" to (.+)$`, func(field, value string) error { return w.setsPartField("/settings", field, value) })
	sc.When(`^the merchant gives the shop the other shop's slug$`, w.takesOtherShopsSlug)
	sc.When(`^the merchant reads the storefront$`, func() error { return w.readsPart("/storefront") })
	sc.Step(`^the merchant changes the storefront with:$`, func(b *godog.DocString) error { return w.patchesPart("/storefront", b.Content) })
	sc.Step(`^the merchant sets the storefront's "([^"]*)" to (.+)$`, func(field, value string) error { return w.setsPartField("/storefront", field, value) })

	sc.Then(`^the setting "([^"]*)" is (.+)$`, func(field, want string) error { return w.partFieldIs("/settings", field, want) })
	sc.Then(`^the storefront's "([^"]*)" is (.+)$`, func(field, want string) error { return w.partFieldIs("/storefront", field, want) })
	sc.Then(`^the settings read the same$`, func() error { return w.partReadsTheSame("/settings") })
	sc.Then(`^the storefront reads the same$`, func() error { return w.partReadsTheSame("/storefront") })
	sc.Then(`^the manifest shows:$`, w.manifestShows)
	sc.Then(`^buyers see prices in "([^"]*)"$`, w.pricesAreIn)
	sc.Then(`^a new session lasts (\d+) minutes$`, w.newSessionLasts)
}
