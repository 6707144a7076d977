package features

func discoverySteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a buyer who searched for "([^"]*)"(?: as (\{.*\}))?$`, s.discovery.hasSearched)
	sc.Given(`^a buyer who searched for "([^"]*)" in vain$`, s.discovery.hasSearchedWithoutResult)
	sc.Given(`^(?:a|another) buyer who looks at the "([^"]*)"$`, s.buyers.arrivesLookingAt)

	sc.Step(`^a buyer reads the manifest$`, s.discovery.readsManifest)
	sc.When(`^the buyer asks whether the manifest has changed$`, s.discovery.revalidatesManifest)
	sc.When(`^a buyer goes to a shop that does not exist$`, s.discovery.readsMissingShop)
	sc.When(`^a buyer searches for "([^"]*)"\s*(?:with limit (\d+))?$`, s.discovery.searches)
	sc.When(`^a buyer searches for "([^"]*)" with filters (\{.*\})$`, s.discovery.searchesWithFilters)
	sc.When(`^the buyer searches again for "([^"]*)"$`, s.discovery.searchesAgain)
	sc.When(`^the buyer goes on in the other shop$`, func() error {
		return s.buyerSendsToOtherShop("POST", "/acp/search", `{"query": "tent", "session_id": "$session"}`)
	})
	sc.When(`^a buyer looks at the product(?: as (\{.*\}))?$`, s.discovery.looksAtProductAs)
	sc.When(`^a buyer asks for (\d+) of the "([^"]*)"$`, s.discovery.checksAvailability)
	sc.When(`^a buyer asks for (\d+) of the "([^"]*)" without saying which variant$`, s.discovery.checksAvailabilityWithoutVariant)

	sc.Then(`^the first result is "([^"]*)"$`, s.discovery.firstResultIs)
	sc.Then(`^the search finds exactly (.+)$`, s.discovery.findsExactly)
	sc.Then(`^a search for "([^"]*)" finds (nothing|".*")$`, s.discovery.searchFinds)
	sc.Then(`^a search for "([^"]*)" shows (\d+) in stock$`, s.discovery.searchShowsStock)
	sc.Then(`^the scores never rise$`, s.discovery.scoresFall)
	sc.Then(`^the price ranges count every match once$`, s.discovery.priceRangesAddUp)
	sc.Then(`^the session is the same$`, s.discovery.sameSession)
	sc.Then(`^a buyer who looks at the "([^"]*)" sees:$`, s.discovery.productShows)
	sc.Then(`^the likely acceptance range begins at a multiple of five$`, s.discovery.rangeIsCoarse)
	sc.Then(`^the personalized price is below a stranger's$`, s.discovery.personalizedPriceIsLower)
}
