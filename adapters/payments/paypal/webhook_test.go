package paypal

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const verify = "POST verify-webhook-signature"

var transmission = map[string]string{
	"Paypal-Auth-Algo": "SHA256withRSA", "Paypal-Cert-Url": "https://api.paypal.com/v1/notifications/certs/CERT-1", "Paypal-Transmission-Id": "69cd13f0",
	"Paypal-Transmission-Sig": "c2ln", "Paypal-Transmission-Time": "2026-03-01T12:00:00Z",
}

func sent(kind, resourceType, resource string) ports.Call {
	return ports.Call{
		Payload: []byte(`{"id":"WH-1",  "event_type":"` + kind + `","create_time":"2026-03-01T12:00:00.000Z","resource_type":"` + resourceType + `","resource":` + resource + `}`),
		Header:  func(name string) string { return transmission[name] },
	}
}

func TestReadWebhook_events(t *testing.T) {
	key, refundKey := request().Charge.Key, id.New[id.Refund]([16]byte{5}).String()
	capture := `{"id":"C1","status":"%","custom_id":"` + key + `","amount":{"currency_code":"USD","value":"49.90"}}`
	status := func(s string) string { return strings.Replace(capture, "%", s, 1) }
	back := func(custom, status string) string {
		return `{"id":"R1","status":"` + status + `","custom_id":"` + custom + `","amount":{"currency_code":"USD","value":"10.00"},
			"links":[{"href":"https://api.paypal.com/v2/payments/refunds/R1","rel":"self"},{"href":"https://api.paypal.com/v2/payments/captures/C1","rel":"up"}]}`
	}
	external := func(of string, minor int64, o order.RefundOutcome) ports.PaymentEvent {
		return ports.PaymentEvent{External: &order.ExternalRefund{
			Charge:   "C1",
			Provider: of,
			Amount:   money.Of(minor, money.USD),
			Outcome:  o,
			At:       since,
		}}
	}
	reversed := external("C1-reversal", 4990, order.Refunded{Provider: "C1-reversal"})
	reversed.External.Whole = true
	dispute := func(status, outcome string) string {
		return `{"dispute_id":"PP-D-1","reason":"UNAUTHORISED","status":"` + status + `","seller_response_due_date":"2026-03-08T12:00:00.000Z","dispute_amount":{"currency_code":"USD","value":"49.90"},
			"disputed_transactions":[{"seller_transaction_id":"C1"}],"dispute_outcome":{"outcome_code":"` + outcome + `"}}`
	}
	disputed := func(status order.DisputeStatus, response order.DisputeResponse) ports.PaymentEvent {
		none := money.Of(0, money.USD)
		return ports.PaymentEvent{Dispute: &order.DisputeReport{
			Charge:    "C1",
			Provider:  "PP-D-1",
			Status:    status,
			Response:  response,
			DueBy:     time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC),
			Reason:    "unauthorised",
			Amount:    money.Of(4990, money.USD),
			Withdrawn: none,
			Fee:       none,
			At:        since,
		}}
	}
	for _, test := range []struct {
		kind, resourceType, resource string
		want                         ports.PaymentEvent
	}{
		{"PAYMENT.CAPTURE.COMPLETED", "capture", status("COMPLETED"), ports.PaymentEvent{Key: key, Charge: checkout.Paid{Provider: "C1", Label: "PayPal"}}},
		{"PAYMENT.CAPTURE.DENIED", "capture", status("DECLINED"), ports.PaymentEvent{Key: key, Charge: declined("INSTRUMENT_DECLINED")}},
		{"PAYMENT.CAPTURE.COMPLETED", "capture", strings.Replace(status("COMPLETED"), key, "another shop's", 1), ports.PaymentEvent{}},
		{"PAYMENT.CAPTURE.COMPLETED", "capture", status("PENDING"), ports.PaymentEvent{}},
		{"PAYMENT.CAPTURE.REFUNDED", "refund", back(refundKey, "COMPLETED"), ports.PaymentEvent{Key: refundKey, Refund: order.Refunded{Provider: "R1"}}},
		{"PAYMENT.CAPTURE.REFUNDED", "refund", strings.Replace(back(refundKey, "COMPLETED"), "custom_id", "invoice_id", 1), ports.PaymentEvent{Key: refundKey, Refund: order.Refunded{Provider: "R1"}}},
		{"PAYMENT.CAPTURE.REFUNDED", "refund", back(key, "COMPLETED"), external("R1", 1000, order.Refunded{Provider: "R1"})},
		{"PAYMENT.CAPTURE.REFUNDED", "refund", back("", "COMPLETED"), external("R1", 1000, order.Refunded{Provider: "R1"})},
		{"PAYMENT.REFUND.FAILED", "refund", back(refundKey, "FAILED"), ports.PaymentEvent{Key: refundKey, Refund: refundFailed("", "R1")}},
		{"PAYMENT.CAPTURE.REVERSED", "refund", back(key, ""), external("R1", 1000, order.Refunded{Provider: "R1"})},
		{"PAYMENT.CAPTURE.REVERSED", "capture", status("REVERSED"), reversed},
		{"CUSTOMER.DISPUTE.CREATED", "dispute", dispute("OPEN", ""), disputed(order.DisputeOpen, order.ResponseNeeded)},
		{"CUSTOMER.DISPUTE.UPDATED", "dispute", dispute("WAITING_FOR_SELLER_RESPONSE", ""), disputed(order.DisputeOpen, order.ResponseNeeded)},
		{"CUSTOMER.DISPUTE.UPDATED", "dispute", dispute("WAITING_FOR_BUYER_RESPONSE", ""), disputed(order.DisputeOpen, order.UnderReview)},
		{"CUSTOMER.DISPUTE.UPDATED", "dispute", dispute("UNDER_REVIEW", ""), disputed(order.DisputeOpen, order.UnderReview)},
		{"CUSTOMER.DISPUTE.RESOLVED", "dispute", dispute("RESOLVED", "RESOLVED_BUYER_FAVOUR"), disputed(order.DisputeLost, order.ResponseClosed)},
		{"CUSTOMER.DISPUTE.RESOLVED", "dispute", dispute("RESOLVED", "RESOLVED_SELLER_FAVOUR"), disputed(order.DisputeWon, order.ResponseClosed)},
		{"CUSTOMER.DISPUTE.RESOLVED", "dispute", dispute("RESOLVED", "CANCELED_BY_BUYER"), disputed(order.DisputeWon, order.ResponseClosed)},
		{"CUSTOMER.DISPUTE.CREATED", "dispute", `{}`, ports.PaymentEvent{}},
		{"BILLING.PLAN.CREATED", "plan", `{}`, ports.PaymentEvent{}},
	} {
		p, remote, _ := newProvider(t, map[string]string{verify: `200 {"verification_status":"SUCCESS"}`})
		call := sent(test.kind, test.resourceType, test.resource)
		news, err := p.ReadWebhook(ports.NewOutbound(t.Context()), account, call, "WEBHOOK1")
		if err != nil || !reflect.DeepEqual(news, test.want) {
			t.Errorf("%s: %#v, %v, want %#v", test.kind, news, err, test.want)
		}
		if body := remote.bodies[verify]; body != "" && !strings.HasSuffix(body, `"webhook_id":"WEBHOOK1","webhook_event":`+string(call.Payload)+"}") {
			t.Errorf("%s: posted back %s", test.kind, body)
		}
	}
}

