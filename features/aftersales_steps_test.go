package features

func aftersalesSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the buyer cancels the order with (.+)$`, s.aftersales.cancelsWith)
	sc.When(`^the buyer opens the receipt$`, s.aftersales.opensReceipt)
	sc.Step(`^the buyer sends back (\d+) of the "([^"]*)"$`, s.aftersales.returnsItems)
	sc.When(`^the buyer sends back (\d+) of the "([^"]*)" (\d+) times at once$`, s.aftersales.returnsConcurrently)

	sc.Then(`^the receipt says "(.*)"$`, func(text string) error { return s.lastBodyContains(text, true) })

	sc.Then(`^the order's id alone shows the order without its buyer$`, s.aftersales.idShowsNoBuyer)
	sc.Then(`^the buyer's order still names the "([^"]*)"$`, func(name string) error {
		return s.orders.buyerShows("summary.items.0.name", `"`+name+`"`)
	})
	sc.Then(`^the receipt loads and runs nothing$`, s.aftersales.receiptIsInert)
	sc.Then(`^buyers see that the "([^"]*)" cannot be returned$`, s.aftersales.productIsNotReturnable)
}
