package features

import "testing"

// opensCampingShop opens a shop that sells tents and stoves.
func (a *apiTest) opensCampingShop() {
	a.Helper()
	a.opensShopSelling(
		product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		},
		product{
			name:  "Camp Stove",
			price: "40.00",
			stock: "50",
		},
	)
}

func TestAnalyticsSummary_empty(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensCampingShop()
		a.asMerchant("GET /v1/analytics/summary?from=2026-03-01&to=2026-03-04")
		a.answers(200)
		a.shows(
			"from", `"2026-03-01T00:00:00Z"`,
			"to", `"2026-03-04T00:00:00Z"`,
			"currency", `"USD"`,
			"sessions", `0`,
			"deal_rate", `null`,
			"discount.median", `null`,
			"revenue.net", `0.00`,
			"previous.from", `"2026-02-26T00:00:00Z"`,
			"previous.to", `"2026-03-01T00:00:00Z"`,
			"series.2.from", `"2026-03-03T00:00:00Z"`,
			"series.2.orders", `0`,
		)
	})
}

func TestAnalyticsNegotiations_funnel(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesAndAgrees(1, "Trail Tent", "95.00"))
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.arrivesFor(1, "Camp Stove", ""))
		a.must(a.haggling.offers("1.00"))
		a.asMerchant("GET /v1/analytics/negotiations")
		a.answers(200)
		a.shows(
			"funnel.0.stage", `"quoted"`,
			"funnel.0.count", `2`,
			"funnel.1.count", `2`,
			"funnel.3.stage", `"rejected"`,
			"funnel.3.count", `1`,
			"funnel.3.share", `0.5`,
			"funnel.4.count", `1`,
			"funnel.5.stage", `"checkout_opened"`,
			"funnel.5.count", `1`,
			"funnel.6.count", `0`,
			"discounts.accepted_deals.count", `1`,
			"discounts.accepted_deals.p90", `"5%"`,
			"discounts.accepted_deals.histogram", `[{"percent": 5, "count": 1}]`,
			"discounts.paid_orders.histogram", `[]`,
			"lost_deals.count", `0`,
		)
	})
}

func TestAnalyticsNegotiations_lostDeals(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensCampingShop()
		a.must(a.checkouts.arrivesFor(2, "Trail Tent", ""))
		a.must(a.haggling.offers("60.00"))
		a.asMerchant("GET /v1/analytics/negotiations?near_floor_percent=50")
		a.shows(
			"lost_deals.near_floor_percent", `50`,
			"lost_deals.count", `1`,
			"lost_deals.best_offers", `120.00`,
			"lost_deals.list", `200.00`,
			"lost_deals.share_of_list", `0.6`,
			"lost_deals.examples.data.0.best_offer", `60.00`,
			"lost_deals.examples.data.0.quantity", `2`,
			"lost_deals.examples.data.0.negotiation_id", `matches ^neg_`,
			"lost_deals.examples.data.0.session_id", `absent`,
			"lost_deals.examples.data.0.floor", `present`,
			"lost_deals.examples.data.0.standing_price", `present`,
			"lost_deals.examples.meta.total", `1`,
		)
	})
}

// Days begin at midnight in the shop's time zone, also when clocks move.
func TestAnalyticsSales_timeZone(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.shops.changesRegion("time zone", "Europe/Berlin"))
		a.asMerchant("GET /v1/analytics/sales?from=2026-03-28&to=2026-03-31")
		a.shows(
			"from", `"2026-03-27T23:00:00Z"`,
			"to", `"2026-03-30T22:00:00Z"`,
			"time_zone", `"Europe/Berlin"`,
			"series.1.from", `"2026-03-28T23:00:00Z"`,
			"series.1.to", `"2026-03-29T22:00:00Z"`,
			"series.2.to", `"2026-03-30T22:00:00Z"`,
		)
	})
}

func TestAnalyticsSummary_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/analytics/summary?from=yesterday", "422 validation_error", "from"},
		{"GET /v1/analytics/summary?to=2026-02-30", "422 validation_error", "to"},
		{"GET /v1/analytics/sales?from=2026-03-02&to=2026-03-02", "422 validation_error", "from"},
		{"GET /v1/analytics/sales?from=2026-03-02&to=2026-03-01", "422 validation_error", "from"},
		{"GET /v1/analytics/negotiations?from=2025-01-01&to=2026-03-01", "422 validation_error", "interval"},
		{"GET /v1/analytics/sales?from=2026-03-01&to=2026-03-20&interval=hour", "422 validation_error", "interval"},
		{"GET /v1/analytics/negotiations?near_floor_percent=51", "422 validation_error", "near_floor_percent"},
		{"GET /v1/analytics/negotiations?near_floor_percent=5.55", "422 validation_error", "near_floor_percent"},
		{"GET /v1/analytics/negotiations?interval=year", "400 invalid_request", "interval"},
		{"GET /v1/analytics/sales?limit=0", "400 invalid_request", "limit"},
		{"GET /v1/analytics/sales?limit=101", "400 invalid_request", "limit"},
	})
}

// All buyers offer 900.00. The opening price and the deal differ by the tier, and by nothing else.
func TestAnalyticsPriceDispersion(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensHagglingShop()
		for _, buyer := range []struct{ claims, answer string }{
			{`{}`, `"counter_offer"`},
			{`{"location": "DE"}`, `"counter_offer"`},
			{`{"loyalty_tier": "gold"}`, `"accept"`},
		} {
			a.asksClaiming(buyer.claims)
			a.asBuyer("POST /acp/quote", `{"session_id": "$visit", "quote_id": "$asked", "offer_price": 900}`)
			a.shows("status", buyer.answer)
		}
		a.asMerchant("GET /v1/analytics/price-dispersion")
		a.shows(
			"currency", `"USD"`,
			"negotiations", `3`,
			"complete", `true`,
			"compared", `3`,
			"groups", `2`,
			"unexplained", `0`,
			"items.#", `2`,
			"items.0.product_id", `"$product"`,
			"items.0.quantity", `1`,
			"items.0.steps", `[{"offer_price": null, "policy_version": 2}, {"offer_price": 900.00, "policy_version": 2}]`,
			"items.0.negotiations", `3`,
			"items.0.deals", `1`,
			"items.0.lowest_price", `900`,
			"items.0.highest_price", `999`,
			"items.0.mean_price", `966`,
			"items.0.explained_by", `["loyalty"]`,
			"items.0.unexplained", `0`,
			"items.1.steps", `[{"offer_price": null, "policy_version": 2}]`,
			"items.1.deals", `0`,
			"items.1.lowest_price", `970`,
			"items.1.highest_price", `1000`,
			"items.1.mean_price", `990`,
			"items.1.explained_by", `["loyalty"]`,
		)
		a.asMerchant("GET /v1/analytics/price-dispersion?to=2026-01-01")
		a.shows("negotiations", `0`, "items", `[]`)
	})
}

func TestAnalyticsPriceDispersion_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/analytics/price-dispersion?from=yesterday", "422 validation_error", "from"},
		{"GET /v1/analytics/price-dispersion?interval=day", "400 invalid_request", "interval"},
	})
}
