package features

import "github.com/cucumber/godog"

func catalogSteps(sc stepRegistry, s *scenario) {
	catalogChangeSteps(sc, s)
	importSteps(sc, s)
	onSaleSteps(sc, s)
	sc.Given(`^a shop selling:$`, s.catalog.openShopSelling)
	sc.Given(`^a shop with (\d+) products$`, s.catalog.openShopWithMany)
	sc.Given(`^a product with:$`, s.catalog.hasProduct)
	sc.Given(`^a merchant of the shop "([^"]*)"$`, s.catalog.selectsShop)
	sc.Given(`^the merchant has (?:only )?(\d+) of the "([^"]*)" (?:left|again)$`, s.catalog.restock)

	sc.When(`^the merchant creates a product with:$`, s.catalog.createProduct)
	sc.Step(`^the merchant changes the product with:$`, s.catalog.changeProduct)
	sc.Step(`^the merchant deletes the product$`, s.catalog.deleteProduct)
	sc.When(`^the merchant looks for the product in the other shop$`, s.catalog.readsProductInOtherShop)
	sc.When(`^the merchant lists products with "([^"]*)"$`, func(query string) error { return s.merchantSends("GET", productsPath+"?"+query, "") })
	sc.Step(`^the merchant sends the batch:$`, func(b *godog.DocString) error { return s.merchantSends("POST", productsPath+"/batch", b.Content) })
	sc.Step(`^the merchant sets stock with:$`, func(b *godog.DocString) error { return s.merchantSends("PUT", inventoryPath, b.Content) })
	sc.When(`^the merchant takes 1 of the "([^"]*)" (\d+) times at once$`, s.catalog.decrementConcurrently)
	sc.When(`^the merchant lowers the price of the "([^"]*)" to (\S+)$`, s.catalog.setPrice)

	sc.Then(`^the product's "([^"]*)" is (.+)$`, s.catalog.productFieldIs)
	sc.Then(`^the shop has (\d+) products?$`, func(n int) error { return s.catalog.shopFigureIs("statistics.products", n) })
	sc.Then(`^the shop has (\d+) orders?$`, func(n int) error { return s.catalog.shopFigureIs("statistics.orders_30d", n) })
	sc.Then(`^there are (\d+) of the "([^"]*)"(?: left)?$`, s.catalog.stockIs)
	sc.Then(`^buyers can have (\d+) of the "([^"]*)"$`, s.catalog.availableIs)
	sc.Then(`^the merchant no longer finds the product$`, s.catalog.productNotFound)
	sc.Then(`^buyers no longer find the product$`, s.catalog.productNotFoundByBuyers)
	sc.Then(`^(\d+) of them (?:succeeds?|have an order) and (\d+) are refused: (\d+) (\w+)$`, s.succeedAndRefused)
}
