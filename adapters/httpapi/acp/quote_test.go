package acp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestQuote_upToDeal(t *testing.T) {
	t.Parallel()
	s := openShop(t)

	asked := s.ok("POST", "/acp/quote", item(``)) // 10 % of the way from 100.00 to 80.00, for the competitor is cheaper
	asked.expect(t, map[string]string{"status": `"quote"`, "list_price": "100.00", "offered_price": "98.00", "valid_until": `"2026-03-02T12:15:00.005Z"`})
	follow := `{"session_id":` + asked.at("session_id") + `,"quote_id":` + asked.at("quote_id")

	low := s.ok("POST", "/acp/quote", follow+`,"offer_price":41}`)
	low.expect(t, map[string]string{ // 31 % of the way, and 10 % for the competitor
		"status": `"reject"`, "floor_hint": `"80"`, "offered_price": "91.80", "valid_until": `"2026-03-02T12:15:00.005Z"`,
	})

	countered := s.ok("POST", "/acp/quote", follow+`,"offer_price":81,"message":"please"}`)
	countered.expect(t, map[string]string{
		"status": `"counter_offer"`, "product.id": `"` + jacket.String() + `"`, "product.name": `"Rain jacket"`,
		"original_price": "100.00", "your_offer": "81.00", "counter_price": "84.60", "next_actions": `["accept","counter","decline","add_bundle"]`,
		"bundle_suggestion.product_id": `"` + mug.String() + `"`, "bundle_suggestion.regular_price": "12.95",
	})

	agreed := s.ok("POST", "/acp/quote", follow+`,"offer_price":`+countered.at("counter_price")+`}`)
	agreed.expect(t, map[string]string{"status": `"accept"`, "final_price": countered.at("counter_price")})
	if !strings.HasPrefix(agreed.string("checkout_token"), "ct_") {
		t.Errorf("token %s", agreed.at("checkout_token"))
	}
	if got := strings.Join(s.messages, "|"); got != "||please|" {
		t.Errorf("messages kept: %q", got)
	}
	again := s.call("POST", "/acp/quote", follow+`,"offer_price":99}`)
	if got := again.fault(); got != "409 quote_accepted" {
		t.Errorf("an offer on an accepted quote: %s", got)
	}
	again.expect(t, map[string]string{
		"deal":         `{"currency":"USD","final_price":84.60,"quote_id":` + agreed.at("quote_id") + `,"status":"open","valid_until":"2026-03-02T12:15:00.005Z"}`,
		"next_actions": `["init_checkout","make_offer","read_session"]`,
	})
}

// An answer is computed again if other requests of the session are committed first.
func TestQuote_concurrent(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.stale = 20
	s.ok("POST", "/acp/quote", item(``)).expect(t, map[string]string{"status": `"quote"`, "offered_price": "98.00"})
	if s.saves != 21 || len(s.history) != 1 {
		t.Errorf("%d attempts, %d answers kept", s.saves, len(s.history))
	}
	s.stale, s.saves = 1000, 0
	if got := s.call("POST", "/acp/quote", item(``)).fault(); got != "409 stale" || s.saves != 32 || len(s.history) != 1 {
		t.Errorf("%s after %d attempts, %d answers kept", got, s.saves, len(s.history))
	}
}

func TestQuote_expired(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	asked := s.ok("POST", "/acp/quote", item(``))
	s.now = s.now.Add(negotiation.Validity)
	expired := s.ok("POST", "/acp/quote", `{"session_id":`+asked.at("session_id")+`,"quote_id":`+asked.at("quote_id")+`,"offer_price":95}`)
	expired.expect(t, map[string]string{
		"status": `"expired"`, "session_id": asked.at("session_id"), "quote_id": asked.at("quote_id"),
		"message": `"The quote has expired. Ask for a new one."`,
	})
}

// item returns a quote request for one green jacket, with more fields.
func item(more string) string {
	return `{"product_id":"` + jacket.String() + `","variant_id":"` + green.String() + `","quantity":1` + more + `}`
}

