package shopify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// merchant is the version under which changes in Shopify's own admin are made.
const merchant = "unstable"

// AdminCancel cancels an order. Orders are named by id, name ("#1151") or source identifier.
type AdminCancel struct {
	Order   string `json:"order"`
	Refund  bool   `json:"refund"`
	Restock bool   `json:"restock"`
	Reason  string `json:"reason"` // default other
	Note    string `json:"note"`
}

// AdminRefund refunds pieces of lines, an amount of money, or both.
type AdminRefund struct {
	Order    string      `json:"order"`
	Lines    []AdminLine `json:"lines"`
	Shipping bool        `json:"shipping"` // all of the shipping
	Amount   string      `json:"amount"`   // default the total of lines and shipping; "0" refunds no money
	Restock  bool        `json:"restock"`
	Note     string      `json:"note"`
}

// AdminLine is a number of pieces of a line, which is named by its position or its variant's SKU.
type AdminLine struct {
	Line     int    `json:"line"` // from 0
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"` // default all that are left
}

// AdminFulfill fulfills lines, or all that are left if there are none.
type AdminFulfill struct {
	Order   string      `json:"order"`
	Lines   []AdminLine `json:"lines"`
	Company string      `json:"company"`
	Number  string      `json:"number"`
	URL     string      `json:"url"`
}

// AdminPublish publishes the product of a variant to the Online Store, or unpublishes it.
type AdminPublish struct {
	SKU       string `json:"sku"`
	Published bool   `json:"published"`
}

// AdminPublish calls the webhooks of products/update: "publish that product (product/update) there would be a trigger"
// (Shopify's API support, community.shopify.com/c/Shopify-APIs-SDKs/Webhook-being-called-twice/m-p/1176031, read
// 2026-11-29).
func (s *Platform) AdminPublish(a AdminPublish) (err error) {
	s.Write(func(*host.World) {
		n := -1
		for k := range s.Items {
			if s.Items[k].SKU == a.SKU {
				n = k
			}
		}
		if n < 0 {
			err = fmt.Errorf("shopify has no variant %q", a.SKU)
			return
		}
		p := &s.Products[s.Items[n].Product]
		p.Unpublished, p.Updated = !a.Published, s.Tick(s.Host.Config.Now(), p.Updated)
		changed := host.Changed{Topic: "products/update", Index: s.Items[n].Product}
		s.announce([]event{{changed.Topic, s.payload(changed)}})
	})
	return err
}

// AdminSale sells pieces of a variant, named by SKU or id.
type AdminSale struct {
	SKU      string `json:"sku"`
	Variant  string `json:"variant"`
	Quantity int    `json:"quantity"` // default 1
}

func (s *Platform) administer(order string, work func(p *purchase) error) (err error) {
	s.runDueJobs()
	s.Write(func(*host.World) {
		if p := s.named(order); p == nil {
			err = fmt.Errorf("shopify has no order %q", order)
		} else {
			err = work(p)
		}
	})
	return err
}

// named returns the latest order with an id, name or reference, or nil.
func (s *Platform) named(order string) *purchase {
	if n := s.orderAt(order); order != "" && n >= 0 {
		return s.edit(n)
	}
	for n := len(s.Orders) - 1; n >= 0 && order != ""; n-- {
		if s.Orders[n].Reference == order || s.purchase(n).name == order {
			return s.edit(n)
		}
	}
	return nil
}

func (c *userErrors) err() error {
	var all []error
	for _, one := range c.list {
		all = append(all, fmt.Errorf("%v: %v", one.field("field", nil), one.field("message", nil)))
	}
	return errors.Join(all...)
}

// AdminCancel cancels an order at once.
func (s *Platform) AdminCancel(a AdminCancel) error {
	return s.administer(a.Order, func(p *purchase) error {
		to := &userErrors{of: "OrderCancelUserError"}
		s.cancel(p.n, cancellation{
			reason:  reasonOf(a.Reason),
			note:    a.Note,
			refund:  a.Refund,
			restock: a.Restock,
		}, to)
		return to.err()
	})
}

