package features

import "testing"

// SAE-002, SAE-003, SAE-008, SAE-010, SAE-011: Signals, attribution and eligibility change no answer.
func TestUCPSignals_moveNothing(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		for _, more := range []string{
			`"signals": {"dev.ucp.buyer_ip": "203.0.113.7", "com.example.device_id": "d-1"}`,
			`"signals": {"buyer_ip": "203.0.113.7", "Discount": 50, "loyalty-tier": "gold"}`,
			`"attribution": {"campaign_id": "18234567890", "gclid": "EAIaIQobChMI", "position": "1"}`,
			`"context": {"eligibility": ["com.example.loyalty_gold", "org.school.student"]}`,
			`"context": {"eligibility": ["gold", "Ada Byron"]}`,
		} {
			a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpBuyerAndDelivery)
			a.asAgent("POST /ucp/checkout-sessions", ucpLines("2 Trail Tent"), ucpBuyerAndDelivery, more)
			a.answers(201)
			a.must(a.ucp.answersEqualExcept("times and ids"))

			a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent"))
			a.asAgent("POST /ucp/carts", ucpLines("2 Trail Tent"), more)
			a.answers(201)
			a.must(a.ucp.answersEqualExcept("times and ids"))

			a.asAgent("POST /ucp/catalog/search", `"query": "tent"`)
			a.asAgent("POST /ucp/catalog/search", `"query": "tent"`, more)
			a.answers(200)
			a.must(a.ucp.answersEqualExcept("times"))
		}
	})
}

// SAE-014: Unknown eligibility claims do not keep a checkout from being paid.
func TestUCPSignals_unknownEligibility(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent"),
			ucpBuyerAndDelivery,
			`"context": {"eligibility": ["com.example.loyalty_gold"]}`,
		)
		a.remembers("id")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows(
			"status", `"completed"`,
			"totals.0.amount", "10000",
			"messages", "absent",
		)
	})
}

// SAE-012: The price depends on the address, not on the context.
func TestUCPSignals_contextMovesNoPrice(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		a.asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpBuyerAndDelivery)
		a.keepsID("plain")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_plain/complete", ucpPayment)
		a.shows("totals.*.amount", "[10000, 599, 0, 10599]")

		a.asAgent("POST /ucp/checkout-sessions",
			ucpLines("1 Trail Tent"),
			ucpBuyerAndDelivery,
			`"context": {"address_country": "JP", "address_region": "13", "postal_code": "100-0001", "currency": "JPY", `+
				`"eligibility": ["com.example.employee"]}`,
		)
		a.remembers("id")
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows(
			"status", `"completed"`,
			"currency", `"USD"`,
			"totals.*.amount", "[10000, 599, 0, 10599]",
		)
	})
}

// SAE-007: Values of attribution are texts.
func TestUCPSignals_attributionIsText(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShopSelling(ucpProduct("Trail Tent", "100.00", "30"))
		for _, row := range []struct{ request, members string }{
			{"POST /ucp/checkout-sessions", ucpLines("1 Trail Tent") + `, "attribution": {"position": 1}`},
			{"POST /ucp/carts", ucpLines("1 Trail Tent") + `, "attribution": {"returning": true}`},
			{"POST /ucp/catalog/search", `"query": "tent", "attribution": {"position": 1}`},
			{"POST /ucp/catalog/lookup", `"ids": ["${Trail Tent}"], "attribution": {"position": 1}`},
			{"POST /ucp/catalog/product", `"id": "${Trail Tent}", "attribution": {"position": 1}`},
			{"POST /ucp/checkout-sessions", ucpLines("1 Trail Tent") + `, "attribution": {"returning": false}`},
			{"POST /ucp/carts", ucpLines("1 Trail Tent") + `, "attribution": {"position": 1.5}`},
		} {
			a.asAgent(row.request, row.members)
			a.answers(400)
			a.shows("content", `contains "attribution"`)
		}
	})
}
