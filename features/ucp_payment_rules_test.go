package features

import (
	"fmt"
	"testing"
)

// PAY-001, PAY-002, PAY-003, PAY-005, PAY-007: The profile and checkouts list the handlers that the shop serves.
func TestUCPPayment_handlers(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.asAgent("GET /.well-known/ucp")
		a.shows(
			"ucp.payment_handlers.[com.haggle.sandbox].*.id", `["psp_spt", "wallet_ba"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].*.version", `["$version", "$version"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].0.available_instruments.*.type", `["card", "token"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].1.available_instruments.*.type", `["card", "token"]`,
		)
		a.must(a.ucp.handlersAreUnder(`["com.haggle.sandbox"]`))

		a.opensCheckout(2, "Trail Tent")
		a.shows(
			"ucp.payment_handlers.[com.haggle.sandbox].*.id", `["psp_spt", "wallet_ba"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].0.available_instruments.*.type", `["card", "token"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].1.available_instruments.*.type", `["card", "token"]`,
		)
		a.must(a.ucp.handlersAreUnder(`["com.haggle.sandbox"]`))
	})
}

// PAY-003: A production shop without a payment provider lists no handlers.
func TestUCPPayment_noHandlers(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.must(a.ucp.startsPublicServer("production", "https://shops.example.com",
			knownAgent{"https://agent.example/1", a.version, ""},
		))
		a.opensCampingShop()

		a.asAgent("GET /.well-known/ucp")
		a.shows("ucp.payment_handlers", "{}")

		a.as("https://agent.example/1").asAgent("POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.answers(201)
		a.shows("ucp.payment_handlers", "{}")
	})
}

// PAY-015: A checkout lists the handlers of the providers that are connected now.
func TestUCPPayment_handlersChange(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(1, "Trail Tent", ucpBuyerAndDelivery)
		a.must(a.integrations.connectsAccount("Stripe", ""))
		a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.shows(
			"ucp.payment_handlers.[com.stripe.payments].*.id", `["psp_spt"]`,
			"ucp.payment_handlers.[com.stripe.payments].0.available_instruments.*.type", `["shared_payment_token"]`,
			"ucp.payment_handlers.[com.haggle.sandbox].*.id", `["wallet_ba"]`,
		)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows("status", `"ready_for_complete"`, "messages.*.code", `["invalid_payment_handler"]`)
		a.must(a.integrations.providerCharged(0))

		a.asMerchant("DELETE /v1/integrations/$integration")
		a.asAgent("GET /ucp/checkout-sessions/$remembered_id")
		a.must(a.ucp.handlersAreUnder(`["com.haggle.sandbox"]`))

		a.asAgent("GET /.well-known/ucp")
		a.must(a.ucp.handlersAreUnder(`["com.haggle.sandbox"]`))
	})
}

// PAY-019, PAY-020, PAY-024: An instrument needs id, handler_id, type and a credential with type and token.
func TestUCPPayment_incompleteInstrument(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, row := range []struct{ lacks, instrument string }{
			{"id", `{"handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}`},
			{"handler_id", `{"id": "pi_1", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}`},
			{"type", `{"id": "pi_1", "handler_id": "psp_spt", "credential": {"type": "token", "token": "spt_sandbox_ok"}}`},
			{"type", `{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"token": "spt_sandbox_ok"}}`},
			{"token", `{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token"}}`},
			{"token", `{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": ""}}`},
		} {
			a.opensCheckout(1, "Trail Tent", ucpBuyerAndDelivery)
			a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", `"payment": {"instruments": [`+row.instrument+"]}")
			a.answers(400)
			a.shows("code", `"validation_error"`, "content", `contains "`+row.lacks+`"`)
			a.hasOrders(0)
			a.hasLeft(7, "Trail Tent")
		}
	})
}

// PAY-014: An instrument of a handler that the checkout does not list is refused.
func TestUCPPayment_unlistedHandler(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		for _, handler := range []string{"com.haggle.sandbox", "PSP_SPT", "gpay"} {
			a.opensCheckout(1, "Trail Tent", ucpBuyerAndDelivery)
			a.notes("/ucp/checkout-sessions/$remembered_id")
			a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpInstrument(handler, "token"))
			a.answers(200)
			a.shows(
				"status", `"ready_for_complete"`,
				"order", "absent",
				"messages.*.code", `["invalid_payment_handler"]`,
				"messages.*.severity", `["recoverable"]`,
			)
			a.readsAsNoted("/ucp/checkout-sessions/$remembered_id")
			a.hasOrders(0)
			a.hasLeft(7, "Trail Tent")
		}
	})
}

// PAY-023: A card is an instrument of type card.
func TestUCPPayment_cardType(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(1, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpInstrument("psp_spt", "credit_card"))
		a.answers(200)
		a.shows(
			"status", `"ready_for_complete"`,
			"messages.*.code", `["invalid_payment_handler"]`,
			"messages.0.content", `contains "available_instruments"`,
		)
		a.hasOrders(0)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpInstrument("psp_spt", "card"))
		a.shows("status", `"completed"`, "order.id", "matches ^ord_")
	})
}

// PAY-011, PAY-012: No answer has a credential.
func TestUCPPayment_credentialIsSecret(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensCampingShop()
		a.opensCheckout(2, "Trail Tent", ucpBuyerAndDelivery)
		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_decline_insufficient_funds"))
		a.shows("status", `"ready_for_complete"`)

		a.asAgent("POST /ucp/checkout-sessions/$remembered_id/complete", ucpPaymentBy("spt_sandbox_ok_$slug"))
		a.shows("status", `"completed"`)
		a.keepsID("paid")
		a.remembers("order.id")

		a.asAgent("GET /ucp/checkout-sessions/$remembered_paid")
		a.asAgent("GET /ucp/orders/$remembered_order_id")
		a.must(a.ucp.noAnswerHolds("spt_sandbox_ok_$slug"))
		a.must(a.ucp.noAnswerHolds("spt_sandbox_decline_insufficient_funds"))
		a.must(a.ucp.noAnswerHolds("credential"))
	})
}

// ucpInstrument is the member payment, with an instrument of a handler and a type.
func ucpInstrument(handler, kind string) string {
	return fmt.Sprintf(`"payment": {"instruments": [{"id": "pi_1", "handler_id": %q, "type": %q, `+
		`"credential": {"type": "token", "token": "spt_sandbox_ok"}}]}`, handler, kind)
}
