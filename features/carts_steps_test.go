package features

func cartSteps(sc stepRegistry, w *world) {
	sc.Given(`^a buyer who put into the cart:$`, w.arrivesAndPutsCart)
	sc.Step(`^the buyer puts into the cart:$`, w.putsCart)
	sc.Step(`^the buyer puts into the cart in (\d+) lines (\d+) of the "([^"]*)"$`, w.putsCartLines)
	sc.Step(`^the buyer reads the cart$`, w.readsCart)
	sc.When(`^the buyer reads the cart in the other shop$`, func() error { return w.buyerSendsToOtherShop("GET", "/acp/cart?session_id=$session", "") })
	sc.When(`^the buyer looks for the "([^"]*)" too$`, func(name string) error { return w.view(name, "", 1) })
	sc.Step(`^the buyer empties the cart$`, w.emptiesCart)
	sc.Step(`^the buyer checks out the cart(?: again)?$`, func() error { return w.checksOutCart(w.shopper.address) })
	sc.Step(`^the buyer checks out the cart to (\S+) (\S+)$`, w.checksOutCartTo)
	sc.Step(`^the buyer checks out the cart without an address$`, w.checksOutCartWithoutAddress)
	sc.When(`^the buyer checks out beside the cart 1 of the "([^"]*)"$`, w.checksOutWithoutCart)
	sc.When(`^the buyer checks out the cart (\d+) times at once$`, w.checksOutCartConcurrently)
	sc.Then(`^it is the same checkout$`, func() error { return w.sameCheckout(true) })
	sc.Then(`^it is another checkout$`, func() error { return w.sameCheckout(false) })
	sc.Then(`^every answer is the same checkout$`, w.allSameCheckout)
}