func TestQuote_refused(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for name, c := range map[string]struct{ body, want string }{
		"a hidden second offer":     {item(`,"offer_price":100,"OFFER_PRICE":-1`), "422 validation_error OFFER_PRICE"},
		"two offers":                {item(`,"offer_price":100,"offer_price":1`), "400 invalid_request"},
		"three decimals":            {item(`,"offer_price":89.505`), "422 validation_error offer_price"},
		"a number beyond floats":    {item(`,"offer_price":1e400`), "422 validation_error offer_price"},
		"10^12 minor units":         {item(`,"offer_price":1e10`), "422 validation_error offer_price"},
		"nothing":                   {item(`,"offer_price":0`), "422 validation_error offer_price"},
		"less than nothing":         {item(`,"offer_price":-5`), "422 validation_error offer_price"},
		"less than a cent":          {item(`,"offer_price":1e-400`), "422 validation_error offer_price"},
		"an offer as text":          {item(`,"offer_price":"50"`), "422 validation_error offer_price"},
		"a long message":            {item(`,"message":"` + strings.Repeat("a", 2001) + `"`), "422 validation_error message"},
		"a tier that is a number":   {item(`,"buyer_context":{"loyalty_tier":3}`), "422 validation_error buyer_context.loyalty_tier"},
		"purchases as text":         {item(`,"buyer_context":{"purchase_history":"9"}`), "422 validation_error buyer_context.purchase_history"},
		"no product":                {`{"quantity":1}`, "422 validation_error product_id"},
		"an empty product":          {`{"product_id":"","quantity":1}`, "422 validation_error product_id"},
		"none":                      {`{"product_id":"` + mug.String() + `","quantity":0}`, "422 validation_error quantity"},
		"a thousand and one":        {`{"product_id":"` + mug.String() + `","quantity":1001}`, "422 validation_error quantity"},
		"no variant of several":     {`{"product_id":"` + jacket.String() + `","quantity":1}`, "422 validation_error variant_id"},
		"a follow-up of no session": {`{"quote_id":"quote_00000000000000000000000001"}`, "422 validation_error session_id"},
		"a malformed product":       {`{"product_id":"p1","quantity":1}`, "404 product_not_found"},
		"an unknown product":        {`{"product_id":"prod_0000000000000000000000000z","quantity":1}`, "404 product_not_found"},
		"a malformed variant":       {`{"product_id":"` + mug.String() + `","variant_id":"x","quantity":1}`, "404 variant_not_found"},
		"another product's variant": {`{"product_id":"` + mug.String() + `","variant_id":"` + green.String() + `","quantity":1}`, "404 variant_not_found"},
		"a malformed quote":         {`{"session_id":"sess_00000000000000000000000001","quote_id":"q"}`, "404 quote_not_found"},
		"a malformed session":       {item(`,"session_id":"s"`), "404 session_not_found"},
		"an unknown session":        {item(`,"session_id":"sess_00000000000000000000000001"`), "404 session_not_found"},
		"2 MiB":                     {item(`,"message":"` + strings.Repeat("a", 2<<20) + `"`), "413 body_too_large"},
		"no JSON":                   {`offer: 5`, "400 invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.call("POST", "/acp/quote", c.body).fault(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	if len(s.history) != 0 {
		t.Errorf("%d refused requests left a trace", len(s.history))
	}
}

// Nonsense in buyer_context is ignored.
func TestFromAPIBuyerContext_nonsense(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	a := s.ok("POST", "/acp/quote", item(`,"agent":"x","buyer_context":{"loyalty_tier":"`+strings.Repeat("gold", 60)+
		`","purchase_history":-4,"urgency":"???","shoe_size":[1]}`))
	read := s.ok("GET", "/acp/sessions/"+a.string("session_id"), "")
	read.expect(t, map[string]string{"buyer_context": `{"loyalty_tier":"","purchase_history":0,"urgency":"???"}`})
}

func TestUnknownShop(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, path := range []string{"/.well-known/acp/manifest.json", "/acp/products/" + jacket.String()} {
		request, err := http.NewRequest("GET", "/p/nobody"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.send(request).fault(); got != "404 project_not_found" {
			t.Errorf("%s: %s", path, got)
		}
	}
}
