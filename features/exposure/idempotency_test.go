package exposure

import (
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

const keyHeader, replayedHeader = "Idempotency-Key", "Idempotent-Replayed"

// same checks that a response repeats the first one.
func same(t *testing.T, again, first reply) {
	t.Helper()
	if again.status != first.status || again.body != first.body || again.header.Get(replayedHeader) != "true" ||
		again.header.Get("Content-Type") != first.header.Get("Content-Type") {
		t.Errorf("again: %d %v %s\nfirst: %d %s", again.status, again.header, again.body, first.status, first.body)
	}
}

func TestAnswersAreReplayed(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		admin := call(t, boottest.Start(t, engine.URL(t)).URL())
		shop := openShop(admin, "shop")
		admin = admin.with("X-Project-ID", shop)
		n := 0
		twice := func(status int, code, method, path, body string) reply {
			t.Helper()
			n++
			keyed := admin.with(keyHeader, "key-"+strconv.Itoa(n))
			first := keyed.send(method, path, body).is(t, status, code)
			if first.header.Get(replayedHeader) != "" {
				t.Errorf("%s %s: a first answer claims to be a replay", method, path)
			}
			same(t, keyed.send(method, path, body), first)
			return first
		}
		opened := twice(201, "", "POST", "/v1/projects", `{"name":"Other","slug":"other"}`)
		twice(409, "slug_taken", "POST", "/v1/projects", `{"name":"Third","slug":"other"}`)
		twice(422, "validation_error", "POST", "/v1/projects", `{"name":"Third","slug":"-"}`)
		twice(200, "", "PATCH", "/v1/projects/"+shop, `{"name":"New name"}`)
		product := twice(201, "", "POST", "/v1/catalog/products", `{"name":"Mug","sku":"mug","price":10.50,"category":"Kitchen"}`)
		twice(200, "", "POST", "/v1/catalog/inventory/adjust", `{"adjustments":[{"sku":"mug","delta":3}]}`)
		twice(404, "product_not_found", "PATCH", "/v1/catalog/products/prod_0", `{}`)
		twice(204, "", "DELETE", "/v1/catalog/products/"+product.field("id"), "")
		other := admin.with(keyHeader, "gone", "X-Confirm-Delete", opened.field("id"))
		first := other.send("DELETE", "/v1/projects/"+opened.field("id"), "").is(t, 204, "")
		same(t, other.send("DELETE", "/v1/projects/"+opened.field("id"), ""), first)
		if levels := admin.send("GET", "/v1/catalog/inventory?sku=mug", "").field("meta.total"); levels != "0" {
			t.Errorf("a deleted product has %s levels", levels)
		}
	})
}

func TestAKeyBelongsToWhatItWasUsedFor(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		admin := call(t, boottest.Start(t, engine.URL(t)).URL())
		one, two := openShop(admin, "one"), openShop(admin, "two")
		keyed := admin.with(keyHeader, "k", "X-Project-ID", one)
		body := `{"name":"Mug","sku":"mug","price":10.50,"category":"Kitchen"}`
		keyed.send("POST", "/v1/catalog/products", body).is(t, 201, "")
		same(t, keyed.send("POST", "/v1/catalog/products", `{ "sku": "mug", "price": 10.5, "name": "Mug", "category": "Kitchen" }`),
			keyed.send("POST", "/v1/catalog/products", body))
		keyed.send("POST", "/v1/catalog/products", strings.Replace(body, "10.50", "10.51", 1)).is(t, 422, "idempotency_key_reused")
		keyed.with("X-Project-ID", two).send("POST", "/v1/catalog/products", body).is(t, 201, "")
		keyed.send("PUT", "/v1/catalog/inventory", `{"levels":[{"sku":"mug","quantity":2}]}`).is(t, 200, "")
		keyed.with(keyHeader, "K").send("POST", "/v1/catalog/products", body).is(t, 409, "sku_taken")
		keyed.with(keyHeader, strings.Repeat("k", 256)).send("POST", "/v1/catalog/products", body).is(t, 400, "invalid_request")
		keyed.with(keyHeader, strings.Repeat("k", 255)).send("POST", "/v1/catalog/products", body).is(t, 409, "sku_taken")
		keyed.with("Authorization", "Bearer hk_test_nobody").send("POST", "/v1/catalog/products", body).is(t, 401, "unauthenticated")
	})
}

