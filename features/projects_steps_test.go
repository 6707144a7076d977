package features

func projectSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a shop$`, func() error { return s.shops.openShop("Test Shop") })
	sc.Given(`^a shop named "([^"]*)"$`, s.shops.openShop)
	sc.Given(`^another shop$`, func() error { return s.shops.openOtherShops(1) })
	sc.Given(`^a shop whose (\S+) is (.+)$`, s.shops.openShopWith)

	sc.When(`^the merchant opens a shop named "([^"]*)"$`, s.shops.openShop)
	sc.When(`^the merchant opens a shop with the same slug$`, s.shops.opensWithSameSlug)
	sc.When(`^the merchant renames the shop to "([^"]*)"$`, s.shops.renamesShop)
	sc.When(`^the merchant closes the shop without confirmation$`, func() error { return s.shops.closeShop("") })
	sc.When(`^the merchant closes the shop, but confirms another one$`, func() error { return s.shops.closeShop("proj_of_another") })
	sc.Step(`^the merchant closes the shop for good$`, s.shops.closesConfirmed)
	sc.When(`^somebody with a key for (\S+) (.+)$`, s.shops.keyHolderDoes)

	sc.Then(`^buyers find the shop at its address$`, s.shops.buyersFindShop)
	sc.Then(`^buyers see the shop as "([^"]*)"$`, s.shops.buyersSeeName)
	sc.Then(`^buyers no longer find the shop$`, func() error { return s.shops.noShopAt(s.shop.Slug) })
	sc.Then(`^buyers no longer find the shop at its old address$`, func() error { return s.shops.noShopAt(s.oldSlug) })
	sc.Then(`^the merchant finds the Management API at its address$`, s.shops.managementAPIAnswers)
	sc.Then(`^the shop's revenue is (\S+)$`, s.shops.revenueIs)
	sc.Then(`^the shop is still open$`, func() error { return s.shops.shopIsNamed(s.shop.Name) })
	sc.Then(`^the merchant no longer finds the shop$`, s.shops.shopNotFound)
	sc.Then(`^its slug is free again$`, s.shops.slugIsFree)
	sc.Then(`^it is allowed$`, s.unexpectedRefusal)
}

func settingsSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^the merchant turns (negotiation|bundle suggestions|subscriptions) (on|off)$`, s.shops.switchesSetting)
	sc.Step(`^the merchant allows discounts of up to (\S+)%$`, func(percent string) error {
		return s.shops.setsPartField("/settings", "commerce.max_discount_percent", percent)
	})
	sc.Step(`^the merchant changes the (currency|time zone) to "([^"]*)"$`, s.shops.changesRegion)
	sc.When(`^the merchant lets sessions last (\d+) minutes$`, func(minutes string) error {
		return s.shops.setsPartField("/settings", "security.session_timeout_minutes", minutes)
	})
	sc.When(`^the merchant gives the shop a new slug$`, func() error { return s.shops.setsPartField("/settings", "general.slug", `"$new_slug"`) })
	sc.When(`^the merchant allows access from "([^"]*)" only$`, func(network string) error {
		return s.shops.setsPartField("/settings", "security.ip_allowlist", `["`+network+`"]`)
	})
	sc.Step(`^the merchant sets "([^"]*)" to (.+)$`, func(field, value string) error { return s.shops.setsPartField("/settings", field, value) })
	sc.When(`^the merchant gives the shop the other shop's slug$`, s.shops.takesOtherShopsSlug)
	sc.Step(`^the merchant sets the storefront's "([^"]*)" to (.+)$`, func(field, value string) error { return s.shops.setsPartField("/storefront", field, value) })

	sc.Then(`^the shop (requires a|requires no) second factor$`, s.shops.secondFactorIs)
	sc.Then(`^the shop's currency is "([^"]*)"$`, func(want string) error {
		return s.shops.partFieldIs("/settings", "general.default_currency", `"`+want+`"`)
	})
	sc.Then(`^access is allowed from everywhere$`, func() error { return s.shops.partFieldIs("/settings", "security.ip_allowlist", "[]") })
	sc.Then(`^the manifest (offers|does not offer) (negotiation|bundles|subscriptions)$`, s.shops.manifestOffers)
	sc.Then(`^the manifest names discounts of up to (\S+)%$`, func(percent string) error {
		return s.shops.manifestHas("policies.max_discount_percent", percent)
	})
	sc.Then(`^buyers see prices in "([^"]*)"$`, s.shops.pricesAreIn)
	sc.Then(`^a new session lasts (\d+) minutes$`, s.shops.newSessionLasts)
}
