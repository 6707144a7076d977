package platforms_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const everyScope = "read_products read_inventory read_orders read_customers"

type shopifyClient struct {
	t     *testing.T
	s     *platforms.Server
	token string
}

func connectShopify(t *testing.T, c platforms.Config) shopifyClient {
	s := start(t, c)
	return shopifyClient{t, s, shopifyToken(t, s, everyScope)}
}

// ask returns the whole answer, including errors.
func (c shopifyClient) ask(query string, variables object) object {
	c.t.Helper()
	r := do(c.t, "POST", c.s.URL+"/shopify/admin/api/2026-10/graphql.json", object{"query": query, "variables": variables}, "X-Shopify-Access-Token", c.token)
	is(c.t, "status", r.StatusCode, 200)
	return r.object(c.t)
}

func (c shopifyClient) data(query string, variables object) any {
	c.t.Helper()
	answer := c.ask(query, variables)
	if answer["errors"] != nil {
		c.t.Fatalf("%v", answer["errors"])
	}
	return answer["data"]
}

func code(t *testing.T, answer object) string {
	t.Helper()
	return fmt.Sprint(at(t, answer, "errors", 0, "extensions", "code"))
}

const productsQuery = `query P($first: Int!, $after: String, $query: String) {
  products(first: $first, after: $after, query: $query, sortKey: UPDATED_AT) {
    edges { cursor node { ...Fields } } pageInfo { hasNextPage endCursor }
  }
}
fragment Fields on Product {
  __typename id title status updatedAt tags
  variants(first: 10) { nodes { id sku price selectedOptions { name value } inventoryItem { id } } }
  images(first: 2) { nodes { url altText } }
}`

func (c shopifyClient) products(query string) (list []any) {
	c.t.Helper()
	var after any
	for {
		page := at(c.t, c.data(productsQuery, object{"first": 20, "after": after, "query": query}), "products")
		for _, edge := range at(c.t, page, "edges").([]any) {
			list = append(list, at(c.t, edge, "node"))
		}
		if at(c.t, page, "pageInfo", "hasNextPage") != true {
			return list
		}
		after = at(c.t, page, "pageInfo", "endCursor")
	}
}

func TestShopify_oldVersion(t *testing.T) {
	c := connectShopify(t, platforms.Config{Products: 1})
	for asked, want := range map[string]string{
		"2026-01": "2026-01", "2026-04": "2026-04", "2026-07": "2026-07", "2026-10": "2026-10", "2025-10": "2026-01", "2019-04": "2026-01",
		"2027-01": "", "nonsense": "",
	} {
		r := do(t, "POST", c.s.URL+"/shopify/admin/api/"+asked+"/graphql.json", object{"query": "{ shop { id } }"}, "X-Shopify-Access-Token", c.token)
		is(t, asked, r.Header.Get("X-Shopify-API-Version"), want)
		is(t, asked, r.StatusCode == 200, want != "")
	}
}

func TestShopify_productPages(t *testing.T) {
	c := connectShopify(t, platforms.Config{Products: 55})
	list, before, seen := c.products(""), "", map[any]bool{}
	for _, p := range list {
		updated := at(t, p, "updatedAt").(string)
		if updated < before {
			t.Errorf("%s comes after %s", updated, before)
		}
		before, seen[at(t, p, "id")] = updated, true
		is(t, "type", at(t, p, "__typename"), any("Product"))
		if !strings.HasPrefix(at(t, p, "variants", "nodes", 0, "inventoryItem", "id").(string), "gid://shopify/InventoryItem/44") {
			t.Errorf("%v", p)
		}
	}
	is(t, "products", len(list)*1000+len(seen), 55055)
	middle := at(t, list[30], "updatedAt").(string)
	is(t, "since the middle", len(c.products("updated_at:>='"+middle+"'")), 25)
	answer := c.ask(productsQuery, object{"first": 5, "query": "colour:red"})
	if answer["errors"] == nil {
		t.Error("an unknown search was answered")
	}
}

