// Package shoptest is a small in-memory merchant for the simulator's own tests: three products at honest prices. It does
// not validate input. Tests of dishonest merchants tamper with its answers.
package shoptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Answer is the JSON object of a response.
type Answer = map[string]any

// Shop is the merchant. Every product lists at 100, sells at 92 and gets counters from 80 on.
type Shop struct {
	// URL is the server's address. The project's slug is "demo".
	URL string

	tamper func(endpoint string, answer Answer)

	mu        sync.Mutex
	sequence  int
	offers    map[string]decimal.Decimal // counter by quote
	lines     map[string]Answer          // cart line by token
	carts     map[string][]Answer
	history   map[string][]Answer
	checkouts map[string]*checkout
	orders    map[string]Answer
	used      map[string]bool
}

type checkout struct {
	token    string
	answer   Answer
	subtotal decimal.Decimal
	order    string
}

// New starts a shop that is closed at the end of the test. tamper, if not nil, may change every answer before it is sent.
func New(t testing.TB, tamper func(endpoint string, answer Answer)) *Shop {
	t.Helper()
	s := &Shop{
		tamper:    tamper,
		offers:    map[string]decimal.Decimal{},
		lines:     map[string]Answer{},
		carts:     map[string][]Answer{},
		history:   map[string][]Answer{},
		checkouts: map[string]*checkout{},
		orders:    map[string]Answer{},
		used:      map[string]bool{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(document)) })
	for pattern, handle := range map[string]func(*http.Request, Answer) (int, Answer){
		"GET /.well-known/acp/manifest.json": s.manifest,
		"POST /acp/search":                   s.search,
		"GET /acp/products/{id}":             s.product,
		"POST /acp/availability":             s.availability,
		"POST /acp/quote":                    s.quote,
		"POST /acp/checkout/init":            s.init,
		"POST /acp/checkout/finalize":        s.finalize,
		"GET /acp/sessions/{id}":             s.session,
		"POST /acp/sessions/{id}/extend":     s.extend,
		"GET /acp/orders/{id}":               s.order,
		"POST /acp/returns":                  s.sendBack,
		"GET /acp/returns/{id}":              s.sendBack,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(method+" /p/demo"+path, s.handler(pattern, handle))
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *Shop) handler(endpoint string, handle func(*http.Request, Answer) (int, Answer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := Answer{}
		decoder := json.NewDecoder(r.Body)
		decoder.UseNumber()
		_ = decoder.Decode(&body)
		s.mu.Lock()
		defer s.mu.Unlock()
		status, answer := handle(r, body)
		if _, said := answer["next_actions"]; !said && status < 400 {
			answer["next_actions"] = []string{"search"}
		}
		if status >= 400 {
			answer = Answer{"status": "error", "error": answer["error"], "message": "no", "request_id": r.Header.Get("X-Request-Id")}
		}
		if s.tamper != nil {
			s.tamper(endpoint, answer)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	})
}

func (s *Shop) next(prefix string) string {
	s.sequence++
	return fmt.Sprintf("%s_%d", prefix, s.sequence)
}

func soon() string { return time.Now().Add(15 * time.Minute).UTC().Format(time.RFC3339) }

func (s *Shop) manifest(*http.Request, Answer) (int, Answer) {
	return 200, Answer{
		"acp_version": "1.0",
		"merchant":    Answer{"id": "proj_1", "name": "Fake shop", "capabilities": []string{"negotiate"}},
		"endpoints": Answer{
			"search": "/acp/search", "product": "/acp/products/{id}", "quote": "/acp/quote", "checkout": "/acp/checkout/init",
			"finalize": "/acp/checkout/finalize", "orders": "/acp/orders/{id}", "returns": "/acp/returns",
		},
		"urls": Answer{
			"search": s.at("/acp/search"), "product": s.at("/acp/products/{id}"), "availability": s.at("/acp/availability"),
			"quote": s.at("/acp/quote"), "checkout": s.at("/acp/checkout/init"), "checkout_cancel": s.at("/acp/checkout/cancel"),
			"cart":     s.at("/acp/cart"),
			"finalize": s.at("/acp/checkout/finalize"), "session": s.at("/acp/sessions/{id}"), "orders": s.at("/acp/orders/{id}"),
			"order_cancel": s.at("/acp/orders/{id}/cancel"), "returns": s.at("/acp/returns"), "openapi": s.at("/acp/openapi.json"),
		},
		"protocols": Answer{}, "usage": Answer{"next_actions": Answer{"accept": "Send the standing price as offer_price."}},
		"payment_methods":      []Answer{{"type": "psp_spt", "currencies": []string{"USD"}}},
		"supported_currencies": []string{"USD"}, "shipping_regions": []string{"US", "GB"},
		"policies":   Answer{"negotiation_enabled": true, "max_discount_percent": 20, "return_window_days": 30},
		"categories": []Answer{{"id": "cat_1", "name": "tools/hand-tools", "product_count": 3}},
	}
}

func (s *Shop) at(path string) string { return s.URL + "/p/demo" + path }

func (s *Shop) search(*http.Request, Answer) (int, Answer) {
	results := []Answer{}
	for n := range 3 {
		results = append(results, Answer{
			"product_id": fmt.Sprintf("prod_%d", n), "name": fmt.Sprintf("Claw hammer %d", n), "brand": "Acme", "list_price": 100,
			"negotiable": true, "semantic_match": Answer{"score": 0.9, "reasons": []string{"name"}}, "images": []Answer{},
			"availability": Answer{"in_stock": true, "quantity": 5, "shipping_estimate": "2 days"},
			"variants":     []Answer{{"id": fmt.Sprintf("var_prod_%d", n), "size": "", "color": "red", "in_stock": true}},
			"url":          "https://shop.example.com/p/demo/acp/products/" + fmt.Sprintf("prod_%d", n),
			"currency":     "USD",
		})
	}
	return 200, Answer{
		"session_id": s.next("sess"), "results": results, "total_count": 3, "recommendations": []Answer{},
		"facets": Answer{"brands": []Answer{}, "price_ranges": []Answer{}, "colors": []Answer{}},
	}
}

func (s *Shop) product(r *http.Request, _ Answer) (int, Answer) {
	id := r.PathValue("id")
	if !strings.HasPrefix(id, "prod_") {
		return 404, Answer{"error": "product_not_found"}
	}
	return 200, Answer{
		"product_id": id, "name": "Claw hammer", "category": "tools/hand-tools", "list_price": 100, "negotiable": true,
		"attributes": Answer{"target": "nails"}, "images": []Answer{},
		"variants": []Answer{{"id": "var_" + id, "sku": id, "color": "red", "in_stock": true, "quantity": 5}},
		"shipping": Answer{"free_shipping": false, "estimated_delivery": "2 days"},
		"returns":  Answer{"allowed": true, "window_days": 30, "conditions": "unused"},
	}
}

func (s *Shop) availability(_ *http.Request, in Answer) (int, Answer) {
	item := in["items"].([]any)[0].(Answer)
	return 200, Answer{
		"available": true, "total_shipping": 5, "free_shipping_qualified": false,
		"items": []Answer{{
			"product_id": item["product_id"], "variant_id": item["variant_id"], "requested_quantity": item["quantity"],
			"available_quantity": 5, "status": "in_stock", "warehouse": "main",
			"shipping_estimate": Answer{"method": "standard", "days": "2", "cost": 5},
		}},
		"shipping_options": []Answer{{"method": "standard", "cost": 5, "days": "2"}},
	}
}
