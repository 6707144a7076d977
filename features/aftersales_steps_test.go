package features

func aftersalesSteps(sc stepRegistry, w *world) {
	sc.Given(`^a buyer named "([^"]*)" who ordered the product$`, w.hasOrderedUnderName)

	sc.When(`^the buyer reads the order$`, func() error { return w.act(func(b *shopper) { b.ReadOrder() }) })
	sc.When(`^the buyer reads the order in the other shop$`, func() error { return w.buyerSendsToOtherShop("GET", "/acp/orders/$order", "") })
	sc.When(`^the buyer opens the receipt$`, w.opensReceipt)
	sc.Step(`^the buyer sends back (\d+) of the "([^"]*)"$`, w.returnsItems)
	sc.When(`^the buyer sends back (\d+) of the "([^"]*)" (\d+) times at once$`, w.returnsConcurrently)

	sc.Then(`^the receipt says "(.*)"$`, func(text string) error { return w.lastBodyContains(text, true) })
	sc.Step(`^the (?:merchant|buyer) remembers the answer's ([\w.]+)$`, w.rememberAnswer)

	sc.Then(`^the answer does not say "(.*)"$`, func(text string) error { return w.lastBodyContains(w.expand(text), false) })
	sc.Then(`^the receipt does not say "(.*)"$`, func(text string) error { return w.lastBodyContains(text, false) })
	sc.Then(`^the receipt loads and runs nothing$`, w.receiptIsInert)
	sc.Then(`^the return reads the same$`, w.returnReadsTheSame)
}