// The API and a bulk operation show inventoryPolicy and whether inventory is tracked. A webhook has only the policy.
func TestShopify_inventoryPolicies(t *testing.T) {
	first := at(t, connectShopify(t, platforms.Config{Products: 3}).products(""), 0, "variants", "nodes", 0, "sku").(string)
	for name, c := range map[string]struct {
		config platforms.Config
		want   string
	}{
		"tracked":   {platforms.Config{Products: 3}, "DENY true"},
		"untracked": {platforms.Config{Products: 3, ShopifyUntracked: []string{first}}, "DENY false"},
		"continue":  {platforms.Config{Products: 3, ShopifyContinue: []string{first}}, "CONTINUE true"},
	} {
		shop := connectShopify(t, c.config)
		found := shop.data(`{ productVariants(first: 50) { nodes { sku inventoryPolicy inventoryItem { tracked } } } }`, nil)
		for _, v := range at(t, found, "productVariants", "nodes").([]any) {
			if at(t, v, "sku") == any(first) {
				is(t, name, fmt.Sprint(at(t, v, "inventoryPolicy"), " ", at(t, v, "inventoryItem", "tracked")), c.want)
			}
		}
	}
}

// A product has up to 2,048 variants, which are read in pages of 250.
func TestShopify_variantPages(t *testing.T) {
	c := connectShopify(t, platforms.Config{
		Products:        3,
		ShopifyVariants: 2048,
		ShopifyBucket:   100_000,
	})
	const query = `query V($id: ID!, $first: Int!, $after: String) {
		product(id: $id) { variantsCount { count } variants(first: $first, after: $after) { pageInfo { hasNextPage endCursor } nodes { id } } } }`
	seen, pages, after := map[any]bool{}, 0, any(nil)
	for {
		product := at(t, c.data(query, object{"id": "gid://shopify/Product/7000000001", "first": 250, "after": after}), "product")
		for _, v := range at(t, product, "variants", "nodes").([]any) {
			seen[at(t, v, "id")] = true
		}
		if pages++; at(t, product, "variants", "pageInfo", "hasNextPage") != true {
			is(t, "count", at(t, product, "variantsCount", "count"), any(2048.0))
			break
		}
		after = at(t, product, "variants", "pageInfo", "endCursor")
	}
	is(t, "variants in pages", len(seen)*100+pages, 204809)
	answer := c.ask(query, object{"id": "gid://shopify/Product/7000000001", "first": 251})
	if answer["errors"] == nil {
		t.Error("a page of 251 was answered")
	}
}