// ReadWebhook accepts only events that PayPal confirms. Without a clear answer it returns an error, so that PayPal repeats the webhook.
func TestVerify(t *testing.T) {
	event := sent("PAYMENT.CAPTURE.COMPLETED", "capture", `{"id":"C1","status":"COMPLETED","custom_id":"`+request().Charge.Key+`"}`)
	unsigned := event
	unsigned.Header = func(string) string { return "" }
	for name, test := range map[string]struct {
		call   ports.Call
		answer string
		want   string
	}{
		"confirmed":              {event, `200 {"verification_status":"SUCCESS"}`, ""},
		"not confirmed":          {event, `200 {"verification_status":"FAILURE"}`, "invalid_signature"},
		"refused":                {event, `400 {"name":"VALIDATION_ERROR"}`, "invalid_signature"},
		"no answer":              {event, `500 {}`, "another"},
		"another answer":         {event, `200 {}`, "another"},
		"the account is refused": {event, `403 {}`, "another"},
		"without a signature":    {unsigned, `200 {"verification_status":"SUCCESS"}`, "invalid_signature"},
		"no JSON":                {ports.Call{Payload: []byte("x"), Header: event.Header}, "", "invalid_request"},
	} {
		p, _, _ := newProvider(t, map[string]string{verify: test.answer})
		news, err := p.ReadWebhook(ports.NewOutbound(t.Context()), account, test.call, "WEBHOOK1")
		var known *fault.Error
		got := ""
		switch {
		case errors.As(err, &known):
			got = known.Code
		case err != nil:
			got = "another"
		}
		if got != test.want || (news.Charge != nil) != (test.want == "") {
			t.Errorf("%s: %#v, %v", name, news, err)
		}
	}
}

