package features

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/cucumber/godog"
)

// TOT-005, TOT-006, TOT-014, TOT-015, TOT-020: A cart, its checkout and its order have the same totals: one subtotal, one total, and discounts below zero.
func TestUCPTotals_cartToOrder(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.must(a.shops.setsPartField("/storefront", "tax_rates", `[{"country": "US", "state": "OR", "rate": 8.875}]`))
		a.must(a.checkouts.arrivesAndAgrees(2, "Trail Tent", "95"))
		a.asAgent("PUT /ucp/carts/$session", ucpLines("2 Trail Tent", "1 Camp Stove"))
		a.shows(
			"totals.*.type", `["subtotal", "items_discount", "total"]`,
			"totals.*.amount", "[24000, -1000, 23000]",
			"line_items.0.totals.*.type", `["subtotal", "items_discount", "total"]`,
			"line_items.0.totals.*.amount", "[20000, -1000, 19000]",
			"line_items.1.totals.*.type", `["subtotal", "total"]`,
			"line_items.1.totals.*.amount", "[4000, 4000]",
		)

		a.asAgent("POST /ucp/checkout-sessions", `"cart_id": "$session"`, `"line_items": []`, ucpBuyerAndDelivery)
		a.shows(
			"status", `"ready_for_complete"`,
			"totals.*.type", `["subtotal", "items_discount", "fulfillment", "tax", "total"]`,
			"totals.*.amount", "[24000, -1000, 599, 2041, 25640]",
			"line_items.0.totals.*.type", `["subtotal", "items_discount", "total"]`,
			"line_items.0.totals.*.amount", "[20000, -1000, 19000]",
			"line_items.1.totals.*.type", `["subtotal", "total"]`,
			"line_items.1.totals.*.amount", "[4000, 4000]",
		)
		a.remembers("id")

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows(
			"status", `"completed"`,
			"totals.*.type", `["subtotal", "items_discount", "fulfillment", "tax", "total"]`,
			"totals.*.amount", "[24000, -1000, 599, 2041, 25640]",
		)
		a.remembers("order.id")

		a.asAgent("GET /ucp/orders/$remembered_order_id")
		a.shows(
			"totals.*.type", `["subtotal", "items_discount", "fulfillment", "tax", "total"]`,
			"totals.*.amount", "[24000, -1000, 599, 2041, 25640]",
			"line_items.0.totals.*.type", `["subtotal", "items_discount", "total"]`,
			"line_items.0.totals.*.amount", "[20000, -1000, 19000]",
			"line_items.1.totals.*.type", `["subtotal", "total"]`,
			"line_items.1.totals.*.amount", "[4000, 4000]",
		)
	})
}

// TOT-021: A price is a whole number of minor units, with its currency.
func TestUCPTotals_minorUnits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ currency, price, minor string }{
		{"JPY", "1200", "1200"},
		{"BHD", "12.125", "12125"},
		{"USD", "49.9", "4990"},
	} {
		t.Run(row.currency, func(t *testing.T) {
			eachUCPVersion(t, func(a *ucpTest) {
				a.must(a.shops.openShopWith("default_currency", strconv.Quote(row.currency)))
				a.must(a.catalog.hasProduct(&godog.DocString{
					Content: `{"name": "Trail Tent", "sku": "TENT-1", "price": ` + row.price + `, "quantity": 7}`,
				}))
				price := fmt.Sprintf(`{"amount": %s, "currency": %q}`, row.minor, row.currency)
				a.asAgent("POST /ucp/catalog/lookup", `"ids": ["$product"]`)
				a.shows(
					"products.0.variants.0.price", price,
					"products.0.price_range.min", price,
					"products.0.price_range.max", price,
				)
			})
		})
	}
}