func TestShopify_searchByUpdatedAt(t *testing.T) {
	c := connectShopify(t, platforms.Config{Products: 30})
	since := time.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
	changed, err := c.s.Change(platforms.Change{
		Platform: "shopify",
		N:        4,
		Seed:     1,
		Topics:   []string{"products/update"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, one := range changed {
		want["gid://shopify/Product/"+one.ID] = true
	}
	list := c.products("updated_at:>='" + since + "'")
	is(t, "changed", len(list), len(want))
	for _, p := range list {
		if !want[at(t, p, "id").(string)] {
			t.Errorf("%v was not changed", at(t, p, "id"))
		}
	}
}

func TestShopify_stockOrdersAndCustomers(t *testing.T) {
	c := connectShopify(t, platforms.Config{})
	item := at(t, c.data(`{ inventoryItems(first: 3) { nodes { id sku updatedAt variant { id }
		inventoryLevels(first: 5) { nodes { id updatedAt location { id name } quantities(names: ["available"]) { name quantity } } } } } }`, nil), "inventoryItems", "nodes", 1)
	levels := at(t, item, "inventoryLevels", "nodes").([]any)
	is(t, "places", len(levels), 2)
	records, _ := c.s.Records("shopify", "inventory")
	is(t, "quantity", fmt.Sprint(at(t, levels[1], "quantities", 0, "quantity")), fmt.Sprint(at(t, records[3], "quantity")))
	is(t, "location", at(t, levels[1], "location", "id"), any("gid://shopify/Location/61000002"))

	order := at(t, c.data(`{ orders(first: 5, sortKey: UPDATED_AT) { nodes { id name email displayFinancialStatus displayFulfillmentStatus
		totalPriceSet { shopMoney { amount currencyCode } } customer { id } lineItems(first: 5) { nodes { sku quantity } }
		fulfillments(first: 2) { trackingInfo(first: 1) { number company } } } } }`, nil), "orders", "nodes", 0)
	if at(t, order, "totalPriceSet", "shopMoney", "currencyCode") != "USD" || at(t, order, "lineItems", "nodes", 0, "sku") == "" {
		t.Errorf("%v", order)
	}
	customers := at(t, c.data(`{ customers(first: 100) { nodes { id email displayName numberOfOrders tags metafield(namespace: "loyalty", key: "tier") { value } } } }`, nil), "customers", "nodes").([]any)
	tiers := 0
	for _, one := range customers {
		if tags := at(t, one, "tags").([]any); len(tags) == 1 {
			tiers++
			is(t, "tier", tags[0], any("loyalty:"+at(t, one, "metafield", "value").(string)))
		}
	}
	if len(customers) != 100 || tiers == 0 {
		t.Errorf("%d customers, %d with a tier", len(customers), tiers)
	}
	is(t, "shop", at(t, c.data(`{ shop { myshopifyDomain currencyCode } }`, nil), "shop", "myshopifyDomain"), any("trailhead-outfitters.myshopify.com"))
}

func TestShopify_refusals(t *testing.T) {
	c := connectShopify(t, platforms.Config{})
	c.token = "shpat_nonsense"
	r := do(t, "POST", c.s.URL+"/shopify/admin/api/2026-10/graphql.json", object{"query": "{shop{id}}"}, "X-Shopify-Access-Token", c.token)
	is(t, "an unknown token", r.StatusCode, 401)
	c.token = shopifyToken(t, c.s, "read_products")
	is(t, "another scope", code(t, c.ask(`{ orders(first: 1) { nodes { id } } }`, nil)), "ACCESS_DENIED")
	is(t, "a huge query", code(t, c.ask(`{ products(first: 250) { nodes { id variants(first: 100) { nodes { id } } } } }`, nil)), "MAX_COST_EXCEEDED")
	for _, query := range []string{`{ products(first: 1) { nodes { colour } } }`, `{ products { nodes { id } } }`, `{ products(first: 1`, `{ products(first: 1, after: "x") { nodes { id } } }`} {
		if c.ask(query, nil)["errors"] == nil {
			t.Errorf("%s was answered", query)
		}
	}
	is(t, "revoked", c.s.Revoke("shopify"), nil)
	r = do(t, "POST", c.s.URL+"/shopify/admin/api/2026-10/graphql.json", object{"query": "{shop{id}}"}, "X-Shopify-Access-Token", c.token)
	is(t, "a revoked token", r.StatusCode, 401)
}

func TestShopify_throttledByCost(t *testing.T) {
	now := time.Now()
	c := connectShopify(t, platforms.Config{
		ShopifyBucket:  100,
		ShopifyRestore: 50,
		Now:            func() time.Time { return now },
	})
	query := `{ products(first: 10) { nodes { id variants(first: 5) { nodes { id } } } } }`
	first := c.ask(query, nil)
	is(t, "requested", at(t, first, "extensions", "cost", "requestedQueryCost"), any(82.0))
	spent := at(t, first, "extensions", "cost", "actualQueryCost").(float64)
	is(t, "left", at(t, first, "extensions", "cost", "throttleStatus", "currentlyAvailable"), any(100-spent))
	second := c.ask(query, nil)
	is(t, "throttled", code(t, second), "THROTTLED")
	now = now.Add(2 * time.Second)
	if third := c.ask(query, nil); third["errors"] != nil {
		t.Errorf("after two seconds: %v", third["errors"])
	}
	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "cost",
		Resource: "products",
	})
	now = now.Add(time.Minute)
	is(t, "by order", code(t, c.ask(query, nil)), "THROTTLED")
}

func (c shopifyClient) bulk(query string) (address string, objects string) {
	c.t.Helper()
	made := at(c.t, c.data(`mutation($q: String!) { bulkOperationRunQuery(query: $q) { bulkOperation { id status } userErrors { field message } } }`, object{"q": query}), "bulkOperationRunQuery")
	if list := at(c.t, made, "userErrors").([]any); len(list) > 0 {
		c.t.Fatalf("%v", list)
	}
	id := at(c.t, made, "bulkOperation", "id")
	for range 500 {
		found := at(c.t, c.data(`query($id: ID!) { node(id: $id) { ... on BulkOperation { id status url objectCount errorCode } } }`, object{"id": id}), "node")
		if at(c.t, found, "status") == "COMPLETED" {
			return at(c.t, found, "url").(string), at(c.t, found, "objectCount").(string)
		}
		time.Sleep(2 * time.Millisecond) // as a polling client does
	}
	c.t.Fatal("the bulk operation does not end")
	return "", ""
}

func TestShopify_bulkOperation(t *testing.T) {
	c := connectShopify(t, platforms.Config{Products: 300, ShopifyBucket: 1e6})
	address, objects := c.bulk(`{ products { edges { node { id title variants { edges { node { id sku } } } } } } }`)
	whole := do(t, "GET", address, nil)
	roots, children, parent := 0, 0, ""
	for lines := bufio.NewScanner(bytes.NewReader(whole.text)); lines.Scan(); {
		var line object
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if above, child := line["__parentId"]; child {
			children++
			is(t, "parent", above, any(parent))
			continue
		}
		roots, parent = roots+1, line["id"].(string)
	}
	is(t, "products", roots, 300)
	is(t, "objects", objects, fmt.Sprint(roots+children))

	part := do(t, "GET", address, nil, "Range", "bytes=1000-1999")
	is(t, "part", part.StatusCode, 206)
	is(t, "of it", string(part.text), string(whole.text[1000:2000]))
	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "lost",
		Resource: "bulk",
	})
	if _, err := send(t, "GET", address, nil); err == nil {
		t.Error("a lost download ended well")
	}
	is(t, "current", at(t, c.data(`{ currentBulkOperation { status } }`, nil), "currentBulkOperation", "status"), any("COMPLETED"))
}

