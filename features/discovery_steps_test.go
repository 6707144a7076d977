package features

import (
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func discoverySteps(sc stepRegistry, s *scenario) {
	guidanceSteps(sc, s)
	storefrontSteps(sc, s)
	personalizationSteps(sc, s)
	sc.Given(`^a buyer who searched for "([^"]*)"(?: as (\{.*\}))?$`, s.discovery.hasSearched)
	sc.Given(`^a buyer who searched for "([^"]*)" in vain$`, s.discovery.hasSearchedWithoutResult)
	sc.Given(`^(?:a|another) buyer who looks at the "([^"]*)"$`, s.buyers.arrivesLookingAt)

	sc.Step(`^a buyer reads the manifest$`, s.discovery.readsManifest)
	sc.When(`^the buyer asks whether the manifest has changed$`, s.discovery.revalidatesManifest)
	sc.When(`^a buyer goes to a shop that does not exist$`, s.discovery.readsMissingShop)
	sc.When(`^a buyer searches for "([^"]*)"\s*(?:with limit (\d+))?$`, s.discovery.searches)
	sc.When(`^a buyer who likes "([^"]*)" searches for "([^"]*)"$`, func(color, query string) error {
		return s.discovery.searchesFor(acp.SearchRequest{Query: query, BuyerContext: &acp.BuyerContext{ColorPreference: []string{color}}})
	})
	sc.When(`^the buyer searches again for "([^"]*)"$`, s.discovery.searchesAgain)
	sc.When(`^the buyer goes on in the other shop$`, func() error {
		return s.buyerSendsToOtherShop("POST", "/acp/search", `{"query": "tent", "session_id": "$session"}`)
	})
	sc.When(`^a buyer looks at the product$`, func() error { return s.discovery.looksAtProductAs("") })
	sc.When(`^a loyal buyer without hurry looks at the product$`, func() error {
		return s.discovery.looksAtProductAs(`{"loyalty_tier": "platinum", "purchase_history": 30, "urgency": "flexible"}`)
	})
	sc.When(`^a buyer asks for (\d+) of the "([^"]*)"$`, s.discovery.checksAvailability)

	sc.Then(`^the first result is "([^"]*)"$`, s.discovery.firstResultIs)
	sc.Then(`^the search finds exactly (.+)$`, s.discovery.findsExactly)
	sc.Then(`^a search for "([^"]*)" finds (nothing|".*")$`, s.discovery.searchFinds)
	sc.Then(`^a search for "([^"]*)" shows (\d+) in stock$`, s.discovery.searchShowsStock)
	sc.Then(`^the scores never rise$`, s.discovery.scoresFall)
	sc.Then(`^it has not changed$`, func() error { return s.statusIs(http.StatusNotModified) })
	sc.Then(`^it has changed$`, func() error { return s.statusIs(http.StatusOK) })
	sc.Then(`^the search recommends nothing$`, func() error { return s.answerShows("total_count", `0`, "recommendations", `[]`) })
	sc.Then(`^the buyer can have them all$`, func() error { return s.answerShows("available", `true`, "items.0.status", `"in_stock"`) })
	sc.Then(`^the buyer can have only (\d+)$`, func(n string) error {
		return s.answerShows("available", `false`, "items.0.available_quantity", n, "items.0.status", `"partial"`)
	})
	sc.Then(`^the buyer can have none$`, func() error { return s.answerShows("available", `false`, "items.0.status", `"out_of_stock"`) })
	sc.Then(`^shipping costs ([\d.]+)$`, func(cost string) error {
		return s.answerShows("total_shipping", cost, "free_shipping_qualified", `false`)
	})
	sc.Then(`^shipping is free$`, func() error { return s.answerShows("free_shipping_qualified", `true`, "total_shipping", `0`) })
	sc.Then(`^the session is the same$`, s.discovery.sameSession)
	sc.Then(`^the likely acceptance range begins at a multiple of five$`, s.discovery.rangeIsCoarse)
	sc.Then(`^the personalized price is below a stranger's$`, s.discovery.personalizedPriceIsLower)
}
