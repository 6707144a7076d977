package features

import (
	"github.com/haggle-commerce/haggle/simulator/acp"
)

func checkoutSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^(?:a|another) buyer who wants (\d+) of the "([^"]*)"(?: in (\S+))?$`, s.checkouts.arrivesFor)
	sc.Given(`^a buyer who agreed on (\d+) of the "([^"]*)" at (\S+)$`, s.checkouts.arrivesAndAgrees)
	sc.Step(`^the buyer agrees on (\d+) of the "([^"]*)" at (\S+)$`, s.checkouts.agrees)
	sc.Given(`^a buyer at the checkout with (\d+) of the "([^"]*)"$`, s.checkouts.isAtCheckout)
	sc.Given(`^a buyer at the checkout with (\d+) of the "([^"]*)" and (\d+) of the "([^"]*)"$`, s.checkouts.isAtCheckoutWithTwo)
	sc.Given(`^(\d+) buyers at the checkout, each with 1 of the "([^"]*)"$`, s.checkouts.areAtCheckout)
	sc.Given(`^a buyer who ordered (\d+) of the "([^"]*)"$`, s.checkouts.hasOrdered)
	sc.Given(`^the payment is declined (\d+) times, and may be tried again each time$`, s.checkouts.paysDeclined)
	sc.Given(`^the buyer pays in vain: (\d+) (\w+)$`, s.checkouts.paymentIsRefused)

	sc.Step(`^the buyer checks out(?: again)?$`, s.checkouts.checksOut)
	sc.When(`^the buyer checks out at (\S+)$`, s.checkouts.checksOutAt)
	sc.When(`^the buyer checks out to (\S+) (\S+)$`, s.checkouts.checksOutTo)
	sc.When(`^the buyer checks out (\d+) of the "([^"]*)" with the token$`, s.checkouts.checksOutWithToken)
	sc.When(`^the buyer checks out (\d+) lines of the "([^"]*)"$`, s.checkouts.checksOutLines)
	sc.Step(`^the buyer pays$`, func() error { return s.checkouts.pays(acp.PSPToken, goodToken) })
	sc.Step(`^the buyer pays by (\S+) with "([^"]*)"$`, s.checkouts.pays)
	sc.When(`^the buyer pays for (\S+) shipping$`, s.checkouts.paysForShipping)
	sc.When(`^the buyer pays with a note of (\d+) characters$`, s.checkouts.paysWithNote)
	sc.When(`^the buyer pays for the remembered checkout$`, s.checkouts.paysForRemembered)
	sc.When(`^the buyer pays for it in the other shop$`, func() error {
		return s.buyerSendsToOtherShop("POST", "/acp/checkout/finalize", `{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
	})
	sc.When(`^the buyer pays again$`, s.checkouts.paysAgain)
	sc.When(`^the buyer pays (\d+) times at once$`, s.checkouts.paysConcurrently)
	sc.When(`^they all pay at once$`, s.checkouts.allPayConcurrently)

	sc.Then(`^the payment succeeds$`, s.checkouts.paymentSucceeds)
	sc.Then(`^it is the same order$`, s.checkouts.sameOrder)
	sc.Then(`^every answer is the same order$`, s.checkouts.allSameOrder)
	sc.Then(`^the buyer is told when to try again$`, s.checkouts.answerHasRetryAfter)
	sc.Then(`^the order holds (\d+) of the "([^"]*)" at the (agreed|bundle) price$`, s.checkouts.orderHolds)
}
