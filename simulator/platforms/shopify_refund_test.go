package platforms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const refundOrder = `mutation($input: RefundInput!, $key: String!) { refundCreate(input: $input) @idempotent(key: $key) {
  refund { id totalRefundedSet { shopMoney { amount } } } order { displayFinancialStatus } userErrors { field message }
} }`

func (c orderClient) refund(of any, key string, more object) (refund any, errors []string) {
	c.t.Helper()
	input := object{"orderId": at(c.t, of, "id")}
	for name, value := range more {
		input[name] = value
	}
	answer := at(c.t, c.data(refundOrder, object{"input": input, "key": key}), "refundCreate")
	for _, one := range at(c.t, answer, "userErrors").([]any) {
		errors = append(errors, at(c.t, one, "message").(string))
	}
	return at(c.t, answer, "refund"), errors
}

func (c orderClient) back(of any, amount string, parent any) []any {
	return []any{object{"kind": "REFUND", "gateway": "haggle", "amount": amount, "orderId": at(c.t, of, "id"), "parentId": parent}}
}

func TestShopify_refundCreate(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(3)
	order := c.bought(w, 3)
	line, paid := at(t, order, "lineItems", "nodes", 0, "id"), at(t, order, "transactions", 0, "id")
	hooks := c.listen(orderTopics...)
	input := object{
		"note": "one is broken", "transactions": c.back(order, dollars(w.cents), paid),
		"refundLineItems": []any{object{"lineItemId": line, "quantity": 1, "restockType": "CANCEL", "locationId": "gid://shopify/Location/6100000" + fmt.Sprint(1+w.more())}},
	}
	made, refused := c.refund(order, "key-1", input)
	is(t, "refused", len(refused), 0)
	is(t, "amount", amount(t, made, "totalRefundedSet"), dollars(w.cents))
	after := c.order(order)
	is(t, "status", at(t, after, "displayFinancialStatus"), any("PARTIALLY_REFUNDED"))
	is(t, "parent", at(t, after, "transactions", 1, "parentTransaction", "id"), paid)
	is(t, "restocked", at(t, after, "refunds", 0, "refundLineItems", "nodes", 0, "restocked"), any(true))
	is(t, "its money", at(t, after, "refunds", 0, "transactions", "nodes", 0, "id"), at(t, after, "transactions", 1, "id"))
	is(t, "left", at(t, after, "lineItems", "nodes", 0, "currentQuantity"), any(2.0))
	want := w.levels
	want[w.more()] -= 2
	is(t, "stock", c.levels(w), want)
	came := hooks.since()
	is(t, "webhooks", topics(came), "inventory_levels/update:1 orders/updated:1 refunds/create:1")
	is(t, "told", at(t, came["refunds/create"][0], "transactions", 0, "amount"), any(dollars(w.cents)))
	is(t, "in the order", at(t, came["orders/updated"][0], "refunds", 0, "note"), any("one is broken"))

	again, refused := c.refund(order, "key-1", input)
	is(t, "the same key", at(t, again, "id"), at(t, made, "id"))
	is(t, "nothing more", len(refused)+len(at(t, c.order(order), "refunds").([]any)), 1)
	is(t, "nothing told", topics(hooks.since()), "")
	_, refused = c.refund(order, "key-1", object{"note": "another", "transactions": c.back(order, "1.00", paid)})
	is(t, "other parameters", fmt.Sprint(refused), "[The same idempotency key cannot be used with different operation parameters.]")

	rest := 2*w.cents + 600
	_, refused = c.refund(order, "key-2", object{"transactions": c.back(order, dollars(rest+1), paid)})
	is(t, "more than was paid", len(refused), 1)
	_, refused = c.refund(order, "key-2", object{"transactions": c.back(order, dollars(rest+1), paid)})
	is(t, "after a failure", fmt.Sprint(refused), "[A previous request with this idempotency key failed. Retry with a new idempotency key.]")
	for name, more := range map[string]object{
		"too many":   {"refundLineItems": []any{object{"lineItemId": line, "quantity": 3}}},
		"not sent":   {"refundLineItems": []any{object{"lineItemId": line, "quantity": 1, "restockType": "RETURN"}}},
		"no line":    {"refundLineItems": []any{object{"lineItemId": "gid://shopify/LineItem/1", "quantity": 1}}},
		"no payment": {"transactions": c.back(order, "1.00", "gid://shopify/OrderTransaction/1")},
		"shipping":   {"shipping": object{"amount": "5.01"}},
		"nothing":    {},
	} {
		if _, refused = c.refund(order, name, more); len(refused) != 1 {
			t.Errorf("%s: %v", name, refused)
		}
	}
	made, refused = c.refund(order, "key-3", object{"transactions": c.back(order, dollars(rest), nil), "shipping": object{"fullRefund": true},
		"refundLineItems": []any{object{"lineItemId": line, "quantity": 2, "restockType": "NO_RESTOCK"}}})
	is(t, "the rest", fmt.Sprint(refused), "[]")
	is(t, "its amount", amount(t, made, "totalRefundedSet"), dollars(rest))
	after = c.order(order)
	is(t, "status", at(t, after, "displayFinancialStatus"), any("REFUNDED"))
	is(t, "nothing left", amount(t, after, "currentTotalPriceSet"), "0.00")
	is(t, "not restocked", c.levels(w), want)
	_, refused = c.refund(order, "key-4", object{"transactions": c.back(order, "1.00", paid), "allowOverRefunding": true})
	is(t, "over", len(refused), 0)
}

