package features

import "testing"

const newYorkText = `"THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA."`

// asksClaiming asks for the price of the product in a new session, with a buyer_context.
func (a *apiTest) asksClaiming(buyer string) {
	a.Helper()
	a.asBuyer("POST /acp/quote", `{"product_id": "$product", "quantity": 1, "buyer_context": `+buyer+`}`)
	a.must(a.platforms.namesAnswerField("session_id", "visit"))
	a.must(a.platforms.namesAnswerField("quote_id", "asked"))
}

func TestACPQuote_personalization(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asksClaiming(`{"loyalty_tier": "gold", "location": "US-NY"}`)
		a.shows(
			"status", `"quote"`,
			"offered_price", `970`,
			"personalization.used", `["claimed_loyalty"]`,
			"personalization.by", `"automated"`,
			"personalization.disclosure", newYorkText,
		)
		a.asBuyer("POST /acp/quote", `{"session_id": "$visit", "quote_id": "$asked", "offer_price": 500}`)
		a.shows("status", `"reject"`, "personalization.used", `["claimed_loyalty"]`)

		a.asksClaiming(`{"loyalty_tier": "gold", "purchase_history": 1}`)
		a.shows(
			"personalization.used", `["claimed_loyalty", "claimed_purchases"]`,
			"personalization.disclosure", `absent`,
		)

		a.asksClaiming(`{"loyalty_tier": "gold", "location": "Berlin, Germany"}`)
		a.shows("personalization.disclosure", `"This price was personalized on the basis of automated decision-making."`)

		a.asksClaiming(`{"loyalty_tier": "founder", "urgency": "flexible", "location": "US-NY"}`)
		a.shows("offered_price", `1000`, "personalization", `absent`)
	})
}

func TestACPQuote_personalSignalsOff(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"personalization": {"regions": {"US-NY": {"mode": "off"}}}}`)
		a.asksClaiming(`{"loyalty_tier": "gold", "location": "Albany, NY, US"}`)
		a.shows("offered_price", `1000`, "personalization", `absent`)
		a.asBuyer("GET /acp/products/$product?session_id=$visit")
		a.shows(
			"personalized_price.price", `1000`,
			"personalized_price.reason", `"Opening price. Offers are welcome."`,
			"personalized_price.personalization", `absent`,
		)

		a.asksClaiming(`{"loyalty_tier": "gold", "location": "US-CA"}`)
		a.shows("offered_price", `970`)
		a.asBuyer("GET /acp/products/$product?session_id=$visit")
		a.shows("personalized_price.price", `970`, "personalized_price.personalization.used", `["claimed_loyalty"]`)
	})
}

func TestSimulateAgent_personalSignalsOff(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"personalization": {"default": "off"}}`)
		a.asMerchant("POST /v1/agents/$active/simulate", `{"product_id": "$product", "offers": [null], "buyer_context": {"loyalty_tier": "gold"}}`)
		a.shows("steps.0.answer.price", `1000`)
		a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"personalization": null}`)
		a.asMerchant("POST /v1/agents/$active/simulate", `{"product_id": "$product", "offers": [null], "buyer_context": {"loyalty_tier": "gold"}}`)
		a.shows("steps.0.answer.price", `970`)
	})
}

// An agreed price stands in a stricter region, and the checkout shows the text of its address.
func TestACPCheckoutInit_personalization(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		a.asMerchant("PATCH /v1/projects/$shop/storefront",
			`{"personalization": {"regions": {"US-NY": {"mode": "off", "disclosure_text": "Ask us."}, "US-OR": {"mode": "allowed"}}}}`)
		a.asksClaiming(`{"loyalty_tier": "gold"}`)
		a.asBuyer("POST /acp/quote", `{"session_id": "$visit", "quote_id": "$asked", "offer_price": 960}`)
		a.shows("status", `"accept"`)
		a.must(a.platforms.namesAnswerField("checkout_token", "deal"))
		a.asBuyer("GET /acp/cart?session_id=$visit")
		a.shows("items.0.unit_price", `960`, "items.0.personalization.used", `["claimed_loyalty"]`)

		const address = `"shipping_address": {"name": "A. Buyer", "line1": "1 Main Street", "city": "Springfield", "postal_code": "12345", "country": "US", "state": `
		a.asBuyer("POST /acp/checkout/init", `{"session_id": "$visit", "items": [{"product_id": "$product", "quantity": 1, "checkout_token": "$deal"}], `+address+`"OR"}}`)
		a.shows(
			"items.0.unit_price", `960`,
			"items.0.personalization.used", `["claimed_loyalty"]`,
			"items.0.personalization.disclosure", `absent`,
			"summary.personalization.used", `["claimed_loyalty"]`,
		)
		a.must(a.platforms.namesAnswerField("checkout_id", "opened"))
		a.must(a.platforms.namesAnswerField("lines.0.line_id", "line"))
		a.asBuyer("PUT /acp/checkout/$opened", `{"items": [{"line_id": "$line", "product_id": "$product", "quantity": 1}], `+address+`"NY"}}`)
		a.shows(
			"items.0.unit_price", `960`,
			"items.0.personalization.disclosure", `"Ask us."`,
			"summary.personalization.disclosure", `"Ask us."`,
		)
		a.asBuyer("GET /acp/checkout/$opened")
		a.shows("items.0.personalization.disclosure", `"Ask us."`)

		// The checkout and its order keep the text that was shown.
		a.asMerchant("PATCH /v1/projects/$shop/storefront", `{"personalization": {"default": "disclosed", "disclosure_text": "Later.", "regions": {}}}`)
		a.asBuyer("GET /acp/checkout/$opened")
		a.shows("items.0.personalization.disclosure", `"Ask us."`)
		a.asBuyer("POST /acp/checkout/finalize",
			`{"checkout_id": "$opened", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer": {"email": "buyer@example.com"}}`)
		a.shows("status", `"success"`, "items.0.personalization.disclosure", `"Ask us."`)
		a.must(a.platforms.namesAnswerField("order.id", "placed"))
		a.must(a.platforms.namesAnswerField("order.manage_token", "proof"))
		a.asBuyer("GET /acp/orders/$placed?manage_token=$proof")
		a.shows(
			"items.0.personalization.used", `["claimed_loyalty"]`,
			"items.0.personalization.disclosure", `"Ask us."`,
		)
		a.asMerchant("GET /v1/orders/$placed")
		a.shows("lines.0.personalization.disclosure", `"Ask us."`)

		// Anybody who knows an id may read what follows.
		a.asBuyer("GET /acp/orders/$placed")
		a.shows("items.0.personalization", `absent`)
		a.asBuyer("GET /acp/checkout/$opened")
		a.shows("status", `"completed"`, "items.0.personalization", `absent`, "summary.personalization", `absent`)
	})
}

