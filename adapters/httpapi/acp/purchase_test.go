package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// line is an item with more fields.
func line(product, variant string, quantity int, more string) string {
	if variant != "" {
		more += `,"variant_id":"` + variant + `"`
	}
	return fmt.Sprintf(`{"product_id":%q,"quantity":%d%s}`, product, quantity, more)
}

const portland = `{"name":"A. Buyer","line1":"12 Harbor Street","city":"Portland","state":"OR","postal_code":"97205","country":"us","phone":"1"}`

// agree negotiates the price of one green jacket, and returns the session and the token.
func (s *shop) agree() (visit, token string) {
	s.t.Helper()
	agreed := s.ok("POST", "/acp/quote", item(`,"offer_price":97`))
	agreed.expect(s.t, map[string]string{"status": `"accept"`})
	return agreed.string("session_id"), agreed.string("checkout_token")
}

// opened opens a checkout of one jacket at 97.00.
func (s *shop) opened() answer {
	s.t.Helper()
	visit, token := s.agree()
	return s.ok("POST", "/acp/checkout/init", `{"session_id":"`+visit+`","checkout_token":"`+token+`","billing_same_as_shipping":true,`+
		`"items":[`+line(jacket.String(), green.String(), 1, `,"negotiated_price":97.0`)+`],"shipping_address":`+portland+`}`)
}

func TestInit(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.opened().expect(t, map[string]string{
		"status": `"ready"`, "valid_until": `"2026-03-02T12:30:00.005Z"`,
		"summary": `{"currency":"USD","savings":3.00,"shipping":5.99,"subtotal":97.00,"tax":0.00,"total":102.99}`,
		"items.0": `{"discount":"3%","name":"Rain jacket","original_price":100.00,"product_id":"` + jacket.String() +
			`","quantity":1,"requires_shipping":true,"unit_price":97.00,"variant":"M / Green"}`,
		"shipping_options.0": `{"estimate":"3-5 business days","id":"standard","name":"Standard shipping","price":5.99,"selected":true}`,
		"shipping_options.2": `{"estimate":"1 business day","id":"overnight","name":"Overnight shipping","price":29.99,"selected":false}`,
		"payment_methods":    `[{"ready":true,"type":"psp_spt"},{"ready":true,"type":"wallet_ba"}]`,
	})
}

func TestInit_tokenOnly(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	visit, token := s.agree()
	a := s.ok("POST", "/acp/checkout/init", `{"session_id":"`+visit+`","checkout_token":"`+token+`","shipping_address":`+portland+`}`)
	a.expect(t, map[string]string{"items.0.unit_price": "97.00", "summary.total": "102.99"})
}

