package features

import "testing"

func TestListAttention_orderToShip(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "20",
		})
		a.must(a.checkouts.arrivesAndAgrees(1, "Trail Tent", "95.00"))
		a.must(a.checkouts.checksOut())
		a.must(a.checkouts.paysSuccessfully())

		a.asMerchant("GET /v1/attention")
		a.answers(200)
		a.shows(
			"data.0.kind", `"order_to_ship"`,
			"data.0.count", `1`,
			"data.0.due_at", `matches T`,
			"data.0.example.id", `matches ^ord_`,
			"data.0.example.words", `matches ^HG-`,
			"data.1", `absent`,
		)
		a.asMerchant("GET /v1/attention/counts")
		a.answers(200)
		a.shows(
			"data.0.kind", `"order_to_ship"`,
			"data.0.count", `1`,
			"data.0.more", `false`,
			"data.1", `absent`,
		)
	})
}
