package features

func syncSteps(sc stepRegistry, s *scenario) {
	const resources = `((?:products|inventory|customers|orders)(?:(?:, | and )(?:products|inventory|customers|orders))*)`
	sc.Step(`^the merchant starts a sync$`, func() error { return s.platforms.startsSync("") })
	sc.When(`^the merchant starts a sync (\d+) times at once$`, s.platforms.startsConcurrently)
	sc.When(`^the merchant starts to sync all products again$`, func() error { return s.platforms.startsSync(everyProduct) })
	sc.When(`^the merchant cancels the sync$`, s.platforms.cancelsSync)
	sc.Step(`^the merchant has synced(?: with (\{.*\}))?$`, s.platforms.hasSynced)
	sc.Step(`^the merchant has synced everything again$`, func() error { return s.platforms.hasSynced(`{"full_sync": true}`) })
	sc.Step(`^the merchant has synced all products again$`, func() error { return s.platforms.hasSynced(everyProduct) })
	sc.Step(`^the merchant has synced `+resources+`$`, s.platforms.hasSyncedOnly)
	sc.When(`^the merchant has previewed a sync$`, func() error { return s.platforms.hasSynced(`{"preview": true}`) })
	sc.When(`^the merchant replaces the key$`, s.platforms.replacesKey)

	sc.Then(`^((?:at least |at most )?\d+) (product|stock level|customer|order)s? (?:was|were|would be) (created|updated|left unchanged|rejected)$`, s.platforms.syncCounterIs)
	sc.Then(`^the sync (completes|fails|is canceled)$`, s.platforms.syncEndsAs)
	sc.Then(`^the sync fails with an error about "([^"]*)"$`, s.platforms.syncFailsAbout)
	sc.Then(`^no other sync can be started$`, s.platforms.canStartNoOther)
	sc.Then(`^1 sync runs, and (\d+) are refused$`, s.platforms.onlyOneRuns)
	sc.Then(`^the integration (is connected|has an error)$`, s.platforms.integrationIs)
	sc.Then(`^1 conflict about the price is shown, which the (shop|platform)'s price wins$`, s.platforms.priceConflictIs)
}

func syncedProductSteps(sc stepRegistry, s *scenario) {
	product := &syncedProductContext{s.platforms}
	sc.Then(`^the shop has what (shopify|custom) has$`, s.platforms.matchesPlatform)
	sc.Then(`^within (\d+) seconds the shop has what (shopify|custom) has$`, s.platforms.matchesPlatformWithin)
	sc.Then(`^((?:at least |at most )?\d+) products? (?:is|are) archived$`, product.archivedAre)
	sc.Given(`^a product of (shopify|woocommerce|custom)$`, s.platforms.choosesProduct)
	sc.Given(`^the merchant already sells a product with its SKU$`, product.sellsSameSKU)
	sc.Given(`^the merchant changes the product's price, category and brand$`, s.platforms.editsConflictingly)
	sc.Given(`^the merchant names the product "([^"]*)" and describes it as "([^"]*)"$`, product.renamesProduct)
	sc.Then(`^the product that the merchant sold before is one of custom's$`, product.ownsProductSoldBefore)
	sc.Then(`^the product is named "([^"]*)" and described as "([^"]*)"$`, product.productIsNamed)
	sc.Then(`^the product has custom's description$`, product.productIsDescribedByPlatform)
	sc.Then(`^the shop has (\d+) fewer of it than (custom)$`, product.stockIsLessThanPlatform)
	sc.Then(`^(shopify|woocommerce|custom) and the shop have (\d+) fewer of it than before$`, product.bothStocksFellBy)
	sc.Then(`^hubspot has the order as one deal that is (won|lost)$`, product.orderIsDeal)
	sc.Then(`^buyers find it$`, func() error { return product.buyersFindProduct(true) })
	sc.Then(`^buyers do not find it$`, func() error { return product.buyersFindProduct(false) })
	sc.Then(`^buyers can have all that there is$`, product.allStockIsAvailable)
	sc.Then(`^within (\d+) seconds buyers can have (\d+) of it$`, product.availableIsWithin)
	sc.Step(`^a buyer orders (\d+) of it$`, product.ordersProduct)
}
