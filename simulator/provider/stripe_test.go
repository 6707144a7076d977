package provider_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

func TestStripeKeys(t *testing.T) {
	clock := time.Now()
	w := newWorld(t, func(c *provider.Config) { c.Now = func() time.Time { return clock } })
	token := w.granted("")
	w.charge("k", token, 0).must(t, 400, "error.code", "parameter_invalid_integer", "error.type", "invalid_request_error")
	paid := w.charge("k", token, 500).must(t, 200) // the parameter error was not kept
	w.charge("k", token, 600).must(t, 400, "error.type", "idempotency_error")
	w.stripe("/v1/refunds", "k", url.Values{"charge": {"ch_1"}}).must(t, 400, "error.type", "idempotency_error")
	declined := w.stripe("/v1/payment_intents", "d", url.Values{"amount": {"100"}, "currency": {"usd"}, "confirm": {"true"},
		"payment_method": {"pm_card_visa_chargeDeclinedInsufficientFunds"}}).must(t, 402)
	again := w.stripe("/v1/payment_intents", "d", url.Values{"confirm": {"true"}, "currency": {"usd"}, "amount": {"100"},
		"payment_method": {"pm_card_visa_chargeDeclinedInsufficientFunds"}}).must(t, 402)
	if again.text != declined.text || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repeated decline: %s", again.text)
	}
	other := w.do("POST", "/v1/payment_intents", buying(w.granted(""), 500).Encode(), map[string]string{
		"Authorization": "Bearer sk_test_another", "Idempotency-Key": "k"}).must(t, 200)
	if other.str("id") == paid.str("id") {
		t.Error("a key reached across accounts")
	}
	clock = clock.Add(25 * time.Hour)
	w.charge("k", token, 500).must(t, 400, "error.code", "token_already_used") // the key has expired, so the request is executed
	w.mustHaveTaken(1000, 0)
}

func TestStripeShapes(t *testing.T) {
	w := newWorld(t)
	paid := w.charge("k1", w.granted(""), 1234).must(t, 200, "object", "payment_intent", "amount_received", "1234", "currency", "usd",
		"metadata.checkout", "chk_1", "latest_charge.object", "charge", "latest_charge.payment_method_details.card.brand", "visa",
		"latest_charge.payment_method_details.card.last4", "4242", "latest_charge.metadata.checkout", "chk_1")
	w.stripe("/v1/payment_intents/"+paid.str("id"), "", nil).must(t, 200, "latest_charge", paid.str("latest_charge.id"))
	w.stripe("/v1/payment_intents/pi_none", "", nil).must(t, 404, "error.code", "resource_missing")
	w.stripe("/v1/payment_intents", "", url.Values{"amount": {"1"}, "currency": {"usd"}, "colour": {"red"}}).must(t, 400, "error.code", "parameter_unknown")
	w.stripe("/v1/nothing", "", nil).must(t, 404, "error.type", "invalid_request_error")
	w.stripe("/v1/account", "", nil).must(t, 200, "id", provider.StripeAccount(secretKey), "charges_enabled", "true")
	w.do("GET", "/v1/account", "", nil).must(t, 401)
	w.do("GET", "/v1/account", "", map[string]string{"Authorization": "Bearer sk_test_refused_1"}).must(t, 401, "error.type", "invalid_request_error")
	w.stripe("/v1/payment_intents/"+paid.str("id")+"/cancel", "", url.Values{}).must(t, 400, "error.code", "payment_intent_unexpected_state",
		"error.payment_intent.status", "succeeded")
}

func TestConfirmIntent_afterDecline(t *testing.T) {
	w := newWorld(t)
	for method, want := range map[string][2]string{
		"pm_card_chargeDeclined":                      {"card_declined", "generic_decline"},
		"pm_card_chargeDeclinedInsufficientFunds":     {"card_declined", "insufficient_funds"},
		"pm_card_visa_chargeDeclinedLostCard":         {"card_declined", "lost_card"},
		"pm_card_visa_chargeDeclinedStolenCard":       {"card_declined", "stolen_card"},
		"pm_card_chargeDeclinedExpiredCard":           {"expired_card", "expired_card"},
		"pm_card_visa_chargeDeclinedIncorrectCvc":     {"incorrect_cvc", "incorrect_cvc"},
		"pm_card_visa_chargeDeclinedProcessingError":  {"processing_error", "processing_error"},
		"pm_card_chargeDeclinedVelocityLimitExceeded": {"card_declined", "card_velocity_exceeded"},
	} {
		r := w.stripe("/v1/payment_intents", "", url.Values{"amount": {"100"}, "currency": {"usd"}, "confirm": {"true"}, "payment_method": {method}}).
			must(t, 402, "error.type", "card_error", "error.code", want[0], "error.decline_code", want[1],
				"error.payment_intent.status", "requires_payment_method", "error.payment_intent.last_payment_error.decline_code", want[1])
		id := r.str("error.payment_intent.id")
		w.stripe("/v1/payment_intents/"+id, "", nil).must(t, 200, "status", "requires_payment_method", "last_payment_error.code", want[0])
	}
	w.mustHaveTaken(0, 0)
	id := w.stripe("/v1/payment_intents?limit=1", "", nil).must(t, 200).str("data.0.id")
	w.stripe("/v1/payment_intents/"+id+"/confirm", "c", url.Values{"payment_method": {"pm_card_visa"}}).must(t, 200, "status", "succeeded", "last_payment_error", "<nil>")
	w.stripe("/v1/payment_intents/"+id+"/confirm", "c2", url.Values{"payment_method": {"pm_card_visa"}}).must(t, 400, "error.code", "payment_intent_unexpected_state")
	w.mustHaveTaken(100, 0)

	open := w.stripe("/v1/payment_intents", "", url.Values{"amount": {"100"}, "currency": {"usd"}}).must(t, 200, "status", "requires_payment_method")
	w.stripe("/v1/payment_intents/"+open.str("id")+"/cancel", "", url.Values{}).must(t, 200, "status", "canceled")
	w.stripe("/v1/payment_intents/"+open.str("id")+"/confirm", "", url.Values{"payment_method": {"pm_card_visa"}}).must(t, 400)
	w.mustHaveTaken(100, 0)
}

