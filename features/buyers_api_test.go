package features

import "testing"

func TestCreateBuyerToken(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.buyers.hasCRM(20, 400))
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "200.00",
			stock: "50",
		})
		a.must(a.connections.connectsPlatform("hubspot"))
		a.must(a.platforms.hasSynced(`{"resources": ["customers"]}`))

		a.must(a.buyers.issuesTokenForTier("hubspot", "platinum"))
		a.answers(201)
		a.shows(
			"buyer_token", "matches ^bt_",
			"email", "matches @example.com$",
			"loyalty_tier", `"platinum"`,
			"purchase_history", "at least 10",
			"expires_at", "matches Z$",
		)
		a.must(a.buyers.issuesBuyerToken("stranger@example.com"))
		a.answers(201)
		a.shows(
			"email", `"stranger@example.com"`,
			"loyalty_tier", "null",
			"purchase_history", "0",
		)
	})
}

func TestCreateBuyerToken_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/buyer-tokens", "422 validation_error", [][2]string{
		{`{}`, "email"},
		{`{"email": "nobody"}`, "email"},
		{`{"email": "Ada <ada@example.com>"}`, "email"},
		{`{"email": "ada@example.com", "expires_in": 59}`, "expires_in"},
		{`{"email": "ada@example.com", "expires_in": 86401}`, "expires_in"},
		{`{"email": "ada@example.com", "expires_in": -1}`, "expires_in"},
		{`{"email": "ada@example.com", "tier": "gold"}`, "tier"},
	})
}

func TestCreateBuyerToken_missingScope(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["integrations:write", "catalog:write"], "project_ids": ["$shop"]}`))
		a.asHolder("Clerk", `POST /v1/buyer-tokens {"email": "ada@example.com"}`)
		a.refused("403 insufficient_scope")
	})
}

func TestCreateBuyerToken_unknownTokens(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "200.00",
			stock: "50",
		})
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		const quote = `POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "buyer_context": `
		a.buyerIsRefused([]rejection{
			{quote + `{"buyer_token": "guessed"}}`, "422 validation_error", "buyer_context.buyer_token"},
			{quote + `{"buyer_token": "bt_guessed"}}`, "422 validation_error", "buyer_context.buyer_token"},
			{
				`POST /acp/search {"query": "tent", "buyer_context": {"buyer_token": "bt_AAAA"}}`,
				"422 validation_error", "buyer_context.buyer_token",
			},
			{
				`GET /acp/products/$product?buyer_context=%7B%22buyer_token%22%3A%22bt_AAAA%22%7D`,
				"422 validation_error", "buyer_context.buyer_token",
			},
		})
	})
}
