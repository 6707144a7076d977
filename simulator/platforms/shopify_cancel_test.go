package platforms_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// bought creates a paid order with claimed stock, shipping of 5.00 and tax of 1.00.
func (c orderClient) bought(w ware, quantity int) any {
	c.t.Helper()
	total := w.cents*int64(quantity) + 600
	return c.must(object{
		"lineItems": []any{object{"variantId": w.variant, "quantity": quantity}}, "email": "a@example.com", "sourceIdentifier": "ord_1", "sourceName": "haggle",
		"shippingLines": []any{object{"title": "Ground", "priceSet": money("5.00")}}, "taxLines": []any{object{"title": "Tax", "rate": "0.01", "priceSet": money("1.00")}},
		"transactions": []any{object{"gateway": "haggle", "amountSet": money(dollars(total))}},
	}, "DECREMENT_OBEYING_POLICY")
}

const cancelOrder = `mutation($id: ID!, $restock: Boolean!, $refund: OrderCancelRefundMethodInput, $note: String) {
  orderCancel(orderId: $id, reason: CUSTOMER, restock: $restock, refundMethod: $refund, staffNote: $note) {
    job { id done } jobResult { done status } orderCancelUserErrors { field message code } userErrors { message }
  }
}`

const afterwards = `query($id: ID!) { order(id: $id) {
  cancelledAt cancelReason cancellation { staffNote } displayFinancialStatus displayFulfillmentStatus currentTotalPriceSet { shopMoney { amount } }
  totalRefundedSet { shopMoney { amount } }
  transactions { id kind status gateway amountSet { shopMoney { amount } } parentTransaction { id } }
  refunds(first: 5) { id note totalRefundedSet { shopMoney { amount } } refundLineItems(first: 5) { nodes { quantity restockType restocked location { id }
    subtotalSet { shopMoney { amount } } totalTaxSet { shopMoney { amount } } lineItem { id } } } transactions(first: 5) { nodes { id kind } } }
  lineItems(first: 5) { nodes { id quantity currentQuantity unfulfilledQuantity } }
  fulfillments(first: 5) { id status trackingInfo(first: 2) { company number url } fulfillmentLineItems(first: 5) { nodes { quantity lineItem { id } } } }
  fulfillmentOrders(first: 5) { nodes { id status assignedLocation { name location { id } } lineItems(first: 5) { nodes { id remainingQuantity totalQuantity lineItem { id } } } } }
} }`

func (c orderClient) order(of any) any {
	c.t.Helper()
	return at(c.t, c.data(afterwards, object{"id": at(c.t, of, "id")}), "order")
}

func (c orderClient) cancel(of any, more object) []string {
	c.t.Helper()
	variables := object{"id": at(c.t, of, "id"), "restock": true, "refund": object{"originalPaymentMethodsRefund": true}, "note": "changed her mind"}
	for name, value := range more {
		variables[name] = value
	}
	answer := at(c.t, c.data(cancelOrder, variables), "orderCancel")
	found := codes(c.t, at(c.t, answer, "orderCancelUserErrors"))
	is(c.t, "a job or errors", at(c.t, answer, "job") == nil, len(found) > 0)
	is(c.t, "both lists", len(at(c.t, answer, "userErrors").([]any)), len(found))
	return found
}

