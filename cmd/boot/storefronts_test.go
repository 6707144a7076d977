package boot_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// replicaBuyer buys one product through one replica.
type replicaBuyer struct {
	apiClient
	product string
	session any
}

func (b *replicaBuyer) quote(offer string) map[string]any {
	b.Helper()
	answer := b.call(200, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %s}`, b.product, offer))
	b.session = answer["session_id"]
	return answer
}

func (b *replicaBuyer) init(status int) map[string]any {
	b.Helper()
	return b.call(status, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1}],
		"shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		b.session, b.product))
}

func (b *replicaBuyer) pay(status int, checkout any) map[string]any {
	b.Helper()
	return b.call(status, "POST", "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, checkout))
}

// cacheShop makes the replica cache the current storefront, and returns when it was read.
func (b *replicaBuyer) cacheShop() (read time.Time) {
	b.Helper()
	time.Sleep(300 * time.Millisecond) // the cached storefront has expired
	read = time.Now()
	b.call(200, "GET", "/.well-known/acp/manifest.json", "")
	return read
}

// A replica with a stale storefront in its cache still quotes, opens checkouts and charges by the current storefront, which
// another replica has just written. It repeats the work, which the buyer does not notice.
func TestInBuyerTx_staleStorefront(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	writes, serves := boottest.Start(t, database), boottest.Start(t, database)
	k := apiClient{t, writes.URL(), boottest.Key}.openProject("shop")
	b := &replicaBuyer{apiClient: apiClient{t, serves.URL() + "/p/shop", ""}}
	b.product = k.ask(201, "POST", "/v1/catalog/products", `{"name": "Trail Tent", "sku": "T-1", "price": 20, "quantity": 5}`)["id"].(string)
	if answer := b.quote("19.80"); answer["status"] != "accept" {
		t.Fatalf("quote: %v", answer)
	}
	late := 0
	step := func(write func(), check func()) {
		t.Helper()
		read := b.cacheShop()
		write()
		check()
		if time.Since(read) > 250*time.Millisecond {
			late++ // the cached storefront may have expired
		}
	}
	for n := 1; n <= 4; n++ {
		step(func() {
			k.ask(200, "PATCH", "/v1/projects/"+k.project+"/storefront", fmt.Sprintf(`{"tax_rates": [{"country": "US", "rate": %d}]}`, 5*n))
		}, func() {
			if tax := b.init(200)["summary"].(map[string]any)["tax"]; tax != float64(n) {
				t.Errorf("tax of %d %%: %v", 5*n, tax)
			}
		})
	}
	step(func() {
		k.ask(200, "PATCH", "/v1/projects/"+k.project, `{"settings": {"negotiation_enabled": false}}`)
	}, func() {
		if answer := b.quote("19.80"); answer["status"] == "accept" {
			t.Errorf("an offer was accepted after the merchant stopped negotiating: %v", answer)
		}
	})
	paid, opened := b.init(200)["checkout_id"], b.init(200)["checkout_id"]
	step(func() {
		k.ask(200, "PATCH", "/v1/projects/"+k.project, `{"name": "Other"}`)
	}, func() {
		if answer := b.pay(200, paid); answer["status"] != "success" {
			t.Errorf("finalize after a change: %v", answer)
		}
	})
	step(func() {
		k.call(204, "DELETE", "/v1/projects/"+k.project, "", "X-Confirm-Delete: "+k.project)
	}, func() {
		b.init(404)
		b.pay(404, opened)
	})
	t.Logf("%d of 7 steps took longer than a replica keeps a shop", late)
}

// A change of a storefront is visible on the replica that wrote it in the next request, and on others within 250 ms.
func TestForgetStorefront(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	writes, other := boottest.Start(t, database), boottest.Start(t, database)
	k := apiClient{t, writes.URL(), boottest.Key}.openProject("shop")
	name := func(url string) any {
		return apiClient{t, url + "/p/shop", ""}.call(200, "GET", "/.well-known/acp/manifest.json", "")["merchant"].(map[string]any)["name"]
	}
	for n := range 5 {
		want := fmt.Sprintf("Shop %d", n)
		name(other.URL())
		k.ask(200, "PATCH", "/v1/projects/"+k.project, fmt.Sprintf(`{"name": %q}`, want))
		if got := name(writes.URL()); got != want {
			t.Errorf("on the replica that wrote %q: %v", want, got)
		}
		time.Sleep(260 * time.Millisecond)
		if got := name(other.URL()); got != want {
			t.Errorf("260 ms later on the other replica: %v, want %q", got, want)
		}
	}
}

// Requests share the cached storefront, and none of them modifies it.
func TestWholeStores_storefrontNotModified(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	k := apiClient{t, app.URL(), boottest.Key}.openProject("shop")
	b := &replicaBuyer{apiClient: apiClient{t, app.URL() + "/p/shop", ""}}
	b.product = k.ask(201, "POST", "/v1/catalog/products", `{"name": "Trail Tent", "sku": "T-1", "price": 20, "quantity": 50}`)["id"].(string)
	b.quote("19.80")
	for shared, tries := 0, 0; shared < 3 && tries < 40; tries++ {
		used, err := app.Storefronts().BySlug(t.Context(), "shop")
		if err != nil {
			t.Fatal(err)
		}
		b.call(200, "GET", "/.well-known/acp/manifest.json", "")
		b.call(200, "POST", "/acp/search", `{"query": "tent"}`)
		b.call(200, "GET", "/acp/products/"+b.product, "")
		b.quote("15")
		b.quote("19.80")
		b.pay(200, b.init(200)["checkout_id"])
		if now, err := app.Storefronts().BySlug(t.Context(), "shop"); err == nil && now == used {
			shared++
		}
		fresh, err := app.Storefronts().ByProject(t.Context(), used.ID)
		if err != nil || !reflect.DeepEqual(used, fresh) {
			t.Fatalf("%v: requests changed the shop in memory:\n%+v\nwant\n%+v", err, used, fresh)
		}
	}
}
