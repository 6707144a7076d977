package shopify

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const orderState = `query OrderState($id: ID!) {
  order(id: $id) {
    cancelledAt
    transactions(first: 50) { id kind status }
    lineItems(first: 250) { nodes { id quantity variant { inventoryItem { id } } } }
    fulfillments(first: 50) { id status }
  }
}`

// openFulfillments is a separate query, because fulfillment orders need their own scopes.
const openFulfillments = `query OpenFulfillments($id: ID!) {
  order(id: $id) { fulfillmentOrders(first: 50) { nodes { id status } } }
}`

// https://shopify.dev/docs/api/admin-graphql/2026-07/mutations/orderCancel, read on 2026-11-28. The refund is recorded
// separately, because Shopify does not refund the payment.
const cancelOrder = `mutation CancelOrder($id: ID!) {
  orderCancel(orderId: $id, reason: OTHER, refundMethod: { originalPaymentMethodsRefund: false }, restock: true, notifyCustomer: false) {
    orderCancelUserErrors { message code }
  }
}`

// refundCreate requires an idempotency key since 2026-04
// (https://shopify.dev/changelog/making-idempotency-mandatory-for-inventory-adjustments-and-refund-mutations, of 2025-12-12).
const createRefund = `mutation CreateRefund($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) {
    refund { id }
    userErrors { message }
  }
}`

const createFulfillment = `mutation CreateFulfillment($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) {
    fulfillment { id }
    userErrors { message }
  }
}`

const updateTracking = `mutation UpdateTracking($id: ID!, $tracking: FulfillmentTrackingInput!) {
  fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $tracking, notifyCustomer: false) {
    fulfillment { id }
    userErrors { message }
  }
}`

type shopOrder struct {
	CancelledAt  *string
	Transactions []struct{ ID, Kind, Status string }
	LineItems    page[struct {
		ID       string
		Quantity int
		Variant  *struct{ InventoryItem struct{ ID gid } }
	}]
	Fulfillments []struct{ ID, Status string }
}

func (c *Connector) orderState(ctx ports.Outbound, conn ports.Connection, id string) (shopOrder, error) {
	var found struct{ Order *shopOrder }
	if err := c.ask(ctx, conn, orderState, map[string]any{"id": id}, &found); err != nil {
		return shopOrder{}, err
	}
	if found.Order == nil {
		return shopOrder{}, errOrderGone
	}
	return *found.Order, nil
}

// cancelOrder cancels an order that is not canceled yet.
func (c *Connector) cancelOrder(ctx ports.Outbound, conn ports.Connection, id string) error {
	o, err := c.orderState(ctx, conn, id)
	if err != nil || o.CancelledAt != nil {
		return err
	}
	var made struct {
		OrderCancel struct{ OrderCancelUserErrors []userError }
	}
	if err := c.ask(ctx, conn, cancelOrder, map[string]any{"id": id}, &made); err != nil {
		return err
	}
	return c.userRefused(conn, made.OrderCancel.OrderCancelUserErrors)
}

// refundOrder records a refund of the payment provider. Returned goods are restocked at the location from which they were
// shipped.
func (c *Connector) refundOrder(ctx ports.Outbound, conn ports.Connection, id string, d ports.OrderDraft, s order.RefundStep) (restocked bool, err error) {
	o, err := c.orderState(ctx, conn, id)
	if err != nil {
		return false, err
	}
	parent := ""
	for _, t := range o.Transactions {
		if t.Kind == "SALE" && t.Status == "SUCCESS" {
			parent = t.ID
		}
	}
	back := o.returned(d, s)
	input := map[string]any{
		"orderId": id, "note": ourRefund + s.Refund.ID.String(), "notify": false,
		"transactions": []map[string]any{{
			"orderId": id, "parentId": parent, "kind": "REFUND", "gateway": "haggle", "amount": s.Refund.Amount.String(),
		}},
	}
	if len(back) > 0 {
		input["refundLineItems"] = back
	}
	var made struct {
		RefundCreate struct {
			Refund     *struct{ ID string }
			UserErrors []userError
		}
	}
	if err := c.ask(ctx, conn, createRefund, map[string]any{"input": input, "key": s.Refund.ID.UUID()}, &made); err != nil {
		return false, err
	}
	if err := c.userRefused(conn, made.RefundCreate.UserErrors); err != nil {
		return false, err
	}
	return len(back) > 0, nil
}

