package shopify

import (
	"strings"
)

// cancellation is a request to cancel an order.
type cancellation struct {
	reason, note    string
	refund, credit  bool
	restock, notify bool
	expires         string
}

// cancelOrder is orderCancel (docs/api/admin-graphql/latest/mutations/orderCancel, api_version 2026-10). The mutation
// returns the errors of its checks; the job checks again.
func (s *Platform) cancelOrder(args map[string]any) any {
	to := &userErrors{of: "OrderCancelUserError"}
	i := input{args, nil, to}
	method := i.inner("refundMethod")
	c := cancellation{
		reason:  i.text("reason"),
		note:    i.text("staffNote"),
		restock: i.flag("restock", false),
		notify:  i.flag("notifyCustomer", false),
		refund:  i.flag("refund", false) || method.flag("originalPaymentMethodsRefund", false),
		credit:  method.has("storeCreditRefund"),
		expires: method.inner("storeCreditRefund").text("expiresAt"),
	}
	if i.has("refund") && i.has("refundMethod") { // not documented
		i.addError("refundMethod", "INVALID", "Only one of refund and refundMethod is permitted")
	}
	if len(c.note) > 255 {
		i.addError("staffNote", "INVALID", "Staff note is too long (maximum is 255 characters)")
	}
	payload := map[string]any{"job": nil, "jobResult": nil}
	if n := s.orderAt(i.text("orderId")); n < 0 {
		i.addError("orderId", "NOT_FOUND", "Order does not exist")
	} else if s.mayCancel(n, c, to); to.none() {
		j := s.schedule(n, func(to *userErrors) { s.cancel(n, c, to) })
		// Clients see the job as not done, because the mutation answers first.
		payload["job"] = facts{"Job", map[string]any{"id": gid("Job", j.id), "done": false}}
		payload["jobResult"] = s.result(j, false)
	}
	payload["orderCancelUserErrors"], payload["userErrors"] = to.shown(), to.plain()
	return facts{"OrderCancelPayload", payload}
}

// plain returns the errors without their codes.
func (c *userErrors) plain() []object {
	list := []object{}
	for _, one := range c.list {
		list = append(list, facts{"UserError", map[string]any{"field": one.field("field", nil), "message": one.field("message", nil)}})
	}
	return list
}

// orderAt returns the position of an order by its id, or a negative number.
func (s *Platform) orderAt(id string) int {
	if o, is := s.one("Order", id).(orderObject); is {
		return o.p.n
	}
	return -1
}

// mayCancel: "An order can only be cancelled if it meets the following criteria: The order hasn't already been cancelled.
// The order has no pending payment authorizations. The order has no active returns in progress. The order has no
// outstanding fulfillments that can't be cancelled." The last is read here as: shipped pieces cannot be cancelled. Only
// the codes of store credit are documented; the others are INVALID here.
func (s *Platform) mayCancel(n int, c cancellation, to *userErrors) {
	p := s.purchase(n)
	path := []string{"orderId"}
	pending, sent := false, false
	for _, t := range p.transactions {
		pending = pending || t.kind == "AUTHORIZATION" && t.status == "PENDING"
	}
	for _, f := range p.fulfillments {
		sent = sent || f.status == "SUCCESS"
	}
	switch {
	case p.cancelled > 0:
		to.add(path, "INVALID", "Order has already been cancelled")
	case pending:
		to.add(path, "INVALID", "Cannot cancel an order with pending payment authorizations")
	case sent:
		to.add(path, "INVALID", "Cannot cancel an order with fulfillments")
	case c.credit && p.customer < 0:
		to.add([]string{"refundMethod", "storeCreditRefund"}, "STORE_CREDIT_REFUND_MISSING_CUSTOMER", "The order has no customer")
	case c.credit && c.expires != "":
		if at, err := readMoment(c.expires); err != nil || at.Before(s.Host.Config.Now()) {
			to.add([]string{"refundMethod", "storeCreditRefund", "expiresAt"}, "STORE_CREDIT_REFUND_EXPIRATION_IN_PAST", "The expiration date is in the past")
		}
	}
}

// cancel cancels an order. Claimed stock is restocked if requested, and otherwise written off.
func (s *Platform) cancel(n int, c cancellation, to *userErrors) {
	if s.mayCancel(n, c, to); !to.none() {
		return
	}
	p := s.edit(n)
	r := &refund{id: s.nextID(), note: c.note}
	restock := "NO_RESTOCK"
	if c.restock {
		restock = "CANCEL"
	}
	var levels [][2]int
	for k := range p.lines {
		if left := p.lines[k].current(); left > 0 {
			levels = append(levels, s.withdraw(p, r, k, left, restock, -1)...)
		}
	}
	for _, t := range append([]transaction{}, p.transactions...) {
		if t.status != "SUCCESS" {
			continue
		}
		switch {
		case t.kind == "AUTHORIZATION": // "Authorized payments will be voided regardless of this setting."
			s.move(p, r, transaction{
				parent:  t.id,
				kind:    "VOID",
				gateway: t.gateway,
				cents:   t.cents,
				test:    t.test,
			}, false)
		case t.kind == "SALE" || t.kind == "CAPTURE":
			left := t.cents - p.refundedOf(t.id)
			if (c.refund || c.credit) && left > 0 {
				back := transaction{
					parent:  t.id,
					kind:    "REFUND",
					gateway: t.gateway,
					cents:   left,
					test:    t.test,
				}
				if c.credit && !c.refund {
					back.gateway = "shopify_store_credit"
				}
				s.move(p, r, back, true)
			}
		}
	}
	p.financial, p.fulfillment = "", ""
	p.cancelled = s.Tick(s.Host.Config.Now(), p.updated)
	p.cancelReason, p.staffNote, p.notified = c.reason, c.note, c.notify
	s.changed(p)
	p.cancelled, r.made = p.updated, p.updated
	events := []event{}
	if len(r.lines)+len(r.movements) > 0 {
		p.refunds = append(p.refunds, r)
		events = append(events, event{"refunds/create", s.restRefund(p, r)})
	}
	events = append(events, event{"orders/cancelled", s.restPurchase(p)}, event{"orders/updated", s.restPurchase(p)})
	s.announce(append(events, s.stockEvents(p, levels)...))
}

// move adds a transaction to the order, and to the refund if it belongs to it.
func (s *Platform) move(p *purchase, r *refund, t transaction, belongs bool) {
	t.id, t.status = s.nextID(), "SUCCESS"
	t.made = s.Host.Config.Now().UnixMilli() / 1000 * 1000
	t.processed = t.made
	p.transactions = append(p.transactions, t)
	if belongs {
		r.movements = append(r.movements, t.id)
	}
}

// reasonOf returns the OrderCancelReason for a text.
func reasonOf(text string) string {
	switch reason := strings.ToUpper(text); reason {
	case "CUSTOMER", "DECLINED", "FRAUD", "INVENTORY", "STAFF":
		return reason
	}
	return "OTHER"
}
