package platforms_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func TestShopify_orderCreate(t *testing.T) {
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

func TestShopify_orderCreateSums(t *testing.T) {
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

func TestShopify_orderCreateErrors(t *testing.T) {
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
	for _, query := range []string{ // invalid by the schema
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
func TestShopify_processedAtInFuture(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := connectOrders(t, platforms.Config{Now: func() time.Time { return now }})
	order := object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}, "processedAt": "2027-01-01T00:00:00Z"}
	is(t, "clamped", at(t, c.must(order, ""), "processedAt"), any("2026-11-01T12:00:00Z"))
	c.version = "2026-04"
	_, refused := c.create(order, "")
	is(t, "refused", fmt.Sprint(refused), "[PROCESSED_AT_INVALID]")
}

func TestShopify_orderCustomers(t *testing.T) {
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

func TestShopify_orderClaimsStock(t *testing.T) {
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
	one := object{"variantId": w.variant, "quantity": 1}
	_, refused = c.create(object{"lineItems": slices.Repeat([]any{one}, want[0]+want[1]+1)}, "DECREMENT_OBEYING_POLICY")
	is(t, "together too many", fmt.Sprint(refused), "[INVENTORY_CLAIM_FAILED]")
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

// Sixteen concurrent orders do not get more than the stock of a location. The rest is refused.
func TestShopify_concurrentClaims(t *testing.T) {
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

func TestShopify_concurrentUniqueValues(t *testing.T) {
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
