package stripe

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const secret = "whsec_test"

func event(kind, object string) []byte {
	return []byte(fmt.Sprintf(`{"id":"evt_1","object":"event","type":"%s","api_version":"2020-08-27","created":1772366400,"data":{"object":%s}}`, kind, object))
}

func signed(payload []byte, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
		Payload:   payload,
		Secret:    secret,
		Timestamp: at,
	}).Header
}

// read reads a webhook with a payload.
func read(p *Provider, payload []byte, signature, secret string) (ports.PaymentEvent, error) {
	call := ports.Call{Payload: payload, Header: func(name string) string { return map[string]string{"Stripe-Signature": signature}[name] }}
	return p.ReadWebhook(ports.NewOutbound(context.Background()), account, call, secret)
}

func TestReadWebhook_events(t *testing.T) {
	p := New(Config{Clock: clock{}})
	key := request("").Charge.Key
	refund := `{"id":"re_1","object":"refund","amount":1000,"currency":"usd","status":"%s","metadata":{"refund":"ref_1"}}`
	lastError := `,"last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"stolen_card"}`
	elsewhere := `{"id":"re_9","object":"refund","amount":1000,"currency":"usd","created":1772366400,"payment_intent":"pi_1","status":"succeeded","metadata":{}}`
	external := func(o order.RefundOutcome) ports.PaymentEvent {
		return ports.PaymentEvent{External: &order.ExternalRefund{
			Charge:   "pi_1",
			Provider: "re_9",
			Amount:   money.Of(1000, money.USD),
			Outcome:  o,
			At:       since,
		}}
	}
	withdrawal := `{"id":"txn_1","amount":-4990,"fee":1500,"currency":"usd"}`
	dispute := func(status, transactions string) string {
		return `{"id":"dp_1","object":"dispute","amount":4990,"currency":"usd","charge":"ch_1","payment_intent":"pi_1","reason":"fraudulent",
			"status":"` + status + `","balance_transactions":[` + transactions + `],"evidence_details":{"due_by":1772971199,"submission_count":0}}`
	}
	due := time.Unix(1772971199, 0).UTC()
	disputed := func(status order.DisputeStatus, response order.DisputeResponse, withdrawn, fee int64) ports.PaymentEvent {
		return ports.PaymentEvent{Dispute: &order.DisputeReport{
			Charge:    "pi_1",
			Provider:  "dp_1",
			Status:    status,
			Response:  response,
			DueBy:     due,
			Reason:    "fraudulent",
			Amount:    money.Of(4990, money.USD),
			Withdrawn: money.Of(withdrawn, money.USD),
			Fee:       money.Of(fee, money.USD),
			At:        since,
		}}
	}
	for _, test := range []struct {
		kind, object string
		want         ports.PaymentEvent
	}{
		{"payment_intent.succeeded", intent("succeeded", `,"latest_charge":"ch_1"`), ports.PaymentEvent{Key: key, Charge: checkout.Paid{Provider: "pi_1", Label: "Card"}}},
		{"payment_intent.payment_failed", intent("requires_payment_method", lastError),
			ports.PaymentEvent{Key: key, Charge: checkout.Declined{
				Code:    "stolen_card",
				Message: message("stolen_card"),
				Final:   true,
			}}},
		{"payment_intent.canceled", intent("canceled", ""), ports.PaymentEvent{Key: key, Charge: checkout.NotCharged{}}},
		{"payment_intent.processing", intent("processing", ""), ports.PaymentEvent{}},
		{"payment_intent.succeeded", `{"id":"pi_2","object":"payment_intent","status":"succeeded"}`, ports.PaymentEvent{}},
		{"refund.updated", fmt.Sprintf(refund, "succeeded"), ports.PaymentEvent{Key: "ref_1", Refund: order.Refunded{Provider: "re_1"}}},
		{"refund.created", fmt.Sprintf(refund, "pending"), ports.PaymentEvent{Key: "ref_1", Refund: order.RefundPending{Provider: "re_1"}}},
		{"refund.failed", fmt.Sprintf(refund, "failed"), ports.PaymentEvent{Key: "ref_1", Refund: refundFailed("", "re_1")}},
		{"charge.refunded", `{"id":"ch_1","object":"charge","metadata":{"key":"x"}}`, ports.PaymentEvent{}},
		{"charge.refunded", `{"id":"ch_1","object":"charge","refunds":{"object":"list","data":[` + elsewhere + `]}}`, external(order.Refunded{Provider: "re_9"})},
		{"refund.created", elsewhere, external(order.Refunded{Provider: "re_9"})},
		{"refund.failed", strings.Replace(elsewhere, "succeeded", "failed", 1), external(refundFailed("", "re_9"))},
		{"refund.created", strings.Replace(elsewhere, `"payment_intent":"pi_1",`, "", 1), ports.PaymentEvent{}},
		{"invoice.paid", `{}`, ports.PaymentEvent{}},
		{"charge.dispute.created", dispute("warning_needs_response", ""), disputed(order.DisputeOpen, order.ResponseNeeded, 0, 0)},
		{"charge.dispute.funds_withdrawn", dispute("needs_response", withdrawal), disputed(order.DisputeOpen, order.ResponseNeeded, 4990, 1500)},
		{"charge.dispute.updated", dispute("under_review", withdrawal), disputed(order.DisputeOpen, order.UnderReview, 4990, 1500)},
		{"charge.dispute.funds_reinstated", dispute("won", withdrawal+`,{"id":"txn_2","amount":4990,"fee":-1500,"currency":"usd"}`), disputed(order.DisputeWon, order.ResponseClosed, 0, 0)},
		{"charge.dispute.closed", dispute("lost", withdrawal), disputed(order.DisputeLost, order.ResponseClosed, 4990, 1500)},
		{"charge.dispute.closed", dispute("lost", strings.Replace(withdrawal, "usd", "eur", 1)), disputed(order.DisputeLost, order.ResponseClosed, 4990, 0)},
		{"charge.dispute.funds_reinstated", dispute("won", `{"id":"txn_1","amount":-4630,"fee":1500,"currency":"eur"},{"id":"txn_2","amount":4580,"fee":0,"currency":"eur"}`),
			disputed(order.DisputeWon, order.ResponseClosed, 0, 0)},
		{"charge.dispute.closed", dispute("prevented", ""), disputed(order.DisputeWon, order.ResponseClosed, 0, 0)},
		{"charge.dispute.updated", dispute("dreaming", ""), ports.PaymentEvent{}},
	} {
		payload := event(test.kind, test.object)
		if news, err := read(p, payload, signed(payload, clock{}.Now()), secret); err != nil || !reflect.DeepEqual(news, test.want) {
			t.Errorf("%s: %#v, %v, want %#v", test.kind, news, err, test.want)
		}
	}
}

func TestReadWebhook_signatures(t *testing.T) {
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

// The time of a signature is by Stripe's clock, so a webhook is accepted even if our clock is wrong.
func TestReadWebhook_wrongClock(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", clock{}.Now().Add(-10*time.Minute).Format(http.TimeFormat))
		respond(w, 200, `{"id":"acct_1","object":"account"}`)
	})
	payload := event("invoice.paid", `{}`)
	sent := signed(payload, clock{}.Now().Add(-10*time.Minute))
	if _, err := read(p, payload, sent, secret); err == nil {
		t.Error("ten minutes off, by the only clock that is known")
	}
	if _, _, err := p.Inspect(ports.NewOutbound(t.Context()), account); err != nil {
		t.Fatal(err)
	}
	if _, err := read(p, payload, sent, secret); err != nil {
		t.Error("our clock is ten minutes fast:", err)
	}
	if skew, known := p.Skew(); !known || (skew+10*time.Minute).Abs() > 2*time.Second {
		t.Errorf("skew %s, %t", skew, known)
	}
}
