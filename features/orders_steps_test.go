package features

func orderSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the merchant reads the order$`, func() error { return s.merchantSends("GET", ordersPath+"/$order", "") })
	sc.Step(`^the merchant cancels the order$`, func() error { return s.merchantSends("POST", ordersPath+"/$order/cancel", "") })
	sc.When(`^the merchant cancels the order with a reason of (\d+) characters$`, func(n int) error {
		return s.merchantSends("POST", ordersPath+"/$order/cancel", `{"reason": "`+randomLetters(n)+`"}`)
	})
	sc.When(`^the merchant cancels the order (\d+) times at once$`, func(n int) { s.orders.postsConcurrently(ordersPath+"/$order/cancel", n) })
	sc.Step(`^the merchant ships the order$`, func() error { return s.orders.reportsFulfillment(`{"status": "shipped"}`) })
	sc.Step(`^the merchant tells of the order (\{.*\})$`, s.orders.reportsFulfillment)
	sc.Step(`^the merchant approves the return$`, func() error { return s.merchantSends("POST", returnsPath+"/$return/approve", "") })
	sc.When(`^the merchant approves the return with (\{.*\})$`, func(body string) error {
		return s.merchantSends("POST", returnsPath+"/$return/approve", body)
	})
	sc.When(`^the merchant approves the return (\d+) times at once$`, func(n int) { s.orders.postsConcurrently(returnsPath+"/$return/approve", n) })

	sc.Then(`^the order's "([^"]*)" is (.+)$`, func(field, want string) error { return s.orders.fieldIs(ordersPath+"/$order", field, want) })
	sc.Then(`^the return's "([^"]*)" is (.+)$`, func(field, want string) error { return s.orders.fieldIs(returnsPath+"/$return", field, want) })
	sc.Then(`^the buyer's return is "([^"]*)"$`, s.orders.buyersReturnIs)
	sc.Then(`^the answer tells no secret$`, s.orders.answerHasNoSecret)
	sc.Then(`^the answer does not name the buyer$`, s.orders.answerHasNoPersonalData)
}
