package features

import "github.com/cucumber/godog"

func idempotencySteps(sc stepRegistry, w *world) {
	sc.When(`^under the key "([^"]*)" the merchant closes the shop$`, w.closesShopWithKey)
	sc.When(`^under the key "([^"]*)" the merchant creates a product (\d+) times at once$`, w.createsConcurrentlyWithKey)
	sc.When(`^under the key "([^"]*)" the buyer pays (\d+) times at once$`, w.paysConcurrentlyWithKey)
	sc.When(`^under the key "([^"]*)" the merchant creates a product with:$`, func(key string, b *godog.DocString) error {
		return w.sends(`under the key "`+key+`" `, "merchant", "POST", productsPath, b.Content)
	})
	sc.When(`^under the key "([^"]*)" a buyer of the other shop sends ([A-Z]+) (\S+) (.+)$`, w.buyerSendsToOtherShopWithKey)

	sc.Then(`^it is the answer from before, and says so$`, w.isReplay)
	sc.Then(`^it is an answer of its own$`, w.isNotReplay)
	sc.Then(`^all of them got one answer, or were told that the first is under way$`, w.allGotSameAnswer)
}
