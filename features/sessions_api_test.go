package features

import "testing"

// opensSessionShop opens a shop with a tent and a mat that is recommended with it.
func (a *apiTest) opensSessionShop() {
	a.Helper()
	a.must(a.catalog.openShopWith([]map[string]string{
		{
			"name":    "Trail Tent",
			"price":   "1000.00",
			"stock":   "20",
			"related": "Ground Mat",
		},
		{
			"name":  "Ground Mat",
			"price": "100.00",
			"stock": "20",
		},
	}))
}

func TestACPSession(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensSessionShop()
		a.must(a.discovery.hasSearched("tent", ""))
		a.asBuyer("GET /acp/sessions/$session")
		a.shows(
			"session_id", `"$session"`,
			"status", `"active"`,
			"created_at", "matches Z$",
			"last_activity", "matches Z$",
			"expires_at", "matches Z$",
			"cart.items", "[]",
			"cart.subtotal", "0",
			"negotiation_history", "[]",
			"recommendations_shown.#", "1",
			"recommendations_shown.0.accepted", "false",
		)

		// The buyer's claims.
		a.must(a.discovery.hasSearched("tent", `{"loyalty_tier": "gold", "purchase_history": 12}`))
		a.asBuyer("GET /acp/sessions/$session")
		a.shows(
			"buyer_context.loyalty_tier", `"gold"`,
			"buyer_context.purchase_history", "12",
		)

		// A recommended product that was bought.
		a.must(a.discovery.hasSearched("tent", ""))
		a.must(a.checkouts.agrees(1, "Ground Mat", "100"))
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysSuccessfully())
		a.asBuyer("GET /acp/sessions/$session")
		a.shows(
			"recommendations_shown.*.product_id", `["${Ground Mat}"]`,
			"recommendations_shown.*.accepted", "[true]",
		)
	})
}

func TestACPSession_negotiation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensSessionShop()
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.must(a.haggling.asksPrice())
		for _, price := range []string{"500", "what is hinted at", "1000"} {
			a.must(a.haggling.offers(price))
		}
		a.asBuyer("GET /acp/sessions/$session")
		a.shows(
			"negotiation_history.*.type", `["quote_request", "quote_request", "quote_request", "quote_request"]`,
			"negotiation_history.*.response", `["quote", "reject", "counter_offer", "accept"]`,
			"negotiation_history.0.offer", "null",
			"negotiation_history.1.offer", "500",
			"negotiation_history.2.counter", "below 1000",
			"negotiation_history.3.offer", "1000",
			"negotiation_history.3.final_price", "at most 1000",
			"negotiation_history.0.timestamp", "matches Z$",
			"quotes.#", "1",
			"quotes.0.product_id", `"$product"`,
			"quotes.0.quantity", "1",
			"quotes.0.response", `"accept"`,
			"quotes.0.price", "at most 1000",
			"cart.items.#", "1",
			"cart.items.0.product_id", `"$product"`,
			"cart.items.0.name", `"Trail Tent"`,
			"cart.items.0.quantity", "1",
			"cart.items.0.negotiated_price", "at most 1000",
			"cart.subtotal", "at most 1000",
		)
	})
}

func TestACPSession_unknown(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.buyerIsRefused([]rejection{
		{"GET /acp/sessions/sess_unknown", "404 session_not_found", ""},
		{"GET /acp/sessions/sess_0000000000000000000000000a", "404 session_not_found", ""},
		{"GET /acp/sessions/$shop", "404 session_not_found", ""},
		{`POST /acp/sessions/sess_unknown/extend {"duration_minutes": 5}`, "404 session_not_found", ""},
	})
}

func TestACPSessionExtend_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensSessionShop()
	a.must(a.discovery.hasSearched("tent", ""))
	for _, body := range []string{
		`{}`,
		`{"duration_minutes": 0}`,
		`{"duration_minutes": -5}`,
		`{"duration_minutes": 1411}`,
		`{"duration_minutes": 1440}`,
		`{"duration_minutes": 1441}`,
		`{"duration_minutes": 1.5}`,
		`{"duration_minutes": null}`,
		`{"duration_minutes": "60"}`,
	} {
		a.asBuyer("POST /acp/sessions/$session/extend", body)
		a.refused("422 validation_error", "duration_minutes")
	}
}
