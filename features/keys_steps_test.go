package features

import "github.com/cucumber/godog"

func keySteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant with an account of its own$`, s.keys.createsAccount)
	sc.Given(`^a key "([^"]*)" with (\{.*\})$`, s.keys.hasKey)
	sc.Given(`^a key "([^"]*)" that ends in (\d+) seconds?$`, s.keys.hasExpiringKey)
	sc.Given(`^the account may have one key more$`, s.keys.hasManyKeys)

	sc.When(`^the merchant creates a key with:$`, func(b *godog.DocString) error { return s.keys.createKey(b.Content) })
	sc.When(`^the merchant creates a key whose (\S+) is (.+)$`, s.keys.createKeyWith)
	sc.When(`^the merchant creates (\d+) keys at once$`, s.keys.createKeysConcurrently)
	sc.When(`^the holder of "([^"]*)" creates a key with (\{.*\})$`, s.keys.holderCreatesKey)
	sc.Step(`^the merchant revokes the key "([^"]*)"$`, s.keys.revokeKey)

	sc.Then(`^the key works$`, func() error { return s.keys.keyWorks("") })
	sc.Step(`^the key "([^"]*)" works$`, s.keys.keyWorks)
	sc.Then(`^the key begins with its prefix$`, s.keys.keyHasPrefix)
	sc.Then(`^the key "([^"]*)" was shown once$`, s.keys.keyShownOnce)
	sc.Then(`^within (\d+) seconds? the key "([^"]*)" opens nothing$`, s.keys.keyStopsWorking)
}
