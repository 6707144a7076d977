package stripe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func back() ports.RefundRequest {
	return ports.RefundRequest{
		Key:    "ref_1",
		Charge: "pi_1",
		Amount: money.Of(1000, money.USD),
		Since:  since,
	}
}

func TestRefund_outcomes(t *testing.T) {
	refund := func(status, more string) string {
		return fmt.Sprintf(`{"id":"re_1","object":"refund","amount":1000,"currency":"usd","status":"%s","metadata":{"refund":"ref_1"}%s}`, status, more)
	}
	list := func(of ...string) string { return `{"object":"list","data":[` + strings.Join(of, ",") + `]}` }
	for name, test := range map[string]struct {
		status      int
		given, list string
		want        order.RefundOutcome
	}{
		"given":                      {200, refund("succeeded", ""), list(), order.Refunded{Provider: "re_1"}},
		"failed":                     {200, refund("failed", `,"failure_reason":"expired_or_canceled_card"`), list(), refundFailed("expired_or_canceled_card", "re_1")},
		"refused":                    {400, refusalOf("invalid_request_error", "charge_already_refunded", ""), list(), refundFailed("charge_already_refunded", "")},
		"refused, but given before":  {400, refusalOf("invalid_request_error", "charge_already_refunded", ""), list(refund("succeeded", "")), order.Refunded{Provider: "re_1"}},
		"failed for good, but given": {500, refusalOf("api_error", "", ""), list(refund("succeeded", "")), order.Refunded{Provider: "re_1"}},
		"nobody knows":               {500, refusalOf("api_error", "", ""), list(), nil},
		"another use of the key":     {400, refusalOf("idempotency_error", "", ""), list(), nil},
		"another amount":             {200, strings.ReplaceAll(refund("succeeded", ""), "1000", "1001"), list(), nil},
		"of a status nobody knows":   {200, refund("dreaming", ""), list(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					respond(w, 200, test.list)
					return
				}
				respond(w, test.status, test.given)
			})
			if got, err := p.Refund(ports.NewOutbound(t.Context()), account, back()); got != test.want || (got == nil) == (err == nil) {
				t.Errorf("%#v, %v, want %#v", got, err, test.want)
			}
		})
	}
}

// A repeated refund reads the state of a pending refund, because Stripe only repeats its first answer.
func TestRefund_pendingAgain(t *testing.T) {
	now := "pending"
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		status := "pending"
		if r.Method == http.MethodGet && r.URL.Path == "/v1/refunds/re_1" {
			status = now
		}
		respond(w, 200, `{"id":"re_1","object":"refund","amount":1000,"currency":"usd","status":"`+status+`"}`)
	})
	for _, want := range []struct {
		status  string
		outcome order.RefundOutcome
	}{{"pending", order.RefundPending{Provider: "re_1"}}, {"succeeded", order.Refunded{Provider: "re_1"}}} {
		now = want.status
		if got, err := p.Refund(ports.NewOutbound(t.Context()), account, back()); err != nil || got != want.outcome {
			t.Errorf("%s: %#v, %v", want.status, got, err)
		}
	}
}
