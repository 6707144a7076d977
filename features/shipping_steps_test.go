package features

func shippingSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant whose platforms hold no orders$`, func() error { return s.platforms.hasPlatforms(`{"orders": -1}`) })
	sc.Given(`^parcels leave from a warehouse in Portland$`, func() error { return s.shipping.hasWarehouse(`, "country": "US", "postal_code": "97201"`) })
	sc.Given(`^"([^"]*)" manages this shop$`, func(name string) error {
		return s.members.becomesMember(name, `{"role": "manager", "project_ids": ["$shop"]}`)
	})
	sc.Given(`^shipstation's next answer about (labels|voids) is lost$`, func(resource string) error {
		return s.platforms.setsPlatformFault("shipstation", `{"kind": "lost", "resource": "`+resource+`"}`)
	})
	sc.Step(`^the merchant disconnects shipstation$`, func() error { return s.orders.succeeds("DELETE", "/v1/integrations/$integration", "") })
	sc.Step(`^the merchant ships the order at shipstation$`, s.shipping.shipsAtShipStation)
	sc.Step(`^custom has the order$`, func() error { return s.shipping.addsOrderAtCustom(false) })
	sc.Step(`^custom ships the order$`, func() error { return s.shipping.addsOrderAtCustom(true) })
	sc.When(`^the merchant has fetched custom's orders$`, func() error { return s.platforms.hasSynced(`{"resources": ["orders"]}`) })

	sc.Step(`^the merchant buys a label$`, s.shipping.buysLabel)
	sc.Step(`^the merchant buys another label for the order$`, s.shipping.buysLabel)
	sc.When(`^the merchant buys a UPS label$`, s.shipping.buysUPSLabel)
	sc.When(`^the merchant buys a test label$`, s.shipping.buysTestLabel)
	sc.Step(`^the merchant buys the label "(\w+)"$`, s.shipping.buysNamedLabel)
	sc.When(`^the merchant buys the label (\d+) times at once$`, s.shipping.buysLabelConcurrently)
	sc.Step(`^the merchant voids the label "(\w+)"$`, s.shipping.voids)
	sc.When(`^the merchant tries to void the label "(\w+)"$`, func(label string) error { return s.merchantSends("POST", s.shipping.voidPath(label), "") })
	sc.When(`^the merchant voids the label "(\w+)" and buys one (\d+) times at once$`, s.shipping.voidsAndBuysConcurrently)
	sc.Step(`^the carrier has collected the parcel of the label "(\w+)"$`, func(label string) error {
		return s.platforms.platforms.Collect(s.expand("$parcel_" + label))
	})
	sc.Step(`^the label "(\w+)" is voided at shipstation itself$`, s.shipping.voidsAtShipStation)

	sc.Then(`^shipstation has sold (\d+) labels?$`, s.shipping.soldLabelsAre)
	sc.Then(`^shipstation has (\d+) labels? that (?:is|are) not voided$`, s.shipping.unvoidedLabelsAre)
	sc.Then(`^within (\d+) seconds the merchant has voided the label "(\w+)"$`, s.shipping.voidsWithin)
	sc.Then(`^the merchant gets the first label again$`, s.shipping.answerIsUPSLabel)
	sc.Then(`^the merchant gets the label by buying it again$`, func() error { return s.shipping.getsLabelAgain(labelBody) })
	sc.Then(`^the merchant gets the test label by buying it again$`, func() error { return s.shipping.getsLabelAgain(testLabelBody) })
	sc.Then(`^the test label is free$`, func() error { return s.answerShows("test_label", "true", "price", "0") })
	sc.Then(`^the order is shipped with the label's tracking number$`, func() error { return s.shipping.orderHasLabel("ups") })
	sc.Then(`^the order is shipped with the label "(\w+)"$`, s.shipping.orderHasLabel)
	sc.Then(`^the order's labels are "(\w+)" and the voided "(\w+)"$`, s.shipping.labelsAre)
	sc.Then(`^the buyer can track the parcel (with UPS|with FedEx|of the merchant's own system)$`, s.shipping.buyerTracksParcel)
	sc.Then(`^the sync has brought (\d+) shipped orders?$`, func(n string) error { return s.answerShows("resources.orders.created", n) })
	sc.Then(`^within (\d+) seconds (\d+) webhook calls? of shipstation (?:is|are) processed$`, s.shipping.webhookCallsProcessed)
	sc.Then(`^custom's record of the order refers to it$`, s.shipping.customRecordRefersToOrder)
}

// hasWarehouse sets the shop's only warehouse, with more fields of its address.
func (c *shippingContext) hasWarehouse(address string) error {
	return c.shops.setsPartField("/storefront", "warehouses", `[{"location": "main", "name": "Portland"`+address+`}]`)
}
