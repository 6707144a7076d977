package platforms_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const orderScopes = "read_products read_inventory write_orders read_customers read_merchant_managed_fulfillment_orders write_merchant_managed_fulfillment_orders"

// orderClient writes orders with version 2026-10.
type orderClient struct {
	shopifyClient
	version string
}

func connectOrders(t *testing.T, c platforms.Config) orderClient {
	t.Helper()
	c.ShopifyBucket = 1e6
	s := start(t, c)
	return orderClient{shopifyClient{t, s, shopifyToken(t, s, orderScopes)}, "2026-10"}
}

func (c orderClient) send(query string, variables object) (reply, error) {
	address := c.s.URL + "/shopify/admin/api/" + c.version + "/graphql.json"
	return send(c.t, "POST", address, object{"query": query, "variables": variables}, "X-Shopify-Access-Token", c.token)
}

func (c orderClient) ask(query string, variables object) object {
	c.t.Helper()
	r, err := c.send(query, variables)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.object(c.t)
}

func (c orderClient) data(query string, variables object) any {
	c.t.Helper()
	answer := c.ask(query, variables)
	if answer["errors"] != nil {
		c.t.Fatalf("%v", answer["errors"])
	}
	return answer["data"]
}

const orderFields = `fragment O on Order {
  id name email note tags test sourceIdentifier sourceName displayFinancialStatus displayFulfillmentStatus processedAt createdAt taxesIncluded currencyCode
  totalPriceSet { shopMoney { amount currencyCode } } subtotalPriceSet { shopMoney { amount } } totalTaxSet { shopMoney { amount } }
  totalShippingPriceSet { shopMoney { amount } } currentTotalPriceSet { shopMoney { amount } } totalDiscountsSet { shopMoney { amount } }
  customAttributes { key value } customer { id email firstName lastName }
  taxLines { title rate priceSet { shopMoney { amount } } }
  shippingLine { title code originalPriceSet { shopMoney { amount } } }
  shippingAddress { name city countryCodeV2 }
  transactions { id kind status gateway amountSet { shopMoney { amount } } }
  lineItems(first: 10) { nodes { id title sku quantity currentQuantity originalUnitPriceSet { shopMoney { amount } } taxLines { priceSet { shopMoney { amount } } } variant { id } } }
}`

const createOrder = `mutation Create($order: OrderCreateOrderInput!, $options: OrderCreateOptionsInput) {
  orderCreate(order: $order, options: $options) { order { ...O } userErrors { field message code } }
}` + orderFields

func money(amount string) object {
	return object{"shopMoney": object{"amount": amount, "currencyCode": "USD"}}
}

func amount(t *testing.T, of any, path ...any) string {
	t.Helper()
	return at(t, of, append(path, "shopMoney", "amount")...).(string)
}

// create answers with the order and the codes of the user errors.
func (c orderClient) create(order object, behaviour string) (any, []string) {
	c.t.Helper()
	options := object{}
	if behaviour != "" {
		options["inventoryBehaviour"] = behaviour
	}
	answer := at(c.t, c.data(createOrder, object{"order": order, "options": options}), "orderCreate")
	return at(c.t, answer, "order"), codes(c.t, at(c.t, answer, "userErrors"))
}

// codes are each error's code, or its message where it has none.
func codes(t *testing.T, list any) (found []string) {
	t.Helper()
	for _, one := range list.([]any) {
		if text, is := at(t, one, "code").(string); is {
			found = append(found, text)
		} else {
			found = append(found, at(t, one, "message").(string))
		}
	}
	return found
}

func (c orderClient) must(order object, behaviour string) any {
	c.t.Helper()
	made, refused := c.create(order, behaviour)
	if len(refused) > 0 || made == nil {
		c.t.Fatalf("refused: %v", refused)
	}
	return made
}

type ware struct {
	variant, item string
	cents         int64
	levels        [2]int
}

