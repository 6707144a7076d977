package platforms_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func TestShopify_orderWebhooks(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(2)
	hooks := c.listen(orderTopics...)
	order := c.bought(w, 2)
	came := hooks.since()
	is(t, "webhooks", topics(came), "inventory_levels/update:1 orders/create:1 orders/paid:1")
	body := came["orders/create"][0]
	for name, want := range map[string]any{
		"source_identifier": "ord_1", "source_name": "haggle", "financial_status": "paid", "fulfillment_status": nil, "cancelled_at": nil, "email": "a@example.com",
		"total_price": dollars(2*w.cents + 600), "admin_graphql_api_id": at(t, order, "id"), "total_tax": "1.00",
	} {
		is(t, name, body[name], want)
	}
	is(t, "variant", fmt.Sprintf("gid://shopify/ProductVariant/%.0f", at(t, body, "line_items", 0, "variant_id")), w.variant)
	is(t, "available", int(at(t, came["inventory_levels/update"][0], "available").(float64)), w.levels[w.more()]-2)
	c.must(object{
		"lineItems": []any{object{"variantId": w.variant, "quantity": 1}}, "customer": object{"toUpsert": object{"email": "b@example.com"}},
		"fulfillment": object{"locationId": "gid://shopify/Location/61000001", "trackingNumber": "1Z", "trackingCompany": "UPS"},
	}, "")
	is(t, "sent at once", topics(hooks.since()), "customers/create:1 fulfillments/create:1 orders/create:1 orders/fulfilled:1 orders/updated:1")
	c.create(object{"email": "nothing@example.com"}, "")
	is(t, "nothing was made", topics(hooks.since()), "")
}

func TestShopify_admin(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(3)
	sent, cancelled := c.bought(w, 2), c.must(object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}, "sourceIdentifier": "ord_2"}, "")
	hooks := c.listen(orderTopics...)
	admin := func(what string, body object) reply {
		return do(t, "POST", c.s.URL+"/control/shopify/"+what, body)
	}
	is(t, "cancel", admin("cancel", object{"order": "ord_2", "reason": "fraud"}).StatusCode, 200)
	is(t, "reason", at(t, c.order(cancelled), "cancelReason"), any("FRAUD"))
	is(t, "cancel again", admin("cancel", object{"order": "ord_2"}).StatusCode, 422)
	is(t, "nothing there", admin("cancel", object{"order": "ord_3"}).StatusCode, 422)
	is(t, "webhooks", topics(hooks.since()), "orders/cancelled:1 orders/updated:1 refunds/create:1")
	is(t, "refund", admin("refund", object{"order": "ord_1", "lines": []any{object{"line": 0, "quantity": 1}}, "restock": true}).StatusCode, 200)
	is(t, "status", at(t, c.order(sent), "displayFinancialStatus"), any("PARTIALLY_REFUNDED"))
	is(t, "webhooks", topics(hooks.since()), "inventory_levels/update:1 orders/updated:1 refunds/create:1")
	is(t, "fulfill", admin("fulfill", object{"order": at(t, sent, "id"), "company": "UPS", "number": "1Z"}).StatusCode, 200)
	is(t, "status", at(t, c.order(sent), "displayFulfillmentStatus"), any("FULFILLED"))
	is(t, "webhooks", topics(hooks.since()), "fulfillments/create:1 orders/fulfilled:1 orders/updated:1")
	before := c.levels(w)
	is(t, "sell", admin("sell", object{"variant": w.variant, "quantity": 1}).StatusCode, 200)
	after := c.levels(w)
	is(t, "sold", before[0]+before[1]-after[0]-after[1], 1)
	is(t, "webhooks", topics(hooks.since()), "inventory_levels/update:1 orders/create:1 orders/paid:1")
	is(t, "sell too many", admin("sell", object{"variant": w.variant, "quantity": 9999}).StatusCode, 422)
	seeded := at(t, c.data(`{ orders(first: 50) { nodes { id displayFinancialStatus displayFulfillmentStatus } } }`, nil), "orders", "nodes").([]any)
	for _, one := range seeded {
		if at(t, one, "displayFinancialStatus") == "PAID" && at(t, one, "displayFulfillmentStatus") == "UNFULFILLED" {
			is(t, "cancel a seeded one", admin("cancel", object{"order": at(t, one, "id"), "refund": true}).StatusCode, 200)
			is(t, "its status", at(t, c.order(one), "displayFinancialStatus"), any("REFUNDED"))
			return
		}
	}
	t.Error("no seeded order could be cancelled")
}