// Many calls of one webhook use only its share of the verifications, so that another webhook is verified.
func TestReadWebhook_share(t *testing.T) {
	waits, released := make(chan struct{}, 40), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/token"):
			_, _ = io.WriteString(w, `{"access_token":"a","expires_in":3600}`)
			return
		case strings.Contains(string(body), "FLOODED"):
			waits <- struct{}{}
			<-released
		}
		_, _ = io.WriteString(w, `{"verification_status":"SUCCESS"}`)
	}))
	defer s.Close()
	defer release()
	p := New(Config{URL: s.URL, Clock: &fakeClock{since}})
	event := sent("PAYMENT.CAPTURE.COMPLETED", "capture", `{"id":"C1","status":"COMPLETED","custom_id":"`+request().Charge.Key+`"}`)
	errs := make(chan error, 40)
	for range 40 {
		go func() {
			_, err := p.ReadWebhook(ports.NewOutbound(t.Context()), account, event, "FLOODED")
			errs <- err
		}()
	}
	for range 24 {
		select {
		case err := <-errs:
			if !errors.Is(err, bulkhead.ErrFull) {
				t.Error(err)
			}
		case <-time.After(3 * time.Second):
			t.Fatalf("%d calls of one webhook wait for PayPal", len(waits))
		}
	}
	if _, err := p.ReadWebhook(ports.NewOutbound(t.Context()), account, event, "OTHER"); err != nil {
		t.Errorf("another webhook: %v", err)
	}
	release()
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestRegisterWebhook(t *testing.T) {
	const address = "https://shop.example/hooks/whk_1"
	types := `200 {"event_types":[{"name":"PAYMENT.CAPTURE.DENIED"},{"name":"BILLING.PLAN.CREATED"},{"name":"CUSTOMER.DISPUTE.CREATED"}]}`
	for name, test := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"new":           {map[string]string{"GET webhooks": "200 {}", "GET webhooks-event-types": types, "POST webhooks": `201 {"id":"W1"}`}, "W1"},
		"made before":   {map[string]string{"GET webhooks": `200 {"webhooks":[{"id":"W0","url":"https://other.example"},{"id":"W1","url":"` + address + `"}]}`}, "W1"},
		"refused":       {map[string]string{"GET webhooks": "200 {}", "GET webhooks-event-types": types, "POST webhooks": `400 {"name":"WEBHOOK_NUMBER_LIMIT_EXCEEDED"}`}, ""},
		"not permitted": {map[string]string{"GET webhooks": "403 {}"}, ""},
		"no events":     {map[string]string{"GET webhooks": "200 {}", "GET webhooks-event-types": "200 {}"}, ""},
	} {
		p, remote, _ := newProvider(t, test.answers)
		got, secret, err := p.RegisterWebhook(ports.NewOutbound(t.Context()), account, address)
		if got != test.want || secret != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %s, %s, %v", name, got, secret, err)
		}
		if body := remote.bodies["POST webhooks"]; name == "new" &&
			body != `{"event_types":[{"name":"PAYMENT.CAPTURE.DENIED"},{"name":"CUSTOMER.DISPUTE.CREATED"}],"url":"`+address+`"}` {
			t.Errorf("asked for %s", body)
		}
	}
	p, _, _ := newProvider(t, map[string]string{"DELETE W1": "404 {}", "DELETE W2": "204 ", "DELETE W3": "500 {}"})
	for of, want := range map[string]bool{"W1": true, "W2": true, "W3": false} {
		if err := p.RemoveWebhook(ports.NewOutbound(t.Context()), account, of); (err == nil) != want {
			t.Errorf("%s: %v", of, err)
		}
	}
}

