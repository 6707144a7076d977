package features

import "testing"

func TestListOrders_newestFirst(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))

		a.asMerchant("GET /v1/orders?limit=1")
		a.shows("data.*.total", `[45.99]`, "meta.total", `2`)
		a.must(a.orders.answerHasNoSecret())
	})
}

func TestListOrders_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.orders.succeeds("POST", "/v1/orders/$order/cancel", ""))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))
		a.must(a.orders.reportsFulfillment(`{"status": "shipped"}`))

		for _, row := range [][2]string{
			{"status=confirmed", `[45.99]`},
			{"status=canceled", `[105.99]`},
			{"fulfillment=shipped", `[45.99]`},
			{"fulfillment=processing", `[]`},
			{"fulfillment=canceled", `[105.99]`},
			{"q=$confirmation", `[45.99]`},
			{"q=HG-0000-0000", `[]`},
			{"q=buyer@example.com", `[45.99, 105.99]`},
			{"q=nobody@example.com", `[]`},
			{"ids=$order", `[45.99]`},
			{"ids=$order,ord_none", `[45.99]`},
			{"ids=ord_none", `[]`},
			{"ids=$order&status=canceled", `[]`},
			{"from=2020-01-01T00:00:00Z", `[45.99, 105.99]`},
			{"to=2020-01-01T00:00:00Z", `[]`},
			{"from=2020-01-01", `[45.99, 105.99]`},
			{"from=2020-01-01&to=2020-01-02", `[]`},
			{"status=canceled&fulfillment=shipped", `[]`},
		} {
			a.moneyListShows("/v1/orders?"+row[0], "data.*.total", row[1])
		}
	})
}

// moneyListShows reads a list as the merchant and checks fields of the answer. It names the path in an error.
func (a *apiTest) moneyListShows(path string, pairs ...string) {
	a.Helper()
	if err := a.orders.resourceShows(path, pairs...); err != nil {
		a.Errorf("%s: %v", path, err)
	}
}

// A page that a cursor names stays the same when there are new orders.
func TestListOrders_cursors(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))

		a.asMerchant("GET /v1/orders?limit=1")
		a.shows(
			"data.*.total", `[45.99]`,
			"meta.total", `2`,
			"meta.total_precision", `"exact"`,
			"meta.previous", "null",
		)
		a.must(a.platforms.namesAnswerField("meta.next", "next"))
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))

		a.asMerchant("GET /v1/orders?limit=1&after=$next")
		a.shows(
			"data.*.total", `[105.99]`,
			"meta.next", "null",
			"meta.limit", `1`,
			"meta.offset", `0`,
			"meta.total", `1`,
			"meta.total_precision", `"at_least"`,
		)
		a.must(a.platforms.namesAnswerField("meta.previous", "previous"))

		a.asMerchant("GET /v1/orders?limit=1&before=$previous")
		a.shows("data.*.total", `[45.99]`)
		a.must(a.platforms.namesAnswerField("meta.previous", "previous"))

		a.asMerchant("GET /v1/orders?limit=1&before=$previous")
		a.shows("data.*.total", `[105.99]`, "meta.previous", "null")
	})
}

func TestListOrders_totalLimit(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))

		a.asMerchant("GET /v1/orders?total_limit=1")
		a.shows(
			"data.*.total", `[45.99, 105.99]`,
			"meta.total", `1`,
			"meta.total_precision", `"at_least"`,
		)
		a.asMerchant("GET /v1/orders?total_limit=2")
		a.shows("meta.total", `2`, "meta.total_precision", `"exact"`)
	})
}

// Every list of orders, money and audit events has cursors.
func TestListOrders_cursorsOfLists(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.finance.refunds(`{"amount": 5}`))
		a.must(a.checkouts.hasOrdered(1, "Camp Stove"))

		for _, list := range []struct{ path, field, second string }{
			{"/v1/orders?", "total", `105.99`},
			{"/v1/finance/payments?", "amount", `105.99`},
			{"/v1/finance/transactions?", "type", `"refund"`},
			{"/v1/finance/transactions?type=sale&", "amount", `105.99`},
			{"/v1/audit-events?", "action", "matches ^"},
		} {
			a.asMerchant("GET " + list.path + "limit=1")
			a.must(a.platforms.namesAnswerField("meta.next", "next"))
			a.moneyListShows(list.path+"limit=1&after=$next", "data.0."+list.field, list.second, "data.1", "absent")
		}
	})
}

func TestListOrders_wrongCursors(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
	a.must(a.checkouts.hasOrdered(1, "Camp Stove"))
	a.asMerchant("GET /v1/orders?limit=1")
	a.must(a.platforms.namesAnswerField("meta.next", "next"))

	a.merchantIsRefused([]rejection{
		{"GET /v1/orders?after=x", "422 validation_error", "after"},
		{"GET /v1/orders?before=x", "422 validation_error", "before"},
		{"GET /v1/orders?after=$next&offset=1", "422 validation_error", "offset"},
		{"GET /v1/orders?after=$next&before=$next", "422 validation_error", "before"},
		{"GET /v1/returns?after=$next", "422 validation_error", "after"},
		{"GET /v1/finance/payments?after=$next", "422 validation_error", "after"},
		{"GET /v1/finance/transactions?after=$next", "422 validation_error", "after"},
		{"GET /v1/audit-events?after=$next", "422 validation_error", "after"},
	})
}

func TestListOrders_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.merchantIsRefused([]rejection{
		{"GET /v1/orders?status=lost", "400 invalid_request", "status"},
		{"GET /v1/orders?fulfillment=lost", "400 invalid_request", "fulfillment"},
		{"GET /v1/orders?from=yesterday", "400 invalid_request", "from"},
		{"GET /v1/returns?status=lost", "400 invalid_request", "status"},
		{"GET /v1/returns?offset=-1", "400 invalid_request", "offset"},
		{"GET /v1/returns?sort=newer", "400 invalid_request", "sort"},
		{"GET /v1/orders?total_limit=0", "400 invalid_request", "total_limit"},
	})
}

func TestListReturns_filters(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensTentShop()
		a.must(a.finance.chargesTax("10"))
		a.must(a.checkouts.hasOrdered(3, "Trail Tent"))
		a.must(a.aftersales.returnsItems(2, "Trail Tent"))

		a.asMerchant("GET /v1/returns")
		a.shows(
			"data.#", `1`,
			"data.0.id", `"$return"`,
			"data.0.order_id", `"$order"`,
			"data.0.status", `"requested"`,
			"data.0.refund_estimate", `220`,
			"data.0.currency", `"USD"`,
			"data.0.refund_id", "null",
			"data.0.decided_at", "null",
			"data.0.items.0.quantity", `2`,
			"data.0.items.0.reason", `"Too large"`,
			"meta.total", `1`,
		)
		a.asMerchant("GET /v1/orders/$order")
		a.shows("returns.*.id", `["$return"]`)

		a.must(a.orders.succeeds("POST", "/v1/returns/$return/approve", ""))
		a.asMerchant("GET /v1/returns?status=approved")
		a.shows("data.*.id", `["$return"]`)
		a.asMerchant("GET /v1/returns?status=requested")
		a.shows("meta.total", `0`)
	})
}
