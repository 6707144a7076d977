package shopify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// orderReversals reads the transactions of refunds: "The existence of a Refund object doesn't guarantee that the
// money has been returned to the customer. The actual financial processing happens through associated
// OrderTransaction objects" (https://shopify.dev/docs/api/admin-graphql/2025-04/objects/Refund, read on 2026-11-28).
const orderReversals = `query OrderReversals($id: ID!) {
  order(id: $id) {
    cancelledAt
    refunds(first: 100) {
      id note
      transactions(first: 5) { nodes { kind status gateway amountSet { shopMoney { amount currencyCode } } } }
    }
  }
}`

// nonPaymentGateways are gateways of refunds that do not refund the payment (not documented as a list).
var nonPaymentGateways = []string{"shopify_store_credit", "gift_card"}

// ourRefund is the prefix of our refund's id in the note of a refund that was sent to the shop.
const ourRefund = "Haggle refund "

type shopRefund struct {
	ID           gid
	Note         string
	Transactions page[struct {
		Kind, Status, Gateway string
		AmountSet             struct {
			ShopMoney struct{ Amount, CurrencyCode string }
		}
	}]
}

// ReadOrder reads whether the order is canceled, and its refunds. It leaves out a refund with a pending transaction,
// because the order changes again when that is decided.
func (c *Connector) ReadOrder(ctx ports.Outbound, conn ports.Connection, remote string, currency money.Currency) (order.PlatformState, error) {
	var found struct {
		Order *struct {
			CancelledAt *string
			Refunds     []shopRefund
		}
	}
	if err := c.ask(ctx, conn, orderReversals, map[string]any{"id": orderID(remote)}, &found); err != nil {
		return order.PlatformState{}, err
	}
	if found.Order == nil {
		return order.PlatformState{}, errOrderGone
	}
	state := order.PlatformState{Canceled: found.Order.CancelledAt != nil}
	for _, r := range found.Order.Refunds {
		sum, decided, err := r.sum(currency)
		if err != nil {
			return order.PlatformState{}, err
		}
		if !decided {
			continue
		}
		one := order.PlatformRefund{Remote: string(r.ID), Amount: sum}
		if ours, named := strings.CutPrefix(r.Note, ourRefund); named {
			one.Ours, _ = id.Parse[id.Refund](strings.TrimSpace(ours)) // zero: a person wrote the note
		}
		state.Refunds = append(state.Refunds, one)
	}
	return state, nil
}

var errOrderGone = &ports.PlatformRefusal{Reason: "Shopify does not have the order any more."}

func orderID(remote string) string { return "gid://shopify/Order/" + remote }

// sum returns how much of the payment a refund has refunded. decided is false while a transaction is pending.
func (r shopRefund) sum(currency money.Currency) (sum money.Amount, decided bool, err error) {
	sum = money.Zero(currency)
	for _, t := range r.Transactions.Nodes {
		switch {
		case t.Kind != "REFUND" || slices.Contains(nonPaymentGateways, t.Gateway):
			continue
		case t.Status == "PENDING" || t.Status == "AWAITING_RESPONSE" || t.Status == "UNKNOWN":
			return sum, false, nil
		case t.Status != "SUCCESS":
			continue
		case t.AmountSet.ShopMoney.CurrencyCode != currency.Code():
			return sum, false, &ports.PlatformRefusal{Reason: "Shopify has a refund of the order in " + t.AmountSet.ShopMoney.CurrencyCode + "."}
		}
		amount, err := money.Parse(t.AmountSet.ShopMoney.Amount, currency)
		if err != nil {
			return sum, false, &ports.PlatformRefusal{Reason: "Shopify has a refund of the order whose amount cannot be read."}
		}
		if sum, err = sum.Add(amount); err != nil {
			return sum, false, err
		}
	}
	return sum, true, nil
}

const orderQuery = `query Order($id: ID!) {
  order(id: $id) { ` + orderQueryFields + ` }
}`

// orderNews reads an order from the API. The payload of refunds/create has only the order's id, and payloads of webhooks that
// an earlier release registered lack source_identifier.
func (c *Connector) orderNews(ctx context.Context, conn ports.Connection, remote gid) ([]syncrun.Record, error) {
	var found struct{ Order json.RawMessage }
	_, err := c.askPartial(ctx, conn, orderQuery, map[string]any{"id": orderID(string(remote))}, &found)
	if err != nil || len(found.Order) == 0 || string(found.Order) == "null" {
		return nil, err
	}
	return read(syncrun.Orders, found.Order, recordContext{}, orderRecords), nil
}

// refundNews reads the order that was refunded. The payload is a Refund of the REST API, which names the order as order_id
// (https://shopify.dev/docs/api/webhooks and https://shopify.dev/docs/api/admin-rest/latest/resources/refund, 2026-11-28).
func (c *Connector) refundNews(ctx context.Context, conn ports.Connection, payload []byte) ([]syncrun.Record, error) {
	var n struct {
		OrderID gid `json:"order_id"`
	}
	if requireID(json.Unmarshal(payload, &n), &n.OrderID) != nil {
		return nil, c.platform.Refused(unreadable)
	}
	return c.orderNews(ctx, conn, n.OrderID)
}

// orderEvent reads the payload of a topic of orders.
func (c *Connector) orderEvent(ctx context.Context, conn ports.Connection, payload []byte) ([]syncrun.Record, error) {
	var n struct {
		ID        gid
		Reference json.RawMessage `json:"source_identifier"`
	}
	if json.Unmarshal(payload, &n) == nil && n.ID != "" && len(n.Reference) == 0 {
		return c.orderNews(ctx, conn, n.ID)
	}
	return c.readPayload(syncrun.Orders, payload, recordContext{}, orderPayload)
}

// refunded returns the sum of an order's refunds, with the same digits for the API and webhooks; "" if there are none.
func refunded(amounts []string, currency string) string {
	in, err := money.ParseCurrency(currency)
	if err != nil {
		return ""
	}
	sum := money.Zero(in)
	for _, text := range amounts {
		if amount, err := money.Parse(text, in); err == nil {
			sum, _ = sum.Add(amount)
		}
	}
	if !sum.IsPositive() {
		return ""
	}
	return sum.String()
}
