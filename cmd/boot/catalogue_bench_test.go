package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// These benchmarks send batches of 1,000 products over HTTP, with client and server on the same cores, on both engines: all
// products new, all changed, and all unchanged.

const batchSize = 1000

func BenchmarkBatchNew(b *testing.B) {
	benchmarkBatches(b, func(m *batchClient, n int) int { return n * batchSize }, func(n int) int { return n })
}

func BenchmarkBatchChanged(b *testing.B) {
	benchmarkBatches(b, func(*batchClient, int) int { return 0 }, func(n int) int { return n })
}

func BenchmarkBatchUnchanged(b *testing.B) {
	benchmarkBatches(b, func(*batchClient, int) int { return 0 }, func(int) int { return 0 })
}

// benchmarkBatches sends batches. The n-th begins with product first(n), at price(n).
func benchmarkBatches(b *testing.B, first func(*batchClient, int) int, price func(int) int) {
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) {
			m := newBatchClient(b, engine)
			m.send(b, m.batch(first(m, 0), price(0)))
			n := 0
			b.ResetTimer()
			for b.Loop() {
				n++
				b.StopTimer()
				body := m.batch(first(m, n), price(n))
				b.StartTimer()
				m.send(b, body)
			}
			b.ReportMetric(float64(n*batchSize)/b.Elapsed().Seconds(), "products/s")
		})
	}
}

// batchClient calls a server of its own with one project.
type batchClient struct{ url, project string }

func newBatchClient(b *testing.B, engine boottest.Engine) *batchClient {
	app := boottest.Start(b, engine.URL(b))
	m := &batchClient{url: app.URL()}
	m.project = m.post(b, "/v1/projects", []byte(`{"name": "Shop", "slug": "shop"}`))["id"].(string)
	return m
}

func (m *batchClient) post(b *testing.B, path string, body []byte) map[string]any {
	r, _ := http.NewRequest("POST", m.url+path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+boottest.Key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Project-ID", m.project)
	return do(b, http.DefaultClient, r)
}

// batch returns the body of a batch of a thousand products, every fourth with three variants.
func (m *batchClient) batch(first, price int) []byte {
	type variant struct {
		SKU      string `json:"sku"`
		Size     string `json:"size"`
		Quantity int    `json:"quantity"`
	}
	type product struct {
		SKU         string            `json:"sku"`
		Name        string            `json:"name"`
		Price       json.Number       `json:"price"`
		Category    string            `json:"category"`
		Description string            `json:"description"`
		Brand       string            `json:"brand"`
		Attributes  map[string]string `json:"attributes"`
		Tags        []string          `json:"tags"`
		Variants    []variant         `json:"variants,omitempty"`
		Quantity    *int              `json:"quantity,omitempty"`
	}
	stock := 10
	products := make([]product, batchSize)
	for i := range products {
		n := first + i
		sku := fmt.Sprintf("SKU-%d", n)
		products[i] = product{
			SKU:         sku,
			Name:        fmt.Sprintf("Cordless drill %d", n),
			Price:       json.Number(fmt.Sprintf("99.%02d", price%100)),
			Category:    fmt.Sprintf("tools/drills/%d", n%50),
			Description: strings.Repeat("A handy tool. ", 20),
			Brand:       "Maker",
			Attributes:  map[string]string{"voltage": "18 V", "weight": "1.4 kg"},
			Tags:        []string{"tools", "cordless"},
		}
		if n%4 != 0 {
			products[i].Quantity = &stock
			continue
		}
		for _, size := range []string{"S", "M", "L"} {
			products[i].Variants = append(products[i].Variants, variant{sku + "-" + size, size, stock})
		}
	}
	body, _ := json.Marshal(map[string]any{"products": products})
	return body
}

func (m *batchClient) send(b *testing.B, body []byte) {
	for _, result := range m.post(b, "/v1/catalog/products/batch", body)["data"].([]any) {
		if result := result.(map[string]any); result["status"] == "failed" {
			b.Fatal(result)
		}
	}
}