func TestRevise(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	opened := s.opened()
	path := "/acp/checkout/" + opened.string("checkout_id")
	opened.expect(t, map[string]string{
		"lines": `[{"line_id":"li_1","product_id":"` + jacket.String() + `","quantity":1,"variant_id":"` + green.String() + `"}]`,
	})
	read := s.ok("GET", path, "")
	read.expect(t, map[string]string{
		"status": `"ready"`, "revision": "1", "missing": "[]", "summary": opened.at("summary"), "valid_until": opened.at("valid_until"),
		"items.0": `{"agreed":true,"discount":"3%","line_id":"li_1","name":"Rain jacket","original_price":100.00,"product_id":"` + jacket.String() +
			`","quantity":1,"requires_shipping":true,"unit_price":97.00,"variant":"M / Green","variant_id":"` + green.String() + `"}`,
	})
	if strings.Contains(read.text, "Harbor") || strings.Contains(read.text, "A. Buyer") {
		t.Errorf("the answer has the address: %s", read.text)
	}
	kept := `{"line_id":"li_1","product_id":"` + jacket.String() + `","quantity":1}`
	s.ok("PUT", path, `{"items":[`+line(mug.String(), "", 2, "")+`,`+kept+`],"shipping_address":`+portland+`}`).expect(t, map[string]string{
		"status": `"ready"`, "revision": "2", "items.0.line_id": `"li_2"`, "items.0.agreed": "false", "items.1.line_id": `"li_1"`, "items.1.unit_price": "97.00",
		"summary.savings": "3.00",
	})
	s.ok("PUT", path, `{"items":[`+kept+`],"shipping_address":{},"allow_incomplete":true}`).expect(t, map[string]string{
		"status": `"incomplete"`, "shipping_options": "[]", "summary.total": "97.00", "missing.4": `"shipping_address.country"`,
	})
	for name, c := range map[string]struct{ body, want string }{
		"nothing":               {`{}`, "422 validation_error items"},
		"no items":              {`{"shipping_address":` + portland + `}`, "422 validation_error items"},
		"half an address":       {`{"items":[` + kept + `],"shipping_address":{"country":"US"}}`, "422 validation_error shipping_address.name shipping_address.line1 shipping_address.city shipping_address.postal_code"},
		"an e-mail that is not": {`{"items":[` + kept + `],"shipping_address":` + portland + `,"buyer":{"email":"ada"}}`, "422 validation_error buyer.email"},
		"an older revision":     {`{"revision":1,"items":[` + kept + `],"shipping_address":` + portland + `}`, "409 checkout_changed"},
		"an unknown option":     {`{"items":[` + kept + `],"shipping_address":` + portland + `,"shipping_option":"rocket"}`, "422 validation_error shipping_option"},
		"another price":         {`{"items":[` + strings.Replace(kept, `"quantity":1`, `"quantity":1,"negotiated_price":90`, 1) + `],"shipping_address":` + portland + `}`, "422 price_mismatch items.0.negotiated_price"},
	} {
		if got := s.call("PUT", path, c.body).fault(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := s.call("PUT", "/acp/checkout/chk_x", `{"items":[`+kept+`],"shipping_address":`+portland+`}`).fault(); got != "404 checkout_not_found" {
		t.Error(got)
	}
}

func TestInit_refused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	visit, _ := s.agree()
	order := func(item, address string) string {
		return `{"session_id":"` + visit + `","items":[` + item + `],"shipping_address":` + address + `}`
	}
	elsewhere := strings.Replace(portland, `"us"`, `"NZ"`, 1)
	for name, c := range map[string]struct{ body, want string }{
		"nothing at all":      {`{}`, "422 validation_error items shipping_address.name shipping_address.line1 shipping_address.city shipping_address.postal_code shipping_address.country"},
		"no items, no token":  {`{"session_id":"` + visit + `","shipping_address":` + portland + `}`, "422 validation_error items"},
		"a wrong price":       {order(line(mug.String(), "", 1, `,"negotiated_price":9`), portland), "422 price_mismatch items.0.negotiated_price"},
		"half a cent":         {order(line(mug.String(), "", 1, `,"negotiated_price":12.955`), portland), "422 validation_error items.0.negotiated_price"},
		"a foreign country":   {order(line(mug.String(), "", 1, ""), elsewhere), "422 validation_error shipping_address.country"},
		"a long line":         {order(line(mug.String(), "", 1, ""), strings.Replace(portland, "Portland", strings.Repeat("o", 201), 1)), "422 validation_error shipping_address.city"},
		"a blank name":        {order(line(mug.String(), "", 1, ""), strings.Replace(portland, "A. Buyer", " ", 1)), "422 validation_error shipping_address.name"},
		"a malformed product": {order(line("x", "", 1, ""), portland), "404 product_not_found"},
		"a malformed variant": {order(line(mug.String(), "x", 1, ""), portland), "404 variant_not_found"},
		"a malformed session": {strings.Replace(order(line(mug.String(), "", 1, ""), portland), visit, "x", 1), "404 session_not_found"},
		"a made-up token":     {order(line(mug.String(), "", 1, `,"checkout_token":"ct_x"`), portland), "422 validation_error items.0.checkout_token"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.call("POST", "/acp/checkout/init", c.body).fault(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// pay returns a finalize request with more fields.
func pay(checkoutID, method, more string) string {
	return `{"checkout_id":"` + checkoutID + `","payment":{"method":"` + method + `","token":"spt_sandbox_ok_s3cret-of-ada"}` + more + `}`
}

func TestFinalize(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	opened := s.opened()
	a := s.ok("POST", "/acp/checkout/finalize", pay(opened.string("checkout_id"), "psp_spt", `,"shipping_option":"express","buyer_email":"ada@example.com","notes":"Ring twice"`))
	paid := map[string]string{
		"order.status": `"confirmed"`, "order.created_at": `"2026-03-02T12:00:00.005Z"`,
		"payment.status": `"succeeded"`, "payment.amount": "111.99", "payment.currency": `"USD"`, "payment.method": `"Visa ending in 4242"`,
		"fulfillment": `{"estimated_delivery":"2026-03-05 to 2026-03-05","estimated_ship_date":"2026-03-03","status":"processing"}`,
		"tracking":    `{"available":false,"message":"A tracking link follows when the order ships.","url":null}`,
		"summary":     `{"items":[{"name":"Rain jacket","price":97.00,"quantity":1}],"shipping":14.99,"subtotal":97.00,"tax":0.00,"total":111.99}`,
		"receipt_url": `"https://shops.example.com/p/demo/acp/orders/` + a.string("order.id") + "/receipt/" + order.ReceiptCode(a.string("order.manage_token")) + `"`,
	}
	a.expect(t, paid)
	if got := a.names(); got != "fulfillment items next_actions order payment receipt_url status summary tracking" || a.at("status") != `"success"` {
		t.Errorf("status %s with %s", a.at("status"), got)
	}
	if len(s.charged) != 1 || s.charged[0].Token != "spt_sandbox_ok_s3cret-of-ada" || s.charged[0].Charge.Method != project.SharedPaymentToken {
		t.Errorf("charged %+v", s.charged)
	}
	read := s.ok("GET", "/acp/orders/"+a.string("order.id")+"?manage_token="+a.string("order.manage_token"), "")
	read.expect(t, paid)
	if got := read.names(); got != "fulfillment items next_actions order payment receipt_url refunds returns summary tracking" {
		t.Errorf("the order has %s", got)
	}
}

func TestFinalize_declined(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.outcome = checkout.Declined{Code: "insufficient_funds", Message: "The card has too little on it."}
	for _, method := range []string{"psp_spt", "wallet_ba"} {
		opened := s.opened()
		a := s.ok("POST", "/acp/checkout/finalize", pay(opened.string("checkout_id"), method, ""))
		a.expect(t, map[string]string{
			"status":      `"payment_failed"`,
			"error":       `{"code":"card_declined","decline_code":"insufficient_funds","message":"The card has too little on it."}`,
			"checkout_id": opened.at("checkout_id"), "checkout_status": `"pending"`, "retry_allowed": "true",
		})
	}
	s.outcome = checkout.Declined{
		Code:    "stolen_card",
		Message: "No.",
		Final:   true,
	}
	s.ok("POST", "/acp/checkout/finalize", pay(s.opened().string("checkout_id"), "psp_spt", "")).
		expect(t, map[string]string{"checkout_status": `"canceled"`, "retry_allowed": "false"})
	if strings.Contains(s.log.String(), "s3cret-of-ada") {
		t.Error("the payment token is in the log")
	}
}

// If the provider does not accept the attempt, the buyer is asked to try again later.
func TestFinalize_notCharged(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.outcome = checkout.NotCharged{}
	a := s.call("POST", "/acp/checkout/finalize", pay(s.opened().string("checkout_id"), "psp_spt", ""))
	a.expect(t, map[string]string{"error": `"checkout_processing"`, "retry_after": "1"})
	if a.status != 409 || a.header.Get("Retry-After") != "1" || strings.Contains(a.text+s.log.String(), "s3cret-of-ada") {
		t.Errorf("%d %s", a.status, a.text)
	}
}

func TestFinalize_refused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	opened := s.opened().string("checkout_id")
	none := id.New[id.Checkout]([16]byte{99}).String()
	for name, c := range map[string]struct{ body, want string }{
		"another method":        {pay(opened, "cash", ""), "422 validation_error payment.method"},
		"no token":              {strings.Replace(pay(opened, "psp_spt", ""), "spt_sandbox_ok_s3cret-of-ada", "", 1), "422 validation_error payment.token"},
		"a long token":          {strings.Replace(pay(opened, "psp_spt", ""), "spt_sandbox", strings.Repeat("s3cret-of-ada", 90), 1), "422 validation_error payment.token"},
		"a named address":       {pay(opened, "psp_spt", `,"buyer_email":"Ada <ada@example.com>"`), "422 validation_error buyer_email"},
		"an address in arrows":  {pay(opened, "psp_spt", `,"buyer_email":"<ada@example.com>"`), "422 validation_error buyer_email"},
		"an address in a line":  {pay(opened, "psp_spt", `,"buyer_email":"ada@example.com\r\nBcc: x@example.com"`), "422 validation_error buyer_email"},
		"no address":            {pay(opened, "psp_spt", `,"buyer_email":"ada"`), "422 validation_error buyer_email"},
		"long notes":            {pay(opened, "psp_spt", `,"notes":"`+strings.Repeat("n", 2001)+`"`), "422 validation_error notes"},
		"an unknown option":     {pay(opened, "psp_spt", `,"shipping_option":"rocket"`), "422 validation_error shipping_option"},
		"a malformed checkout":  {pay("chk_1", "psp_spt", ""), "404 checkout_not_found"},
		"an unknown checkout":   {pay(none, "psp_spt", ""), "404 checkout_not_found"},
		"an empty checkout":     {pay("", "psp_spt", ""), "422 validation_error checkout_id"},
		"a token of wrong type": {`{"checkout_id":"` + opened + `","payment":{"method":"psp_spt","token":["s3cret-of-ada"]}}`, "422 validation_error payment.token"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.call("POST", "/acp/checkout/finalize", c.body)
			if got := a.fault(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if strings.Contains(a.text+s.log.String(), "s3cret-of-ada") {
				t.Error("the payment token shows")
			}
		})
	}
	if len(s.charged) != 0 {
		t.Errorf("%d charges", len(s.charged))
	}
}

func TestFinalize_methodNotOffered(t *testing.T) {
	t.Parallel()
	s := openShop(t, func(s *commerce.Services) { s.Sandbox, s.Purchase.Sandbox = false, false })
	s.shop.Routes = map[project.PaymentMethod]project.PaymentRoute{project.BillingAgreement: {Provider: "paypal", Integration: named[id.Integration](1)}}
	opened := s.opened()
	opened.expect(t, map[string]string{"payment_methods": `[{"ready":true,"type":"wallet_ba"}]`})
	if got := s.call("POST", "/acp/checkout/finalize", pay(opened.string("checkout_id"), "psp_spt", "")).fault(); got != "422 validation_error payment.method" {
		t.Error(got)
	}
}
