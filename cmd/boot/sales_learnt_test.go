package boot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// Products that two orders have in common are recommended, even by a server that was started later. They come after the products
// that the merchant marks as related and before those of neighbouring categories. A single order has no effect.
func TestLoops_learnSales(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database := engine.URL(t)
			if !t.Run("selling", func(t *testing.T) {
				shop := boottest.Start(t, database)
				k := apiClient{t, shop.URL(), boottest.Key}.openProject("shop")
				sold := map[string]string{}
				for _, p := range []string{
					`"name":"Mug","category":"kitchen/cups","related":["lamp"]`, `"name":"Lamp","category":"lights"`,
					`"name":"Scarf","category":"clothing"`, `"name":"Kite","category":"toys"`, `"name":"Teapot","category":"kitchen/pots"`,
				} {
					name := strings.Split(p, `"`)[3]
					body := fmt.Sprintf(`{%s,"sku":%q,"price":10,"quantity":9}`, p, strings.ToLower(name))
					sold[name] = k.ask(201, "POST", "/v1/catalog/products", body)["id"].(string)
				}
				buyTogether(t, shop.URL(), sold["Mug"], sold["Scarf"])
				buyTogether(t, shop.URL(), sold["Scarf"], sold["Mug"])
				buyTogether(t, shop.URL(), sold["Mug"], sold["Kite"])
			}) {
				return
			}
			shop := boottest.Start(t, database)
			want := []string{"Lamp", "Scarf", "Teapot"}
			for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
				found := recommended(t, shop.URL(), "mug")
				if slices.Equal(found, want) {
					break
				}
				if time.Since(began) > 100*time.Second { // the loop learns every minute
					t.Fatalf("recommended are %q, want %q", found, want)
				}
			}
		})
	}
}

// recommended returns the names of the recommendations of a search.
func recommended(t *testing.T, url, query string) (names []string) {
	t.Helper()
	for _, r := range asBuyer(t, url, "search", fmt.Sprintf(`{"query":%q}`, query))["recommendations"].([]any) {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	return names
}

func buyTogether(t *testing.T, url, one, other string) {
	t.Helper()
	session := asBuyer(t, url, "search", `{"query":""}`)["session_id"]
	checkout := asBuyer(t, url, "checkout/init", fmt.Sprintf(`{"session_id":%q,"items":[{"product_id":%q,"quantity":1},{"product_id":%q,"quantity":1}],
		"shipping_address":{"name":"A. Buyer","line1":"1 Main St","city":"Springfield","state":"CA","postal_code":"90001","country":"US"}}`, session, one, other))
	paid := asBuyer(t, url, "checkout/finalize", fmt.Sprintf(
		`{"checkout_id":%q,"payment":{"method":"psp_spt","token":"spt_sandbox_ok"},"buyer_email":"a@example.com"}`, checkout["checkout_id"]))
	if paid["status"] != "success" {
		t.Fatal(paid)
	}
}
