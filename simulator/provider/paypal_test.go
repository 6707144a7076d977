package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

func (w *world) paypal(method, path, requestID, body string) response {
	w.t.Helper()
	if w.bearer == "" {
		basic := base64.StdEncoding.EncodeToString([]byte("client:secret"))
		w.bearer = w.do("POST", "/v1/oauth2/token", "grant_type=client_credentials", map[string]string{"Authorization": "Basic " + basic,
			"Content-Type": "application/x-www-form-urlencoded"}).must(w.t, 200, "token_type", "Bearer").str("access_token")
	}
	header := map[string]string{"Authorization": "Bearer " + w.bearer, "Content-Type": "application/json"}
	if requestID != "" {
		header["PayPal-Request-Id"] = requestID
	}
	return w.do(method, path, body, header)
}

func (w *world) order(requestID, invoice string) string {
	w.t.Helper()
	return w.paypal("POST", "/v2/checkout/orders", requestID, `{"intent":"CAPTURE","purchase_units":[{"reference_id":"default","custom_id":"chk_1",
		"invoice_id":"`+invoice+`","amount":{"currency_code":"USD","value":"12.30"}}]}`).must(w.t, 201, "status", "CREATED").str("id")
}

func (w *world) agreement(script string) string {
	w.t.Helper()
	return w.control("/lookalike/agreements", `{"currency":"USD","max_amount":5000,"script":"`+script+`"}`).must(w.t, 200).str("id")
}

func (w *world) capture(requestID, order, agreement string) response {
	return w.paypal("POST", "/v2/checkout/orders/"+order+"/capture", requestID,
		`{"payment_source":{"token":{"id":"`+agreement+`","type":"BILLING_AGREEMENT"}}}`)
}

const captured = "purchase_units.0.payments.captures.0."

func TestCaptureOrder_orderToRefund(t *testing.T) {
	w := newWorld(t)
	order, agreement := w.order("o1", "inv_1"), w.agreement("")
	w.paypal("POST", "/v2/checkout/orders", "o1", `{"purchase_units":[{"reference_id":"default","custom_id":"chk_1",
		"invoice_id":"inv_1","amount":{"value":"12.30","currency_code":"USD"}}],"intent":"CAPTURE"}`).must(t, 200, "id", order)
	w.paypal("POST", "/v2/checkout/orders/"+order+"/capture", "", "").must(t, 422, "details.0.issue", "ORDER_NOT_APPROVED")
	w.capture("c0", order, "B-NONE").must(t, 422, "name", "UNPROCESSABLE_ENTITY", "details.0.issue", "BILLING_AGREEMENT_NOT_FOUND")
	paid := w.capture("c1", order, agreement).must(t, 201, "status", "COMPLETED", captured+"status", "COMPLETED", captured+"amount.value", "12.30",
		captured+"custom_id", "chk_1", captured+"invoice_id", "inv_1")
	w.capture("c1", order, agreement).must(t, 200, captured+"id", paid.str(captured+"id"))
	w.capture("c2", order, agreement).must(t, 422, "details.0.issue", "ORDER_ALREADY_CAPTURED")
	w.capture("c3", w.order("o2", "inv_1"), agreement).must(t, 422, "details.0.issue", "DUPLICATE_INVOICE_ID")
	w.paypal("PATCH", "/v2/checkout/orders/"+order, "", `[{"op":"replace","path":"/intent","value":"AUTHORIZE"}]`).must(t, 422, "details.0.issue", "ORDER_ALREADY_COMPLETED")
	w.mustHaveTaken(1230, 0)

	path := "/v2/payments/captures/" + paid.str(captured+"id")
	back := w.paypal("POST", path+"/refund", "r1", `{"amount":{"value":"2.30","currency_code":"USD"},"invoice_id":"ref_1","custom_id":"chk_1"}`).must(t, 201, "status", "COMPLETED")
	w.paypal("POST", path+"/refund", "r1", `{"amount":{"value":"2.30","currency_code":"USD"},"invoice_id":"ref_1","custom_id":"chk_1"}`).must(t, 200, "id", back.str("id"), "amount.value", "2.30")
	w.paypal("POST", path+"/refund", "r1", `{"amount":{"value":"3.00","currency_code":"USD"}}`).must(t, 422)
	w.paypal("POST", path+"/refund", "r2", `{"amount":{"value":"10.01","currency_code":"USD"}}`).must(t, 422, "details.0.issue", "REFUND_AMOUNT_EXCEEDED")
	w.paypal("GET", path, "", "").must(t, 200, "status", "PARTIALLY_REFUNDED")
	w.capture("c1", order, agreement).must(t, 200, captured+"status", "PARTIALLY_REFUNDED") // a repeat shows the current state
	w.paypal("POST", path+"/refund", "r3", "").must(t, 201)
	w.paypal("POST", path+"/refund", "r4", "").must(t, 422, "details.0.issue", "CAPTURE_FULLY_REFUNDED")
	w.paypal("GET", "/v2/payments/refunds/"+back.str("id"), "", "").must(t, 200, "amount.value", "2.30", "custom_id", "chk_1")
	w.mustHaveTaken(1230, 1230)
	w.restart()
	w.mustHaveTaken(1230, 1230)
	w.capture("c3", w.order("o3", "inv_1"), agreement).must(t, 422, "details.0.issue", "DUPLICATE_INVOICE_ID")
}

