package features

import "testing"

func TestACPSearch_filtersByMeaning(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.embeddings.startsServerWithModel())
		a.must(a.catalog.openShopWith([]map[string]string{
			{"name": "Herbal Shampoo", "price": "9.00", "category": "bath", "brand": "Verde", "stock": "5"},
			{"name": "Mint Soap", "price": "4.00", "category": "bath", "brand": "Verde", "stock": "5"},
			{"name": "Paper Lantern", "price": "19.00", "category": "garden", "brand": "Ember", "stock": "5"},
		}))
		a.must(a.embeddings.searchSoonFinds("haircare", `"Herbal Shampoo"`))
		for _, row := range []struct{ filters, names string }{
			{`{"category": "bath", "price_max": 9}`, `"Herbal Shampoo"`},
			{`{"category": "garden"}`, "nothing"},
			{`{"price_max": 8.99}`, "nothing"},
			{`{"size": "M"}`, "nothing"},
			{`{"color_preference": ["green"]}`, "nothing"},
		} {
			a.must(a.discovery.searchesWithFilters("haircare", row.filters))
			a.must(a.discovery.findsExactly(row.names))
			a.must(a.search.facetsAddUp())
		}
	})
}
