package features

import "github.com/cucumber/godog"

func idempotencySteps(sc stepRegistry, s *scenario) {
	sc.When(`^under the key "([^"]*)" the merchant closes the shop$`, s.idempotency.closesShopWithKey)
	sc.When(`^under the key "([^"]*)" the merchant creates a product (\d+) times at once$`, s.idempotency.createsConcurrentlyWithKey)
	sc.When(`^under the key "([^"]*)" the buyer pays (\d+) times at once$`, s.idempotency.paysConcurrentlyWithKey)
	sc.When(`^under the key "([^"]*)" the merchant creates a product with:$`, func(key string, b *godog.DocString) error {
		return s.sends(`under the key "`+key+`" `, "merchant", "POST", productsPath, b.Content)
	})
	sc.When(`^under the key "([^"]*)" a buyer of the other shop sends ([A-Z]+) (\S+) (.+)$`, s.idempotency.buyerSendsToOtherShopWithKey)

	sc.Then(`^it is the answer from before, and says so$`, s.idempotency.isReplay)
	sc.Then(`^it is an answer of its own$`, s.idempotency.isNotReplay)
	sc.Then(`^all of them got one answer, or were told that the first is under way$`, s.idempotency.allGotSameAnswer)
}
