package features

func cartSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a buyer who put into the cart:$`, s.carts.arrivesAndPutsCart)
	sc.Step(`^the buyer puts into the cart:$`, s.carts.putsCart)
	sc.Step(`^the buyer reads the cart$`, s.carts.readsCart)
	sc.When(`^the buyer reads the cart in the other shop$`, func() error { return s.buyerSendsToOtherShop("GET", "/acp/cart?session_id=$session", "") })
	sc.When(`^the buyer looks for the "([^"]*)" too$`, func(name string) error { return s.buyers.view(name, "", 1) })
	sc.Step(`^the buyer empties the cart$`, s.carts.emptiesCart)
	sc.Step(`^the buyer checks out the cart(?: again)?$`, func() error { return s.carts.checksOutCart(s.shopper.address) })
	sc.Step(`^the buyer checks out the cart to (\S+) (\S+)$`, s.carts.checksOutCartTo)
	sc.Step(`^the buyer checks out the cart without an address$`, s.carts.checksOutCartWithoutAddress)
	sc.When(`^the buyer checks out 1 of the "([^"]*)" without the cart$`, s.carts.checksOutWithoutCart)
	sc.When(`^the buyer checks out the cart (\d+) times at once$`, s.carts.checksOutCartConcurrently)
	sc.Given(`^the merchant raises the price of the "([^"]*)" to (\S+)$`, s.catalog.setPrice)
	sc.Given(`^the merchant takes the "([^"]*)" off sale$`, s.carts.takesOffSale)
	sc.Then(`^the cart costs ([\d.]+)(?:, ([\d.]+) less than at list prices)?$`, s.carts.costs)
	sc.Then(`^the session's cart costs ([\d.]+) and holds:$`, s.carts.sessionHolds)
	sc.Then(`^the checkout is at revision (\d+)$`, s.carts.revisionIs)
	sc.Then(`^it is the same checkout$`, func() error { return s.carts.sameCheckout(true) })
	sc.Then(`^it is another checkout$`, func() error { return s.carts.sameCheckout(false) })
	sc.Then(`^every answer is the same checkout$`, s.carts.allSameCheckout)
}