// wares are variants with what is available of them at both locations.
func (c orderClient) wares(n int) (list []ware) {
	c.t.Helper()
	found := at(c.t, c.data(`query($n: Int!) { inventoryItems(first: $n) { nodes { id variant { id price }
		inventoryLevels(first: 2) { nodes { quantities(names: ["available"]) { quantity } } } } } }`, object{"n": n}), "inventoryItems", "nodes").([]any)
	for _, one := range found {
		w := ware{variant: at(c.t, one, "variant", "id").(string), item: at(c.t, one, "id").(string)}
		_, err := fmt.Sscanf(strings.ReplaceAll(at(c.t, one, "variant", "price").(string), ".", ""), "%d", &w.cents)
		if err != nil {
			c.t.Fatal(err)
		}
		for place := range w.levels {
			w.levels[place] = int(at(c.t, one, "inventoryLevels", "nodes", place, "quantities", 0, "quantity").(float64))
		}
		list = append(list, w)
	}
	return list
}

// stocked is a ware of which there are some pieces at both locations, and more at one of them.
func (c orderClient) stocked(least int) ware {
	c.t.Helper()
	for _, w := range c.wares(60) {
		if min(w.levels[0], w.levels[1]) >= least && w.levels[0] != w.levels[1] {
			return w
		}
	}
	c.t.Fatal("nothing is in stock")
	return ware{}
}

func (c orderClient) levels(w ware) [2]int {
	c.t.Helper()
	for _, one := range c.wares(100) {
		if one.variant == w.variant {
			return one.levels
		}
	}
	c.t.Fatal("the ware is gone")
	return [2]int{}
}

func (w ware) more() int {
	if w.levels[1] > w.levels[0] {
		return 1
	}
	return 0
}

func dollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func (c orderClient) countOrders() int {
	c.t.Helper()
	list, err := c.s.Records("shopify", "orders")
	if err != nil {
		c.t.Fatal(err)
	}
	return len(list)
}

func TestShopifyOrderCreate(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.wares(1)[0]
	order := c.must(object{
		"lineItems": []any{
			object{"variantId": w.variant, "quantity": 2},
			object{"title": "Gift wrap", "quantity": 1, "priceSet": money("4.50"), "taxable": false},
			object{"variantId": w.variant, "quantity": 1, "priceSet": money("10.00")},
		},
		"email": "buyer@example.com", "currency": "USD", "note": "Leave at the door", "tags": []any{"haggle", "agent"}, "sourceIdentifier": "ord_1", "sourceName": "haggle",
		"customAttributes": []any{object{"key": "quote", "value": "q1"}}, "processedAt": "2025-05-01T10:00:00Z",
		"taxLines":        []any{object{"title": "State tax", "rate": "0.06", "priceSet": money("3.00")}},
		"shippingLines":   []any{object{"title": "Ground", "code": "ground", "priceSet": money("5.25")}},
		"shippingAddress": object{"firstName": "Ada", "lastName": "Byron", "city": "Boulder", "countryCode": "US"},
		"transactions":    []any{object{"kind": "SALE", "status": "SUCCESS", "gateway": "haggle", "amountSet": money(dollars(2*w.cents + 450 + 1000 + 300 + 525))}},
	}, "")
	subtotal := 2*w.cents + 450 + 1000
	for name, want := range map[string]int64{
		"subtotalPriceSet": subtotal, "totalTaxSet": 300, "totalShippingPriceSet": 525, "totalPriceSet": subtotal + 825, "currentTotalPriceSet": subtotal + 825,
	} {
		is(t, name, amount(t, order, name), dollars(want))
	}
	is(t, "paid", at(t, order, "displayFinancialStatus"), any("PAID"))
	is(t, "unfulfilled", at(t, order, "displayFulfillmentStatus"), any("UNFULFILLED"))
	is(t, "identifier", at(t, order, "sourceIdentifier"), any("ord_1"))
	is(t, "source", at(t, order, "sourceName"), any("haggle"))
	is(t, "processed", at(t, order, "processedAt"), any("2025-05-01T10:00:00Z"))
	is(t, "attribute", at(t, order, "customAttributes", 0, "value"), any("q1"))
	is(t, "tags", fmt.Sprint(at(t, order, "tags")), "[haggle agent]")
	is(t, "gateway", at(t, order, "transactions", 0, "gateway"), any("haggle"))
	is(t, "unit price", amount(t, order, "lineItems", "nodes", 0, "originalUnitPriceSet"), dollars(w.cents))
	is(t, "own price", amount(t, order, "lineItems", "nodes", 2, "originalUnitPriceSet"), "10.00")
	is(t, "variant", at(t, order, "lineItems", "nodes", 0, "variant", "id"), any(w.variant))
	is(t, "no variant", at(t, order, "lineItems", "nodes", 1, "variant"), nil)
	is(t, "untaxed", len(at(t, order, "lineItems", "nodes", 1, "taxLines").([]any)), 0)
	shared := int64(0)
	for _, k := range []int{0, 2} {
		var part int64
		_, _ = fmt.Sscanf(strings.ReplaceAll(amount(t, order, "lineItems", "nodes", k, "taxLines", 0, "priceSet"), ".", ""), "%d", &part)
		shared += part
	}
	is(t, "the lines' taxes", shared, 300)
	is(t, "address", at(t, order, "shippingAddress", "name"), any("Ada Byron"))
	is(t, "stock", c.levels(w), w.levels)

	again := c.data(`query($id: ID!) { order(id: $id) { ...O } }`+orderFields, object{"id": at(t, order, "id")})
	is(t, "read again", fmt.Sprint(at(t, again, "order")), fmt.Sprint(order))
}

