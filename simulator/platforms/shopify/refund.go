package shopify

import (
	"encoding/json"
	"maps"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// idempotencyKey is the argument that passes on the key of a field's directive.
const idempotencyKey = "@idempotent"

func (e *execution) withKey(f *ast.Field, args map[string]any) map[string]any {
	d := f.Directives.ForName("idempotent")
	if d == nil {
		return args
	}
	args = maps.Clone(args)
	if args == nil {
		args = map[string]any{}
	}
	args[idempotencyKey] = d.ArgumentMap(e.vars)["key"]
	return args
}

// repeated is the result of a mutation with an idempotency key.
type repeated struct {
	asked         string // the parameters
	order, refund int
	failed        bool
}

// createRefund is refundCreate (docs/api/admin-graphql/latest/mutations/refundCreate, api_version 2026-10). Since version
// 2026-04 it requires @idempotent: "calling these mutations without an idempotency directive will result in an error at
// runtime" (changelog making-idempotency-mandatory…, 2025-12-12); the error is not documented. With a used key "it will
// return the result of the original operation instead of creating a new one". For other parameters, or after a failure,
// the texts are those of IDEMPOTENCY_KEY_PARAMETER_MISMATCH and IDEMPOTENCY_PREVIOUS_ATTEMPT_FAILED, which are codes of
// the inventory mutations; UserError has no code. Keys do not expire here.
func (s *Platform) createRefund(args map[string]any, version string) any {
	key, _ := args[idempotencyKey].(string)
	if key == "" && version >= "2026-04" {
		return coded("BAD_REQUEST", "The @idempotent directive is required for this mutation but was not provided.")
	}
	to := &userErrors{of: "UserError"}
	values, _ := args["input"].(map[string]any)
	asked, _ := json.Marshal(values) // cannot fail: it was decoded from JSON
	before, again := s.orders.results[key]
	switch {
	case key == "" || !again:
		n, r := s.refundOrder(input{values, nil, to})
		if key != "" {
			s.orders.results[key] = repeated{string(asked), n, r, !to.none()}
		}
		return s.refundPayload(n, r, to)
	case before.asked != string(asked):
		to.add(nil, "", "The same idempotency key cannot be used with different operation parameters.")
	case before.failed:
		to.add(nil, "", "A previous request with this idempotency key failed. Retry with a new idempotency key.")
	}
	return s.refundPayload(before.order, before.refund, to)
}

func (s *Platform) refundPayload(n, id int, to *userErrors) object {
	payload := map[string]any{"order": nil, "refund": nil, "userErrors": to.shown()}
	if to.none() {
		payload["order"], payload["refund"] = s.order(n), s.written("Refund", gid("Refund", id))
	}
	return facts{"RefundCreatePayload", payload}
}

// refundOrder refunds an order, or reports errors and changes nothing.
func (s *Platform) refundOrder(i input) (n, id int) {
	n = s.orderAt(i.text("orderId"))
	if n < 0 {
		i.addError("orderId", "", "Order does not exist")
		return n, 0
	}
	p := s.purchase(n)
	if currency := i.text("currency"); currency != "" && currency != p.currency {
		i.addError("currency", "", "Currency must be %s", p.currency)
	}
	goods, shipping, money := s.readRefundLines(i, p), s.readRefundShipping(i, p), s.readMovements(i, p)
	if !i.has("refundLineItems") && !i.has("shipping") && !i.has("transactions") { // not documented
		i.addError("", "", "Refund must contain line items, shipping or transactions")
	}
	if i.has("refundDuties") || len(i.each("refundMethods")) > 0 {
		i.addError("", "", "The look-alike refunds no duties and to no store credit")
	}
	if !i.to.none() {
		return n, 0
	}
	p = s.edit(n)
	r := &refund{
		id:       s.nextID(),
		note:     i.text("note"),
		shipping: shipping,
	}
	var levels [][2]int
	for _, l := range goods {
		levels = append(levels, s.withdraw(p, r, l.line, l.quantity, l.restock, l.place)...)
	}
	if shipping > 0 {
		p.shippingLines[0].refunded += shipping
	}
	for _, t := range money {
		s.move(p, r, t, true)
	}
	p.refunds = append(p.refunds, r)
	p.financial = ""
	s.changed(p)
	r.made = p.updated
	events := []event{{"refunds/create", s.restRefund(p, r)}, {"orders/updated", s.restPurchase(p)}}
	s.announce(append(events, s.stockEvents(p, levels)...))
	return n, r.id
}

// readRefundLines: RETURN for "line items that were fulfilled", CANCEL for "unfulfilled line items", LEGACY_RESTOCK "is
// not accepted" (RefundLineItemRestockType, api_version 2026-10). It is not documented that the type must fit, but it is
// required here.
func (s *Platform) readRefundLines(i input, p *purchase) (list []refundLine) {
	asked := map[int]int{}
	for _, one := range i.each("refundLineItems") {
		l := refundLine{
			line:     -1,
			quantity: one.number("quantity"),
			restock:  one.text("restockType"),
			place:    -1,
		}
		for k := range p.lines {
			if number, is := numberOf(one.text("lineItemId"), "LineItem"); is && p.lines[k].id == number {
				l.line = k
			}
		}
		if l.restock == "" {
			l.restock = "NO_RESTOCK"
		}
		if one.has("locationId") {
			if l.place = s.placeOf(one.text("locationId")); l.place < 0 {
				one.addError("locationId", "", "Location does not exist")
			}
		}
		if l.line < 0 {
			one.addError("lineItemId", "", "Line item does not exist on this order")
			continue
		}
		asked[l.line] += l.quantity
		of := p.lines[l.line]
		switch {
		case l.quantity < 1:
			one.addError("quantity", "", "Quantity must be greater than 0")
		case asked[l.line] > of.current():
			one.addError("quantity", "", "Quantity cannot refund more items than were purchased")
		case l.restock == "LEGACY_RESTOCK":
			one.addError("restockType", "", "Restock type is not accepted")
		case l.restock == "CANCEL" && l.quantity > of.unfulfilled():
			one.addError("restockType", "", "Restock type cancel needs unfulfilled items")
		case l.restock == "RETURN" && l.quantity > of.sent-of.returned:
			one.addError("restockType", "", "Restock type return needs fulfilled items")
		}
		list = append(list, l)
	}
	return list
}

func (s *Platform) readRefundShipping(i input, p *purchase) (sum int64) {
	shipping := i.inner("shipping")
	if shipping.values == nil {
		return 0
	}
	left := p.shippingCost()
	for _, l := range p.shippingLines {
		left -= l.refunded
	}
	if shipping.flag("fullRefund", false) {
		return max(0, left)
	}
	sum, good := cents(decimal(shipping.values["amount"]))
	if !good || sum < 0 || sum > left {
		shipping.addError("amount", "", "Shipping amount cannot exceed the refundable amount of %s", host.Dollars(left))
	}
	return sum
}

// readMovements reads the refunded amounts. allowOverRefunding is "Whether to allow the total refunded amount to surpass
// the amount paid for the order". The texts are not documented.
func (s *Platform) readMovements(i input, p *purchase) (list []transaction) {
	back := map[int]int64{}
	over := i.flag("allowOverRefunding", false)
	for _, one := range i.each("transactions") {
		sum, good := cents(decimal(one.values["amount"]))
		t := transaction{
			kind:    "REFUND",
			gateway: one.text("gateway"),
			cents:   sum,
		}
		switch {
		case one.text("kind") != "REFUND":
			one.addError("kind", "", "Kind must be refund")
			continue
		case !good || sum <= 0:
			one.addError("amount", "", "Amount must be greater than 0")
			continue
		case s.orderAt(one.text("orderId")) != p.n:
			one.addError("orderId", "", "Order must be the one that is refunded")
			continue
		}
		paid := p.payment(one.text("parentId"), sum, back)
		switch {
		case paid == nil:
			one.addError("parentId", "", "Parent transaction does not exist on this order")
		case paid.cents-p.refundedOf(paid.id)-back[paid.id] < sum && !over:
			one.addError("amount", "", "Refund amount cannot exceed the refundable amount of %s", host.Dollars(paid.cents-p.refundedOf(paid.id)-back[paid.id]))
		default:
			t.parent, t.test = paid.id, paid.test
			back[paid.id] += sum
			list = append(list, t)
		}
	}
	return list
}

// payment returns the named payment. Without a name it returns the first that has enough left, or else the first. The
// schema allows a missing parentId; the payment that is refunded then is not documented.
func (p *purchase) payment(id string, sum int64, back map[int]int64) (found *transaction) {
	for k := range p.transactions {
		t := &p.transactions[k]
		if t.status != "SUCCESS" || t.kind != "SALE" && t.kind != "CAPTURE" {
			continue
		}
		if id != "" {
			if number, is := numberOf(id, "OrderTransaction"); is && number == t.id {
				return t
			}
			continue
		}
		if t.cents-p.refundedOf(t.id)-back[t.id] >= sum {
			return t
		}
		if found == nil {
			found = t
		}
	}
	return found
}

// withdraw removes pieces of a line from the order and restocks them if requested: cancelled pieces if they were claimed,
// returned pieces always. It returns the levels that changed.
func (s *Platform) withdraw(p *purchase, r *refund, k, quantity int, restock string, place int) (levels [][2]int) {
	l := &p.lines[k]
	one := refundLine{
		id:       s.nextID(),
		line:     k,
		quantity: quantity,
		restock:  restock,
		place:    place,
	}
	one.subtotal, one.tax = p.lineValue(k, quantity)
	if place < 0 {
		one.place = max(0, l.place)
	}
	fresh := min(quantity, l.unfulfilled()) // not shipped yet
	if restock == "RETURN" {
		fresh = 0
	}
	claimed, back := min(fresh, l.claim()), 0
	switch restock {
	case "CANCEL":
		back = claimed
	case "RETURN":
		if tracked := l.item >= 0; tracked {
			if counted, _ := s.stocking(l.item); counted {
				back = quantity
			}
		}
	default:
		one.place = -1
	}
	l.settled += claimed
	l.removed += quantity
	l.returned += quantity - fresh
	if back > 0 {
		one.restocked = true
		s.Stock(l.item, one.place, back, s.Host.Config.Now())
		levels = append(levels, [2]int{l.item, one.place})
	}
	r.lines = append(r.lines, one)
	return levels
}

type refundObject struct {
	facts
	o orderObject
	r *refund
}

func (o orderObject) refund(r *refund) object {
	return refundObject{facts{"Refund", map[string]any{
		"id": gid("Refund", r.id), "legacyResourceId": strconv.Itoa(r.id), "createdAt": host.WholeSeconds(r.made), "updatedAt": host.WholeSeconds(r.made),
		"processedAt": host.WholeSeconds(r.made), "note": host.OrNull(r.note), "totalRefundedSet": o.p.bag(o.p.moneyOf(r)), "order": o,
	}}, o, r}
}

func (f refundObject) field(name string, args map[string]any) any {
	o, r := f.o, f.r
	switch name {
	case "refundLineItems":
		return listing{
			of:   "RefundLineItem",
			n:    len(r.lines),
			will: func(int) bool { return true },
			show: f.line,
		}.connection(args)
	case "transactions":
		var list []transaction
		for _, t := range o.p.transactions {
			for _, id := range r.movements {
				if t.id == id {
					list = append(list, t)
				}
			}
		}
		show := func(k int) object { return o.transaction(list[k]) }
		return listing{
			of:   "OrderTransaction",
			n:    len(list),
			will: func(int) bool { return true },
			show: show,
		}.connection(args)
	}
	return f.facts.field(name, args)
}

func (f refundObject) line(k int) object {
	l := f.r.lines[k]
	values := map[string]any{
		"id": gid("RefundLineItem", l.id), "lineItem": f.o.line(l.line), "quantity": l.quantity, "restockType": l.restock, "restocked": l.restocked, "location": nil,
		"priceSet": f.o.p.bag(f.o.p.lines[l.line].cents), "subtotalSet": f.o.p.bag(l.subtotal), "totalTaxSet": f.o.p.bag(l.tax),
	}
	if l.place >= 0 {
		values["location"] = locationObject{f.o.s, l.place}
	}
	return facts{"RefundLineItem", values}
}
