package stripe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const secret = "whsec_test"

func event(kind, object string) []byte {
	return []byte(fmt.Sprintf(`{"id":"evt_1","object":"event","type":"%s","api_version":"2020-08-27","data":{"object":%s}}`, kind, object))
}

func signed(payload []byte, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: secret, Timestamp: at}).Header
}

// read is what p makes of a webhook's payload.
func read(p *Provider, payload []byte, signature, secret string) (ports.PaymentNews, error) {
	call := ports.Call{Payload: payload, Header: func(name string) string { return map[string]string{"Stripe-Signature": signature}[name] }}
	return p.ReadWebhook(context.Background(), account, call, secret)
}

func TestNews(t *testing.T) {
	p := New(Config{Clock: clock{}})
	key := request("").Charge.Key
	refund := `{"id":"re_1","object":"refund","amount":1000,"currency":"usd","status":"%s","metadata":{"refund":"ref_1"}}`
	lastError := `,"last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"stolen_card"}`
	for _, test := range []struct {
		kind, object string
		want         ports.PaymentNews
	}{
		{"payment_intent.succeeded", intent("succeeded", `,"latest_charge":"ch_1"`), ports.PaymentNews{Key: key, Charge: checkout.Paid{Provider: "pi_1", Label: "Card"}}},
		{"payment_intent.payment_failed", intent("requires_payment_method", lastError),
			ports.PaymentNews{Key: key, Charge: checkout.Declined{Code: "stolen_card", Message: message("stolen_card"), Final: true}}},
		{"payment_intent.canceled", intent("canceled", ""), ports.PaymentNews{Key: key, Charge: checkout.NotCharged{}}},
		{"payment_intent.processing", intent("processing", ""), ports.PaymentNews{}},
		{"payment_intent.succeeded", `{"id":"pi_2","object":"payment_intent","status":"succeeded"}`, ports.PaymentNews{}},
		{"refund.updated", fmt.Sprintf(refund, "succeeded"), ports.PaymentNews{Key: "ref_1", Refund: order.Refunded{Provider: "re_1"}}},
		{"refund.created", fmt.Sprintf(refund, "pending"), ports.PaymentNews{Key: "ref_1", Refund: order.RefundPending{Provider: "re_1"}}},
		{"refund.failed", fmt.Sprintf(refund, "failed"), ports.PaymentNews{Key: "ref_1", Refund: refundFailed("")}},
		{"charge.refunded", `{"id":"ch_1","object":"charge","metadata":{"key":"x"}}`, ports.PaymentNews{}},
		{"invoice.paid", `{}`, ports.PaymentNews{}},
	} {
		payload := event(test.kind, test.object)
		if news, err := read(p, payload, signed(payload, clock{}.Now()), secret); err != nil || news != test.want {
			t.Errorf("%s: %#v, %v, want %#v", test.kind, news, err, test.want)
		}
	}
}

func TestSignatures(t *testing.T) {
	p, now := New(Config{Clock: clock{}}), clock{}.Now()
	payload := event("invoice.paid", `{}`)
	good := signed(payload, now)
	for name, test := range map[string]struct {
		payload   []byte
		signature string
		secret    string
		ok        bool
	}{
		"good":                   {payload, good, secret, true},
		"four minutes":           {payload, signed(payload, now.Add(-4*time.Minute)), secret, true},
		"old":                    {payload, signed(payload, now.Add(-6*time.Minute)), secret, false},
		"ahead":                  {payload, signed(payload, now.Add(6*time.Minute)), secret, false},
		"of another body":        {event("invoice.void", `{}`), good, secret, false},
		"another secret":         {payload, good, "whsec_other", false},
		"no secret":              {payload, good, "", false},
		"none":                   {payload, "", secret, false},
		"nonsense":               {payload, "t=now,v1=zz", secret, false},
		"an older time in front": {payload, "t=1," + good, secret, false},
		"a newer time in front":  {payload, fmt.Sprintf("t=%d,%s", now.Unix(), signed(payload, now.Add(-48*time.Hour))), secret, false},
		"its time twice":         {payload, fmt.Sprintf("t=%d,%s", now.Unix(), good), secret, false},
	} {
		_, err := read(p, test.payload, test.signature, test.secret)
		if (err == nil) != test.ok || err != nil && !fault.Is(err, "invalid_signature") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
