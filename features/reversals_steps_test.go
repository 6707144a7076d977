package features

// reversalSteps are about undecided payments, reversed refunds and disputes.
func reversalSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^the buyer pays by PayPal, which (leaves the payment pending|captures the payment)$`, s.finance.paysByPayPal)
	sc.When(`^PayPal (captures|denies) the payment$`, s.finance.settlesPayPal)
	sc.When(`^the provider reverses the refund$`, s.finance.failsRefund)
	sc.Step(`^the merchant counts (\d+) of the "([^"]*)"$`, s.finance.countsStock)
	sc.Then(`^(?:within (\d+) seconds )?the stock of the "([^"]*)" is (\d+): (\d+) held, (\d+) available and (\d+) oversold$`, s.finance.stockShows)
	sc.Then(`^the refund of (\S+) is listed as failed and reversed$`, s.finance.refundIsReversed)
	sc.Step(`^the buyer checks out the agreed (\d+) and (\d+) more of the "([^"]*)"$`, s.finance.checksOutAtTwoPrices)
	sc.Then(`^the estimates of the (\d+) returns sum to the goods and the tax of the order$`, s.finance.estimatesSum)

	sc.When(`^the buyer disputes the payment$`, s.finance.opensDispute)
	sc.Step(`^the buyer disputes the payment in the sandbox$`, func() error { return s.finance.opensSandboxDispute("") })
	sc.Step(`^the buyer disputes the payment in the sandbox, as nothing was received$`, func() error {
		return s.finance.opensSandboxDispute("product_not_received")
	})
	sc.When(`^the merchant (wins|loses) the dispute$`, s.finance.closesDispute)
	sc.When(`^the merchant accepts the dispute$`, s.finance.acceptsDispute)
	sc.When(`^the merchant submits the note "([^"]*)" as evidence$`, func(note string) error { return s.finance.submitsNote(note, "") })
	sc.When(`^the merchant submits the note "([^"]*)" as evidence, without a receipt$`, func(note string) error {
		return s.finance.submitsNote(note, `, "receipt": ""`)
	})
	sc.Then(`^within (\d+) seconds the payment of (\S+) has a lost dispute, with a fee of (\S+)$`, s.finance.paymentIsDisputed)
	sc.Then(`^the books have the dispute$`, func() error {
		return s.orders.resourceShows("/v1/finance/transactions?type=dispute", "data.0.payment_id", `"$payment"`)
	})
	sc.Then(`^within (\d+) seconds the merchant has to answer a dispute of (\S+) at (Stripe|PayPal)$`, s.finance.hasDispute)
	sc.Then(`^the order is offered as evidence of (.+) for (.+)$`, s.finance.orderIsEvidence)
	sc.Then(`^the evidence of (.+) is under review, without a receipt$`, s.finance.evidenceIsUnderReview)
	sc.Then(`^within (\d+) seconds the dispute is (won|lost) and closed$`, s.finance.disputeIsClosed)
	sc.Then(`^the dispute is (won|lost|open), and (\S+) is withdrawn$`, func(status, taken string) error {
		return s.answerShows("status", `"`+status+`"`, "withdrawn_amount", taken)
	})
	sc.Then(`^the dispute is still open$`, func() error { return s.orders.resourceShows(disputesPath+"/$dispute", "status", `"open"`) })
	sc.Then(`^the merchant loses the accepted dispute$`, s.finance.disputeIsLost)
	sc.Then(`^the merchant's attention is drawn to a dispute of (\S+)$`, s.finance.attentionHasDispute)
	sc.Then(`^the merchant's attention is drawn to no dispute$`, func() error {
		return s.orders.resourceShows("/v1/attention", "data.*.kind", `["order_to_ship"]`)
	})
}