// Of sixteen concurrent requests with one key, to two replicas where the engine supports them, one takes effect. The others get
// its response or are asked to wait.
func TestRacingRequestsTakeEffectOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		database := engine.URL(t)
		replicas := []string{boottest.Start(t, database).URL()}
		replicas = append(replicas, replicas[0])
		if engine.Name == "postgres" {
			replicas[1] = boottest.Start(t, database).URL()
		}
		shop := openShop(call(t, replicas[0]), "shop")
		send := func(i int, path, body string) (reply, error) {
			return call(t, replicas[i%2]).with(keyHeader, "race", "X-Project-ID", shop).try("POST", path, body)
		}
		admin := call(t, replicas[1]).with("X-Project-ID", shop)
		admin.send("POST", "/v1/catalog/products", `{"name":"Mug","sku":"mug","price":10.50,"category":"Kitchen","quantity":0}`).is(t, 201, "")
		for _, c := range []struct {
			path, body string
			status     int
		}{
			{"/v1/projects", `{"name":"Raced","slug":"raced"}`, 201},
			{"/v1/catalog/inventory/adjust", `{"adjustments":[{"sku":"mug","delta":1}]}`, 200},
		} {
			first := ""
			for _, r := range atOnce(t, 16, func(i int) (reply, error) { return send(i, c.path, c.body) }) {
				if r.code() == "idempotency_in_progress" && r.header.Get("Retry-After") != "" {
					continue
				}
				if first == "" {
					first = r.body
				}
				if r.status != c.status || r.body != first {
					t.Errorf("%s: %d %s, the first was %s", c.path, r.status, r.body, first)
				}
			}
			if r, err := send(1, c.path, c.body); err != nil || r.body != first || r.header.Get(replayedHeader) != "true" {
				t.Errorf("%s afterwards: %v %d %s, want %s", c.path, err, r.status, r.body, first)
			}
		}
		if left := admin.send("GET", "/v1/catalog/inventory?sku=mug", "").field("data.0.quantity"); left != "1" {
			t.Errorf("%s pieces after sixteen requests to add the same one", left)
		}
	})
}

func TestBuyersMayRepeatThemselves(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		admin := call(t, boottest.Start(t, engine.URL(t)).URL())
		admin = admin.with("X-Project-ID", openShop(admin, "shop"))
		admin.send("POST", "/v1/catalog/products", `{"name":"Mug","sku":"mug","price":100,"category":"Kitchen","quantity":5}`).is(t, 201, "")
		buyer := caller{t, admin.url + "/p/shop", map[string]string{keyHeader: "a-key-of-buyer-1"}}
		search := buyer.send("POST", "/acp/search", `{"query":"mug"}`).is(t, 200, "")
		same(t, buyer.send("POST", "/acp/search", `{"query":"mug"}`), search)
		buyer.send("POST", "/acp/search", `{"query":"mugs"}`).is(t, 422, "idempotency_key_reused")

		offer := `{"product_id":"` + search.field("results.0.product_id") + `","offer_price":100}`
		deal := buyer.send("POST", "/acp/quote", offer).is(t, 200, "")
		if deal.field("status") != "accept" {
			t.Fatal(deal.body)
		}
		same(t, buyer.send("POST", "/acp/quote", offer), deal)
		init := `{"session_id":"` + deal.field("session_id") + `","checkout_token":"` + deal.field("checkout_token") +
			`","items":[{"product_id":"` + search.field("results.0.product_id") + `","quantity":1}],` +
			`"shipping_address":{"name":"A","line1":"1 St","city":"X","state":"CA","postal_code":"9","country":"US"}}`
		checkout := buyer.send("POST", "/acp/checkout/init", init).is(t, 200, "")
		same(t, buyer.send("POST", "/acp/checkout/init", init), checkout)

		pay := func(key, token string) reply {
			return buyer.with(keyHeader, key).send("POST", "/acp/checkout/finalize", `{"checkout_id":"`+checkout.field("checkout_id")+
				`","payment":{"method":"psp_spt","token":"`+token+`"},"buyer_email":"a@example.com"}`).is(t, 200, "")
		}
		declined := pay("first", "spt_sandbox_decline_insufficient_funds")
		for range 6 { // more than a checkout's limit of declines: replays are no attempts
			same(t, pay("first", "spt_sandbox_decline_insufficient_funds"), declined)
		}
		paid := pay("second", "spt_sandbox_ok")
		if paid.field("status") != "success" {
			t.Fatal(paid.body)
		}
		same(t, pay("second", "spt_sandbox_ok"), paid)
		same(t, pay("first", "spt_sandbox_decline_insufficient_funds"), declined)
		if left := admin.send("GET", "/v1/catalog/inventory?sku=mug", "").field("data.0.quantity"); left != "4" {
			t.Errorf("%s pieces left, want 4", left)
		}
	})
}