// returned lists the line items with returned goods. It matches them by the variants of our lines.
func (o shopOrder) returned(d ports.OrderDraft, s order.RefundStep) (back []map[string]any) {
	for _, t := range s.Restocked {
		location, named := strings.CutPrefix(t.Location, "shopify-")
		at := slices.IndexFunc(d.Order.Lines, func(l checkout.Line) bool { return l.Variant == t.Variant })
		if !named || at < 0 || d.Items[at] == "" {
			continue
		}
		for _, l := range o.LineItems.Nodes {
			if l.Variant == nil || string(l.Variant.InventoryItem.ID) != d.Items[at] || t.Quantity == 0 {
				continue
			}
			n := min(t.Quantity, l.Quantity)
			t.Quantity -= n
			back = append(back, map[string]any{
				"lineItemId": l.ID, "quantity": n, "restockType": "RETURN", "locationId": "gid://shopify/Location/" + location,
			})
		}
	}
	return back
}

// shipOrder marks the open fulfillments of an order as shipped, or corrects the tracking of existing ones.
func (c *Connector) shipOrder(ctx ports.Outbound, conn ports.Connection, id string, s order.ShipStep) error {
	if s.Again {
		return c.correctTracking(ctx, conn, id, s.Shipment)
	}
	var found struct {
		Order *struct {
			FulfillmentOrders page[struct{ ID, Status string }]
		}
	}
	if err := c.ask(ctx, conn, openFulfillments, map[string]any{"id": id}, &found); err != nil {
		return err
	}
	if found.Order == nil {
		return errOrderGone
	}
	for _, f := range found.Order.FulfillmentOrders.Nodes {
		if f.Status != "OPEN" && f.Status != "IN_PROGRESS" {
			continue // it was shipped already, or must not be shipped
		}
		var made struct {
			FulfillmentCreate struct{ UserErrors []userError }
		}
		if err := c.ask(ctx, conn, createFulfillment, map[string]any{"fulfillment": map[string]any{
			"lineItemsByFulfillmentOrder": []map[string]any{{"fulfillmentOrderId": f.ID}},
			"trackingInfo":                trackingInput(s.Shipment),
			"notifyCustomer":              false,
		}}, &made); err != nil {
			return err
		}
		if err := c.userRefused(conn, made.FulfillmentCreate.UserErrors); err != nil {
			return err
		}
	}
	return nil
}

func (c *Connector) correctTracking(ctx ports.Outbound, conn ports.Connection, id string, s order.Shipment) error {
	o, err := c.orderState(ctx, conn, id)
	if err != nil {
		return err
	}
	for _, f := range o.Fulfillments {
		if f.Status != "SUCCESS" {
			continue
		}
		var made struct {
			FulfillmentTrackingInfoUpdate struct{ UserErrors []userError }
		}
		if err := c.ask(ctx, conn, updateTracking, map[string]any{"id": f.ID, "tracking": trackingInput(s)}, &made); err != nil {
			return err
		}
		if err := c.userRefused(conn, made.FulfillmentTrackingInfoUpdate.UserErrors); err != nil {
			return err
		}
	}
	return nil
}

// trackingInput returns a FulfillmentTrackingInput.
func trackingInput(s order.Shipment) map[string]any {
	input := map[string]any{}
	for name, text := range map[string]string{"company": s.Carrier, "number": s.Number, "url": s.URL} {
		if text != "" {
			input[name] = text
		}
	}
	return input
}
