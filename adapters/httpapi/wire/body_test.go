package wire_test

import (
	"strconv"
	"strings"
	"testing"
)

const (
	management = "/v1/offers"
	acp        = "/p/demo/offers"
)

// Each body has the answers of both APIs: status, code, and the fields at fault.
func TestNewAPI_bodies(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for _, c := range []struct{ name, body, management, acp string }{
		{"two decimals", `{"offer_price":19.99}`, "200", "200"},
		{"exponent", `{"offer_price":1.999e1}`, "200", "200"},
		{"three decimals", `{"offer_price":19.999}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"other case beside it", `{"offer_price":100,"OFFER_PRICE":-1}`,
			"422 validation_error OFFER_PRICE", "422 validation_error OFFER_PRICE"},
		{"other case, deep", `{"offer_price":1,"items":[{"product_id":"p","quantity":1,"Quantity":9}]}`,
			"422 validation_error items.0.Quantity", "422 validation_error items.0.Quantity"},
		{"other case within an optional", `{"offer_price":1,"commerce":{"Max_Discount_Percent":9}}`,
			"422 validation_error commerce.Max_Discount_Percent", "422 validation_error commerce.Max_Discount_Percent"},
		{"only in other case", `{"Offer_Price":100}`,
			"422 validation_error Offer_Price offer_price", "422 validation_error offer_price"},
		{"duplicate", `{"offer_price":100,"offer_price":-1}`, "400 invalid_request", "400 invalid_request"},
		{"duplicate by escape", `{"offer_price":100,"offer\u005fprice":-1}`, "400 invalid_request", "400 invalid_request"},
		{"unknown", `{"offer_price":1,"agent":{"agent":1}}`, "422 validation_error agent", "200"},
		{"unknown, deep", `{"offer_price":1,"items":[{"product_id":"p","quantity":1,"x":null}]}`,
			"422 validation_error items.0.x", "200"},
		{"too big for a float", `{"offer_price":1e400}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"too big below zero", `{"offer_price":-1e400}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"too big an integer", `{"offer_price":1,"items":[{"product_id":"p","quantity":1e400}]}`,
			"422 validation_error items.0.quantity", "422 validation_error items.0.quantity"},
		{"too big an unbounded integer", `{"offer_price":1,"count":1e400}`, "422 validation_error count", "422 validation_error count"},
		{"tiny", `{"offer_price":1e-400}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"NaN", `{"offer_price":NaN}`, "400 invalid_request", "400 invalid_request"},
		{"infinity", `{"offer_price":Infinity}`, "400 invalid_request", "400 invalid_request"},
		{"number as text", `{"offer_price":"100"}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"null", `{"offer_price":null}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"missing", `{}`, "422 validation_error offer_price", "422 validation_error offer_price"},
		{"all at once", `{"note":"longer than ten","items":[{"quantity":0},{"product_id":7,"quantity":1.5}]}`,
			"422 validation_error items.0.product_id items.0.quantity items.1.product_id items.1.quantity note offer_price",
			"422 validation_error items.0.product_id items.0.quantity items.1.product_id items.1.quantity note offer_price"},
		{"integer with a point", `{"offer_price":1,"items":[{"product_id":"p","quantity":2.0}]}`, "200", "200"},
		{"NUL", `{"offer_price":1,"note":"a\u0000"}`, "422 validation_error note", "422 validation_error note"},
		{"NUL in a name", `{"offer_price":1,"no\u0000te":1}`, "422 validation_error note", "422 validation_error note"},
		{"not UTF-8", "{\"offer_price\":1,\"note\":\"\xff\"}", "400 invalid_request", "400 invalid_request"},
		{"empty", ``, "400 invalid_request", "400 invalid_request"},
		{"cut off", `{"offer_price":1`, "400 invalid_request", "400 invalid_request"},
		{"two values", `{"offer_price":1}{"offer_price":2}`, "400 invalid_request", "400 invalid_request"},
		{"no object", `[1]`, "422 validation_error ", "422 validation_error "},
		{"as deep as may be", `{"offer_price":1,"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`,
			"422 validation_error x", "200"},
		{"too deep", `{"offer_price":1,"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
			"400 invalid_request", "400 invalid_request"},
		{"far too deep", strings.Repeat("[", 60000), "400 invalid_request", "400 invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for path, want := range map[string]string{management: c.management, acp: c.acp} {
				if got := summary(post(t, server.URL+path, "application/json", c.body)); got != want {
					t.Errorf("%s: %s, want %s", path, got, want)
				}
			}
		})
	}
}

func summary(r reply) string {
	if r.status == 200 {
		return "200"
	}
	parts := []string{strconv.Itoa(r.status), r.Code}
	for _, d := range r.Details {
		parts = append(parts, d.Field)
	}
	return strings.Join(parts, " ")
}

func TestBodyLimits(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for path, limit := range map[string]int{management: 1 << 20, acp: 64 << 10} {
		body := func(size int) string {
			filler := size - len(`{"offer_price":1,"":""}`)
			return `{"offer_price":1,"":"` + strings.Repeat("x", filler) + `"}`
		}
		if r := post(t, server.URL+path, "application/json", body(limit)); r.Code == "body_too_large" {
			t.Errorf("%s: a body of the limit is refused", path)
		}
		post(t, server.URL+path, "application/json", body(limit+1)).is(t, 413, "body_too_large")
		post(t, server.URL+path, "application/json", body(2<<20)).is(t, 413, "body_too_large")
	}
}

func TestBound_manyProblems(t *testing.T) {
	t.Parallel()
	body := `{"offer_price":1,"items":[` + strings.Repeat(`{},`, 20000) + `{}],"` + strings.Repeat("k", 5000) + `":1}`
	r := post(t, newServer(t).URL+management, "application/json", body)
	if r.status != 422 || len(r.Details) != 100 || len(r.text) > 50000 {
		t.Errorf("%d with %d details in %d bytes", r.status, len(r.Details), len(r.text))
	}
}

func TestCheckContent(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for contentType, want := range map[string]int{
		"":                                  200,
		"application/json":                  200,
		"Application/JSON; Charset=UTF-8":   200,
		"application/merge-patch+json":      200,
		"application/json; charset=latin1":  400,
		"text/plain":                        400,
		"text/plain+":                       400,
		"application/x-www-form-urlencoded": 400,
	} {
		r := post(t, server.URL+management, contentType, `{"offer_price":1}`)
		if r.status != want || want == 400 && r.Code != "invalid_request" {
			t.Errorf("%q: %d %s, want %d", contentType, r.status, r.Code, want)
		}
	}
}

func TestNewAPI_values(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	r := post(t, server.URL+management, "application/json", `{"offer_price":19.9,"commerce":{"minutes":5}}`)
	want := `{"price":19.90,"nothing":null,"discount":12.5,"state":"group","tags":[],"minutes":5}`
	if r.text != want {
		t.Errorf("%s\nwant %s", r.text, want)
	}
	r = post(t, server.URL+management, "application/json", `{"offer_price":1,"commerce":null}`)
	if !strings.Contains(r.text, `"state":"null"`) {
		t.Errorf("a null group: %s", r.text)
	}
}
