package features

func idempotencySteps(sc stepRegistry, s *scenario) {
	sc.When(`^the merchant creates a "([^"]*)" under the key "([^"]*)"$`, s.idempotency.createsWithKey)
	sc.When(`^the merchant creates a "([^"]*)" under the key "([^"]*)" (\d+) times at once$`, s.idempotency.createsConcurrentlyWithKey)
	sc.When(`^the merchant removes (\d+) of the "([^"]*)" from stock under the key "([^"]*)"$`, s.idempotency.adjustsStockWithKey)
	sc.When(`^the buyer pays under the key "([^"]*)"$`, s.idempotency.paysWithKey)
	sc.When(`^the buyer pays under the key "([^"]*)" (\d+) times at once$`, s.idempotency.paysConcurrentlyWithKey)

	sc.Then(`^it is the answer from before, and says so$`, s.idempotency.isReplay)
	sc.Then(`^the answer is new$`, s.idempotency.isNotReplay)
	sc.Then(`^all of them got one answer, or were told that the first is under way$`, s.idempotency.allGotSameAnswer)
}
