package features

func aftersalesSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a buyer named "([^"]*)" who ordered the product$`, s.aftersales.hasOrderedUnderName)

	sc.When(`^the buyer reads the order$`, func() error { return s.act(func(b *shopper) { b.ReadOrder() }) })
	sc.When(`^the buyer reads the order in the other shop$`, func() error { return s.buyerSendsToOtherShop("GET", "/acp/orders/$order", "") })
	sc.When(`^the buyer opens the receipt$`, s.aftersales.opensReceipt)
	sc.Step(`^the buyer sends back (\d+) of the "([^"]*)"$`, s.aftersales.returnsItems)
	sc.When(`^the buyer sends back (\d+) of the "([^"]*)" (\d+) times at once$`, s.aftersales.returnsConcurrently)

	sc.Then(`^the receipt says "(.*)"$`, func(text string) error { return s.lastBodyContains(text, true) })
	sc.Step(`^the (?:merchant|buyer) remembers the answer's ([\w.]+)$`, s.rememberAnswer)

	sc.Then(`^the answer does not say "(.*)"$`, func(text string) error { return s.lastBodyContains(s.expand(text), false) })
	sc.Then(`^the receipt does not say "(.*)"$`, func(text string) error { return s.lastBodyContains(text, false) })
	sc.Then(`^the receipt loads and runs nothing$`, s.aftersales.receiptIsInert)
	sc.Then(`^the return reads the same$`, s.aftersales.returnReadsTheSame)
}
