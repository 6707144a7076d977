package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// The buyer's four requests over HTTP, client and server on the same cores, on both engines. Each
// operation is one request; req/s is what `make bench` is for.

func BenchmarkSearch(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		words := []string{"tent", "coffee", "jacket", "lamp", "running shoes", "garden", "backpack two person", "kettle"}
		var n atomic.Int64
		s.parallel(b, func() {
			s.post(b, "/acp/search", fmt.Sprintf(`{"query": %q}`, words[n.Add(1)%int64(len(words))]))
		})
	})
}

func BenchmarkQuote(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		s.parallel(b, func() { s.quote(b, s.offer) })
	})
}

func BenchmarkInit(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		agreed := s.quote(b, s.list)
		s.parallel(b, func() { s.init(b, agreed) })
	})
}

func BenchmarkFinalize(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		checkouts := make(chan string, b.N)
		for range b.N {
			checkouts <- s.init(b, s.quote(b, s.list))
		}
		s.parallel(b, func() { s.finalize(b, <-checkouts) })
	})
}

func (s *shop) finalize(b *testing.B, checkout string) {
	answer := s.post(b, "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "bench@example.com"}`, checkout))
	if answer["status"] != "success" {
		b.Errorf("finalize: %v", answer)
	}
}

// shop is the demo shop on a server of its own.
type shop struct {
	app                   *boot.App
	demo                  boot.DemoShop
	url, product, variant string
	list, offer           string
	client                *http.Client
}

func onEngines(b *testing.B, run func(*testing.B, *shop)) {
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) { run(b, open(b, engine)) })
	}
}

func open(b *testing.B, engine boottest.Engine) *shop {
	return openOn(b, boottest.Start(b, engine.URL(b)))
}

func openOn(b *testing.B, app *boot.App) *shop {
	d, err := app.Demo(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	plenty(b, app, d)
	s := &shop{url: d.ACP, app: app, demo: d, product: d.Product.String(), variant: d.Variant.String(), offer: d.Offer.String(),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	s.list = string(s.post(b, "/acp/quote", s.ask("null"))["list_price"].(json.Number))
	return s
}

// plenty stocks the product for as many orders as a benchmark places.
func plenty(b *testing.B, app *boot.App, d boot.DemoShop) {
	product := manage(b, app, d, "GET", "/v1/catalog/products/"+d.Product.String(), "")
	sku := product["variants"].([]any)[0].(map[string]any)["sku"].(string)
	manage(b, app, d, "PUT", "/v1/catalog/inventory", fmt.Sprintf(`{"levels": [{"sku": %q, "location": "main", "quantity": 1000000}]}`, sku))
}

// manage sends a request to the Management API.
func manage(b *testing.B, app *boot.App, d boot.DemoShop, method, path, body string) map[string]any {
	r, _ := http.NewRequest(method, app.URL()+path, bytes.NewBufferString(body))
	r.Header.Set("Authorization", "Bearer "+d.Key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Project-ID", d.Project.String())
	return do(b, http.DefaultClient, r)
}

// shelves adds products with a million pieces each.
func (s *shop) shelves(b *testing.B, n int) (products []string) {
	for i := range n {
		answer := manage(b, s.app, s.demo, "POST", "/v1/catalog/products",
			fmt.Sprintf(`{"name": "Shelf %d", "sku": "SHELF-%d", "price": 19.90, "category": "Bench", "quantity": 1000000}`, i, i))
		products = append(products, answer["id"].(string))
	}
	return products
}

// bought agrees on a product and opens its checkout.
func (s *shop) bought(b *testing.B, product string) string {
	answer := s.post(b, "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 19.90}`, product))
	opened := s.post(b, "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "checkout_token": %q,
		"shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		answer["session_id"], answer["checkout_token"]))
	return opened["checkout_id"].(string)
}

func (s *shop) parallel(b *testing.B, request func()) {
	b.ReportAllocs()
	b.ResetTimer()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			request()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

func (s *shop) ask(offer string) string {
	return fmt.Sprintf(`{"product_id": %q, "variant_id": %q, "quantity": 1, "offer_price": %s}`, s.product, s.variant, offer)
}

func (s *shop) quote(b *testing.B, offer string) map[string]any {
	return s.post(b, "/acp/quote", s.ask(offer))
}

func (s *shop) init(b *testing.B, agreed map[string]any) string {
	answer := s.post(b, "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "checkout_token": %q, "items": [{"product_id": %q, "variant_id": %q, "quantity": 1}],
		"shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		agreed["session_id"], agreed["checkout_token"], s.product, s.variant))
	return answer["checkout_id"].(string)
}

func (s *shop) post(b *testing.B, path, body string) map[string]any {
	r, _ := http.NewRequest("POST", s.url+path, bytes.NewBufferString(body))
	r.Header.Set("Content-Type", "application/json")
	return do(b, s.client, r)
}

func do(b *testing.B, client *http.Client, r *http.Request) map[string]any {
	response, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		b.Fatalf("%s %s: %d %s %v", r.Method, r.URL.Path, response.StatusCode, body, err)
	}
	var answer map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		b.Fatal(err)
	}
	return answer
}
