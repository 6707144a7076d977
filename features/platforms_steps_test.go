package features

import "strconv"

func platformSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant with platforms(?: that hold (\{.*\}))?$`, s.platforms.hasPlatforms)
	sc.Given(`^the platforms have (\d+) products?$`, func(n int) error { return s.platforms.opensPlatforms(onlyProducts(n)) })
	sc.Given(`^the platforms' tokens last a second$`, func() error { return s.platforms.opensPlatforms(`{"hubspotlife": 1000000000}`) })
	sc.Step(`^the merchant moves to another Shopify shop$`, func() error { return s.platforms.opensPlatforms(`{"shop": "another.myshopify.com"}`) })

	sc.Step(`^(shopify|hubspot|shipstation|custom) (`+faultWords+`)$`, s.platforms.hasFault)
	sc.Given(`^custom sends (\d+) (`+damageWords+`)$`, s.platforms.sendsDamaged)
	sc.Given(`^(shopify|hubspot|custom) once (`+passingFaultWords+`) when it is asked for (products|customers|orders)$`, s.platforms.failsOnce)
	sc.Step(`^the platforms are well again$`, func() error { s.platforms.clearsPlatformFaults(); return nil })
	sc.Step(`^(shopify|hubspot) withdraws the access$`, s.platforms.revokesPlatformAccess)
	sc.Step(`^(\d+) changes? at (shopify|custom): (.+)$`, s.platforms.changesAtPlatform)
	sc.Step(`^custom changes its name, texts and price$`, s.platforms.changesChosenProduct)

	connectionSteps(sc, s)
	syncSteps(sc, s)
	webhookSteps(sc, s)

	sc.Then(`^no answer contains a key or a token$`, s.platforms.integrationLeaksNothing)
}

func connectionSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a connected (shopify|hubspot|shipstation|shipstation-v2|woocommerce|custom) account$`, s.connections.connectsPlatform)
	sc.Step(`^the merchant begins to connect (\w+)(?: for "([^"]*)")?$`, s.connections.beginsConnecting)
	sc.Step(`^the merchant consents at the platform$`, s.connections.givesConsent)
	sc.Step(`^the merchant denies consent at the platform$`, s.connections.deniesConsent)
	sc.Given(`^the callback's "([^"]*)" is changed to "([^"]*)"$`, s.connections.changesCallback)
	sc.Step(`^the merchant returns from the platform$`, func() error { return s.connections.completesConnecting("") })
	sc.When(`^the merchant returns from the platform (\d+) times at once$`, func(times int) error { return s.connections.completesConcurrently("", times) })

	sc.Then(`^(shopify|hubspot) is connected$`, s.connections.isConnected)
	sc.Then(`^the Shopify shop "([^"]*)" is connected$`, s.connections.shopifyShopIsConnected)
	sc.Then(`^nothing is connected, because (.+)$`, s.connections.connectsNothingBecause)
	sc.Then(`^the consent cannot be used again$`, s.connections.consentIsUsed)
	sc.Then(`^1 of the (\d+) connects (hubspot|shopify), and the others are refused$`, s.connections.onlyOneConnects)
}

// number parses digits; "" is 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the step's expression matches only digits
	return n
}
