package features

func hostileSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the buyer sends the search as "([^"]*)"$`, func(kind string) error { return s.hostile.buyerSearchesWithHeader("Content-Type", kind) })
	sc.When(`^the buyer sends the search packed with "([^"]*)"$`, func(packing string) error { return s.hostile.buyerSearchesWithHeader("Content-Encoding", packing) })
	sc.When(`^the buyer sends 2 MiB to (\S+)$`, func(path string) error { return s.buyerSends("POST", path, twoMiB("query")) })
	sc.When(`^the merchant sends 2 MiB to (\S+)$`, func(path string) error { return s.merchantSends("POST", path, twoMiB("products")) })
	sc.When(`^under the key "([^"]*)" the merchant sends 2 MiB to (\S+)$`, s.hostile.merchantSendsLargeWithKey)
	sc.When(`^the merchant sends a key as (\S+) "([^"]*)"$`, s.hostile.merchantSendsHeader)
	sc.When(`^the buyer sends a search nested (\d+) deep$`, s.hostile.searchesNested)
	sc.When(`^the buyer searches for "(.*)"$`, s.hostile.buyerSearchesFor)
	sc.When(`^the buyer asks under the request id "(.*)"$`, s.hostile.readsProductWithRequestID)
	sc.When(`^the buyer asks under a request id of (\d+|no|unprintable) characters$`, s.hostile.readsProductWithOddRequestID)
	sc.When(`^the buyer asks for a missing product under the request id "([^"]*)"$`, s.hostile.readsMissingWithRequestID)
	sc.Given(`^the merchant looks for the product's cost and finds (\S+)$`, func(cost string) error { return s.catalog.productFieldIs("cost", cost) })
	sc.When(`^the buyer goes through everything there is$`, s.hostile.callsEveryEndpoint)

	sc.Then(`^the refusal is in the words of the (merchants|buyers)'$`, s.hostile.refusalHasFormOf)
	sc.Then(`^the answer tells the methods there are: (.+)$`, s.hostile.allowHeaderIs)
	sc.Then(`^the answer names the same request id$`, func() error { return s.hostile.echoesRequestID(true) })
	sc.Then(`^the answer names another request id$`, func() error { return s.hostile.echoesRequestID(false) })
	sc.Then(`^the answer shows request id "([^"]*)" in header and body$`, func(id string) error { return s.hostile.showsRequestID("request_id", id) })
	sc.Then(`^the answer shows request id "([^"]*)" in the merchants' words$`, func(id string) error { return s.hostile.showsRequestID("error.request_id", id) })
	sc.Then(`^no answer names a floor, a target, a cost or a margin$`, s.secrets)
	sc.Then(`^the answer tells nothing of the inside$`, s.hostile.answerHasNoInternals)
}