// Faults apply to mutations by name. A mutation whose answer is lost or late is executed once.
func TestShopify_orderFaults(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	c.define(object{"key": "order_id", "type": "id"})
	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "lost",
		Resource: "order_create",
	})
	before := c.countOrders()
	if _, err := c.send(createOrder, object{"order": identified("$app", "order_id", "ord_1")}); err == nil {
		t.Error("a lost answer arrived")
	}
	found := at(t, c.data(findOrder, object{"key": "order_id", "value": "ord_1"}), "orderByIdentifier")
	is(t, "done all the same", at(t, found, "sourceIdentifier"), any("ord_1"))
	_, refused := c.create(identified("$app", "order_id", "ord_1"), "")
	is(t, "once", fmt.Sprint(refused, c.countOrders()-before), "[INVALID] 1")

	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "late",
		Resource: "order_create",
		Millis:   60_000,
	})
	ctx, gone := context.WithCancel(t.Context())
	body, _ := json.Marshal(object{"query": createOrder, "variables": object{"order": identified("$app", "order_id", "ord_2")}})
	r, _ := http.NewRequestWithContext(ctx, "POST", c.s.URL+"/shopify/admin/api/2026-10/graphql.json", bytes.NewReader(body))
	r.Header.Set("X-Shopify-Access-Token", c.token)
	answered := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(r)
		answered <- err
	}()
	for at(t, c.data(findOrder, object{"key": "order_id", "value": "ord_2"}), "orderByIdentifier") == nil {
		runtime.Gosched() // the order exists before the answer arrives
	}
	gone()
	if err := <-answered; err == nil {
		t.Error("a late answer came at once")
	}
	order(t, c.s, platforms.Fault{
		Platform: "shopify",
		Kind:     "late",
		Resource: "order_create",
		Millis:   150,
	})
	began := time.Now()
	c.must(identified("$app", "order_id", "ord_3"), "")
	if time.Since(began) < 150*time.Millisecond {
		t.Error("a late answer was quick")
	}
	for resource, ask := range map[string]func(){
		"order_find":         func() { c.ask(findOrder, object{"key": "order_id", "value": "ord_1"}) },
		"order_cancel":       func() { c.ask(cancelOrder, object{"id": "gid://shopify/Order/1", "restock": true}) },
		"refund_create":      func() { c.ask(refundOrder, object{"key": "k", "input": object{"orderId": "gid://shopify/Order/1"}}) },
		"fulfillment_create": func() { c.ask(fulfill, object{"f": object{"lineItemsByFulfillmentOrder": []any{}}}) },
	} {
		before := c.s.Requests("shopify:" + resource)
		ask()
		is(t, resource, c.s.Requests("shopify:"+resource), before+1)
	}
}

func TestPlatforms_State_shopifyOrders(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(2)
	order := c.bought(w, 2)
	c.refund(order, "k", object{"transactions": c.back(order, "1.00", nil)})
	c.must(object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}, "sourceIdentifier": "ord_2"}, "")
	list := at(t, do(t, "GET", c.s.URL+"/control/state", nil).object(t), "shopify_orders").([]any)
	is(t, "orders", len(list), 2)
	is(t, "identifiers", fmt.Sprintf("%v %v", at(t, list[0], "sourceIdentifier"), at(t, list[1], "sourceIdentifier")), "ord_1 ord_2")
	is(t, "total", at(t, list[0], "total"), any(dollars(2*w.cents+600)))
	is(t, "refunded", at(t, list[0], "refunded"), any("1.00"))
	is(t, "claimed", at(t, list[0], "claims", 0, "claimed"), any(2.0))
	is(t, "refunds", len(at(t, list[0], "refunds").([]any)), 1)
	is(t, "no claims", len(at(t, list[1], "claims").([]any)), 0)
	is(t, "no confirmation", at(t, list[0], "sendReceipt"), any(false))
	c.data(createOrder, object{"options": object{"sendReceipt": true}, "order": object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}}}})
	list = at(t, do(t, "GET", c.s.URL+"/control/state", nil).object(t), "shopify_orders").([]any)
	is(t, "confirmation", at(t, list[2], "sendReceipt"), any(true))
}