func TestShopify_orderCancel(t *testing.T) {
	c := connectOrders(t, platforms.Config{})
	w := c.stocked(2)
	order := c.bought(w, 2)
	hooks := c.listen(orderTopics...)
	is(t, "errors", len(c.cancel(order, nil)), 0)
	after := c.order(order)
	is(t, "reason", at(t, after, "cancelReason"), any("CUSTOMER"))
	is(t, "note", at(t, after, "cancellation", "staffNote"), any("changed her mind"))
	is(t, "status", at(t, after, "displayFinancialStatus"), any("REFUNDED"))
	is(t, "refunded", amount(t, after, "totalRefundedSet"), dollars(2*w.cents+600))
	is(t, "left", amount(t, after, "currentTotalPriceSet"), "0.00")
	is(t, "lines", at(t, after, "lineItems", "nodes", 0, "currentQuantity"), any(0.0))
	is(t, "given back", c.levels(w), w.levels)
	is(t, "expected no more", at(t, after, "fulfillmentOrders", "nodes", 0, "status"), any("CANCELLED"))
	came := hooks.since()
	is(t, "webhooks", topics(came), "inventory_levels/update:1 orders/cancelled:1 orders/updated:1 refunds/create:1")
	if at(t, came["orders/cancelled"][0], "cancelled_at") == nil || at(t, came["orders/cancelled"][0], "source_identifier") != "ord_1" {
		t.Errorf("%v", came["orders/cancelled"][0])
	}
	is(t, "available", int(at(t, came["inventory_levels/update"][0], "available").(float64)), w.levels[w.more()])
	is(t, "again", fmt.Sprint(c.cancel(order, nil)), "[INVALID]")
	is(t, "unknown", fmt.Sprint(c.cancel(object{"id": "gid://shopify/Order/1"}, nil)), "[NOT_FOUND]")
	is(t, "given back once", c.levels(w), w.levels)

	kept := c.bought(w, 1)
	is(t, "without restock and refund", len(c.cancel(kept, object{"restock": false, "refund": nil})), 0)
	lost := w.levels
	lost[w.more()]--
	is(t, "written off", c.levels(w), lost)
	is(t, "still paid", at(t, c.order(kept), "displayFinancialStatus"), any("PAID"))

	held := c.must(object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}},
		"transactions": []any{object{"kind": "AUTHORIZATION", "amountSet": money("1.00")}}}, "")
	is(t, "store credit for nobody", fmt.Sprint(c.cancel(held, object{"refund": object{"storeCreditRefund": object{}}})), "[STORE_CREDIT_REFUND_MISSING_CUSTOMER]")
	is(t, "authorized", len(c.cancel(held, object{"refund": nil})), 0)
	is(t, "voided", at(t, c.order(held), "displayFinancialStatus"), any("VOIDED"))
	is(t, "by a void", at(t, c.order(held), "transactions", 1, "kind"), any("VOID"))
	pending := c.must(object{"lineItems": []any{object{"title": "Mug", "quantity": 1, "priceSet": money("1.00")}},
		"transactions": []any{object{"kind": "AUTHORIZATION", "status": "PENDING", "amountSet": money("1.00")}}}, "")
	is(t, "pending", fmt.Sprint(c.cancel(pending, nil)), "[INVALID]")
}

// The order is cancelled only when the job is done.
func TestShopify_orderCancelJob(t *testing.T) {
	var skew atomic.Int64
	began := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := connectOrders(t, platforms.Config{
		ShopifyJobTime: time.Hour,
		ShopifyLife:    24 * time.Hour,
		Now:            func() time.Time { return began.Add(time.Duration(skew.Load())) },
	})
	order := c.bought(c.stocked(1), 1)
	answer := at(t, c.data(cancelOrder, object{"id": at(t, order, "id"), "restock": true}), "orderCancel")
	is(t, "not done", at(t, answer, "job", "done"), any(false))
	is(t, "result", at(t, answer, "jobResult", "status"), any("STARTED"))
	job := func() any {
		return at(t, c.data(`query($id: ID!) { job(id: $id) { id done } }`, object{"id": at(t, answer, "job", "id")}), "job", "done")
	}
	is(t, "not done yet", job(), any(false))
	is(t, "stands", at(t, c.order(order), "cancelledAt"), nil)
	is(t, "asked again", len(c.cancel(order, nil)), 0) // it is not cancelled yet
	skew.Store(int64(time.Hour))
	is(t, "done", job(), any(true))
	is(t, "cancelled", at(t, c.order(order), "cancelReason"), any("CUSTOMER"))
	is(t, "refunds", len(at(t, c.order(order), "refunds").([]any)), 1) // the second job failed
}
