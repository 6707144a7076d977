package features

func hostileSteps(sc stepRegistry, w *world) {
	sc.When(`^the buyer sends the search as "([^"]*)"$`, func(kind string) error { return w.buyerSearchesWithHeader("Content-Type", kind) })
	sc.When(`^the buyer sends the search packed with "([^"]*)"$`, func(packing string) error { return w.buyerSearchesWithHeader("Content-Encoding", packing) })
	sc.When(`^the buyer sends 2 MiB to (\S+)$`, func(path string) error { return w.buyerSends("POST", path, twoMiB("query")) })
	sc.When(`^the merchant sends 2 MiB to (\S+)$`, func(path string) error { return w.merchantSends("POST", path, twoMiB("products")) })
	sc.When(`^under the key "([^"]*)" the merchant sends 2 MiB to (\S+)$`, w.merchantSendsLargeWithKey)
	sc.When(`^the merchant sends a key as (\S+) "([^"]*)"$`, w.merchantSendsHeader)
	sc.When(`^the buyer sends a search nested (\d+) deep$`, w.searchesNested)
	sc.When(`^the buyer searches for "(.*)"$`, w.buyerSearchesFor)
	sc.When(`^the buyer asks under the request id "(.*)"$`, w.readsProductWithRequestID)
	sc.When(`^the buyer asks under a request id of (\d+|no|unprintable) characters$`, w.readsProductWithOddRequestID)
	sc.When(`^the buyer asks for a missing product under the request id "([^"]*)"$`, w.readsMissingWithRequestID)
	sc.Given(`^the merchant looks for the product's cost and finds (\S+)$`, func(cost string) error { return w.productFieldIs("cost", cost) })
	sc.When(`^the buyer goes through everything there is$`, w.callsEveryEndpoint)

	sc.Then(`^the refusal is in the words of the (merchants|buyers)'$`, w.refusalHasFormOf)
	sc.Then(`^the answer tells the methods there are: (.+)$`, w.allowHeaderIs)
	sc.Then(`^the answer names the same request id$`, func() error { return w.echoesRequestID(true) })
	sc.Then(`^the answer names another request id$`, func() error { return w.echoesRequestID(false) })
	sc.Then(`^the answer shows request id "([^"]*)" in header and body$`, func(id string) error { return w.showsRequestID("request_id", id) })
	sc.Then(`^the answer shows request id "([^"]*)" in the merchants' words$`, func(id string) error { return w.showsRequestID("error.request_id", id) })
	sc.Then(`^no answer names a floor, a target, a cost or a margin$`, w.secrets)
	sc.Then(`^the answer tells nothing of the inside$`, w.answerHasNoInternals)
}