func TestShopifyOrderCreateSums(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	line := object{"title": "Mug", "quantity": 3, "priceSet": money("10.00")}
	with := func(more object) object {
		order := object{"lineItems": []any{line}, "email": "a@example.com"}
		for name, value := range more {
			order[name] = value
		}
		return order
	}
	pay := func(kind, status, amount string) object {
		return object{"transactions": []any{object{"kind": kind, "status": status, "amountSet": money(amount)}}}
	}
	for _, one := range []struct {
		name, total, tax, status string
		order                    object
	}{
		{"nothing paid", "30.00", "0.00", "PENDING", with(nil)},
		{"part paid", "30.00", "0.00", "PARTIALLY_PAID", with(pay("SALE", "SUCCESS", "10.00"))},
		{"authorized", "30.00", "0.00", "AUTHORIZED", with(pay("AUTHORIZATION", "SUCCESS", "30.00"))},
		{"failed", "30.00", "0.00", "PENDING", with(pay("SALE", "FAILURE", "30.00"))},
		{"paid", "30.00", "0.00", "PAID", with(pay("SALE", "SUCCESS", "30.00"))},
		{"said", "30.00", "0.00", "PAID", with(object{"financialStatus": "PAID"})},
		{"rate", "32.40", "2.40", "PENDING", with(object{"taxLines": []any{object{"title": "VAT", "rate": 0.08}}})},
		{"included", "30.00", "4.79", "PENDING", with(object{"taxesIncluded": true, "taxLines": []any{object{"title": "VAT", "rate": "0.19"}}})},
		{"percentage", "27.00", "0.00", "PENDING", with(object{"discountCode": object{"itemPercentageDiscountCode": object{"code": "TEN", "percentage": 10}}})},
		{"fixed", "25.00", "0.00", "PENDING", with(object{"discountCode": object{"itemFixedDiscountCode": object{"code": "FIVE", "amountSet": money("5.00")}}})},
		{"free shipping", "30.00", "0.00", "PENDING", with(object{
			"shippingLines": []any{object{"title": "Air", "priceSet": money("9.00")}}, "discountCode": object{"freeShippingDiscountCode": object{"code": "FREE"}},
		})},
	} {
		order := c.must(one.order, "")
		is(t, one.name+": total", amount(t, order, "totalPriceSet"), one.total)
		is(t, one.name+": tax", amount(t, order, "totalTaxSet"), one.tax)
		is(t, one.name+": status", at(t, order, "displayFinancialStatus"), any(one.status))
	}
}

