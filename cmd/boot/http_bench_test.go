package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// These benchmarks send the buyer's four requests over HTTP, with client and server on the same cores, on both engines. Each
// operation is one request. `make bench` reports req/s.

func BenchmarkSearch(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		words := []string{"tent", "coffee", "jacket", "lamp", "running shoes", "garden", "backpack two person", "kettle"}
		var n atomic.Int64
		s.parallel(b, func() {
			s.post(b, "/acp/search", fmt.Sprintf(`{"query": %q}`, words[n.Add(1)%int64(len(words))]))
		})
	})
}

// BenchmarkSearchMarket searches a shop of 10,000 products by names, synonyms and misspelled words, without a session and with
// filters.
func BenchmarkSearchMarket(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		s.addCatalog(b, 10)
		queries := []string{
			`"camping tent two person"`, `"couch"`, `"grey sofa with storage"`, `"waterprof jaket"`, `"frying pan"`, `"skillet"`,
			`"cordless drill 18 v"`, `"rucksack for hiking"`, `"kettel"`, `"leather boots", "filters": {"price_max": 120}`,
			`"blanket", "filters": {"color_preference": ["green"]}`, `"dining table", "filters": {"category": "home"}`,
			`"wardrobe"`, `"bedside lamp"`, `"wireles hedphones"`, `"gift for a gardener"`,
		}
		var n atomic.Int64
		s.parallel(b, func() {
			s.post(b, "/acp/search", fmt.Sprintf(`{"query": %s}`, queries[n.Add(1)%int64(len(queries))]))
		})
	})
}

// BenchmarkRepriceSeen changes a price and searches until the new price is shown. The time is from the response to the change to
// the response that shows it. searches is the number of searches for each change.
func BenchmarkRepriceSeen(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		s.addCatalog(b, 10)
		made := manage(b, s.app, s.demo, "POST", "/v1/catalog/products", `{"name": "Zanzibar tent", "sku": "ZANZIBAR", "price": 100}`)
		var slowest time.Duration
		searches, n := 0, 0
		b.ResetTimer()
		for b.Loop() {
			n++
			b.StopTimer()
			price := 100 + n%100
			manage(b, s.app, s.demo, "PATCH", "/v1/catalog/products/"+made["id"].(string), fmt.Sprintf(`{"price": %d}`, price))
			b.StartTimer()
			start := time.Now()
			for seen := ""; seen != strconv.Itoa(price); searches++ {
				found := s.post(b, "/acp/search", `{"query": "zanzibar", "limit": 1}`)["results"].([]any)[0].(map[string]any)
				seen, _, _ = strings.Cut(string(found["list_price"].(json.Number)), ".")
			}
			slowest = max(slowest, time.Since(start))
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
		b.ReportMetric(float64(searches)/float64(n), "searches")
	})
}

// addCatalog adds thousands of products, in short mode one, with realistic names and texts.
func (s *shop) addCatalog(b *testing.B, thousands int) {
	if testing.Short() {
		thousands = 1
	}
	random := rand.New(rand.NewPCG(1, 2))
	of := func(words string) string {
		all := strings.Fields(words)
		return all[random.IntN(len(all))]
	}
	const (
		shelves = "home garden kitchen outdoor office tools clothing electronics"
		looks   = "large small classic modern foldable waterproof wireless cordless leather wooden cotton steel camping dining bedside"
		makers  = "Ridgeline Fjord Northway Alder Copperfield Brightside Marlow Quill Tamar Vesper"
		colors  = "black white grey green blue red brown"
		things  = `sofa table chair lamp rug curtain shelf desk bed mirror cabinet stool bench heater stove kettle pan knife cup plate
			bowl towel blanket pillow mattress watch laptop headphones speaker camera printer keyboard monitor charger drill hammer saw
			wrench ladder faucet sink valve fan candle clock radio freezer oven vacuum broom bucket basket jar bottle tent backpack
			boots sandals socks shirt trousers jacket coat dress hat gloves scarf belt necklace wardrobe closet`
	)
	for batch := range thousands {
		lines := make([]map[string]any, 1000)
		for i := range lines {
			thing, color := of(things), of(colors)
			name := fmt.Sprintf("%s %s %s %s, %s", of(makers), of(looks), of(looks), thing, color)
			lines[i] = map[string]any{
				"sku": fmt.Sprintf("M-%d-%d", batch, i), "name": name, "price": 5 + random.IntN(300), "category": of(shelves) + "/" + thing,
				"brand": of(makers), "quantity": random.IntN(20), "attributes": map[string]string{"material": of("oak steel cotton wool plastic glass")},
				"description": fmt.Sprintf("A %s %s for the %s, with %s parts. Goes with any %s.", of(looks), thing, of(shelves), of(looks), of(things)),
			}
		}
		body, _ := json.Marshal(map[string]any{"products": lines})
		manage(b, s.app, s.demo, "POST", "/v1/catalog/products/batch", string(body))
	}
	// The first search loads the index, which then continues to learn in the background.
	s.post(b, "/acp/search", `{"query": "tent"}`)
	for stacks := "(*Index).work"; strings.Contains(stacks, "(*Index).work"); {
		time.Sleep(10 * time.Millisecond)
		var now strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&now, 1); err != nil {
			b.Fatal(err)
		}
		stacks = now.String()
	}
}

func BenchmarkQuote(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		s.parallel(b, func() { s.quote(b, s.offer) })
	})
}

func BenchmarkInit(b *testing.B) {
	onEngines(b, func(b *testing.B, s *shop) {
		agreed := make(chan map[string]any, b.N) // each in its own session, because open checkouts of a session are limited
		for range b.N {
			agreed <- s.quote(b, s.list)
		}
		s.parallel(b, func() { s.init(b, <-agreed) })
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
	restock(b, app, d)
	s := &shop{
		url:     d.ACP,
		app:     app,
		demo:    d,
		product: d.Product.String(),
		variant: d.Variant.String(),
		offer:   d.Offer.String(),
		client:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	s.list = string(s.post(b, "/acp/quote", s.ask("null"))["list_price"].(json.Number))
	return s
}

// restock sets the product's stock to more than a benchmark sells.
func restock(b *testing.B, app *boot.App, d boot.DemoShop) {
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

// addProducts adds products with a million pieces each.
func (s *shop) addProducts(b *testing.B, n int) (products []string) {
	for i := range n {
		answer := manage(b, s.app, s.demo, "POST", "/v1/catalog/products",
			fmt.Sprintf(`{"name": "Shelf %d", "sku": "SHELF-%d", "price": 19.90, "category": "Bench", "quantity": 1000000}`, i, i))
		products = append(products, answer["id"].(string))
	}
	return products
}

// openCheckout agrees on a product's price and opens its checkout.
func (s *shop) openCheckout(b *testing.B, product string) string {
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