func TestBalanceChanges(t *testing.T) {
	row := func(of, event, value, fee, more string) string {
		return `{"transaction_info":{"transaction_id":"` + of + `","transaction_event_code":"` + event + `","transaction_status":"S",
			"transaction_initiation_date":"2026-03-01T12:00:00+0000","transaction_amount":{"currency_code":"USD","value":"` + value + `"},
			"fee_amount":{"currency_code":"USD","value":"` + fee + `"}` + more + `}}`
	}
	p, _, _ := newProvider(t, map[string]string{"GET transactions": `200 {"total_pages":1,"transaction_details":[` + strings.Join([]string{
		row("C1", "T0006", "49.90", "-1.75", ""), row("R1", "T1107", "-10.00", "0.30", `,"paypal_reference_id":"C1"`),
		row("F1", "T0106", "-15.00", "0.00", `,"paypal_reference_id":"C1"`), row("W1", "T0403", "-30.00", "0.00", ""), row("H1", "T1110", "-49.90", "0.00", ""),
		row("V1", "T1202", "49.90", "0.00", `,"paypal_reference_id":"C1"`), row("X1", "T1201", "-49.90", "0.00", `,"paypal_reference_id":"C1"`),
	}, ",") + `]}`})
	span := ports.StatementRequest{From: since, To: since.Add(1)}
	usd := func(n int64) money.Amount { return money.Of(n, money.USD) }
	var got []ports.BalanceChange
	err := p.BalanceChanges(ports.NewOutbound(t.Context()), account, span, func(c ports.BalanceChange) error {
		got = append(got, c)
		return nil
	})
	want := []ports.BalanceChange{
		{Kind: ports.BalanceFee, Provider: "C1", Charge: "C1", Amount: usd(-175), At: since},
		{Kind: ports.BalanceFee, Provider: "R1", Charge: "C1", Amount: usd(30), At: since},
		{Kind: ports.BalanceFee, Provider: "F1", Charge: "C1", Amount: usd(-1500), At: since},
		{Kind: ports.BalancePayout, Provider: "W1", Amount: usd(-3000), At: since},
		{Kind: ports.BalanceOther, Provider: "V1", Charge: "C1", Amount: usd(4990), At: since},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	refunds := 0
	if err := p.Statement(ports.NewOutbound(t.Context()), account, span, func(m ports.Movement) error {
		if m.Refund {
			refunds++
			if m.Charge != "C1" {
				t.Errorf("%s is a refund of %q", m.Provider, m.Charge)
			}
		}
		return nil
	}); err != nil || refunds != 2 {
		t.Errorf("%d refunds in the statement, %v, want the refund and the chargeback", refunds, err)
	}
}

// Resolve stores the order that it finds, and reads that order later, when PayPal has forgotten the key, without PayPal's report.
func TestResolve_rememberedOrder(t *testing.T) {
	pending := "200 " + shown("CAPTURE", "COMPLETED", `{"id":"C1","status":"PENDING"}`)
	p, remote, clock := newProvider(t, map[string]string{"POST orders": pending, "GET O1": pending, "GET transactions": "403 {}"})
	r := request()
	_, err := p.Resolve(ports.NewOutbound(t.Context()), account, r)
	var looking ports.StillLooking
	if !errors.As(err, &looking) {
		t.Fatal(err)
	}
	r.Charge.Progress = looking.Progress
	if _, err := p.Resolve(ports.NewOutbound(t.Context()), account, r); err == nil || errors.As(err, &looking) {
		t.Errorf("looked for again: %v", err)
	}
	clock.at = since.Add(checkout.KeyAge)
	for answer, want := range map[string]checkout.Outcome{done: checkout.Paid{Provider: "C1", Label: "PayPal"}, pending: nil} {
		remote.answers["GET O1"] = answer
		if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, r); outcome != want || (outcome == nil) == (err == nil) {
			t.Errorf("%#v, %v, want %#v", outcome, err, want)
		}
	}
	remote.answers["GET O1"] = issue("RESOURCE_NOT_FOUND")
	if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, r); outcome != nil || err == nil {
		t.Errorf("%#v, %v although nobody knows", outcome, err)
	}
}
