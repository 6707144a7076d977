package features

import (
	"strings"
	"testing"
)

// opensHagglingShop opens the shop of the negotiation tests. A new buyer looks at its tent.
func (a *apiTest) opensHagglingShop() {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "1000.00",
			stock: "20",
		},
		product{
			name:  "Camp Stove",
			price: "60.00",
			stock: "20",
		},
	)
	a.must(a.haggling.concedesPatiently())
	a.must(a.buyers.arrivesLookingAt("Trail Tent"))
}

func TestACPQuote_answers(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.must(a.haggling.asksPrice())
		a.shows(
			"status", `"quote"`,
			"session_id", `"$session"`,
			"quote_id", "matches ^quote_",
			"list_price", "1000",
		)

		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.offers("the bottom of the likely range"))
		a.shows(
			"status", `"accept"`,
			"session_id", `"$session"`,
			"quote_id", "matches ^quote_",
			"message", "present",
			"checkout_token", "present",
		)

		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.offers("what is hinted at"))
		a.shows(
			"status", `"counter_offer"`,
			"session_id", `"$session"`,
			"quote_id", "matches ^quote_",
			"product.id", `"$product"`,
			"product.name", `"Trail Tent"`,
			"product_id", `"$product"`,
			"variant_id", "matches ^var_",
			"quantity", "1",
			"currency", `"USD"`,
			"original_price", "1000",
			"counter_price", "866",
			"discount_applied", `"13.4%"`,
			"reasoning", "present",
			"next_actions", `["accept", "counter", "decline"]`,
		)

		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.offers("500"))
		a.shows(
			"status", `"reject"`,
			"reason", "present",
			"floor_hint", "present",
			"offered_price", "938",
		)
	})
}

func TestACPQuote_bundle(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.catalog.openShopWith([]map[string]string{
			{
				"name":    "Trail Tent",
				"price":   "500.00",
				"stock":   "20",
				"related": "Ground Mat",
			},
			{
				"name":  "Ground Mat",
				"price": "100.00",
				"stock": "20",
			},
		}))
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.makesCounteredOffer())
		a.shows(
			"bundle_suggestion.regular_price", "100",
			"bundle_suggestion.bundle_price", "93",
			"next_actions", `contains "add_bundle"`,
		)

		// A product in the cart is not suggested.
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.asBuyer("PUT /acp/cart", `{"session_id": "$session", "items": [{"product_id": "${Ground Mat}", "quantity": 1}]}`)
		a.must(a.haggling.makesCounteredOffer())
		a.shows(
			"bundle_suggestion", "absent",
			"next_actions", `["accept", "counter", "decline"]`,
		)
	})
}

func TestACPQuote_withoutSession(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asBuyer("POST /acp/quote", `{"product_id": "$product", "quantity": 1, "offer_price": null}`)
		a.shows("status", `"quote"`, "session_id", "matches ^sess_")
	})
}

func TestACPQuote_defaultQuantity(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asBuyer("POST /acp/quote", `{"product_id": "$product", "offer_price": 1000}`)
		a.shows("status", `"accept"`, "final_price", "1000")
	})
}

func TestACPQuote_followUp(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.must(a.haggling.wants(2))
		a.must(a.haggling.asksPrice())
		for _, row := range [][2]string{
			{`"quantity": 3`, "quantity"},
			{`"product_id": "${Camp Stove}"`, "product_id"},
			{`"variant_id": "${Camp Stove: variant}"`, "variant_id"},
		} {
			a.asBuyer("POST /acp/quote", `{"session_id": "$session", "quote_id": "$quote", `+row[0]+`, "offer_price": 1000}`)
			a.refused("422 validation_error", row[1])
		}
		a.asBuyer("POST /acp/quote", `{"quote_id": "$quote", "offer_price": 1000}`)
		a.refused("422 validation_error", "session_id")

		// It need not repeat what it is about.
		a.asBuyer("POST /acp/quote", `{"session_id": "$session", "quote_id": "$quote", "offer_price": 1000}`)
		a.shows("status", `"accept"`, "final_price", "1000")
	})
}

