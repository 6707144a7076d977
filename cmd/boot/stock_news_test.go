package boot_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A product that sells out through one replica is ranked behind products in stock by another replica, and as before when it is back
// in stock. The other replica is searched only once each time, because a response updates its index.
func TestLoops_stockChangesOnAnotherReplica(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	here, there := boottest.Start(t, database), boottest.Start(t, database)
	k := apiClient{t, here.URL(), boottest.Key}.openProject("shop")
	for _, sku := range []string{"one", "two"} {
		k.ask(201, "POST", "/v1/catalog/products", `{"name":"Mug","sku":"`+sku+`","price":10,"category":"Kitchen","quantity":1}`)
	}
	before := mugs(t, there.URL())
	if len(before) != 2 {
		t.Fatalf("found %q", before)
	}
	sold := before[0]
	buy(t, here.URL(), sold)
	waitForStockPoll(t, there.OpsURL())
	if after := mugs(t, there.URL()); len(after) != 2 || after[1] != sold {
		t.Errorf("%s is sold out, and the other replica finds %q", sold, after)
	}
	sku := k.ask(200, "GET", "/v1/catalog/products/"+sold, "")["sku"]
	k.ask(200, "PUT", "/v1/catalog/inventory", fmt.Sprintf(`{"levels":[{"sku":%q,"location":"main","quantity":1}]}`, sku))
	waitForStockPoll(t, there.OpsURL())
	if after := mugs(t, there.URL()); len(after) != 2 || after[0] != sold {
		t.Errorf("%s is back, and the other replica finds %q", sold, after)
	}
}

// mugs returns the products that a search for mugs finds, best first.
func mugs(t *testing.T, url string) (products []string) {
	t.Helper()
	for _, found := range asBuyer(t, url, "search", `{"query":"mug"}`)["results"].([]any) {
		products = append(products, found.(map[string]any)["product_id"].(string))
	}
	return products
}

// asBuyer sends a buyer's request to the shop.
func asBuyer(t *testing.T, url, path, body string) map[string]any {
	t.Helper()
	return apiClient{T: t, url: url}.call(200, "POST", "/p/shop/acp/"+path, body)
}

func buy(t *testing.T, url, product string) {
	t.Helper()
	quote := asBuyer(t, url, "quote", fmt.Sprintf(`{"product_id":%q,"quantity":1,"offer_price":10}`, product))
	checkout := asBuyer(t, url, "checkout/init", fmt.Sprintf(`{"session_id":%q,"checkout_token":%q,"shipping_address":{"name":"A. Buyer",
		"line1":"1 Main St","city":"Springfield","state":"CA","postal_code":"90001","country":"US"}}`, quote["session_id"], quote["checkout_token"]))
	paid := asBuyer(t, url, "checkout/finalize", fmt.Sprintf(
		`{"checkout_id":%q,"payment":{"method":"psp_spt","token":"spt_sandbox_ok"},"buyer_email":"a@example.com"}`, checkout["checkout_id"]))
	if paid["status"] != "success" {
		t.Fatal(paid)
	}
}

// waitForStockPoll waits until a poll of stock changes that begins from now on has ended. It waits for two ends, because one poll
// may be under way.
func waitForStockPoll(t *testing.T, ops string) {
	t.Helper()
	began, first := time.Now(), stockPolls(t, ops)
	for stockPolls(t, ops) < first+2 {
		if time.Since(began) > 30*time.Second {
			t.Fatal("nobody hears of stock")
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("heard after %s at most", time.Since(began))
}

// stockPolls returns how often a replica has polled stock changes.
func stockPolls(t *testing.T, ops string) int {
	t.Helper()
	_, rest, _ := strings.Cut(get(t, ops+"/metrics").body, `haggle_background_runs_total{loop="hear of stock",result="ok"} `)
	number, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(number)
	return n
}