func TestShopify_concurrentBulkOperations(t *testing.T) {
	c := connectShopify(t, platforms.Config{BulkTime: time.Minute})
	run := `mutation { bulkOperationRunQuery(query: "{ products { edges { node { id } } } }") { bulkOperation { id } userErrors { message } } }`
	id := at(t, c.data(run, nil), "bulkOperationRunQuery", "bulkOperation", "id")
	is(t, "errors of a second", len(at(t, c.data(run, nil), "bulkOperationRunQuery", "userErrors").([]any)), 1)
	c.data(`mutation($id: ID!) { bulkOperationCancel(id: $id) { bulkOperation { status } } }`, object{"id": id})
	is(t, "errors after that", len(at(t, c.data(run, nil), "bulkOperationRunQuery", "userErrors").([]any)), 0)
	bad := at(t, c.data(`mutation { bulkOperationRunQuery(query: "{ shop { id } }") { userErrors { message } } }`, nil), "bulkOperationRunQuery", "userErrors").([]any)
	is(t, "errors of no connection", len(bad), 1)
}

func TestShopify_circularPages(t *testing.T) {
	c := connectShopify(t, platforms.Config{})
	first := at(t, c.data(productsQuery, object{"first": 5}), "products", "pageInfo", "endCursor")
	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "circle",
		Resource: "products",
	})
	is(t, "cursor", at(t, c.data(productsQuery, object{"first": 5, "after": first}), "products", "pageInfo", "endCursor"), first)
}