// "Calling these mutations without an idempotency directive will result in an error" since 2026-04.
func TestShopify_refundIdempotencyKey(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	order := c.bought(c.stocked(1), 1)
	query := strings.Replace(strings.Replace(refundOrder, " @idempotent(key: $key)", "", 1), ", $key: String!", "", 1)
	variables := object{"input": object{"orderId": at(t, order, "id"), "transactions": c.back(order, "1.00", nil)}}
	is(t, "without", code(t, c.ask(query, variables)), "BAD_REQUEST")
	is(t, "none", len(at(t, c.order(order), "refunds").([]any)), 0)
	c.version = "2026-01"
	is(t, "before", len(at(t, c.data(query, variables), "refundCreate", "userErrors").([]any)), 0)
	c.token = shopifyToken(t, c.s, "read_orders")
	is(t, "scope", code(t, c.ask(query, variables)), "ACCESS_DENIED")
}

const fulfill = `mutation($f: FulfillmentInput!) { fulfillmentCreate(fulfillment: $f) {
  fulfillment { id status trackingInfo { company number url } totalQuantity location { id } } userErrors { field message }
} }`

func TestShopify_fulfillmentCreate(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(3)
	order := c.bought(w, 3)
	hooks := c.listen(orderTopics...)
	expected := at(t, c.order(order), "fulfillmentOrders", "nodes").([]any)
	is(t, "fulfillment orders", len(expected), 1)
	is(t, "location", at(t, expected[0], "assignedLocation", "location", "id"), any("gid://shopify/Location/6100000"+fmt.Sprint(1+w.more())))
	is(t, "open", at(t, expected[0], "status"), any("OPEN"))
	send := func(quantity int, tracking object) (any, int) {
		group := object{"fulfillmentOrderId": at(t, expected[0], "id")}
		if quantity > 0 {
			group["fulfillmentOrderLineItems"] = []any{object{"id": at(t, expected[0], "lineItems", "nodes", 0, "id"), "quantity": quantity}}
		}
		answer := at(t, c.data(fulfill, object{"f": object{"lineItemsByFulfillmentOrder": []any{group}, "trackingInfo": tracking}}), "fulfillmentCreate")
		return at(t, answer, "fulfillment"), len(at(t, answer, "userErrors").([]any))
	}
	group := func(id any) object { return object{"fulfillmentOrderId": id} }
	elsewhere := at(t, c.order(c.bought(w, 1)), "fulfillmentOrders", "nodes", 0, "id")
	for name, groups := range map[string][]any{
		"twice":        {group(at(t, expected[0], "id")), group(at(t, expected[0], "id"))},
		"two orders":   {group(at(t, expected[0], "id")), group(elsewhere)},
		"no such":      {group("gid://shopify/FulfillmentOrder/1")},
		"none":         {},
		"no such line": {object{"fulfillmentOrderId": at(t, expected[0], "id"), "fulfillmentOrderLineItems": []any{object{"id": "gid://shopify/FulfillmentOrderLineItem/1", "quantity": 1}}}},
	} {
		answer := at(t, c.data(fulfill, object{"f": object{"lineItemsByFulfillmentOrder": groups}}), "fulfillmentCreate")
		is(t, name, len(at(t, answer, "userErrors").([]any)), 1)
	}
	hooks.since()
	w.levels[w.more()]--
	_, refused := send(4, nil)
	is(t, "too many", refused, 1)
	made, refused := send(1, object{"company": "UPS", "number": "1Z9"})
	is(t, "refused", refused, 0)
	is(t, "number", at(t, made, "trackingInfo", 0, "number"), any("1Z9"))
	after := c.order(order)
	is(t, "a part", at(t, after, "displayFulfillmentStatus"), any("PARTIALLY_FULFILLED"))
	is(t, "remaining", at(t, after, "fulfillmentOrders", "nodes", 0, "lineItems", "nodes", 0, "remainingQuantity"), any(2.0))
	is(t, "webhooks", topics(hooks.since()), "fulfillments/create:1 orders/partially_fulfilled:1 orders/updated:1")
	made, refused = send(0, nil)
	is(t, "the rest", refused*10+int(at(t, made, "totalQuantity").(float64)), 2)
	after = c.order(order)
	is(t, "all", at(t, after, "displayFulfillmentStatus"), any("FULFILLED"))
	is(t, "closed", at(t, after, "fulfillmentOrders", "nodes", 0, "status"), any("CLOSED"))
	came := hooks.since()
	is(t, "webhooks", topics(came), "fulfillments/create:1 orders/fulfilled:1 orders/updated:1")
	is(t, "told", len(at(t, came["orders/fulfilled"][0], "fulfillments").([]any)), 2)
	_, refused = send(0, nil)
	is(t, "again", refused, 1)
	want := w.levels
	want[w.more()] -= 3
	is(t, "stock", c.levels(w), want)

	update := c.data(`mutation($id: ID!, $t: FulfillmentTrackingInput!) { fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $t) {
		fulfillment { trackingInfo { company number url } } userErrors { message } } }`, object{"id": at(t, made, "id"), "t": object{"company": "DHL", "numbers": []any{"7"}, "urls": []any{"https://dhl.example.com/7"}}})
	is(t, "tracking", at(t, update, "fulfillmentTrackingInfoUpdate", "fulfillment", "trackingInfo", 0, "url"), any("https://dhl.example.com/7"))
	is(t, "webhooks", topics(hooks.since()), "fulfillments/update:1 orders/updated:1")

	is(t, "cancel what was sent", fmt.Sprint(c.cancel(order, nil)), "[INVALID]")
	_, wrong := c.refund(order, "k1", object{"refundLineItems": []any{object{"lineItemId": at(t, order, "lineItems", "nodes", 0, "id"), "quantity": 1, "restockType": "CANCEL"}}})
	is(t, "cancel a sent piece", len(wrong), 1)
	_, wrong = c.refund(order, "k2", object{"refundLineItems": []any{object{"lineItemId": at(t, order, "lineItems", "nodes", 0, "id"), "quantity": 2, "restockType": "RETURN", "locationId": "gid://shopify/Location/61000002"}}})
	is(t, "return", fmt.Sprint(wrong), "[]")
	want[1] += 2
	is(t, "returned to the other place", c.levels(w), want)

	c.token = shopifyToken(t, c.s, "write_orders")
	is(t, "scope", code(t, c.ask(fulfill, object{"f": object{"lineItemsByFulfillmentOrder": []any{}}})), "ACCESS_DENIED")
	is(t, "scope to read", code(t, c.ask(afterwards, object{"id": at(t, order, "id")})), "ACCESS_DENIED")
}
