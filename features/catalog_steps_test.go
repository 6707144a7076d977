package features

func catalogSteps(sc stepRegistry, s *scenario) {
	catalogChangeSteps(sc, s)
	importSteps(sc, s)
	onSaleSteps(sc, s)
	sc.Given(`^a shop selling:$`, s.catalog.openShopSelling)
	sc.Given(`^a shop with (\d+) products$`, s.catalog.openShopWithMany)
	sc.Given(`^the merchant has (?:only )?(\d+) of the "([^"]*)" (?:left|again)$`, s.catalog.restock)

	sc.Step(`^the merchant deletes the product$`, s.catalog.deleteProduct)
	sc.When(`^the merchant looks for the product in the other shop$`, s.catalog.readsProductInOtherShop)
	sc.When(`^the merchant takes 1 of the "([^"]*)" (\d+) times at once$`, s.catalog.decrementConcurrently)
	sc.When(`^the merchant lowers the price of the "([^"]*)" to (\S+)$`, s.catalog.setPrice)

	sc.Then(`^the shop has (\d+) products?$`, func(n int) error { return s.catalog.shopFigureIs("statistics.products", n) })
	sc.Then(`^the shop has (\d+) orders?$`, func(n int) error { return s.catalog.shopFigureIs("statistics.orders_30d", n) })
	sc.Then(`^there are (\d+) of the "([^"]*)"(?: left)?$`, s.catalog.stockIs)
	sc.Then(`^buyers can have (\d+) of the "([^"]*)"$`, s.catalog.availableIs)
	sc.Then(`^the merchant no longer finds the product$`, s.catalog.productNotFound)
	sc.Then(`^buyers no longer find the product$`, s.catalog.productNotFoundByBuyers)
}
