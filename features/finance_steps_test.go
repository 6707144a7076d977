package features

func financeSteps(sc stepRegistry, w *world) {
	sc.Step(`^in the other shop the merchant sends ([A-Z]+) (\S+)(?: (.+))?$`, func(method, path, body string) error {
		return w.sendsToOtherShop(method, w.expand(path), w.expand(body))
	})
	sc.When(`^the merchant reads the payment$`, func() error { return w.merchantSends("GET", paymentsPath+"/$payment", "") })
	sc.Step(`^the merchant refunds the payment$`, func() error { return w.refunds("") })
	sc.Step(`^the merchant refunds (\S+) of the payment$`, func(amount string) error { return w.refunds(`{"amount": ` + amount + `}`) })
	sc.When(`^the merchant refunds the payment with a reason of (\d+) characters$`, func(n int) error {
		return w.refunds(`{"reason": "` + randomLetters(n) + `"}`)
	})
	sc.When(`^(?:under the key "([^"]*)" )?the merchant refunds (\S+) of the payment (\d+) times at once$`, w.refundsConcurrently)
	sc.When(`^the merchant downloads the (payments|transactions)(?: from "([^"]*)")?$`, w.exportsTable)
	sc.When(`^the merchant compares the books of the last hour with the provider's$`, w.comparesBooks)

	sc.Given(`^the (payment|refund) began (\S+) earlier$`, w.agesUnresolved)

	sc.Given(`^the buyer pays with a token of the account scripted "([^"]*)"$`, w.paysWithScriptedToken)

	sc.Then(`^within (\d+) seconds the payment is "([^"]*)", with (\S+) given back$`, w.paymentBecomes)
	sc.Then(`^the account has given back (\S+) in (\d+) refunds?$`, w.providerRefunded)
	sc.Then(`^the payment is "([^"]*)", with (\S+) given back$`, w.paymentIs)
	sc.Then(`^the books balance$`, w.booksBalance)
	sc.Then(`^the table is called "([^"]*)", and has (\d+) rows?$`, w.exportedTableHas)
	sc.Then(`^its row (\d+) shows:$`, w.rowShows)
	sc.Then(`^the column "([^"]*)" sums to (\S+)$`, w.columnSums)
}
