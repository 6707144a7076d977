package features

func financeSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^orders to the US are taxed at (\S+)%$`, s.finance.chargesTax)
	sc.Given(`^the (payment|refund) began (\S+) earlier$`, s.finance.agesUnresolved)
	sc.Given(`^the buyer pays through Stripe(?:, where (.+))?$`, s.finance.paysThroughStripe)
	sc.Given(`^the merchant has disconnected Stripe$`, func() error { return s.orders.succeeds("DELETE", "/v1/integrations/$integration", "") })

	sc.Step(`^the merchant refunds the payment$`, func() error { return s.finance.refunds("") })
	sc.Step(`^the merchant refunds (\S+) of the payment$`, func(amount string) error { return s.finance.refunds(`{"amount": ` + amount + `}`) })
	sc.When(`^the merchant refunds (\S+) of the payment (\d+) times at once$`, func(amount string, times int) error {
		return s.finance.refundsConcurrently("", amount, times)
	})
	sc.When(`^the merchant downloads the (payments|transactions)(?: from "([^"]*)")?$`, s.finance.exportsTable)
	sc.When(`^the merchant compares the books of the last hour with the provider's$`, s.finance.comparesBooks)

	sc.Then(`^(?:within (\d+) seconds )?the payment is not refunded$`, func(seconds string) error { return s.finance.paymentBecomes(seconds, "succeeded", "0", "") })
	sc.Then(`^(?:within (\d+) seconds )?the payment is partially refunded, (\S+) of (\S+)$`, func(seconds, refunded, amount string) error {
		return s.finance.paymentBecomes(seconds, "partially_refunded", refunded, amount)
	})
	sc.Then(`^(?:within (\d+) seconds )?the payment is refunded, (\S+) of (\S+)$`, func(seconds, refunded, amount string) error {
		return s.finance.paymentBecomes(seconds, "refunded", refunded, amount)
	})
	sc.Then(`^the (?:refund is|refund has) (pending|failed|complete)$`, s.finance.refundAnswerIs)
	sc.Then(`^the cancellation's refund is pending$`, s.finance.cancellationIsPending)
	sc.Then(`^the account has refunded (\S+) in (\d+) refunds?$`, s.finance.providerRefunded)
	sc.Then(`^the books balance$`, s.finance.booksBalance)
	sc.Then(`^the shop has no payments$`, func() error {
		return s.orders.resourceShows(paymentsPath, "data", "[]", "meta.total", "0")
	})
	sc.Then(`^the shop has no wallet$`, func() error {
		return s.orders.resourceShows(walletsPath, "data", "[]", "meta.total", "0")
	})
	sc.Then(`^the wallet holds (\S+): (\S+) captured less (\S+) refunded$`, s.finance.walletHolds)
	sc.Then(`^the wallet holds (\S+): (\S+) in the sandbox and (\S+) at Stripe$`, s.finance.walletHoldsAtTwo)
	sc.Then(`^the file "([^"]*)" has (\d+) rows?$`, s.finance.exportedTableHas)
	sc.Then(`^its row (\d+) shows:$`, s.finance.rowShows)
	sc.Then(`^the column "([^"]*)" sums to (\S+)$`, s.finance.columnSums)
	sc.Then(`^(\d+) providers? (?:was|were) compared$`, func(n string) error { return s.answerShows("providers.#", n) })
	sc.Then(`^(the sandbox|Stripe)'s books agree in (\d+) bookings?(?:, (\S+) in all)?$`, s.finance.booksAgree)
	sc.Then(`^the comparison is refused, as Stripe is not connected$`, func() error { return s.isRefused(409, "provider_not_connected") })

	sc.Then(`^the payment is listed as unresolved$`, s.finance.paymentIsUnresolved)
	sc.Then(`^no payment is listed as unresolved$`, func() error {
		return s.orders.resourceShows(paymentsPath+"?status=unresolved", "data", "[]")
	})
	sc.Then(`^the refund of (\S+) is listed as unresolved$`, s.finance.refundIsUnresolved)
	sc.Then(`^no refund is listed as unresolved$`, func() error {
		return s.orders.resourceShows(refundsPath+"?status=unresolved", "data", "[]")
	})
	sc.Then(`^the decision (creates an order|creates no order|completes the refund)$`, s.finance.decisionShows)
	sc.Then(`^the audit log has the decision "(\w+)"$`, func(outcome string) error {
		return s.orders.resourceShows("/v1/audit-events?action=resolve-payment", "data.*.after.outcome", `["`+outcome+`"]`)
	})
}
