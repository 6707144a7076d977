package acp_test

import (
	"strings"
	"testing"
)

// The page shows people the state of a checkout. It shows neither the buyer nor the address, and escapes the merchant's texts.
func TestCheckoutPage(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.shop.Storefront.CheckoutInstructions = "Call <b>us</b>."
	opened := s.opened()
	path := "/acp/checkout/" + opened.string("checkout_id")
	shows := func(want map[string]bool) {
		t.Helper()
		a := s.page("/p/demo"+path+"/page", "text/html")
		if a.status != 200 || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v", a.status, a.header)
		}
		for text, shown := range want {
			if strings.Contains(a.text, text) != shown {
				t.Errorf("%q shows: %v", text, !shown)
			}
		}
	}
	always := map[string]bool{"Harbor": false, "A. Buyer": false, "<script": false, " style=": false, "src=": false}
	shows(always)
	shows(map[string]bool{
		"This checkout is ready to be paid.": true, "the shop needs": false, "Call &lt;b&gt;us&lt;/b&gt;.": true,
		"<s>100.00</s> 97.00": true, "Agreed reductions": true, "102.99 USD": true, "2 March 2026, 12:30 UTC": true,
	})
	kept := `{"line_id":"li_1","product_id":"` + jacket.String() + `","quantity":1}`
	s.ok("PUT", path, `{"items":[`+kept+`],"shipping_address":{},"allow_incomplete":true}`)
	shows(map[string]bool{
		"not complete yet": true, "the shop needs": true, "<li>the postal code</li>": true,
		"Total before shipping and tax": true, "97.00 USD": true, "<li></li>": false,
	})
	s.ok("POST", "/acp/checkout/cancel", `{"checkout_id":"`+opened.string("checkout_id")+`"}`)
	shows(map[string]bool{"This checkout is canceled. Nothing was charged.": true, "Call": false, "How to go on": false})
	if got := s.page("/p/demo/acp/checkout/chk_x/page", "text/html"); got.fault() != "404 checkout_not_found" {
		t.Errorf("a checkout that is none: %s", got.text)
	}
}
