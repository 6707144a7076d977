package platforms_test

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func custom(t *testing.T, s *platforms.Server, path string) reply {
	t.Helper()
	return do(t, "GET", s.URL+"/custom"+path, nil, "Authorization", "Bearer custom-key")
}

// walk reads all pages.
func walk(t *testing.T, s *platforms.Server, resource, query string) (records []object) {
	t.Helper()
	cursor := ""
	for range 200 {
		page := custom(t, s, "/"+resource+"?limit=25"+query+"&cursor="+url.QueryEscape(cursor)).object(t)
		for _, record := range page["data"].([]any) {
			records = append(records, record.(object))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return records
		}
		cursor = next
	}
	t.Fatal("the pages never end")
	return nil
}

func TestCustom_pages(t *testing.T) {
	s := start(t, platforms.Config{Products: 110})
	for resource, want := range map[string]int{"products": 110, "customers": 100, "orders": 150} {
		list, seen := walk(t, s, resource, ""), map[string]bool{}
		for _, record := range list {
			seen[record["id"].(string)] = true
		}
		if len(list) != want || len(seen) != want {
			t.Errorf("%s: %d records, %d of them different, want %d", resource, len(list), len(seen), want)
		}
	}
	items := 0
	for _, p := range walk(t, s, "products", "") {
		if variants, has := p["variants"].([]any); has {
			items += len(variants)
		} else {
			items++
		}
	}
	is(t, "levels", len(walk(t, s, "inventory", "")), 2*items)
}

func TestCustom_priceFormats(t *testing.T) {
	s := start(t, platforms.Config{Products: 40})
	kinds := map[string]int{}
	for _, p := range walk(t, s, "products", "") {
		switch price := p["price"].(type) {
		case float64:
			kinds["number"]++
		case string:
			kinds["text"]++
			if _, err := strconv.ParseFloat(price, 64); err != nil {
				t.Errorf("price %q", price)
			}
		}
	}
	is(t, "numbers and text", kinds["number"]*100+kinds["text"], 2020)
}

func TestCustom_updatedSince(t *testing.T) {
	s := start(t, platforms.Config{Products: 50})
	before := time.Now().UTC().Truncate(time.Millisecond)
	is(t, "so far", len(walk(t, s, "products", "&updated_since="+before.Format(time.RFC3339))), 0)
	changed, err := s.Change(platforms.Change{
		Platform: platforms.Custom,
		N:        5,
		Seed:     9,
		Topics:   []string{"products/update", "products/delete"},
	})
	if err != nil {
		t.Fatal(err)
	}
	gone, want := map[string]bool{}, map[string]bool{}
	for _, one := range changed {
		want[one.ID], gone[one.ID] = true, gone[one.ID] || one.Topic == "products/delete"
	}
	list := walk(t, s, "products", "&updated_since="+url.QueryEscape(before.Format(time.RFC3339Nano)))
	is(t, "changed records", len(list), len(want))
	for _, record := range list {
		id := record["id"].(string)
		deleted, _ := record["deleted"].(bool)
		if !want[id] || deleted != gone[id] {
			t.Errorf("%s deleted: %v, want %v", id, deleted, gone[id])
		}
	}
}

func TestCustom_refusals(t *testing.T) {
	s := start(t, platforms.Config{})
	is(t, "wrong key", do(t, "GET", s.URL+"/custom/products", nil, "Authorization", "Bearer nonsense").StatusCode, 401)
	is(t, "no key", do(t, "GET", s.URL+"/custom/products", nil).StatusCode, 401)
	is(t, "bad cursor", custom(t, s, "/products?cursor=%25%25").StatusCode, 400)
	is(t, "bad time", custom(t, s, "/products?updated_since=yesterday").StatusCode, 400)
	is(t, "a webhook of nothing", do(t, "POST", s.URL+"/custom/webhooks", object{"topic": "x", "url": "http://x", "secret": "whsec_YWJj"}, "Authorization", "Bearer custom-key").StatusCode, 422)
}

// registerCustom registers a webhook and returns its id and secret.
func registerCustom(t *testing.T, s *platforms.Server, topic, address string) (id, secret string) {
	t.Helper()
	secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of thirty-two bytes....."))
	r := do(t, "POST", s.URL+"/custom/webhooks", object{"topic": topic, "url": address, "secret": secret}, "Authorization", "Bearer custom-key")
	is(t, "registered", r.StatusCode, 201)
	return r.object(t)["id"].(string), secret
}

func TestCustom_removeWebhook(t *testing.T) {
	s := start(t, platforms.Config{})
	id, _ := registerCustom(t, s, "products/update", "http://127.0.0.1:1/")
	remove := func() int {
		return do(t, "DELETE", s.URL+"/custom/webhooks/"+id, nil, "Authorization", "Bearer custom-key").StatusCode
	}
	is(t, "removed", remove(), 204)
	is(t, "removed again", remove(), 404)
}
