package shopify_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// addVariants adds product 5 with count variants. Pages of products have a hundred of them. Each query for the others is throttled
// once, as if the budget were spent.
func (s *fakeShop) addVariants(t *testing.T, count int) {
	t.Helper()
	nodes := make([]string, count)
	for n := range nodes {
		nodes[n] = variantOf(1000+n, fmt.Sprintf("S%d", n), "Size", fmt.Sprint(n))
	}
	page := func(from, first int) string {
		end := min(from+first, count)
		return fmt.Sprintf(`"variants": {"pageInfo": {"hasNextPage": %v, "endCursor": "%d"}, "nodes": [%s]}`, end < count, end, strings.Join(nodes[from:end], ","))
	}
	node := fmt.Sprintf(`{"id": "gid://shopify/Product/5", "handle": "p5", "title": "P", "status": "ACTIVE", "publishedAt": "2026-01-01T00:00:00Z", "updatedAt": %q, "tags": [], %s, "media": {"nodes": []}}`, stamp(noon), page(0, 100))
	s.data["products"] = append(s.data["products"], record{noon, node})
	putOff := map[string]bool{}
	s.on("Variants", func(variables map[string]any) (int, string) {
		if at := fmt.Sprint(variables["after"]); !putOff[at] {
			putOff[at] = true
			return 429, `{"errors": "Exceeded 2 calls per second for api client."}`
		}
		if variables["id"] != "gid://shopify/Product/5" || variables["first"] != 250.0 {
			t.Errorf("asked with %v", variables)
		}
		from := 0
		if after, is := variables["after"].(string); is {
			from, _ = strconv.Atoi(after)
		}
		return 200, `{"data": {"product": {` + page(from, 250) + `}}}`
	})
}

// untilRead calls ask until it returns no Throttled error.
func untilRead(t *testing.T, ask func() ([]syncrun.Record, error)) []syncrun.Record {
	t.Helper()
	for range 20 {
		records, err := ask()
		if _, wait := err.(ports.Throttled); wait {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	t.Fatal("it never ends")
	return nil
}

func TestRead_productOf2048Variants(t *testing.T) {
	t.Parallel()
	for count, problem := range map[int]string{101: "", 2048: "", 2049: "It has more than 2,048 variants."} {
		s, c, conn := connect(t)
		s.addVariants(t, count)
		records := untilRead(t, func() ([]syncrun.Record, error) {
			page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Products, Since: noon.Add(-time.Hour)})
			return page.Records, err
		})
		allVariants(t, records, count, problem)
	}
}

func allVariants(t *testing.T, records []syncrun.Record, count int, problem string) {
	t.Helper()
	switch {
	case len(records) != 1 || records[0].Problem != problem:
		t.Errorf("%d variants: %+v", count, records)
	case problem != "":
	case len(records[0].Product.Variants) != count:
		t.Errorf("%d of %d variants", len(records[0].Product.Variants), count)
	default:
		for n, v := range records[0].Product.Variants {
			if v.SKU != fmt.Sprintf("S%d", n) {
				t.Fatalf("variant %d is %s", n, v.SKU)
			}
		}
	}
}

// A payload has the first 100 variants and the ids of all.
func TestNews_productOf2048Variants(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.addVariants(t, 2048)
	names := make([]string, 2048)
	for n := range names {
		names[n] = fmt.Sprintf(`{"admin_graphql_api_id": "gid://shopify/ProductVariant/%d"}`, 1000+n)
	}
	payload := `{"id": 5, "title": "P", "handle": "p5", "status": "active", "published_at": "2026-01-01T00:00:00Z", "updated_at": "2026-03-01T12:00:00Z", "options": [{"name": "Size"}],
		"variants": [{"id": 1000, "sku": "S0", "price": "1.00", "option1": "0"}], "variant_gids": [` + strings.Join(names, ",") + `]}`
	allVariants(t, untilRead(t, func() ([]syncrun.Record, error) {
		return c.News(ports.NewOutbound(t.Context()), conn, "products/update", noon, []byte(payload))
	}), 2048, "")
}

// A product that was deleted meanwhile has no record.
func TestNews_productGoneWhileItsVariantsAreRead(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.say("Variants", `{"product": null}`)
	payload := `{"id": 5, "variants": [{"id": 1}], "variant_gids": [{"admin_graphql_api_id": "gid://shopify/ProductVariant/1"}, {"admin_graphql_api_id": "gid://shopify/ProductVariant/2"}]}`
	if news, err := c.News(ports.NewOutbound(t.Context()), conn, "products/update", noon, []byte(payload)); err != nil || len(news) != 0 {
		t.Errorf("%+v, %v", news, err)
	}
}

// Untracked goods are always available, CONTINUE means backorders, DENY does not. An unknown policy stays empty.
func TestPolicyOf(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		`"inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": false}`:     "always_available",
		`"inventoryPolicy": "CONTINUE", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": false}`: "always_available",
		`"inventoryPolicy": "CONTINUE", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": true}`:  "backorder",
		`"inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": true}`:      "tracked",
		`"inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1"}`:                       "",
	} {
		one := productWith(t, `{"variants": {"pageInfo": {}, "nodes": [{"id": "gid://shopify/ProductVariant/1", "sku": "S", "price": "1.00", `+fields+`}]}}`)
		if got := one.Product.InventoryPolicy; got != want {
			t.Errorf("%s: %q", fields, got)
		}
		two := productWith(t, `{"variants": {"pageInfo": {}, "nodes": [{"id": "gid://shopify/ProductVariant/1", "sku": "S", "price": "1.00", `+fields+`},
			{"id": "gid://shopify/ProductVariant/2", "sku": "T", "price": "1.00"}]}}`)
		if got := two.Product.Variants[0].InventoryPolicy; got != want {
			t.Errorf("of a variant, %s: %q", fields, got)
		}
	}
}

// A payload says DENY for untracked and for tracked stock, so News reads the policy from the API. If the API refuses, the policy is unknown.
func TestNews_inventoryPolicy(t *testing.T) {
	t.Parallel()
	const node = `{"id": "gid://shopify/ProductVariant/1", "sku": "S", "price": "1.00", "inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": false}}`
	for name, c := range map[string]struct{ management, answer, want string }{
		"not told":               {``, `{"product": {"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [` + node + `]}}}`, "always_available"},
		"not told, and refused":  {``, ``, ""},
		"told, tracked":          {`"inventory_management": "shopify", `, ``, "tracked"},
		"told, tracked by other": {`"inventory_management": "amazon", `, ``, "tracked"},
		"told, not tracked":      {`"inventory_management": null, `, ``, "always_available"},
	} {
		s, shop, conn := connect(t)
		if c.answer != "" {
			s.say("Variants", c.answer)
		}
		payload := `{"id": 5, "title": "P", "handle": "p", "status": "active", "published_at": "2026-01-01T00:00:00Z", "updated_at": "2026-03-01T12:00:00Z",
			"variants": [{` + c.management + `"id": 1, "sku": "S", "price": "1.00", "inventory_policy": "deny", "inventory_item_id": 1}]}`
		news, err := shop.News(ports.NewOutbound(t.Context()), conn, "products/update", noon, []byte(payload))
		if err != nil || len(news) != 1 || news[0].Product == nil || news[0].Product.InventoryPolicy != c.want {
			t.Errorf("%s: %+v, %v", name, news, err)
		}
	}
}