func TestShopifyOrderCreateRefuses(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	before := c.countOrders()
	good := object{"title": "Mug", "quantity": 1, "priceSet": money("10.00")}
	tax := []any{object{"title": "VAT", "rate": "0.1"}}
	for name, one := range map[string]struct {
		order object
		code  string
	}{
		"no lines":       {object{"email": "a@example.com"}, "INVALID"},
		"quantity":       {object{"lineItems": []any{object{"title": "Mug", "quantity": 0, "priceSet": money("1.00")}}}, "INVALID"},
		"no title":       {object{"lineItems": []any{object{"quantity": 1, "priceSet": money("1.00")}}}, "INVALID"},
		"no price":       {object{"lineItems": []any{object{"title": "Mug", "quantity": 1}}}, "INVALID"},
		"no variant":     {object{"lineItems": []any{object{"variantId": "gid://shopify/ProductVariant/1", "quantity": 1}}}, "INVALID"},
		"service":        {object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00"), "fulfillmentService": "moon"}}}, "FULFILLMENT_SERVICE_INVALID"},
		"two customers":  {object{"lineItems": []any{good}, "customerId": "gid://shopify/Customer/5200000001", "customer": object{"toAssociate": object{"id": "gid://shopify/Customer/5200000001"}}}, "REDUNDANT_CUSTOMER_FIELDS"},
		"no customer":    {object{"lineItems": []any{good}, "customer": object{"toAssociate": object{"id": "gid://shopify/Customer/1"}}}, "INVALID"},
		"taxes twice":    {object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00"), "taxLines": tax}}, "taxLines": tax}, "INVALID"},
		"other currency": {object{"lineItems": []any{good}, "currency": "EUR"}, "INVALID"},
		"part of a cent": {object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.005")}}}, "INVALID"},
	} {
		order, refused := c.create(one.order, "")
		is(t, name, fmt.Sprint(refused), "["+one.code+"]")
		is(t, name+": no order", order, nil)
	}
	is(t, "orders", c.countOrders(), before)
	for _, query := range []string{ // not by the schema
		`mutation { orderCreate(order: {lineItems: [{title: "Mug"}]}) { order { id } } }`,
		`mutation { orderCreate(order: {}, options: {inventoryBehavior: BYPASS}) { order { id } } }`,
		`mutation { orderCreate { order { id } } }`,
	} {
		if c.ask(query, nil)["errors"] == nil {
			t.Errorf("%s was answered", query)
		}
	}
	c.token = shopifyToken(t, c.s, "read_orders")
	is(t, "scope", code(t, c.ask(createOrder, object{"order": object{"lineItems": []any{good}}})), "ACCESS_DENIED")
}

// "As of API version 2026-07, values in the future are clamped to the current time."
func TestShopifyOrderProcessedInTheFuture(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := connectOrders(t, platforms.Config{Now: func() time.Time { return now }})
	order := object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}, "processedAt": "2027-01-01T00:00:00Z"}
	is(t, "clamped", at(t, c.must(order, ""), "processedAt"), any("2026-11-01T12:00:00Z"))
	c.version = "2026-04"
	_, refused := c.create(order, "")
	is(t, "refused", fmt.Sprint(refused), "[PROCESSED_AT_INVALID]")
}

func TestShopifyOrderCustomers(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	line := []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}
	known := at(t, c.data(`{ customers(first: 1) { nodes { id email numberOfOrders } } }`, nil), "customers", "nodes", 0)
	customers := func() int { list, _ := c.s.Records("shopify", "customers"); return len(list) }
	before := customers()
	order := c.must(object{"lineItems": line, "customer": object{"toAssociate": object{"id": at(t, known, "id")}}}, "")
	is(t, "associated", at(t, order, "customer", "id"), at(t, known, "id"))
	is(t, "its address", at(t, order, "email"), at(t, known, "email"))
	order = c.must(object{"lineItems": line, "customer": object{"toUpsert": object{"email": strings.ToUpper(at(t, known, "email").(string)), "firstName": "Grace"}}}, "")
	is(t, "found by address", at(t, order, "customer", "id"), at(t, known, "id"))
	is(t, "changed", at(t, order, "customer", "firstName"), any("Grace"))
	is(t, "none is new", customers(), before)
	order = c.must(object{"lineItems": line, "email": "new@example.com", "customer": object{"toUpsert": object{"lastName": "Hopper"}}}, "")
	is(t, "new", at(t, order, "customer", "email"), any("new@example.com"))
	is(t, "one is new", customers(), before+1)
	order = c.must(object{"lineItems": line, "email": "nobody@example.com"}, "")
	is(t, "none", at(t, order, "customer"), nil)
	is(t, "address alone", at(t, order, "email"), any("nobody@example.com"))
	found := at(t, c.data(`{ orders(first: 5, query: "email:nobody@example.com") { nodes { email } } }`, nil), "orders", "nodes").([]any)
	is(t, "found", len(found), 1)
}

