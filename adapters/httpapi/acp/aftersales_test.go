package acp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// bought buys one jacket at 97.00 and returns the order's id.
func (s *shop) bought() string { return s.paid().string("order.id") }

// paid is the answer to its finalize.
func (s *shop) paid() answer {
	s.t.Helper()
	return s.ok("POST", "/acp/checkout/finalize", pay(s.opened().string("checkout_id"), "psp_spt", `,"buyer_email":"ada@example.com"`))
}

// receipt reads the receipt named in the answer of finalize.
func (s *shop) receipt(paid answer) answer {
	s.t.Helper()
	return s.ok("GET", strings.TrimPrefix(paid.string("receipt_url"), "https://shops.example.com/p/demo"), "")
}

// owned returns a request body with an order's manage token.
func owned(paid answer, more string) string {
	return `{"manage_token":"` + paid.string("order.manage_token") + `"` + more + `}`
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.products[jacket].Name = `Jacket <script src="//evil.example">`
	a := s.receipt(s.paid())
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	_, style, _ := strings.Cut(a.text, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := a.header.Get("Content-Security-Policy"); got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	for _, want := range []string{
		"HG-", "Rainy &lt;b&gt;Days&lt;/b&gt;", "Jacket &lt;script", "M / Green", "97.00", "102.99 USD", "A. Buyer",
		"Portland OR 97205", "Visa ending in 4242", "2 March 2026, 12:00 UTC", "6 to 10 March 2026", "@media print",
	} {
		if !strings.Contains(a.text, want) {
			t.Errorf("no %q in %s", want, a.text)
		}
	}
	for _, outside := range []string{"<script", "<img", "<link", "http://", "https://", "url(", "ZgotmplZ"} {
		if strings.Contains(a.text, outside) {
			t.Errorf("%s in %s", outside, a.text)
		}
	}
}

func TestRequestReturn(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	order := s.bought()
	send := func(item string) answer {
		return s.call("POST", "/acp/returns", `{"order_id":"`+order+`","comment":"Wet","items":[`+item+`]}`)
	}
	for name, c := range map[string]struct{ item, want string }{
		"too many":          {line(jacket.String(), green.String(), 2, ""), "422 validation_error items.0.quantity"},
		"another product":   {line(mug.String(), plain.String(), 1, ""), "422 validation_error items.0.product_id"},
		"a malformed item":  {line("x", "y", 1, ""), "422 validation_error items.0.product_id items.0.variant_id"},
		"nothing":           {line(jacket.String(), green.String(), 0, ""), "422 validation_error items.0.quantity"},
		"a reason too long": {line(jacket.String(), green.String(), 1, `,"reason":"`+strings.Repeat("r", 2001)+`"`), "422 validation_error items.0.reason"},
	} {
		if got := send(c.item).fault(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	asked := send(line(jacket.String(), "", 1, `,"reason":"Leaks"`))
	if asked.status != 201 {
		t.Fatalf("%d %s", asked.status, asked.text)
	}
	asked.expect(t, map[string]string{"status": `"requested"`, "refund_estimate": "97.00", "currency": `"USD"`})
	for _, o := range s.orders {
		other := o.Lines[0]
		other.Variant = red
		o.Lines = append(o.Lines, other)
	}
	if got := send(line(jacket.String(), "", 1, "")).fault(); got != "422 validation_error items.0.product_id" {
		t.Errorf("one of two variants, unnamed: %s", got)
	}
	if read := s.ok("GET", "/acp/returns/"+asked.string("return_id"), ""); read.text != asked.text {
		t.Errorf("read %s, want %s", read.text, asked.text)
	}
}

// change changes an order as the merchant would.
func (s *shop) change(of string, change func(*order.Case) error) {
	s.t.Helper()
	if _, err := (fakePurchases{fakeStore: s.fakeStore}).Change(s.t.Context(), s.shop.ID, id.Stored[id.Order](of), change); err != nil {
		s.t.Fatal(err)
	}
}

func TestOrder_refundsAndReturns(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	paid := s.paid()
	of := paid.string("order.id")
	path := "/acp/orders/" + of
	s.ok("GET", path, "").expect(t, map[string]string{
		"order.status": `"confirmed"`, "payment.status": `"succeeded"`, "payment.refunded_amount": "0.00",
		"fulfillment.status": `"processing"`, "tracking.available": "false", "tracking.url": "null", "refunds": "[]", "returns": "[]",
	})
	asked := s.call("POST", "/acp/returns", `{"order_id":"`+of+`","items":[`+line(jacket.String(), "", 1, "")+`]}`).string("return_id")
	refund, amount := id.New[id.Refund]([16]byte{1}), money.Of(10_00, money.USD)
	s.change(of, func(c *order.Case) error {
		return errors.Join(
			c.Ship("DHL", "0815", "https://dhl.example/0815", id.Event{}, s.now),
			c.ApproveReturn(id.Stored[id.Return](asked), refund, &amount, false, id.Event{}, s.now),
			c.SettleRefund(refund, order.Refunded{}, id.Event{}, s.now),
		)
	})
	a := s.ok("GET", path, "")
	a.expect(t, map[string]string{
		"payment.status": `"partially_refunded"`, "payment.amount": "102.99", "payment.refunded_amount": "10.00",
		"fulfillment.status": `"shipped"`, "fulfillment.shipped_at": `"2026-03-02T12:00:00.005Z"`,
		"tracking.available": "true", "tracking.url": `"https://dhl.example/0815"`, "tracking.carrier": `"DHL"`, "tracking.number": `"0815"`,
		"refunds.0": `{"amount":10.00,"created_at":"2026-03-02T12:00:00.005Z","refund_id":"` + refund.String() + `","return_id":"` + asked + `","status":"succeeded"}`,
		"returns":   `[{"return_id":"` + asked + `","status":"approved"}]`,
	})
	s.ok("GET", "/acp/returns/"+asked, "").expect(t, map[string]string{"status": `"approved"`, "refund_id": `"` + refund.String() + `"`})
	receipt := s.receipt(paid).text
	for _, want := range []string{"Refunded on 2 March 2026", "&minus;10.00", "Paid after refunds", "92.99 USD"} {
		if !strings.Contains(receipt, want) {
			t.Errorf("no %q in %s", want, receipt)
		}
	}
	s.change(of, func(c *order.Case) error { return c.Deliver(id.Event{}, s.now) })
	s.ok("GET", path, "").expect(t, map[string]string{"fulfillment.status": `"delivered"`, "fulfillment.delivered_at": `"2026-03-02T12:00:00.005Z"`})
}

func TestCancelOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outcome         order.RefundOutcome
		more            string
		payment, refund string
	}{
		"given back":            {order.Refunded{Provider: "re_1"}, `,"reason":"Ordered twice"`, "refunded", "succeeded"},
		"not decided yet":       {nil, "", "succeeded", "pending"},
		"refused by a provider": {order.RefundFailed{Code: "no"}, "", "succeeded", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			s.refunded = test.outcome
			paid := s.paid()
			path := "/acp/orders/" + paid.string("order.id")
			a := s.ok("POST", path+"/cancel", owned(paid, test.more))
			a.expect(t, map[string]string{
				"order.status": `"canceled"`, "fulfillment.status": `"canceled"`, "payment.status": `"` + test.payment + `"`,
				"refunds.0.status": `"` + test.refund + `"`, "refunds.0.amount": "102.99", "tracking.available": "false",
			})
			for _, again := range []answer{s.ok("POST", path+"/cancel", owned(paid, test.more)), s.ok("GET", path, "")} {
				if again.text != a.text {
					t.Errorf("then %s, first %s", again.text, a.text)
				}
			}
			if receipt := s.receipt(paid).text; !strings.Contains(receipt, "This order is canceled.") || strings.Contains(receipt, "Expected") {
				t.Error(receipt)
			}
		})
	}
}

