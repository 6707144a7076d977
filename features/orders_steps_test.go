package features

func orderSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^the merchant cancels the order$`, func() error { return s.merchantSends("POST", ordersPath+"/$order/cancel", "") })
	sc.When(`^the merchant cancels the order (\d+) times at once$`, func(n int) { s.orders.postsConcurrently(ordersPath+"/$order/cancel", n) })
	sc.Step(`^the merchant ships the order$`, func() error { return s.orders.reportsFulfillment(`{"status": "shipped"}`) })
	sc.Step(`^the merchant ships the order with a tracking link$`, s.orders.shipsWithTracking)
	sc.Step(`^the merchant corrects the carrier to "([^"]*)"$`, func(carrier string) error {
		return s.orders.reportsFulfillment(`{"status": "shipped", "carrier": "` + carrier + `"}`)
	})
	sc.Step(`^the merchant marks the order as delivered$`, func() error { return s.orders.reportsFulfillment(`{"status": "delivered"}`) })
	sc.Step(`^the merchant approves the return$`, func() error { return s.orders.approves("") })
	sc.When(`^the merchant approves the return, refunding (\S+)$`, func(amount string) error { return s.orders.approves(`{"amount": ` + amount + `}`) })
	sc.When(`^the merchant approves the return, refunding (\S+) and restocking nothing$`, func(amount string) error {
		return s.orders.approves(`{"amount": ` + amount + `, "restock": false}`)
	})
	sc.When(`^the merchant approves the return (\d+) times at once$`, func(n int) { s.orders.postsConcurrently(returnsPath+"/$return/approve", n) })
	sc.Step(`^the merchant rejects the return$`, func() error { return s.orders.rejects("It is burnt") })
	sc.Step(`^the merchant writes the note "([^"]*)" on the order$`, s.orders.writesNote)

	sc.Then(`^the order is (confirmed|canceled|not shipped yet|shipped|delivered)$`, s.orders.orderIs)
	sc.Then(`^the buyer sees the order as (canceled|not shipped yet|shipped|delivered)$`, s.orders.buyerSeesOrderAs)
	sc.Then(`^the buyer can follow the tracking link$`, s.orders.buyerSeesTrackingLink)
	sc.Then(`^the order's carrier is "([^"]*)"$`, func(carrier string) error {
		return s.orders.resourceShows(ordersPath+"/$order", "fulfillment.carrier", `"`+carrier+`"`)
	})
	sc.Then(`^the order's refunds are (\S+(?: and \S+)*)$`, s.orders.refundsAre)
	sc.Then(`^the return is (requested|approved|rejected)$`, s.orders.returnIs)
	sc.Then(`^the merchant's approval refunds (\S+) and restocks (\d+)$`, s.orders.approvalShows)
	sc.Then(`^the merchant's approval refunds nothing$`, s.orders.approvalHasNoRefund)
	sc.Then(`^the audit log has the note without "([^"]*)"$`, s.orders.noteIsLogged)
	sc.Then(`^neither the buyer nor an agent reads "([^"]*)"$`, s.orders.notShownToBuyers)

	sc.Then(`^(\d+) requests? succeeds? and (\d+) are refused because (.+)$`, s.succeedOrRefusedBecause)
	sc.Then(`^a clerk who may only (edit the catalog|see the catalog|see the integrations|see the keys|see the finances) may not (.+)$`, s.orders.clerkMayNot)
	sc.Then(`^the merchant of another shop cannot (.+)$`, s.orders.otherShopCannot)
}