func TestShopifyOrderClaimsStock(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(2)
	buy := func(quantity int) object {
		return object{"lineItems": []any{object{"variantId": w.variant, "quantity": quantity}}, "email": "a@example.com"}
	}
	before := c.countOrders()
	most := w.more()
	c.must(buy(2), "BYPASS")
	is(t, "bypassed", c.levels(w), w.levels)
	c.must(buy(2), "DECREMENT_OBEYING_POLICY")
	want := w.levels
	want[most] -= 2
	is(t, "claimed", c.levels(w), want)
	all := max(want[0], want[1])
	order, refused := c.create(buy(all+1), "DECREMENT_OBEYING_POLICY")
	is(t, "too many", fmt.Sprint(refused), "[INVENTORY_CLAIM_FAILED]")
	is(t, "no order", order, nil)
	both := object{"lineItems": []any{object{"variantId": w.variant, "quantity": 1}, object{"variantId": w.variant, "quantity": all + 1}}}
	_, refused = c.create(both, "DECREMENT_OBEYING_POLICY")
	is(t, "one of two", fmt.Sprint(refused), "[INVENTORY_CLAIM_FAILED]")
	is(t, "nothing claimed", c.levels(w), want)
	is(t, "orders", c.countOrders(), before+2)
	most = 0
	if want[1] > want[0] {
		most = 1
	}
	c.must(buy(all+1), "DECREMENT_IGNORING_POLICY")
	want[most] -= all + 1
	is(t, "below nothing", c.levels(w), want)
	level := at(t, c.data(`query($id: ID!) { inventoryItem(id: $id) { inventoryLevels(first: 2) { nodes { quantities(names: ["available", "committed", "on_hand"]) { quantity } } } } }`,
		object{"id": w.item}), "inventoryItem", "inventoryLevels", "nodes").([]any)
	committed := 0
	for place, one := range level {
		committed += int(at(t, one, "quantities", 1, "quantity").(float64))
		is(t, "on hand", int(at(t, one, "quantities", 2, "quantity").(float64)), w.levels[place])
	}
	is(t, "committed", committed, 2+all+1)
}

// Of what there is at one location, sixteen at once get no more than there is, and the rest is refused.
func TestShopifyConcurrentClaims(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	var w ware
	for _, one := range c.wares(100) {
		if one.levels[0]+one.levels[1] >= 3 && one.levels[0]+one.levels[1] < 16 {
			w = one
		}
	}
	made := c.sixteen(func(int) object {
		return object{"lineItems": []any{object{"variantId": w.variant, "quantity": 1}}}
	}, "DECREMENT_OBEYING_POLICY", "INVENTORY_CLAIM_FAILED")
	is(t, "made", made, w.levels[0]+w.levels[1])
	is(t, "left", c.levels(w), [2]int{})
}

func TestShopifyConcurrentUniqueValues(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	is(t, "defined", len(codes(t, c.define(object{"key": "order_id", "type": "id"}))), 0)
	before := c.countOrders()
	made := c.sixteen(func(int) object { return identified("$app", "order_id", "ord_1") }, "", "INVALID")
	is(t, "made", made, 1)
	is(t, "orders", c.countOrders(), before+1)
}

func (c orderClient) sixteen(order func(int) object, behaviour, refusal string) (made int) {
	c.t.Helper()
	answers := make([]object, 16)
	var all sync.WaitGroup
	for n := range answers {
		all.Go(func() {
			r, err := c.send(createOrder, object{"order": order(n), "options": object{"inventoryBehaviour": map[bool]string{true: behaviour, false: "BYPASS"}[behaviour != ""]}})
			if err == nil {
				_ = json.Unmarshal(r.text, &answers[n])
			}
		})
	}
	all.Wait()
	for _, answer := range answers {
		if at(c.t, answer, "data", "orderCreate", "order") != nil {
			made++
			continue
		}
		is(c.t, "refusal", fmt.Sprint(codes(c.t, at(c.t, answer, "data", "orderCreate", "userErrors"))), "["+refusal+"]")
	}
	return made
}

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

func TestShopifyCustomIDs(t *testing.T) {
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
}

// A search finds later what the look-up by a unique value finds at once.
func TestShopifySearchLags(t *testing.T) {
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

func TestShopifyDevelopmentStore(t *testing.T) {
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

func TestShopifyInstallationAndNodes(t *testing.T) {
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