func TestCancelOrder_refused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	paid := s.paid()
	of := paid.string("order.id")
	s.change(of, func(c *order.Case) error { return c.Ship("", "", "", id.Event{}, s.now) })
	if got := s.call("POST", "/acp/orders/"+of+"/cancel", owned(paid, "")).fault(); got != "409 order_shipped" {
		t.Error(got)
	}
	long := `{"reason":"` + strings.Repeat("r", 1001) + `"}`
	if got := s.call("POST", "/acp/orders/"+of+"/cancel", long).fault(); got != "422 validation_error reason" {
		t.Error(got)
	}
}

func TestHandlers_unknownIDs(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	unknown := "_0000000000000000000000000z"
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/acp/orders/1", "", "404 order_not_found"},
		{"GET", "/acp/orders/ord" + unknown, "", "404 order_not_found"},
		{"GET", "/acp/orders/sess" + unknown, "", "404 order_not_found"},
		{"GET", "/acp/orders/1/receipt", "", "404 order_not_found"},
		{"GET", "/acp/orders/1/receipt/rc_1", "", "404 order_not_found"},
		{"POST", "/acp/orders/1/cancel", "", "404 order_not_found"},
		{"POST", "/acp/orders/ord" + unknown + "/cancel", "", "404 order_not_found"},
		{"GET", "/acp/returns/1", "", "404 return_not_found"},
		{"GET", "/acp/returns/ret" + unknown, "", "404 return_not_found"},
		{"GET", "/acp/sessions/1", "", "404 session_not_found"},
		{"GET", "/acp/sessions/sess" + unknown, "", "404 session_not_found"},
		{"POST", "/acp/sessions/1/extend", `{"duration_minutes":5}`, "404 session_not_found"},
		{"POST", "/acp/returns", `{"order_id":"1","items":[{"product_id":"x","quantity":1}]}`, "404 order_not_found"},
		{"POST", "/acp/returns", `{"order_id":"ord` + unknown + `","items":[` + line(mug.String(), "", 1, "") + `]}`, "404 order_not_found"},
	} {
		if got := s.call(c.method, c.path, c.body).fault(); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, got, c.want)
		}
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	visit := s.ok("POST", "/acp/search", `{"query":"rain","buyer_context":{"loyalty_tier":"gold","location":"US","purchase_history":12}}`).string("session_id")
	named := `,"session_id":"` + visit + `"`
	s.ok("POST", "/acp/quote", item(named))
	s.ok("POST", "/acp/quote", item(named+`,"offer_price":41`))
	s.ok("POST", "/acp/quote", item(named+`,"offer_price":82`))
	s.ok("POST", "/acp/quote", item(named+`,"offer_price":99`))
	s.now = s.now.Add(10 * time.Minute)
	a := s.ok("GET", "/acp/sessions/"+visit, "")
	a.expect(t, map[string]string{
		"session_id": `"` + visit + `"`, "status": `"active"`, "created_at": `"2026-03-02T12:00:00.005Z"`,
		"last_activity": `"2026-03-02T12:10:00.005Z"`, "expires_at": `"2026-03-02T12:40:00.005Z"`,
		"buyer_context": `{"location":"US","loyalty_tier":"gold","purchase_history":12}`,
		"cart": `{"items":[{"name":"Rain jacket","negotiated_price":99.00,"product_id":"` + jacket.String() + `","quantity":1,"variant_id":"` +
			green.String() + `"}],"subtotal":99.00}`,
		"negotiation_history.0.offer": "null", "negotiation_history.0.response": `"quote"`,
		"negotiation_history.1": `{"offer":41.00,"offered_price":87.30,"response":"reject","timestamp":"2026-03-02T12:00:00.005Z","type":"quote_request"}`,
		"negotiation_history.2": `{"counter":91.02,"offer":82.00,"response":"counter_offer","timestamp":"2026-03-02T12:00:00.005Z","type":"quote_request"}`,
		"negotiation_history.3": `{"final_price":99.00,"offer":99.00,"response":"accept","timestamp":"2026-03-02T12:00:00.005Z","type":"quote_request"}`,
		"recommendations_shown": `[{"accepted":false,"product_id":"` + mug.String() + `"}]`,
	})
	for _, secret := range []string{"floor", "target", "rule", "bounds", "cost"} {
		if strings.Contains(a.text, secret) {
			t.Errorf("%s shows in %s", secret, a.text)
		}
	}
}

