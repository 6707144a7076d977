package features

import "testing"

// filterCase is a search with filters, and the names of what it must find, in any order, or "nothing".
type filterCase struct{ query, filters, finds string }

// filtersFind searches with each filter, and checks that the facets count what was found.
func (a *apiTest) filtersFind(cases []filterCase) {
	a.Helper()
	for _, row := range cases {
		a.must(a.discovery.searchesWithFilters(row.query, row.filters))
		if err := a.discovery.findsExactly(row.finds); err != nil {
			a.Errorf("%q with %s: %v", row.query, row.filters, err)
		}
		if err := a.search.facetsAddUp(); err != nil {
			a.Errorf("%q with %s: %v", row.query, row.filters, err)
		}
	}
}

func TestACPSearch_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.search.openShopFromJSON(`[
			{"name": "Tent One", "sku": "T1", "price": 100, "category": "outdoor/tents", "brand": "Norrsken", "variants": [
				{"sku": "T1-G", "size": "2P", "color": "Green", "quantity": 2}, {"sku": "T1-R", "size": "3P", "color": "Red", "quantity": 1}]},
			{"name": "Tent Two", "sku": "T2", "price": 200, "category": "outdoor/tents", "brand": "Lumi", "variants": [
				{"sku": "T2-G", "size": "2P", "color": "Green", "quantity": 0}, {"sku": "T2-4", "size": "4P", "color": "Green", "quantity": 1}]},
			{"name": "Tent Three", "sku": "T3", "price": 300, "category": "outdoor/shelters", "brand": "Lumi", "variants": [
				{"sku": "T3-S", "size": "6P", "color": "Sand", "quantity": 1}]},
			{"name": "Toy Tent", "sku": "T4", "price": 30, "category": "toys", "brand": "Lumi", "variants": [
				{"sku": "T4-R", "size": "S", "color": "Red", "quantity": 1}]},
			{"name": "Tent Peg", "sku": "T5", "price": 1.5, "category": "outdoor", "brand": "Ember", "quantity": 5},
			{"name": "Camp Stove", "sku": "S1", "price": 49, "category": "outdoor/kitchen", "brand": "Ember", "variants": [
				{"sku": "S1-R", "size": "S", "color": "Red", "quantity": 5}]}
		]`))
		a.filtersFind([]filterCase{
			{"", `{}`, `"Tent One", "Tent Two", "Tent Three", "Toy Tent", "Tent Peg", "Camp Stove"`},
			{"tent", `{}`, `"Tent One", "Tent Two", "Tent Three", "Toy Tent", "Tent Peg"`},
			{"tent", `{"category": "outdoor"}`, `"Tent One", "Tent Two", "Tent Three", "Tent Peg"`},
			{"tent", `{"category": "Outdoor/Tents"}`, `"Tent One", "Tent Two"`},
			{"tent", `{"category": "outdoor/ten"}`, `nothing`},
			{"tent", `{"category": "shoes"}`, `nothing`},
			{"tent", `{"price_max": 200}`, `"Tent One", "Tent Two", "Toy Tent", "Tent Peg"`},
			{"tent", `{"price_max": 199.99}`, `"Tent One", "Toy Tent", "Tent Peg"`},
			{"tent", `{"size": "2p"}`, `"Tent One", "Tent Two"`},
			{"tent", `{"color_preference": ["red"]}`, `"Tent One", "Toy Tent"`},
			{"tent", `{"color_preference": ["Sand", "Green"]}`, `"Tent One", "Tent Two", "Tent Three"`},
			{"tent", `{"color_preference": []}`, `"Tent One", "Tent Two", "Tent Three", "Toy Tent", "Tent Peg"`},
			{"tent", `{"size": "2P", "color_preference": ["red"]}`, `nothing`},
			{"tent", `{"size": "3P", "color_preference": ["red"]}`, `"Tent One"`},
			{"tent", `{"category": "outdoor", "price_max": 250, "size": "2P", "color_preference": ["green"]}`, `"Tent One", "Tent Two"`},
			{"tent", `{"category": "outdoor", "price_max": 150, "size": "2P", "color_preference": ["green"]}`, `"Tent One"`},
			{"stove tent", `{"category": "outdoor/kitchen"}`, `"Camp Stove"`},
			{"tnet stove", `{"category": "toys", "price_max": 30}`, `"Toy Tent"`},
		})
	})
}

