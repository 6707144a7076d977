package features

import "testing"

func TestACPCheckout(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.checkouts.checksOut())
		a.asBuyer("GET /acp/checkout/$checkout")
		a.shows(
			"status", `"ready"`,
			"revision", "1",
			"missing", "[]",
			"items.0.line_id", `"li_1"`,
			"items.0.unit_price", "95",
			"items.0.agreed", "true",
			"summary.total", "195.99",
			"shipping_address", "absent",
			"buyer", "absent",
		)
	})
}

func TestACPCheckoutRevise_shippingOption(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.must(a.checkouts.checksOut())
		a.asBuyer("PUT /acp/checkout/$checkout", `{"revision": 1, "items": [
			{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2},
			{"product_id": "${Camp Stove}", "quantity": 1}], "shipping_address": $address, "shipping_option": "express"}`)
		a.shows(
			"status", `"ready"`,
			"revision", "2",
			"items.*.line_id", `["li_1", "li_2"]`,
			"items.*.unit_price", "[95, 40]",
			"summary.subtotal", "230",
			"summary.shipping", "14.99",
			"summary.total", "244.99",
		)
		a.must(a.haggling.answerIsValidFor(30))
		a.must(a.checkouts.paysSuccessfully())
		a.must(a.catalog.stockIs(28, "Trail Tent"))
		a.must(a.catalog.stockIs(49, "Camp Stove"))
	})
}

func TestACPCheckoutRevise_afterDecline(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.must(a.checkouts.paysWithDeclinedCard("do not honor"))
		a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
			"shipping_address": $address}`)
		a.shows("status", `"pending"`, "summary.total", "105.99")
	})
}

func TestACPCheckoutRevise_oldRevision(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		a.asBuyer("PUT /acp/checkout/$checkout", `{"revision": 1, "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}],
			"shipping_address": $address}`)
		a.answers(200)
		a.asBuyer("PUT /acp/checkout/$checkout", `{"revision": 1, "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 3}],
			"shipping_address": $address}`)
		a.refused("409 checkout_changed")
	})
}

func TestACPCheckoutRevise_unknownLine(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensOutfitter()
		a.must(a.checkouts.isAtCheckout(2, "Trail Tent"))
		for _, line := range []string{"li_1", "li_9", "seven"} {
			a.asBuyer("PUT /acp/checkout/$checkout", `{"items": [{"line_id": "`+line+`", "product_id": "${Camp Stove}", "quantity": 1}],
				"shipping_address": $address}`)
			a.refused("422 validation_error", "items.0.line_id")
		}
	})
}
