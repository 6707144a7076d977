package boot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

// A shop's texts are embedded once, in batches, even if the endpoint fails at first and another replica starts, and again only
// when they change. Then searches find products by meaning.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			e := boottest.Embeddings(t, embeddings.Config{Key: "secret"})
			for _, f := range []embeddings.Fault{{Kind: "throttle", RetryAfter: 1}, {Kind: "nan", After: 1}, {Kind: "wrong_count"}} {
				if err := e.Fault(f); err != nil {
					t.Fatal(err)
				}
			}
			database := engine.URL(t)
			embedded := func(c *boot.Config) { c.EmbeddingsURL, c.EmbeddingsKey = e.URL+"/v1", "secret" }
			shop := boottest.Start(t, database, embedded)
			k := apiClient{t, shop.URL(), boottest.Key}.openProject("shop")
			shampoo := k.ask(201, "POST", "/v1/catalog/products", `{"name":"Herbal Shampoo","sku":"shampoo","price":10,"category":"Bath","quantity":1}`)
			k.ask(200, "POST", "/v1/catalog/products/batch", hundredProducts())
			eventually(t, "all are embedded", func() bool { return e.Asked("Herbal Shampoo\nBath") > 0 && e.State().Answered >= 101 })
			if s := e.State(); s.Answered != 101 || s.Largest != 64 || s.Faults != 3 {
				t.Errorf("%+v", s)
			}
			findsByMeaning(t, shop.URL(), "haircare", shampoo["id"].(string))

			path := "/v1/catalog/products/" + shampoo["id"].(string)
			k.ask(200, "PATCH", path, `{"price":12}`)
			k.ask(200, "PATCH", path, `{"name":"Mint Shampoo"}`)
			eventually(t, "the changed one is embedded", func() bool { return e.Asked("Mint Shampoo\nBath") == 1 })
			if engine.Name == "postgres" {
				other := boottest.Start(t, database, embedded)
				findsByMeaning(t, other.URL(), "haircare", shampoo["id"].(string))
			}
			for _, text := range e.Texts() {
				if strings.HasPrefix(text, "Mug") && e.Asked(text) > 4 { // three of them with a fault
					t.Errorf("%q was asked for %d times", text, e.Asked(text))
				}
			}
			if s := e.State(); s.Answered > 104 {
				t.Errorf("%+v: texts are paid for twice", s)
			}
		})
	}
}

// hundredProducts returns a batch of products that no test searches for by meaning.
func hundredProducts() string {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf(`{"name":"Mug number %[1]d","sku":"mug-%[1]d","price":10,"category":"Kitchen","quantity":1}`, i))
	}
	return `{"products":[` + strings.Join(list, ",") + `]}`
}

// findsByMeaning waits until a query whose words are in no product finds the product first.
func findsByMeaning(t *testing.T, url, query, product string) {
	t.Helper()
	var results []any
	found := func() bool {
		results = asBuyer(t, url, "search", fmt.Sprintf(`{"query":%q}`, query))["results"].([]any)
		return len(results) > 0 && results[0].(map[string]any)["product_id"] == product
	}
	defer func() {
		if t.Failed() {
			text, _ := json.Marshal(results)
			t.Logf("%.1000s", text)
		}
	}()
	eventually(t, query+" is found", found)
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("never: %s", what)
		}
	}
}