func TestACPSearch_attributesAndRatings(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.search.openShopFromJSON(`[
			{"name": "Tent One", "sku": "T1", "price": 100, "brand": "Fjord", "attributes": {"Season": "3", "fabric": "Nylon"},
			 "reviews": {"average_rating": 4.5, "count": 12}, "variants": [
				{"sku": "T1-G", "size": "2P", "color": "Green", "quantity": 0}, {"sku": "T1-R", "size": "3P", "color": "Red", "quantity": 1}]},
			{"name": "Tent Two", "sku": "T2", "price": 200, "brand": "Lumi", "attributes": {"season": "4", "Fabric": "nylon"},
			 "reviews": {"average_rating": 3.9, "count": 40}, "quantity": 3},
			{"name": "Tent Three", "sku": "T3", "price": 300, "brand": "lumi ", "attributes": {"season": "4", "fabric": "Cotton"}, "quantity": 0},
			{"name": "Tent Peg", "sku": "T5", "price": 1.5, "brand": "Ember", "quantity": 5}
		]`))
		a.filtersFind([]filterCase{
			{"tent", `{"brand": ["LUMI"]}`, `"Tent Two", "Tent Three"`},
			{"tent", `{"brand": ["fjord", "Ember"]}`, `"Tent One", "Tent Peg"`},
			{"tent", `{"brand": ["Nobody"]}`, `nothing`},
			{"tent", `{"price_min": 200}`, `"Tent Two", "Tent Three"`},
			{"tent", `{"price_min": 200.01}`, `"Tent Three"`},
			{"tent", `{"price_min": 100, "price_max": 139.99}`, `"Tent One"`},
			{"tent", `{"price_min": 110, "price_max": 130}`, `nothing`},
			{"tent", `{"in_stock": true}`, `"Tent One", "Tent Two", "Tent Peg"`},
			{"tent", `{"in_stock": false}`, `"Tent One", "Tent Two", "Tent Three", "Tent Peg"`},
			{"tent", `{"in_stock": true, "size": "2P"}`, `nothing`},
			{"tent", `{"in_stock": true, "price_max": 199, "brand": ["lumi"]}`, `nothing`},
			{"tent", `{"attributes": {"season": ["4"]}}`, `"Tent Two", "Tent Three"`},
			{"tent", `{"attributes": {"SEASON": ["3", "4"], "fabric": ["NYLON"]}}`, `"Tent One", "Tent Two"`},
			{"tent", `{"attributes": {"smell": ["pine"]}}`, `nothing`},
			{"tent", `{"rating_min": 3.9}`, `"Tent One", "Tent Two"`},
			{"tent", `{"rating_min": 3.91}`, `"Tent One"`},
		})

		// A single value needs no list.
		a.asBuyer("POST /acp/search", `{"filters": {"brand": "Lumi", "attributes": {"fabric": "cotton"}}}`)
		a.shows("results.*.name", `["Tent Three"]`)

		// A facet counts what another value would find.
		a.must(a.discovery.searchesWithFilters("tent", `{"brand": ["Fjord"], "price_max": 150}`))
		a.must(a.discovery.findsExactly(`"Tent One"`))
		a.shows(
			"facets.brands", `contains {"name": "Fjord", "count": 1}`,
			"facets.brands", `contains {"name": "Ember", "count": 1}`,
			"facets.price_ranges.#", `1`,
		)
	})
}

