package acp_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// personal lists what an order shows to its buyer only.
var personal = []string{"A. Buyer", "12 Harbor Street", "97205", "ada@example.com", "4242"}

func (a answer) showsPersonal() string {
	for _, word := range personal {
		if strings.Contains(a.text, word) {
			return word
		}
	}
	return ""
}

func TestCancelOrder_orderTokenRequired(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.refunded = order.Refunded{Provider: "re_1"}
	mine, other := s.paid(), s.paid()
	path := "/acp/orders/" + mine.string("order.id")
	session := s.orders[id.Stored[id.Order](mine.string("order.id"))].Session.String()
	for name, body := range map[string]string{
		"no body":                           "",
		"nothing":                           `{}`,
		"a made-up token":                   `{"manage_token":"om_00000000000000000000000000000000"}`,
		"another order's":                   owned(other, ""),
		"the receipt's code":                `{"manage_token":"` + order.ReceiptCode(mine.string("order.manage_token")) + `"}`,
		"the order's id":                    `{"manage_token":"` + mine.string("order.id") + `"}`,
		"another order's session":           `{"session_id":"` + s.orders[id.Stored[id.Order](other.string("order.id"))].Session.String() + `"}`,
		"a right token and a wrong session": owned(mine, `,"session_id":"sess_0"`),
		"the negotiation's id":              `{"session_id":"` + id.NegotiationOf(id.Stored[id.Session](session)).String() + `"}`,
	} {
		if got := s.call("POST", path+"/cancel", body).fault(); got != "403 order_token_required" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if a := s.ok("GET", path, ""); a.at("order.status") != `"confirmed"` || len(s.followed) != 0 {
		t.Errorf("%s", a.text)
	}
	s.ok("POST", path+"/cancel", `{"session_id":"`+session+`"}`).expect(t, map[string]string{"order.status": `"canceled"`})
	s.ok("POST", "/acp/orders/"+other.string("order.id")+"/cancel", owned(other, "")).expect(t, map[string]string{"order.status": `"canceled"`})
}

func TestOrder_buyerNeedsManageToken(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	paid := s.paid()
	path, token := "/acp/orders/"+paid.string("order.id"), paid.string("order.manage_token")
	public, page := s.ok("GET", path, ""), s.ok("GET", path+"/receipt", "")
	for _, a := range []answer{public, page} {
		if word := a.showsPersonal(); word != "" || strings.Contains(a.text, "om_") || strings.Contains(a.text, "rc_") {
			t.Errorf("%q shows in %s", word, a.text)
		}
	}
	if got := public.names(); got != "fulfillment items next_actions order payment refunds returns summary tracking" {
		t.Errorf("without the token: %s", got)
	}
	if !strings.Contains(page.text, "102.99 USD") {
		t.Errorf("the page is %s", page.text)
	}
	byQuery := s.ok("GET", path+"?manage_token="+token, "")
	request := httptest.NewRequest("GET", "/p/demo"+path, nil)
	request.Header.Set("X-Manage-Token", token)
	if byHeader := s.send(request); byHeader.text != byQuery.text || byQuery.at("receipt_url") != paid.at("receipt_url") ||
		byQuery.at("payment.method") != `"Visa ending in 4242"` {
		t.Errorf("with the token: %s, %s", byQuery.text, byHeader.text)
	}
	if receipt := s.receipt(byQuery); receipt.showsPersonal() == "" {
		t.Error("the receipt has no address")
	}
	for path, want := range map[string]string{
		path + "?manage_token=om_0":                                          "403 order_token_required",
		path + "/receipt/rc_00000000000000000000000000000000":                "404 receipt_not_found",
		path + "/receipt/" + token:                                           "404 receipt_not_found",
		"/acp/orders/" + s.bought() + "/receipt/" + order.ReceiptCode(token): "404 receipt_not_found",
	} {
		if got := s.call("GET", path, "").fault(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Only a request with the payment token that paid the checkout gets the order's manage token. Others, such as the merchant's
// staff, may know the checkout's id.
func TestFinalize_manageToken(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	body := pay(s.opened().string("checkout_id"), "psp_spt", `,"buyer_email":"ada@example.com"`)
	first := s.ok("POST", "/acp/checkout/finalize", body)
	if token := first.string("order.manage_token"); !strings.HasPrefix(token, "om_") || len(token) != 35 {
		t.Errorf("the token is %q", token)
	}
	if again := s.ok("POST", "/acp/checkout/finalize", body); again.text != first.text {
		t.Errorf("again: %s, first %s", again.text, first.text)
	}
	stranger := s.ok("POST", "/acp/checkout/finalize", strings.Replace(body, "spt_sandbox_ok_s3cret-of-ada", "spt_sandbox_ok", 1))
	if stranger.at("order.id") != first.at("order.id") || stranger.at("order.manage_token") != "null" || stranger.showsPersonal() != "" ||
		s.receipt(stranger).showsPersonal() != "" {
		t.Errorf("with another payment token: %s", stranger.text)
	}
	for _, o := range s.orders { // as releases without tokens stored them
		o.TokenHash, o.TokenSalt = "", ""
	}
	old := s.ok("POST", "/acp/checkout/finalize", body)
	if old.at("order.manage_token") != "null" || s.receipt(old).showsPersonal() != "" {
		t.Errorf("of an old order: %s", old.text)
	}
}
