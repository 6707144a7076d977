package platforms_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func (c orderClient) define(more object) any {
	c.t.Helper()
	definition := object{"name": "Order of Haggle", "ownerType": "ORDER"}
	for name, value := range more {
		definition[name] = value
	}
	return at(c.t, c.data(`mutation($d: MetafieldDefinitionInput!) { metafieldDefinitionCreate(definition: $d) {
		createdDefinition { id namespace key type { name } capabilities { uniqueValues { enabled } } } userErrors { field message code } } }`, object{"d": definition}),
		"metafieldDefinitionCreate", "userErrors")
}

func identified(namespace, key, value string) object {
	return object{
		"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}, "email": "a@example.com", "sourceIdentifier": value,
		"metafields": []any{object{"namespace": namespace, "key": key, "value": value}},
	}
}

const findOrder = `query($namespace: String, $key: String!, $value: String!) {
  orderByIdentifier(identifier: {customId: {namespace: $namespace, key: $key, value: $value}}) {
    id sourceIdentifier metafield(namespace: $namespace, key: $key) { namespace key value type }
  }
}`

func TestShopify_customIDs(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	for _, one := range []struct {
		code       string
		definition object
	}{
		{"", object{"namespace": "$app", "key": "order_id", "type": "id"}},
		{"TAKEN", object{"key": "order_id", "type": "id"}}, // $app is the default
		{"", object{"namespace": "$app:sales", "key": "order_id", "type": "id"}},
		{"", object{"namespace": "haggle", "key": "order_id", "type": "id"}},
		{"TAKEN", object{"namespace": "haggle", "key": "order_id", "type": "id"}},
		{"CAPABILITY_REQUIRED_BUT_DISABLED", object{"key": "other", "type": "id", "capabilities": object{"uniqueValues": object{"enabled": false}}}},
		{"INVALID_CHARACTER", object{"key": "o!", "type": "id"}},
		{"INCLUSION", object{"key": "other", "type": "nothing"}},
	} {
		want := []string{one.code}
		if one.code == "" {
			want = nil
		}
		is(t, fmt.Sprint(one.definition), fmt.Sprint(codes(t, c.define(one.definition))), fmt.Sprint(want))
	}
	for _, namespace := range []string{"$app", "$app:sales", "haggle"} {
		made := c.must(identified(namespace, "order_id", "ord_7"), "")
		found := at(t, c.data(findOrder, object{"namespace": namespace, "key": "order_id", "value": "ord_7"}), "orderByIdentifier")
		is(t, "found in "+namespace, at(t, found, "id"), at(t, made, "id"))
		is(t, "type", at(t, found, "metafield", "type"), any("id"))
		again, refused := c.create(identified(namespace, "order_id", "ord_7"), "")
		is(t, "again", fmt.Sprint(refused), "[INVALID]")
		is(t, "no order", again, nil)
	}
	is(t, "another value", at(t, c.data(findOrder, object{"key": "order_id", "value": "ord_8"}), "orderByIdentifier"), nil)
	if c.ask(findOrder, object{"key": "undefined", "value": "ord_7"})["errors"] == nil {
		t.Error("a look-up without a definition was answered")
	}
	_, refused := c.create(identified("haggle", "undefined", "ord_9"), "")
	is(t, "without definition and type", fmt.Sprint(refused), "[INVALID]")
	bare := identified("", "order_id", "ord_9")
	delete(at(t, bare, "metafields", 0).(object), "namespace")
	_, refused = c.create(bare, "")
	is(t, "without namespace", fmt.Sprint(refused), "[INVALID]")
}

// A search finds an order later than the look-up by a unique value does.
func TestShopify_searchLag(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := connectOrders(t, platforms.Config{ShopifySearchLag: 5 * time.Second, Now: func() time.Time { return now }})
	c.define(object{"key": "order_id", "type": "id"})
	c.must(identified("$app", "order_id", "ord:7"), "")
	search := func() int {
		query := `query($q: String!) { orders(first: 5, query: $q) { nodes { sourceIdentifier } } }`
		return len(at(t, c.data(query, object{"q": "source_identifier:'ord:7'"}), "orders", "nodes").([]any))
	}
	is(t, "search", search(), 0)
	is(t, "look-up", at(t, c.data(findOrder, object{"key": "order_id", "value": "ord:7"}), "orderByIdentifier", "sourceIdentifier"), any("ord:7"))
	now = now.Add(5 * time.Second)
	is(t, "search later", search(), 1)
	is(t, "look-ups", c.s.Requests("shopify:order_find"), 3)
}

func TestShopify_developmentStore(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := connectOrders(t, platforms.Config{ShopifyDevelopment: true, Now: func() time.Time { return now }})
	order := object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}}
	for range 5 {
		c.must(order, "")
	}
	_, refused := c.create(order, "")
	is(t, "the sixth", fmt.Sprint(refused), "[Too many attempts. Please try again later.]")
	now = now.Add(time.Minute)
	c.must(order, "")
}

func TestShopify_installationAndNodes(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	list := at(t, c.data(`{ currentAppInstallation { accessScopes { handle } } }`, nil), "currentAppInstallation", "accessScopes").([]any)
	var handles []string
	for _, one := range list {
		handles = append(handles, at(t, one, "handle").(string))
	}
	is(t, "scopes", strings.Join(handles, " "), orderScopes)
	w := c.wares(1)[0]
	order := c.must(object{"lineItems": []any{object{"variantId": w.variant, "quantity": 1}}}, "")
	ids := []any{at(t, order, "id"), "gid://shopify/Order/1", w.variant, "gid://shopify/Nothing/1", w.item, at(t, order, "lineItems", "nodes", 0, "id")}
	nodes := at(t, c.data(`query($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on ProductVariant { price } ... on Order { totalPriceSet { shopMoney { amount } } } } }`,
		object{"ids": ids}), "nodes").([]any)
	var kinds []string
	for n, one := range nodes {
		if one == nil {
			kinds = append(kinds, "null")
			continue
		}
		kinds = append(kinds, at(t, one, "__typename").(string))
		is(t, "in order", at(t, one, "id"), ids[n])
	}
	is(t, "kinds", strings.Join(kinds, " "), "Order null ProductVariant null InventoryItem LineItem")
}
