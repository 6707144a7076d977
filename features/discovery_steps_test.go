package features

func discoverySteps(sc stepRegistry, w *world) {
	sc.Given(`^a buyer who searched for "([^"]*)"(?: as (\{.*\}))?$`, w.hasSearched)
	sc.Given(`^a buyer who searched for "([^"]*)" in vain$`, w.hasSearchedWithoutResult)
	sc.Given(`^(?:a|another) buyer who looks at the "([^"]*)"$`, w.arrivesLookingAt)

	sc.Step(`^a buyer reads the manifest$`, w.readsManifest)
	sc.When(`^the buyer asks whether the manifest has changed$`, w.revalidatesManifest)
	sc.When(`^a buyer goes to a shop that does not exist$`, w.readsMissingShop)
	sc.When(`^a buyer searches for "([^"]*)"\s*(?:with limit (\d+))?$`, w.searches)
	sc.When(`^a buyer searches for "([^"]*)" with filters (\{.*\})$`, w.searchesWithFilters)
	sc.When(`^the buyer searches again for "([^"]*)"$`, w.searchesAgain)
	sc.When(`^the buyer goes on in the other shop$`, func() error {
		return w.buyerSendsToOtherShop("POST", "/acp/search", `{"query": "tent", "session_id": "$session"}`)
	})
	sc.When(`^a buyer looks at the product(?: as (\{.*\}))?$`, w.looksAtProductAs)
	sc.When(`^a buyer asks for (\d+) of the "([^"]*)"$`, w.checksAvailability)
	sc.When(`^a buyer asks for (\d+) of the "([^"]*)" without saying which variant$`, w.checksAvailabilityWithoutVariant)

	sc.Then(`^the first result is "([^"]*)"$`, w.firstResultIs)
	sc.Then(`^the search finds exactly (.+)$`, w.findsExactly)
	sc.Then(`^a search for "([^"]*)" finds (nothing|".*")$`, w.searchFinds)
	sc.Then(`^a search for "([^"]*)" shows (\d+) in stock$`, w.searchShowsStock)
	sc.Then(`^the scores never rise$`, w.scoresFall)
	sc.Then(`^the price ranges count every match once$`, w.priceRangesAddUp)
	sc.Then(`^the session is the same$`, w.sameSession)
	sc.Then(`^a buyer who looks at the "([^"]*)" sees:$`, w.productShows)
	sc.Then(`^the likely acceptance range begins at a multiple of five$`, w.rangeIsCoarse)
	sc.Then(`^the personalized price is below a stranger's$`, w.personalizedPriceIsLower)
}
