package boot_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/openapi"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// The contract of the custom connector is an OpenAPI document. The simulated platform's responses conform to it, and the
// validator finds changes that do not.
func TestHandler_connectorDocument(t *testing.T) {
	t.Parallel()
	document := get(t, boottest.Start(t, sqlite(t)).URL()+"/docs/connector.json").expect(t, http.StatusOK)
	own := platforms.Open(platforms.Config{
		Products:  60,
		Customers: 20,
		Orders:    20,
	})
	t.Cleanup(own.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			_, _ = io.WriteString(w, document.body)
			return
		}
		r.URL.Path = "/custom" + r.URL.Path
		own.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	validator := openapi.NewValidator()
	ask := func(method, path, key, body string, change func(string) string) bool {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		if strings.HasSuffix(path, "/orders") {
			r.Header.Set("Idempotency-Key", "ord_1")
		} else {
			r.Header.Set("Idempotency-Key", "ref_1")
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		plain, _, _ := strings.Cut(path, "?")
		return validator.Check(server.URL, openapi.Answer{
			Method: method,
			Path:   plain,
			Status: response.StatusCode,
			Header: response.Header,
			Body:   []byte(change(string(text))),
		})
	}
	same := func(text string) string { return text }
	ask("GET", "/account", "custom-key", "", same)
	ask("GET", "/account", "another", "", same)
	for _, resource := range []string{"products", "inventory", "customers", "orders"} {
		ask("GET", "/"+resource+"?limit=100", "custom-key", "", same)
	}
	ask("POST", "/webhooks", "custom-key", `{"topic": "products/update", "url": "https://h.example/1", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`, same)
	ask("DELETE", "/webhooks/wh-1", "custom-key", "", same)
	ask("DELETE", "/webhooks/wh-1", "custom-key", "", same)
	order := `{"reference": "ord_1", "number": "HG-1", "test": true, "placed_at": "2026-03-04T05:06:07Z", "currency": "USD", "lines": [{"variant_id": "var_1", "name": "Card",
		"quantity": 1, "unit_price": "1.00", "list_price": "1.00", "requires_shipping": true}], "subtotal": "1.00", "shipping": "0.00", "tax": "0.00", "total": "1.00",
		"payment": {"id": "pay_1", "provider": "sandbox", "reference": "ch_1", "amount": "1.00"}}`
	refund := `{"reference": "ref_1", "amount": "1.00", "currency": "USD"}`
	for range 2 {
		ask("POST", "/orders", "custom-key", order, same)
		ask("POST", "/orders/ord_1/refunds", "custom-key", refund, same)
		ask("POST", "/orders/ord_1/cancel", "custom-key", "{}", same)
	}
	ask("GET", "/orders/ord_1", "custom-key", "", same)
	ask("GET", "/orders?reference=ord_1", "custom-key", "", same)
	ask("POST", "/orders/ord_1/fulfillment", "custom-key", "{}", same)
	ask("POST", "/orders/ord_2/fulfillment", "custom-key", "{}", same)
	if found := validator.Violations(); len(found) > 0 || validator.Checked() != 19 {
		t.Fatalf("%d answers: %v", validator.Checked(), found)
	}
	for path, change := range map[string]func(string) string{
		"/orders/ord_1":      func(text string) string { return strings.Replace(text, `"refunds":[{"`, `"refunds":[{"no`, 1) },
		"/account":           func(text string) string { return strings.Replace(text, `"id"`, `"name2"`, 1) },
		"/products?limit=5":  func(text string) string { return strings.Replace(text, `"sku"`, `"sku2"`, 1) },
		"/inventory?limit=5": func(text string) string { return strings.Replace(text, `"data"`, `"items"`, 1) },
	} {
		if ask("GET", path, "custom-key", "", change) {
			t.Errorf("%s: an answer that breaks the contract keeps to the document", path)
		}
	}
}