func TestSession_ends(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	visit := "/acp/sessions/" + s.ok("POST", "/acp/search", `{}`).string("session_id")
	s.ok("POST", visit+"/extend", `{"duration_minutes":15}`).expect(t, map[string]string{"new_expires_at": `"2026-03-02T12:45:00.005Z"`})
	for body, want := range map[string]string{
		`{"duration_minutes":0}`: "422 validation_error duration_minutes", `{"duration_minutes":1441}`: "422 validation_error duration_minutes",
		`{"duration_minutes":1.5}`: "422 validation_error duration_minutes", `{"duration_minutes":1440}`: "422 validation_error duration_minutes",
		`{}`: "422 validation_error duration_minutes",
	} {
		if got := s.call("POST", visit+"/extend", body).fault(); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	s.now = s.now.Add(46 * time.Minute) // including the minute in which requests do not extend the session
	for _, late := range []answer{s.call("GET", visit, ""), s.call("POST", visit+"/extend", `{"duration_minutes":1}`)} {
		if got := late.fault(); got != "409 session_expired" {
			t.Error(got)
		}
	}
}

// Reading extends a session until a day after its beginning.
func TestSession_endsAfterADay(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	opened := s.now
	visit := "/acp/sessions/" + s.ok("POST", "/acp/search", `{}`).string("session_id")
	for s.now = opened; s.now.Before(opened.Add(24*time.Hour - 20*time.Minute)); s.now = s.now.Add(20 * time.Minute) {
		s.ok("GET", visit, "")
	}
	s.ok("GET", visit, "").expect(t, map[string]string{"expires_at": `"2026-03-03T12:00:00.005Z"`})
	promised := s.ok("POST", "/acp/quote", item(`,"session_id":"`+strings.TrimPrefix(visit, "/acp/sessions/")+`"`))
	s.now = opened.Add(24*time.Hour - 5*time.Minute)
	promised = s.ok("POST", "/acp/quote", item(`,"session_id":"`+promised.string("session_id")+`"`))
	promised.expect(t, map[string]string{"valid_until": `"2026-03-03T12:00:00.005Z"`})
	s.now = opened.Add(24 * time.Hour)
	if got := s.call("GET", visit, "").fault(); got != "409 session_expired" {
		t.Error(got)
	}
}
