package features

func financeSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^in the other shop the merchant sends ([A-Z]+) (\S+)(?: (.+))?$`, func(method, path, body string) error {
		return s.sendsToOtherShop(method, s.expand(path), s.expand(body))
	})
	sc.When(`^the merchant reads the payment$`, func() error { return s.merchantSends("GET", paymentsPath+"/$payment", "") })
	sc.Step(`^the merchant refunds the payment$`, func() error { return s.finance.refunds("") })
	sc.Step(`^the merchant refunds (\S+) of the payment$`, func(amount string) error { return s.finance.refunds(`{"amount": ` + amount + `}`) })
	sc.When(`^the merchant refunds the payment with a reason of (\d+) characters$`, func(n int) error {
		return s.finance.refunds(`{"reason": "` + randomLetters(n) + `"}`)
	})
	sc.When(`^(?:under the key "([^"]*)" )?the merchant refunds (\S+) of the payment (\d+) times at once$`, s.finance.refundsConcurrently)
	sc.When(`^the merchant downloads the (payments|transactions)(?: from "([^"]*)")?$`, s.finance.exportsTable)
	sc.When(`^the merchant compares the books of the last hour with the provider's$`, s.finance.comparesBooks)

	sc.Given(`^the (payment|refund) began (\S+) earlier$`, s.finance.agesUnresolved)

	sc.Given(`^the buyer pays with a token of the account scripted "([^"]*)"$`, s.finance.paysWithScriptedToken)

	sc.Then(`^within (\d+) seconds the payment is "([^"]*)", with (\S+) given back$`, s.finance.paymentBecomes)
	sc.Then(`^the account has given back (\S+) in (\d+) refunds?$`, s.finance.providerRefunded)
	sc.Then(`^the payment is "([^"]*)", with (\S+) given back$`, s.finance.paymentIs)
	sc.Then(`^the books balance$`, s.finance.booksBalance)
	sc.Then(`^the table is called "([^"]*)", and has (\d+) rows?$`, s.finance.exportedTableHas)
	sc.Then(`^its row (\d+) shows:$`, s.finance.rowShows)
	sc.Then(`^the column "([^"]*)" sums to (\S+)$`, s.finance.columnSums)
}
