package features

import "github.com/cucumber/godog"

func catalogSteps(sc stepRegistry, w *world) {
	sc.Given(`^a shop selling:$`, w.openShopSelling)
	sc.Given(`^a shop with (\d+) products$`, w.openShopWithMany)
	sc.Given(`^a product with:$`, w.hasProduct)
	sc.Given(`^a merchant of the shop "([^"]*)"$`, w.selectsShop)
	sc.Given(`^the merchant has (?:only )?(\d+) of the "([^"]*)" (?:left|again)$`, w.restock)

	sc.When(`^the merchant creates a product with:$`, w.createProduct)
	sc.When(`^the merchant creates a product whose (\S+) is (.+)$`, w.createProductWith)
	sc.When(`^the merchant creates a product in the other shop with:$`, w.createProductInOtherShop)
	sc.Step(`^the merchant changes the product with:$`, w.changeProduct)
	sc.Step(`^the merchant deletes the product$`, w.deleteProduct)
	sc.When(`^the merchant looks for the product in the other shop$`, w.readsProductInOtherShop)
	sc.When(`^the merchant lists products with "([^"]*)"$`, func(query string) error { return w.merchantSends("GET", productsPath+"?"+query, "") })
	sc.When(`^the merchant lists categories$`, func() error { return w.merchantSends("GET", "/v1/catalog/categories", "") })
	sc.Step(`^the merchant sends the batch:$`, func(b *godog.DocString) error { return w.merchantSends("POST", productsPath+"/batch", b.Content) })
	sc.When(`^the merchant imports the "([^"]*)" file "([^"]*)":$`, w.importFile)
	sc.When(`^the merchant sends a batch of (\d+) products$`, w.sendBatchOf)
	sc.When(`^the merchant reads the stock of "([^"]*)"$`, func(sku string) error { return w.merchantSends("GET", inventoryPath+"?sku="+sku, "") })
	sc.Step(`^the merchant sets stock with:$`, func(b *godog.DocString) error { return w.merchantSends("PUT", inventoryPath, b.Content) })
	sc.When(`^the merchant moves stock with:$`, func(b *godog.DocString) error {
		return w.merchantSends("POST", inventoryPath+"/adjust", b.Content)
	})
	sc.When(`^the merchant takes 1 of the "([^"]*)" (\d+) times at once$`, w.decrementConcurrently)
	sc.When(`^the merchant lowers the price of the "([^"]*)" to (\S+)$`, w.setPrice)

	sc.Then(`^the product reads the same$`, w.productReadsTheSame)
	sc.Then(`^the product's "([^"]*)" is (.+)$`, w.productFieldIs)
	sc.Then(`^the shop has (\d+) products?$`, func(n int) error { return w.shopFigureIs("statistics.products", n) })
	sc.Then(`^the shop has (\d+) orders?$`, func(n int) error { return w.shopFigureIs("statistics.orders_30d", n) })
	sc.Then(`^there are (\d+) of the "([^"]*)"(?: left)?$`, w.stockIs)
	sc.Then(`^buyers can have (\d+) of the "([^"]*)"$`, w.availableIs)
	sc.Then(`^the merchant no longer finds the product$`, w.productNotFound)
	sc.Then(`^buyers no longer find the product$`, w.productNotFoundByBuyers)
	sc.Then(`^(\d+) of them (?:succeeds?|have an order) and (\d+) are refused: (\d+) (\w+)$`, w.succeedAndRefused)
}
