package platforms_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func order(t *testing.T, s *platforms.Server, f platforms.Fault) {
	t.Helper()
	is(t, "fault ordered", do(t, "POST", s.URL+"/control/faults", f).StatusCode, 200)
}

func TestFault_requests(t *testing.T) {
	s := start(t, platforms.Config{})
	order(t, s, platforms.Fault{
		Platform:   "custom",
		Kind:       "throttle",
		Times:      2,
		RetryAfter: 7,
		Resource:   "products",
	})
	is(t, "another resource", custom(t, s, "/customers").StatusCode, 200)
	first := custom(t, s, "/products")
	is(t, "throttled", first.StatusCode, 429)
	is(t, "Retry-After", first.Header.Get("Retry-After"), "7")
	is(t, "throttled again", custom(t, s, "/products").StatusCode, 429)
	is(t, "then not", custom(t, s, "/products").StatusCode, 200)

	order(t, s, platforms.Fault{
		Platform: "custom",
		Kind:     "error",
		After:    1,
		Status:   503,
	})
	is(t, "one passes", custom(t, s, "/products").StatusCode, 200)
	is(t, "the next fails", custom(t, s, "/products").StatusCode, 503)

	order(t, s, platforms.Fault{
		Platform: "custom",
		Kind:     "refuse",
		Times:    -1,
	})
	for range 3 {
		is(t, "refused for good", custom(t, s, "/account").StatusCode, 401)
	}
	is(t, "faults cleared", do(t, "DELETE", s.URL+"/control/faults", nil).StatusCode, 200)
	is(t, "and good again", custom(t, s, "/account").StatusCode, 200)
}

func TestFault_pages(t *testing.T) {
	s := start(t, platforms.Config{LongPage: 3 << 20})
	order(t, s, platforms.Fault{Platform: "custom", Kind: "garbage"})
	if page := custom(t, s, "/products"); json.Valid(page.text) {
		t.Error("garbage can be read")
	}
	order(t, s, platforms.Fault{Platform: "custom", Kind: "long_page"})
	long := custom(t, s, "/products")
	if len(long.text) < 3<<20 {
		t.Errorf("a long page has %d bytes", len(long.text))
	}
	is(t, "records of a long page", len(long.object(t)["data"].([]any)), 100)

	first := custom(t, s, "/products?limit=10").object(t)["next_cursor"].(string)
	order(t, s, platforms.Fault{Platform: "custom", Kind: "circle"})
	is(t, "a circle", custom(t, s, "/products?limit=10&cursor="+first).object(t)["next_cursor"].(string), first)

	order(t, s, platforms.Fault{
		Platform: "custom",
		Kind:     "slow",
		Millis:   150,
	})
	began := time.Now()
	custom(t, s, "/products")
	if time.Since(began) < 150*time.Millisecond {
		t.Error("a slow page was quick")
	}
	order(t, s, platforms.Fault{Platform: "custom", Kind: "lost"})
	if r, err := send(t, "GET", s.URL+"/custom/account", nil, "Authorization", "Bearer custom-key"); err == nil {
		t.Errorf("a lost answer arrived: %d", r.StatusCode)
	}
}

func TestFault_data(t *testing.T) {
	s := start(t, platforms.Config{Products: 30})
	for _, kind := range []string{"no_name", "bad_price", "duplicate_sku", "negative_stock"} {
		order(t, s, platforms.Fault{
			Platform: "custom",
			Kind:     kind,
			Times:    2,
		})
	}
	found, skus := map[string]int{}, map[string]int{}
	for _, p := range walk(t, s, "products", "") {
		if p["name"] == "" {
			found["no_name"]++
		}
		if p["price"] == "abc" {
			found["bad_price"]++
		}
	}
	for _, l := range walk(t, s, "inventory", "") {
		if l["quantity"].(float64) < 0 {
			found["negative_stock"]++
		}
		if _, elsewhere := l["location"]; !elsewhere {
			skus[l["sku"].(string)]++
		}
	}
	for _, n := range skus {
		found["duplicate_sku"] += n - 1
	}
	for _, kind := range []string{"no_name", "bad_price", "duplicate_sku", "negative_stock"} {
		is(t, kind, found[kind], 2)
	}
	is(t, "an unknown kind", do(t, "POST", s.URL+"/control/faults", object{"platform": "custom", "kind": "flood"}).StatusCode, 422)
	is(t, "no products there", do(t, "POST", s.URL+"/control/faults", object{"platform": "hubspot", "kind": "no_name"}).StatusCode, 422)
}
