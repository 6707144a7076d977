package features

func orderSteps(sc stepRegistry, w *world) {
	sc.When(`^the merchant reads the order$`, func() error { return w.merchantSends("GET", ordersPath+"/$order", "") })
	sc.Step(`^the merchant cancels the order$`, func() error { return w.merchantSends("POST", ordersPath+"/$order/cancel", "") })
	sc.When(`^the merchant cancels the order with a reason of (\d+) characters$`, func(n int) error {
		return w.merchantSends("POST", ordersPath+"/$order/cancel", `{"reason": "`+randomLetters(n)+`"}`)
	})
	sc.When(`^the merchant cancels the order (\d+) times at once$`, func(n int) { w.postsConcurrently(ordersPath+"/$order/cancel", n) })
	sc.Step(`^the merchant ships the order$`, func() error { return w.reportsFulfillment(`{"status": "shipped"}`) })
	sc.Step(`^the merchant tells of the order (\{.*\})$`, w.reportsFulfillment)
	sc.Step(`^the merchant approves the return$`, func() error { return w.merchantSends("POST", returnsPath+"/$return/approve", "") })
	sc.When(`^the merchant approves the return with (\{.*\})$`, func(body string) error {
		return w.merchantSends("POST", returnsPath+"/$return/approve", body)
	})
	sc.When(`^the merchant approves the return (\d+) times at once$`, func(n int) { w.postsConcurrently(returnsPath+"/$return/approve", n) })

	sc.Then(`^the order's "([^"]*)" is (.+)$`, func(field, want string) error { return w.fieldIs(ordersPath+"/$order", field, want) })
	sc.Then(`^the return's "([^"]*)" is (.+)$`, func(field, want string) error { return w.fieldIs(returnsPath+"/$return", field, want) })
	sc.Then(`^the buyer's return is "([^"]*)"$`, w.buyersReturnIs)
	sc.Then(`^the answer tells no secret$`, w.answerHasNoSecret)
	sc.Then(`^the answer does not name the buyer$`, w.answerHasNoPersonalData)
}
