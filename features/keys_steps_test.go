package features

import "github.com/cucumber/godog"

func keySteps(sc stepRegistry, w *world) {
	sc.Given(`^a merchant with an account of its own$`, w.createsAccount)
	sc.Given(`^a key "([^"]*)" with (\{.*\})$`, w.hasKey)
	sc.Given(`^a key "([^"]*)" that ends in (\d+) seconds?$`, w.hasExpiringKey)
	sc.Given(`^the account may have one key more$`, w.hasManyKeys)

	sc.When(`^the merchant creates a key with:$`, func(b *godog.DocString) error { return w.createKey(b.Content) })
	sc.When(`^the merchant creates a key whose (\S+) is (.+)$`, w.createKeyWith)
	sc.When(`^the merchant creates (\d+) keys at once$`, w.createKeysConcurrently)
	sc.When(`^the holder of "([^"]*)" creates a key with (\{.*\})$`, w.holderCreatesKey)
	sc.Step(`^the merchant revokes the key "([^"]*)"$`, w.revokeKey)

	sc.Then(`^the key works$`, func() error { return w.keyWorks("") })
	sc.Step(`^the key "([^"]*)" works$`, w.keyWorks)
	sc.Then(`^the key begins with its prefix$`, w.keyHasPrefix)
	sc.Then(`^the key "([^"]*)" was shown once$`, w.keyShownOnce)
	sc.Then(`^within (\d+) seconds? the key "([^"]*)" opens nothing$`, w.keyStopsWorking)
}