func TestUCPNegotiation_personalization(t *testing.T) {
	eachNegotiationProtocol(t, func(a *apiTest, agent *protocolAgent) {
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.asksClaiming(`{"loyalty_tier": "gold"}`)
		starts := func(where map[string]any) {
			a.must(agent.call(protocolCall{
				method: "POST",
				path:   "/negotiations",
				tool:   "start_negotiation",
				fields: map[string]any{
					"item":     map[string]any{"id": a.products["Trail Tent"].Variants[0].ID},
					"quantity": 2,
					"cart_id":  a.platforms.namedValues["visit"],
					"context":  where,
				},
			}))
		}
		starts(map[string]any{"address_country": "US", "address_region": "New York"})
		a.must(agent.shows(
			"personalization.used", `["claimed_loyalty"]`,
			"personalization.by", `"automated"`,
			"personalization.disclosure", newYorkText,
			"messages.1.type", `"warning"`,
			"messages.1.code", `"personalized_price"`,
			"messages.1.path", `"$.standing_price"`,
			"messages.1.content", newYorkText,
			"messages.1.presentation", `"disclosure"`,
		))
		a.must(agent.readsNegotiation())
		a.must(agent.shows("personalization.disclosure", newYorkText))
		starts(map[string]any{"address_country": "US"}) // which says less, not otherwise
		a.must(agent.shows("personalization.disclosure", newYorkText))

		a.must(agent.asksPrice(2, "Trail Tent"))
		a.must(agent.shows("personalization", `absent`, "messages.1", `absent`))
	})
}

func TestUpdateStorefront_personalization(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		const path = "PATCH /v1/projects/$shop/storefront"
		a.storefrontFieldIs("personalization", `{"default": "allowed", "disclosure_text": "This price was personalized on the basis of automated decision-making.",
			"regions": {"EU": {"mode": "disclosed"}, "US-NY": {"mode": "disclosed", "disclosure_text": `+newYorkText+`}}}`)

		a.asMerchant(path, `{"personalization": {"default": "disclosed", "regions": {"DE": {"mode": "off"}}}}`)
		a.storefrontFieldIs("personalization", `{"default": "disclosed", "disclosure_text": "This price was personalized on the basis of automated decision-making.",
			"regions": {"DE": {"mode": "off"}}}`)
		a.asMerchant(path, `{"personalization": {"disclosure_text": "Words"}}`)
		a.storefrontFieldIs("personalization", `{"default": "disclosed", "disclosure_text": "Words", "regions": {"DE": {"mode": "off"}}}`)
		a.asMerchant(path, `{"personalization": {"default": null}}`)
		a.storefrontFieldIs("personalization.default", `"allowed"`)
		a.asMerchant(path, `{"personalization": null}`)
		a.storefrontFieldIs("personalization.regions.US-NY.mode", `"disclosed"`)
		a.storefrontFieldIs("personalization.regions.DE", `absent`)
		a.asMerchant(path, `{"personalization": {"default": "off"}}`) // the built-in regions too
		a.storefrontFieldIs("personalization.regions.US-NY.mode", `"off"`)
		a.asMerchant(path, `{"personalization": null}`)

		for _, row := range [][3]string{ // a field, its value, and the field that the answer names
			{"default", `"sometimes"`, "personalization.default"},
			{"regions", `{"Bavaria": {"mode": "off"}}`, "personalization.regions.Bavaria"},
			{"regions", `{"US-NU": {"mode": "off"}}`, "personalization.regions.US-NU"},
			{"regions", `{"DE": {"mode": "never"}}`, "personalization.regions.DE.mode"},
			{"disclosure_text", `""`, "personalization.regions.EU.disclosure_text"},
		} {
			a.asMerchant(path, `{"personalization": {"`+row[0]+`": `+row[1]+`}}`)
			a.refused("422 validation_error", row[2])
		}
	})
}
