package providercontract

import (
	"net/http"
	"slices"
	"testing"
)

// These tests check what the PayPal adapter relies on. Sources, all read in November 2026:
// developer.paypal.com/api/rest/reference/idempotency, docs.paypal.ai/reference/api/rest/orders/update-order,
// developer.paypal.com/api/webhooks/v1.

func eachPayPal(t *testing.T, check func(*testing.T, target)) {
	for name, at := range paypalTargets(t) {
		t.Run(name, func(t *testing.T) { check(t, at) })
	}
}

func orderOf(key string) map[string]any {
	return map[string]any{"intent": "CAPTURE", "purchase_units": []any{map[string]any{
		"reference_id": "default", "custom_id": key, "invoice_id": key, "amount": map[string]string{"currency_code": "USD", "value": "49.90"},
	}}}
}

// "PayPal returns the latest status of the previous request that used that same header."
func TestPayPalContract_aRequestIDMakesOneOrder(t *testing.T) {
	t.Parallel()
	eachPayPal(t, func(t *testing.T, p target) {
		key := fresh(t)
		first := p.json(t, http.MethodPost, "/v2/checkout/orders", key, orderOf(key))
		again := p.json(t, http.MethodPost, "/v2/checkout/orders", key, orderOf(key))
		if first.at("id") == "" || again.at("id") != first.at("id") || again.at("status") != "CREATED" {
			t.Errorf("%d %v, then %d %v", first.status, first.body, again.status, again.body)
		}
	})
}

// The intent of "an order with the CREATED or APPROVED status" may be replaced. After that the order cannot be captured, and a
// repeat of the request that created it shows the change.
func TestPayPalContract_anOrderGivenUpIsNotCaptured(t *testing.T) {
	t.Parallel()
	eachPayPal(t, func(t *testing.T, p target) {
		key := fresh(t)
		made := p.json(t, http.MethodPost, "/v2/checkout/orders", key, orderOf(key))
		path := "/v2/checkout/orders/" + made.at("id")
		change := []map[string]string{{"op": "replace", "path": "/intent", "value": "AUTHORIZE"}}
		if given := p.json(t, http.MethodPatch, path, "", change); given.status != http.StatusNoContent {
			t.Fatalf("the change: %d %v", given.status, given.body)
		}
		if given := p.json(t, http.MethodPost, "/v2/checkout/orders", key, orderOf(key)); given.at("id") != made.at("id") || given.at("intent") != "AUTHORIZE" {
			t.Errorf("a repeat: %d %v", given.status, given.body)
		}
		token := "B-00000000000000000"
		if p.look != nil {
			token = p.look.agreement(t, "")
		}
		given := p.json(t, http.MethodPost, path+"/capture", key+"-capture",
			map[string]any{"payment_source": map[string]any{"token": map[string]string{"id": token, "type": "BILLING_AGREEMENT"}}})
		if given.status != http.StatusUnprocessableEntity && given.status != http.StatusBadRequest {
			t.Errorf("the capture: %d %v", given.status, given.body)
		}
		if given := p.json(t, http.MethodGet, path, "", nil); given.at("status") == "COMPLETED" {
			t.Errorf("captured: %v", given.body)
		}
	})
}

// PayPal offers all webhook events that the adapter needs.
func TestPayPalContract_eventsOnOffer(t *testing.T) {
	t.Parallel()
	eachPayPal(t, func(t *testing.T, p target) {
		given := p.json(t, http.MethodGet, "/v1/notifications/webhooks-event-types", "", nil)
		var names []string
		list, _ := given.body["event_types"].([]any)
		for _, e := range list {
			names = append(names, (reply{body: e.(map[string]any)}).at("name"))
		}
		for _, name := range []string{
			"PAYMENT.CAPTURE.COMPLETED", "PAYMENT.CAPTURE.REFUNDED", "PAYMENT.CAPTURE.REVERSED",
			"CUSTOMER.DISPUTE.CREATED", "CUSTOMER.DISPUTE.UPDATED", "CUSTOMER.DISPUTE.RESOLVED",
		} {
			if !slices.Contains(names, name) {
				t.Errorf("%s is not among %v", name, names)
			}
		}
	})
}

// A forged signature has the verification status FAILURE, and is not an error.
func TestPayPalContract_forgedSignatures(t *testing.T) {
	t.Parallel()
	eachPayPal(t, func(t *testing.T, p target) {
		given := p.json(t, http.MethodPost, "/v1/notifications/verify-webhook-signature", "", map[string]any{
			"auth_algo": "SHA256withRSA", "cert_url": "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77",
			"transmission_id": "69cd13f0-d67a-11e5-baa3-778b53f4ae55", "transmission_sig": "Zm9yZ2Vk", "transmission_time": "2026-11-01T20:01:35Z",
			"webhook_id": "1JE4291016473214C", "webhook_event": map[string]any{"id": "WH-1", "event_type": "PAYMENT.CAPTURE.COMPLETED"},
		})
		if given.status == http.StatusOK && given.at("verification_status") != "FAILURE" || given.status >= http.StatusInternalServerError {
			t.Errorf("%d %v", given.status, given.body)
		}
	})
}