// lineOf returns the position of a line and the number of pieces.
func (p *purchase) lineOf(a AdminLine, left func(purchaseLine) int) (k, quantity int, err error) {
	k = a.Line
	if a.SKU != "" {
		k = slices.IndexFunc(p.lines, func(l purchaseLine) bool { return l.sku == a.SKU })
	}
	if k < 0 || k >= len(p.lines) {
		return 0, 0, fmt.Errorf("the order has no line %d %q", a.Line, a.SKU)
	}
	quantity = cmp.Or(a.Quantity, left(p.lines[k]))
	if quantity < 1 || quantity > left(p.lines[k]) {
		return 0, 0, fmt.Errorf("line %d has %d pieces left, not %d", k, left(p.lines[k]), quantity)
	}
	return k, quantity, nil
}

// AdminRefund refunds as refundCreate does, with the restock type that fits.
func (s *Platform) AdminRefund(a AdminRefund) (id string, err error) {
	err = s.administer(a.Order, func(p *purchase) error {
		values := map[string]any{"orderId": gid("Order", orderBase+p.n), "note": a.Note}
		lines, sum, err := p.adminLines(a)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			values["refundLineItems"] = lines
		}
		if a.Shipping {
			values["shipping"] = map[string]any{"fullRefund": true}
			sum += p.shippingCost()
		}
		amount := a.Amount
		if amount == "" {
			amount = host.Dollars(sum)
		}
		if cents, _ := cents(amount); cents != 0 {
			gateway := "manual"
			if used := p.gateways(); len(used) > 0 { // it is not documented that the gateway must be that of the payment
				gateway = used[0]
			}
			values["transactions"] = []any{map[string]any{"kind": "REFUND", "amount": amount, "gateway": gateway, "orderId": values["orderId"]}}
		}
		to := &userErrors{of: "UserError"}
		_, number := s.refundOrder(input{values, nil, to})
		id = gid("Refund", number)
		return to.err()
	})
	return id, err
}

func (p *purchase) adminLines(a AdminRefund) (lines []any, sum int64, err error) {
	for _, one := range a.Lines {
		k, quantity, err := p.lineOf(one, purchaseLine.current)
		if err != nil {
			return nil, 0, err
		}
		subtotal, taxed := p.lineValue(k, quantity)
		sum += subtotal
		if !p.taxesIncluded {
			sum += taxed
		}
		restock := "NO_RESTOCK"
		switch {
		case a.Restock && quantity <= p.lines[k].unfulfilled():
			restock = "CANCEL"
		case a.Restock:
			restock = "RETURN"
		}
		lines = append(lines, map[string]any{"lineItemId": gid("LineItem", p.lines[k].id), "quantity": int64(quantity), "restockType": restock})
	}
	return lines, sum, nil
}

// AdminFulfill creates one fulfillment.
func (s *Platform) AdminFulfill(a AdminFulfill) (id string, err error) {
	err = s.administer(a.Order, func(p *purchase) error {
		if p.cancelled > 0 {
			return errors.New("the order is cancelled")
		}
		lines := s.rest(p)
		if len(a.Lines) > 0 {
			lines = nil
		}
		for _, one := range a.Lines {
			k, quantity, err := p.lineOf(one, purchaseLine.unfulfilled)
			if err != nil {
				return err
			}
			lines = append(lines, sentLine{line: k, quantity: quantity})
		}
		if len(lines) == 0 {
			return errors.New("nothing is left to be fulfilled")
		}
		f := &fulfillment{place: p.lines[lines[0].line].expectedAt()}
		input{values: map[string]any{"company": a.Company, "number": a.Number, "url": a.URL}}.track(f)
		s.announce(s.send(p, f, lines))
		id = gid("Fulfillment", f.id)
		return nil
	})
	return id, err
}

