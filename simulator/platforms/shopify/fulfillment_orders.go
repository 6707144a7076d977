package shopify

import (
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// The first number of fulfillment orders, and the distance between the numbers of their lines and of the order's lines.
const (
	fulfillmentOrderBase = 6_000_000_001
	fulfillmentLineShift = 7_000_000_000
)

// fulfillmentOrder is the part of an order that one location fulfills. Shopify creates them in the background after the
// order ("a background worker performs the order routing process"); here they exist at once. Claimed pieces belong to the
// location that they were claimed from, all others to the first one.
type fulfillmentOrder struct {
	o     orderObject
	place int
}

func (fulfillmentOrder) kind() string { return "FulfillmentOrder" }

func (f fulfillmentOrder) number() int {
	return fulfillmentOrderBase + f.o.p.n*len(locationNumbers) + f.place
}

func (l purchaseLine) expectedAt() int { return max(0, l.place) }

// lines returns the positions of the order's lines.
func (f fulfillmentOrder) lines() (list []int) {
	for k, l := range f.o.p.lines {
		if l.expectedAt() == f.place {
			list = append(list, k)
		}
	}
	return list
}

func (o orderObject) expected() (list []fulfillmentOrder) {
	for place := range locationNumbers {
		if f := (fulfillmentOrder{o, place}); len(f.lines()) > 0 {
			list = append(list, f)
		}
	}
	return list
}

func (o orderObject) fulfillmentOrders(args map[string]any) any {
	list := o.expected()
	return listing{
		of:   "FulfillmentOrder",
		n:    len(list),
		will: func(int) bool { return true },
		show: func(k int) object { return list[k] },
	}.connection(args)
}

// findFulfillmentOrder returns a fulfillment order by its id.
func (s *Platform) findFulfillmentOrder(id string) (fulfillmentOrder, bool) {
	number, is := numberOf(id, "FulfillmentOrder")
	at := number - fulfillmentOrderBase
	if n := at / len(locationNumbers); is && at >= 0 && n < len(s.Orders) {
		f := fulfillmentOrder{orderObject{s, s.purchase(n)}, at % len(locationNumbers)}
		return f, len(f.lines()) > 0
	}
	return fulfillmentOrder{}, false
}

// status returns OPEN, IN_PROGRESS once some pieces have shipped, CLOSED once all have, or CANCELLED. IN_PROGRESS is not
// documented for the merchant's own locations.
func (f fulfillmentOrder) status() string {
	sent, left := 0, 0
	for _, k := range f.lines() {
		sent, left = sent+f.o.p.lines[k].sent, left+f.o.p.lines[k].unfulfilled()
	}
	switch {
	case f.o.p.cancelled > 0, sent == 0 && left == 0:
		return "CANCELLED"
	case left == 0:
		return "CLOSED"
	case sent > 0:
		return "IN_PROGRESS"
	}
	return "OPEN"
}

func (f fulfillmentOrder) field(name string, args map[string]any) any {
	p := f.o.p
	switch name {
	case "id":
		return gid("FulfillmentOrder", f.number())
	case "status":
		return f.status()
	case "requestStatus":
		return "UNSUBMITTED"
	case "createdAt":
		return host.WholeSeconds(p.placed)
	case "updatedAt":
		return host.WholeSeconds(p.updated)
	case "order":
		return f.o
	case "orderId":
		return gid("Order", orderBase+p.n)
	case "orderName":
		return p.name
	case "orderProcessedAt":
		return host.WholeSeconds(p.processed)
	case "assignedLocation":
		return facts{"FulfillmentOrderAssignedLocation", map[string]any{
			"countryCode": "US", "location": locationObject{f.o.s, f.place}, "name": locationNames[f.place],
		}}
	case "lineItems":
		lines := f.lines()
		return listing{
			of:   "FulfillmentOrderLineItem",
			n:    len(lines),
			will: func(int) bool { return true },
			show: func(k int) object { return f.line(lines[k]) },
		}.connection(args)
	}
	return nil
}

func (f fulfillmentOrder) line(k int) object {
	l := f.o.p.lines[k]
	values := map[string]any{
		"id": gid("FulfillmentOrderLineItem", l.id+fulfillmentLineShift), "lineItem": f.o.line(k), "productTitle": l.title, "remainingQuantity": l.unfulfilled(),
		"totalQuantity": l.quantity - (l.removed - l.returned), "requiresShipping": l.ships, "sku": host.OrNull(l.sku), "variantTitle": host.OrNull(l.variant),
		"vendor": host.OrNull(l.vendor), "variant": nil, "inventoryItemId": nil,
	}
	if l.item >= 0 {
		values["variant"], values["inventoryItemId"] = variantObject{f.o.s, l.item}, gid("InventoryItem", itemBase+l.item)
	}
	return facts{"FulfillmentOrderLineItem", values}
}

// createFulfillment is fulfillmentCreate: "The fulfillment orders are associated with the same Order and are assigned to
// the same Location" (docs/api/admin-graphql/latest/mutations/fulfillmentCreate, api_version 2026-04); "there cannot be
// multiple of the same fulfillment_order_id" (changelog new-create-fulfillment-request-validation, 2024-04-01). The texts
// of the errors are not documented; UserError has no code.
func (s *Platform) createFulfillment(args map[string]any) any {
	to := &userErrors{of: "UserError"}
	values, _ := args["fulfillment"].(map[string]any)
	i := input{values, []string{"fulfillment"}, to}
	var lines []sentLine
	var of *fulfillmentOrder
	seen := map[string]bool{}
	for _, one := range i.each("lineItemsByFulfillmentOrder") {
		id := one.text("fulfillmentOrderId")
		f, found := s.findFulfillmentOrder(id)
		switch {
		case !found:
			one.addError("fulfillmentOrderId", "", "Fulfillment order does not exist.")
			continue
		case seen[id]:
			one.addError("fulfillmentOrderId", "", "Fulfillment order must not be given more than once.")
			continue
		case of != nil && (of.o.p.n != f.o.p.n || of.place != f.place):
			one.addError("fulfillmentOrderId", "", "All fulfillment orders must be of the same order and location.")
			continue
		case f.status() == "CLOSED" || f.status() == "CANCELLED":
			one.addError("fulfillmentOrderId", "", "Fulfillment order %d has an unfulfillable status= %s.", f.number(), lowerOrNull(f.status()))
			continue
		}
		seen[id], of = true, &f
		lines = append(lines, s.readSent(one, f)...)
	}
	if of == nil && to.none() {
		i.addError("lineItemsByFulfillmentOrder", "", "Fulfillment orders can't be blank")
	}
	if !to.none() {
		return facts{"FulfillmentCreatePayload", map[string]any{"fulfillment": nil, "userErrors": to.shown()}}
	}
	p := s.edit(of.o.p.n)
	made := &fulfillment{place: of.place, notified: i.flag("notifyCustomer", false)}
	i.inner("trackingInfo").track(made)
	s.announce(s.send(p, made, lines))
	return facts{"FulfillmentCreatePayload", map[string]any{"fulfillment": orderObject{s, p}.fulfillment(made), "userErrors": []object{}}}
}

// readSent: "if the fulfillment order line items are left blank then all the fulfillment order line items of the associated
// fulfillment order ID will be fulfilled" (FulfillmentInput, published schema of 2026-07).
func (s *Platform) readSent(i input, f fulfillmentOrder) (lines []sentLine) {
	asked := i.each("fulfillmentOrderLineItems")
	for _, k := range f.lines() {
		l := f.o.p.lines[k]
		if left := l.unfulfilled(); len(asked) == 0 && left > 0 {
			lines = append(lines, sentLine{line: k, quantity: left})
		}
	}
	sum := map[int]int{}
	for _, one := range asked {
		number, _ := numberOf(one.text("id"), "FulfillmentOrderLineItem")
		at := slices.IndexFunc(f.lines(), func(k int) bool { return f.o.p.lines[k].id+fulfillmentLineShift == number })
		if at < 0 {
			one.addError("id", "", "Fulfillment order line item does not exist.")
			continue
		}
		k := f.lines()[at]
		sum[k] += one.number("quantity")
		if one.number("quantity") < 1 || sum[k] > f.o.p.lines[k].unfulfilled() {
			one.addError("quantity", "", "Invalid fulfillment order line item quantity requested.")
			continue
		}
		lines = append(lines, sentLine{line: k, quantity: one.number("quantity")})
	}
	return lines
}

// track reads a FulfillmentTrackingInput. Shopify generates the URLs for companies that it knows; here they have the host
// of one tracking site.
func (i input) track(f *fulfillment) {
	f.company, f.numbers, f.urls = i.text("company"), i.texts("numbers"), i.texts("urls")
	if number := i.text("number"); number != "" {
		f.numbers = append([]string{number}, f.numbers...)
	}
	if url := i.text("url"); url != "" {
		f.urls = append([]string{url}, f.urls...)
	}
	if len(f.urls) == 0 && slices.Contains([]string{"USPS", "UPS", "FedEx"}, f.company) {
		for _, number := range f.numbers {
			f.urls = append(f.urls, "https://track.example.com/"+number)
		}
	}
}

// updateTracking is fulfillmentTrackingInfoUpdate.
func (s *Platform) updateTracking(args map[string]any) any {
	to := &userErrors{of: "UserError"}
	i := input{args, nil, to}
	payload := map[string]any{"fulfillment": nil}
	if found, is := s.written("Fulfillment", i.text("fulfillmentId")).(fulfillmentObject); !is {
		i.addError("fulfillmentId", "", "Fulfillment does not exist.")
	} else {
		p := s.edit(found.o.p.n)
		f := p.fulfillments[slices.IndexFunc(p.fulfillments, func(one *fulfillment) bool { return one.id == found.f.id })]
		i.inner("trackingInfoInput").track(f)
		f.notified = i.flag("notifyCustomer", f.notified)
		s.changed(p)
		f.updated = p.updated
		s.announce([]event{{"fulfillments/update", s.restFulfillment(p, f)}, {"orders/updated", s.restPurchase(p)}})
		payload["fulfillment"] = orderObject{s, p}.fulfillment(f)
	}
	payload["userErrors"] = to.shown()
	return facts{"FulfillmentTrackingInfoUpdatePayload", payload}
}

// line returns a line of the fulfillment.
func (f fulfillmentObject) line(k int) object {
	sent := f.f.lines[k]
	cost := f.o.p.bag(f.o.p.lines[sent.line].cents * int64(sent.quantity))
	return facts{"FulfillmentLineItem", map[string]any{
		"id": gid("FulfillmentLineItem", sent.id), "lineItem": f.o.line(sent.line), "quantity": sent.quantity, "originalTotalSet": cost, "discountedTotalSet": cost,
	}}
}

func (f *fulfillment) pieces() (sum int) {
	for _, l := range f.lines {
		sum += l.quantity
	}
	return sum
}

func fulfillmentName(p *purchase, f *fulfillment) string {
	return p.name + "-F" + strconv.Itoa(f.number)
}