func TestGrantToken_limits(t *testing.T) {
	clock := time.Now()
	w := newWorld(t, func(c *provider.Config) { c.Now = func() time.Time { return clock } })
	grant := func() string {
		return w.stripe("/v1/test_helpers/shared_payment/granted_tokens", "", url.Values{"payment_method": {"pm_card_mastercard"},
			"usage_limits[currency]": {"usd"}, "usage_limits[max_amount]": {"1000"}, "usage_limits[expires_at]": {fmt.Sprint(clock.Unix() + 60)}}).
			must(t, 200, "object", "shared_payment.granted_token", "usage_limits.max_amount", "1000").str("id")
	}
	token := grant()
	w.charge("a", token, 1001).must(t, 400, "error.code", "amount_too_large")
	euros := buying(token, 500)
	euros.Set("currency", "eur")
	w.stripe("/v1/payment_intents", "b", euros).must(t, 400, "error.code", "payment_method_currency_mismatch")
	w.do("POST", "/v1/payment_intents", buying(token, 500).Encode(), map[string]string{"Authorization": "Bearer sk_test_another"}).
		must(t, 400, "error.code", "resource_missing")
	w.charge("c", "spt_none", 500).must(t, 400, "error.code", "resource_missing")
	w.charge("d", token, 1000).must(t, 200, "latest_charge.payment_method_details.card.brand", "mastercard")
	w.charge("e", token, 1).must(t, 400, "error.code", "token_already_used")
	w.stripe("/v1/shared_payment/granted_tokens/"+token, "", nil).must(t, 200, "deactivated_reason", "consumed", "usage_details.amount_captured.value", "1000")

	revoked, late := grant(), grant()
	w.stripe("/v1/test_helpers/shared_payment/granted_tokens/"+revoked+"/revoke", "", url.Values{}).must(t, 200, "deactivated_reason", "revoked")
	w.charge("f", revoked, 500).must(t, 400, "error.type", "invalid_request_error")
	clock = clock.Add(61 * time.Second)
	w.charge("g", late, 500).must(t, 400, "error.type", "invalid_request_error")
	w.mustHaveTaken(1000, 0)
	if n := w.do("GET", "/ledger", "", nil).length("charges"); n != 1 {
		t.Errorf("%d charges in the ledger", n)
	}
}

func TestCreateRefund_exceedsCharge(t *testing.T) {
	w := newWorld(t)
	paid := w.charge("k", w.granted(""), 1000).must(t, 200)
	intent := paid.str("id")
	first := w.stripe("/v1/refunds", "r1", url.Values{"payment_intent": {intent}, "amount": {"400"}, "reason": {"requested_by_customer"}, "metadata[return]": {"ret_1"}}).
		must(t, 200, "object", "refund", "status", "succeeded", "charge", paid.str("latest_charge.id"), "metadata.return", "ret_1")
	w.stripe("/v1/refunds", "r2", url.Values{"payment_intent": {intent}, "amount": {"601"}}).must(t, 400, "error.param", "amount",
		"error.message", "Refund amount (6.01) is greater than unrefunded amount on charge (6.00)")
	second := w.stripe("/v1/refunds", "r3", url.Values{"charge": {paid.str("latest_charge.id")}}).must(t, 200, "amount", "600")
	w.stripe("/v1/refunds", "r4", url.Values{"payment_intent": {intent}}).must(t, 400, "error.code", "charge_already_refunded")
	w.stripe("/v1/refunds?payment_intent="+intent+"&limit=1", "", nil).must(t, 200, "data.0.id", second.str("id"), "has_more", "true")
	w.stripe("/v1/refunds?limit=5&starting_after="+second.str("id"), "", nil).must(t, 200, "data.0.id", first.str("id"), "has_more", "false")
	w.stripe("/v1/refunds/"+first.str("id"), "", nil).must(t, 200, "amount", "400")
	w.stripe("/v1/payment_intents/"+intent+"?expand[]=latest_charge", "", nil).must(t, 200, "latest_charge.amount_refunded", "1000", "latest_charge.refunded", "true")
	w.mustHaveTaken(1000, 1000)
}

func TestListIntents_newestFirst(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	w := newWorld(t, func(c *provider.Config) { c.Now = func() time.Time { return clock } })
	var ids []string
	for i := range 5 {
		ids = append(ids, w.charge(fmt.Sprint(i), w.granted(""), 100).must(t, 200).str("id"))
		clock = clock.Add(time.Minute)
	}
	page := w.stripe("/v1/payment_intents?limit=2&expand[0]=data.latest_charge", "", nil).must(t, 200, "data.0.id", ids[4], "data.1.id", ids[3],
		"has_more", "true", "data.0.latest_charge.object", "charge")
	w.stripe("/v1/payment_intents?limit=3&starting_after="+page.str("data.1.id"), "", nil).must(t, 200, "data.0.id", ids[2], "data.2.id", ids[0], "has_more", "false")
	w.stripe("/v1/payment_intents?created[gte]=1800000060&created[lte]=1800000120", "", nil).must(t, 200, "data.0.id", ids[2], "data.1.id", ids[1], "data.2", "<nil>")
	w.stripe("/v1/payment_intents?starting_after=pi_none", "", nil).must(t, 400, "error.code", "resource_missing")
}