// AdminSell creates a paid order of the shop itself and claims its stock.
func (s *Platform) AdminSell(a AdminSale) (id string, err error) {
	s.runDueJobs()
	s.Write(func(*host.World) {
		item := -1
		if v, is := s.one("ProductVariant", a.Variant).(variantObject); is && a.Variant != "" {
			item = v.n
		}
		for n := range s.Items {
			if a.SKU != "" && s.Items[n].SKU == a.SKU {
				item = n
			}
		}
		if item < 0 {
			err = fmt.Errorf("shopify has no variant %q %q", a.Variant, a.SKU)
			return
		}
		quantity := cmp.Or(a.Quantity, 1)
		total := map[string]any{"amount": host.Dollars(s.Items[item].Cents * int64(quantity)), "currencyCode": "USD"}
		payload := s.createOrder(map[string]any{
			"order": map[string]any{
				"lineItems":    []any{map[string]any{"variantId": gid("ProductVariant", variantBase+item), "quantity": int64(quantity)}},
				"transactions": []any{map[string]any{"gateway": "cash", "amountSet": map[string]any{"shopMoney": total}}},
				"sourceName":   "pos", "email": "walk-in@example.com",
			},
			"options": map[string]any{"inventoryBehaviour": "DECREMENT_OBEYING_POLICY"},
		}, merchant).(object)
		if o, is := payload.field("order", nil).(orderObject); is {
			id = strconv.Itoa(orderBase + o.p.n)
			return
		}
		err = (&userErrors{list: payload.field("userErrors", nil).([]object)}).err()
	})
	return id, err
}

// Written returns every order that was written or changed, in the order of creation, with more detail than the API. Tests
// use it to check that something happened exactly once.
func (s *Platform) Written() (list []any) {
	list = []any{}
	s.runDueJobs()
	s.Read(func(*host.World) {
		for n := range s.Orders {
			if s.orders.all[n] != nil {
				list = append(list, s.truth(s.purchase(n)))
			}
		}
	})
	return list
}

func (s *Platform) truth(p *purchase) map[string]any {
	lines, movements, refunds, sent, claims, fields := []any{}, []any{}, []any{}, []any{}, []any{}, []any{}
	for k, l := range p.lines {
		line := s.restLine(p, k)
		line["removed"], line["sent"] = l.removed, l.sent
		lines = append(lines, line)
		if l.claimed > 0 {
			claims = append(claims, map[string]any{
				"inventory_item_id": itemBase + l.item, "location_id": locationNumbers[l.place], "claimed": l.claimed, "outstanding": l.claim(),
			})
		}
	}
	for _, t := range p.transactions {
		movements = append(movements, s.restTransaction(p, t))
	}
	for _, r := range p.refunds {
		refunds = append(refunds, s.restRefund(p, r))
	}
	for _, f := range p.fulfillments {
		sent = append(sent, s.restFulfillment(p, f))
	}
	for _, m := range p.metafields {
		fields = append(fields, map[string]any{"namespace": m.namespace, "key": m.key, "type": m.kind, "value": m.value})
	}
	return map[string]any{
		"id": gid("Order", orderBase+p.n), "name": p.name, "sourceIdentifier": p.sourceIdentifier, "sourceName": p.sourceName, "email": p.email, "note": p.note, "tags": p.tags,
		"total": host.Dollars(p.total()), "subtotal": host.Dollars(p.subtotal()), "tax": host.Dollars(p.tax()), "shipping": host.Dollars(p.shippingCost()),
		"received": host.Dollars(p.received()), "refunded": host.Dollars(p.refunded()), "currency": p.currency, "financialStatus": p.financialStatus(),
		"fulfillmentStatus": p.fulfillmentStatus(), "cancelledAt": restTimeOrNull(p.cancelled), "cancelReason": host.OrNull(p.cancelReason),
		"inventoryBehaviour": p.behaviour, "sendReceipt": p.receipt, "sendFulfillmentReceipt": p.fulfillmentReceipt, "notified": p.notified,
		"lines": lines, "transactions": movements, "refunds": refunds, "fulfillments": sent, "claims": claims, "metafields": fields,
	}
}