func TestReportTransactions_pages(t *testing.T) {
	w := newWorld(t)
	paid := w.capture("c", w.order("", "inv_1"), w.agreement("")).must(t, 201)
	w.paypal("POST", "/v2/payments/captures/"+paid.str(captured+"id")+"/refund", "", `{"amount":{"value":"2.30","currency_code":"USD"}}`).must(t, 201)
	span := func(from, to time.Duration) string {
		return "/v1/reporting/transactions?" + url.Values{"start_date": {time.Now().Add(from).UTC().Format(time.RFC3339)},
			"end_date": {time.Now().Add(to).UTC().Format(time.RFC3339)}, "page_size": {"1"}}.Encode()
	}
	first := w.paypal("GET", span(-time.Hour, time.Hour), "", "").must(t, 200, "total_items", "2", "total_pages", "2",
		"transaction_details.0.transaction_info.transaction_event_code", "T0006", "transaction_details.0.transaction_info.invoice_id", "inv_1",
		"transaction_details.0.transaction_info.custom_field", "chk_1", "transaction_details.0.transaction_info.transaction_amount.value", "12.30",
		"transaction_details.0.transaction_info.transaction_status", "S")
	if at := first.str("transaction_details.0.transaction_info.transaction_initiation_date"); !strings.HasSuffix(at, "+0000") {
		t.Errorf("initiated at %s", at)
	}
	w.paypal("GET", span(-time.Hour, time.Hour)+"&page=2", "", "").must(t, 200, "transaction_details.0.transaction_info.transaction_event_code", "T1107",
		"transaction_details.0.transaction_info.transaction_amount.value", "-2.30", "transaction_details.0.transaction_info.paypal_reference_id", paid.str(captured+"id"))
	w.paypal("GET", span(-2*time.Hour, -time.Hour), "", "").must(t, 200, "total_items", "0")
	w.paypal("GET", span(-32*24*time.Hour, 0), "", "").must(t, 400, "name", "INVALID_REQUEST")
}

// Haggle withdraws an order by setting its intent to AUTHORIZE. PayPal then refuses to capture it.
func TestPatchOrder_authorizeBeforeCapture(t *testing.T) {
	w := newWorld(t)
	order := w.order("", "")
	w.paypal("PATCH", "/v2/checkout/orders/"+order, "", `[{"op":"replace","path":"/status","value":"COMPLETED"}]`).must(t, 422, "details.0.issue", "NOT_PATCHABLE")
	w.paypal("PATCH", "/v2/checkout/orders/"+order, "", `[{"op":"replace","path":"/intent","value":"AUTHORIZE"}]`).must(t, 204)
	w.paypal("GET", "/v2/checkout/orders/"+order, "", "").must(t, 200, "intent", "AUTHORIZE", "status", "CREATED")
	w.capture("c", order, w.agreement("")).must(t, 422, "details.0.issue", "ACTION_DOES_NOT_MATCH_INTENT")
	w.mustHaveTaken(0, 0)
}

func TestNextStep_payPalAgreement(t *testing.T) {
	for script, want := range map[string]struct {
		first, again func(*testing.T, response)
		taken        int
	}{
		"":                         {status(201), status(200), 1230},
		"decline:PAYER_CANNOT_PAY": {status(422), status(422), 0},
		"error_before:1":           {status(500), status(201), 1230},
		"error_after":              {status(500), status(200), 1230},
		"hang_after":               {broken, status(200), 1230},
		"reset_after":              {broken, status(200), 1230},
		"rate_limited:1":           {status(429), status(201), 1230},
		"in_use:1":                 {status(409), status(201), 1230},
	} {
		t.Run(script, func(t *testing.T) {
			w := newWorld(t, func(c *provider.Config) { c.Hang = 50 * time.Millisecond })
			order, agreement := w.order("", ""), w.agreement(script)
			want.first(t, w.capture("c", order, agreement))
			want.again(t, w.capture("c", order, agreement))
			w.mustHaveTaken(want.taken, 0)
		})
	}
}

func TestCaptureOrder_concurrent(t *testing.T) {
	w := newWorld(t)
	order, agreement := w.order("", ""), w.agreement("slow:20")
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() { w.capture(fmt.Sprint("c", i%3), order, agreement) })
	}
	all.Wait()
	w.mustHaveTaken(1230, 0)
}

func TestPayPal_credentialsAndAmounts(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/v1/oauth2/token", "grant_type=client_credentials", map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("refused:x"))}).
		must(t, 401, "error", "invalid_client")
	w.do("GET", "/v2/checkout/orders/1", "", map[string]string{"Authorization": "Bearer A21AAnonsense"}).must(t, 401)
	for currency, value := range map[string]string{"USD": "1.234", "JPY": "1.5", "EUR": "-1.00", "GBP": "1e3"} {
		w.paypal("POST", "/v2/checkout/orders", "", `{"intent":"CAPTURE","purchase_units":[{"amount":{"currency_code":"`+currency+`","value":"`+value+`"}}]}`).
			must(t, 422, "details.0.issue", "DECIMAL_PRECISION")
	}
	single := w.control("/lookalike/agreements", `{"currency":"USD","max_amount":1000,"single_use":true}`).str("id")
	w.capture("", w.order("", ""), single).must(t, 422, "details.0.issue", "TRANSACTION_LIMIT_EXCEEDED")
	other := w.control("/lookalike/agreements", `{"seller":"SOMEBODYELSE1"}`).str("id")
	w.capture("", w.order("", ""), other).must(t, 422, "details.0.issue", "BILLING_AGREEMENT_NOT_FOUND")
	mine := w.control("/lookalike/agreements", `{"seller":"`+provider.PayPalMerchant("client")+`","single_use":true}`).str("id")
	w.capture("", w.order("", ""), mine).must(t, 201)
	w.capture("", w.order("", ""), mine).must(t, 422, "details.0.issue", "AGREEMENT_ALREADY_CANCELLED")
}