func TestACPSearch_synonymsDoNotWidenFilters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWith([]map[string]string{
			{"name": "Velvet Sofa", "price": "899.00", "category": "furniture/seating", "brand": "Hygge", "stock": "5", "description": "Three seats, deep and soft."},
			{"name": "Oak Table", "price": "499.00", "category": "furniture/tables", "brand": "Hygge", "stock": "5", "description": "Seats six."},
			{"name": "Linen Trousers", "price": "79.00", "category": "clothing/men", "brand": "Weaver", "stock": "5", "description": "Straight cut, light for summer."},
			{"name": "Wool Sweater", "price": "99.00", "category": "clothing/men", "brand": "Weaver", "stock": "5", "description": "Warm, knitted in one piece."},
			{"name": "Smart Television", "price": "699.00", "category": "electronics/tv", "brand": "Vista", "stock": "5", "description": "Sharp and bright."},
			{"name": "Car Vacuum", "price": "59.00", "category": "cleaning", "brand": "Vista", "stock": "5", "description": "Runs from the socket."},
			{"name": "Mobile Phone Nova", "price": "399.00", "category": "electronics/phone", "brand": "Vista", "stock": "5", "description": "Two cameras."},
		}))
		a.must(a.catalog.creates(`{"name": "Corner Couch", "sku": "CORNER", "price": 1000, "category": "couches",
			"variants": [{"sku": "CORNER-G", "size": "Sofa", "color": "Gray", "quantity": 5}]}`))
		a.asMerchant("POST /v1/catalog/synonyms", `{"words": ["sofa", "couch", "couches", "furniture"]}`)
		a.asMerchant("POST /v1/catalog/synonyms", `{"words": ["grey", "gray"]}`)
		a.filtersFind([]filterCase{
			{"couch", `{}`, `"Velvet Sofa", "Corner Couch", "Oak Table"`},
			{"couch", `{"category": "couches"}`, `"Corner Couch"`},
			{"couch", `{"category": "furniture"}`, `"Velvet Sofa", "Oak Table"`},
			{"couch", `{"category": "sofas"}`, `nothing`},
			{"couch", `{"category": "couch"}`, `nothing`},
			{"couch", `{"price_max": 899}`, `"Velvet Sofa", "Oak Table"`},
			{"couch", `{"price_max": 898.99}`, `"Oak Table"`},
			{"couch", `{"size": "Sofa"}`, `"Corner Couch"`},
			{"couch", `{"size": "couch"}`, `nothing`},
			{"couch", `{"color_preference": ["gray"]}`, `"Corner Couch"`},
			{"couch", `{"color_preference": ["grey"]}`, `nothing`},
		})
	})
}

func TestACPSearch_facetsCountAllPages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWithMany(60))
		a.must(a.discovery.searches("product", ""))
		a.shows("total_count", `60`, "results.#", `10`)
		a.must(a.search.facetsAddUp())

		for limit, shown := range map[string]string{"1": "1", "50": "50"} {
			a.must(a.discovery.searches("product", limit))
			a.shows("total_count", `60`, "results.#", shown)
		}
	})
}

func TestACPSearch_recommendations(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWith([]map[string]string{
			{"name": "Trail Tent", "price": "500.00", "category": "outdoor/tents", "brand": "Norrsken", "stock": "20", "related": "Ground Mat, Gone Mat"},
			{"name": "Family Tent", "price": "700.00", "category": "outdoor/tents", "brand": "Norrsken", "stock": "20"},
			{"name": "Ground Mat", "price": "50.00", "category": "bedroom", "brand": "Ember", "stock": "20"},
			{"name": "Gone Mat", "price": "50.00", "category": "bedroom", "brand": "Ember", "stock": "0"},
			{"name": "Camp Stove", "price": "80.00", "category": "outdoor/kitchen", "brand": "Ember", "stock": "20"},
			{"name": "Camp Lantern", "price": "40.00", "category": "outdoor/lights", "brand": "Norrsken", "stock": "20"},
			{"name": "Night Mask", "price": "10.00", "category": "bedroom", "brand": "Norrsken", "stock": "20"},
		}))
		a.must(a.discovery.searches("trail tent", ""))
		a.shows(
			"recommendations.*.name", `["Ground Mat", "Camp Lantern", "Camp Stove"]`,
			"recommendations.*.type", `["complementary", "complementary", "complementary"]`,
			"recommendations.*.price", `[50, 40, 80]`,
		)
	})
}
