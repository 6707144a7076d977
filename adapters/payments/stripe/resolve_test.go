package stripe

import (
	"net/http"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// A payment intent has the key of its attempt in its metadata. One that was made elsewhere has none.
func TestChargeKey(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/payment_intents/pi_ours":
			respond(w, 200, `{"id":"pi_ours","object":"payment_intent","metadata":{"key":"chk_1-1"}}`)
		case "/v1/payment_intents/pi_elsewhere":
			respond(w, 200, `{"id":"pi_elsewhere","object":"payment_intent","metadata":{}}`)
		case "/v1/payment_intents/pi_none":
			respond(w, 404, `{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such payment_intent"}}`)
		default:
			respond(w, 401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key"}}`)
		}
	})
	for charge, want := range map[string]string{"pi_ours": "chk_1-1", "pi_elsewhere": ""} {
		if key, err := p.ChargeKey(ports.NewOutbound(t.Context()), account, charge); key != want || err != nil {
			t.Errorf("%s: %q, %v", charge, key, err)
		}
	}
	if _, err := p.ChargeKey(ports.NewOutbound(t.Context()), account, "pi_none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a charge of another account: %v", err)
	}
	if _, err := p.ChargeKey(ports.NewOutbound(t.Context()), account, "pi_unreadable"); err == nil || fault.KindOf(err) == fault.NotFound {
		t.Errorf("without an answer: %v", err)
	}
}