func TestACPQuote_unknown(t *testing.T) {
	a := newAPITest(t)
	a.opensHagglingShop()
	for _, row := range [][2]string{
		{`{"product_id": "prod_unknown", "quantity": 1, "offer_price": 900}`, "404 product_not_found"},
		{`{"product_id": "prod_0000000000000000000000000a", "quantity": 1, "offer_price": 900}`, "404 product_not_found"},
		{`{"product_id": "$variant", "quantity": 1, "offer_price": 900}`, "404 product_not_found"},
		{`{"product_id": "$product", "variant_id": "var_unknown", "quantity": 1, "offer_price": 900}`, "404 variant_not_found"},
		{`{"product_id": "$product", "variant_id": "${Camp Stove: variant}", "quantity": 1}`, "404 variant_not_found"},
		{`{"session_id": "sess_unknown", "product_id": "$product", "quantity": 1, "offer_price": 900}`, "404 session_not_found"},
		{`{"session_id": "$session", "quote_id": "quote_unknown", "offer_price": 900}`, "404 quote_not_found"},
		{`{"session_id": "$session", "quote_id": "quote_0000000000000000000000000a", "offer_price": 900}`, "404 quote_not_found"},
	} {
		a.buyerIsRefused([]rejection{{"POST /acp/quote " + row[0], row[1], ""}})
	}
}

func TestACPQuote_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensHagglingShop()
	for _, offer := range []string{"0", "0.00", "-900", "899.999", "0.001", "1e400", "1e15", "100000000000000", `"900"`, "[900]"} {
		body := `{"product_id": "$product", "quantity": 1, "offer_price": ` + offer + `}`
		a.buyerIsRefused([]rejection{{"POST /acp/quote " + body, "422 validation_error", "offer_price"}})
	}
	for _, quantity := range []string{"0", "-1", "1001", "1.5", `"1"`} {
		body := `{"product_id": "$product", "quantity": ` + quantity + `, "offer_price": 900}`
		a.buyerIsRefused([]rejection{{"POST /acp/quote " + body, "422 validation_error", "quantity"}})
	}
	a.asBuyer("POST /acp/quote", `{"offer_price": 900}`)
	a.refusedNaming("422 validation_error", "product_id")

	a.must(a.haggling.asksPrice())
	a.asBuyer("POST /acp/quote", `{"session_id": "$session", "quote_id": "$quote", "offer_price": 900, "message": "`+strings.Repeat("a", 2001)+`"}`)
	a.refused("422 validation_error", "message")
}

func TestACPQuote_missingVariant(t *testing.T) {
	a := newAPITest(t)
	a.opensShopSelling(product{
		name:     "Boot",
		price:    "80",
		variants: "M/Brown=5, L/Brown=5",
	})
	a.asBuyer("POST /acp/quote", `{"product_id": "$product", "quantity": 1, "offer_price": 70}`)
	a.refused("422 validation_error", "variant_id")
}

func TestACPQuote_decimals(t *testing.T) {
	for _, row := range []struct{ currency, offer, refusal string }{
		{"JPY", "5000", ""},
		{"JPY", "4999.5", "422 validation_error"},
		{"BHD", "4999.125", ""},
		{"BHD", "1.0005", "422 validation_error"},
	} {
		t.Run(row.currency+" "+row.offer, func(t *testing.T) {
			a := newAPITest(t)
			a.must(a.shops.openShopWith("default_currency", `"`+row.currency+`"`))
			a.asMerchant("POST /v1/catalog/products", `{"name": "Tea", "sku": "TEA", "price": 5000, "quantity": 5}`)
			a.must(a.platforms.namesAnswerField("id", "tea"))
			a.asBuyer("POST /acp/quote", `{"product_id": "$tea", "quantity": 1, "offer_price": `+row.offer+`}`)
			if row.refusal == "" {
				a.answers(200)
			} else {
				a.refused(row.refusal)
			}
		})
	}
}

func TestACPQuote_unknownClaims(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		for _, row := range [][2]string{
			{"1", `{"loyalty_tier": "emperor", "purchase_history": -7, "urgency": "now or never"}`},
			{"1", `{"loyalty_tier": "<script>alert(1)</script>", "urgency": "🔥🔥🔥"}`},
			{"1", `{"purchase_history": 2000000000}`},
			{"880", `{"loyalty_tier": "admin", "location": "'; DROP TABLE projects; --"}`},
			{"880", `{"unheard_of": {"deep": [1, 2, 3]}}`},
			{"880", `{}`},
		} {
			a.must(a.buyers.arrivesLookingAt("Trail Tent"))
			a.must(a.haggling.offers(row[0]))
			a.must(a.haggling.anotherOffers(row[0], `"buyer_context": `+row[1]))
			a.must(a.haggling.bothBuyersGetSameAnswer())
		}
	})
}
