package features

import (
	"github.com/haggle-commerce/haggle/simulator/acp"
)

func checkoutSteps(sc stepRegistry, w *world) {
	sc.Given(`^(?:a|another) buyer who wants (\d+) of the "([^"]*)"(?: in (\S+))?$`, w.arrivesFor)
	sc.Given(`^a buyer who agreed on (\d+) of the "([^"]*)" at (\S+)$`, w.arrivesAndAgrees)
	sc.Step(`^the buyer agrees on (\d+) of the "([^"]*)" at (\S+)$`, w.agrees)
	sc.Given(`^a buyer at the checkout with (\d+) of the "([^"]*)"$`, w.isAtCheckout)
	sc.Given(`^a buyer at the checkout with (\d+) of the "([^"]*)" and (\d+) of the "([^"]*)"$`, w.isAtCheckoutWithTwo)
	sc.Given(`^(\d+) buyers at the checkout, each with 1 of the "([^"]*)"$`, w.areAtCheckout)
	sc.Given(`^a buyer who ordered (\d+) of the "([^"]*)"$`, w.hasOrdered)
	sc.Given(`^the payment is declined (\d+) times, and may be tried again each time$`, w.paysDeclined)
	sc.Given(`^the buyer pays in vain: (\d+) (\w+)$`, w.paymentIsRefused)

	sc.Step(`^the buyer checks out(?: again)?$`, w.checksOut)
	sc.When(`^the buyer checks out at (\S+)$`, w.checksOutAt)
	sc.When(`^the buyer checks out to (\S+) (\S+)$`, w.checksOutTo)
	sc.When(`^the buyer checks out (\d+) of the "([^"]*)" with the token$`, w.checksOutWithToken)
	sc.When(`^the buyer checks out (\d+) lines of the "([^"]*)"$`, w.checksOutLines)
	sc.Step(`^the buyer pays$`, func() error { return w.pays(acp.PSPToken, goodToken) })
	sc.Step(`^the buyer pays by (\S+) with "([^"]*)"$`, w.pays)
	sc.When(`^the buyer pays for (\S+) shipping$`, w.paysForShipping)
	sc.When(`^the buyer pays with a note of (\d+) characters$`, w.paysWithNote)
	sc.When(`^the buyer pays for the remembered checkout$`, w.paysForRemembered)
	sc.When(`^the buyer pays for it in the other shop$`, func() error {
		return w.buyerSendsToOtherShop("POST", "/acp/checkout/finalize", `{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
	})
	sc.When(`^the buyer pays again$`, w.paysAgain)
	sc.When(`^the buyer pays (\d+) times at once$`, w.paysConcurrently)
	sc.When(`^they all pay at once$`, w.allPayConcurrently)

	sc.Then(`^the payment succeeds$`, w.paymentSucceeds)
	sc.Then(`^it is the same order$`, w.sameOrder)
	sc.Then(`^every answer is the same order$`, w.allSameOrder)
	sc.Then(`^the buyer is told when to try again$`, w.answerHasRetryAfter)
	sc.Then(`^the order holds (\d+) of the "([^"]*)" at the (agreed|bundle) price$`, w.orderHolds)
}
