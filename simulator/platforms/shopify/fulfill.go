package shopify

import (
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// rest returns all lines and pieces of the order that have not shipped.
func (s *Platform) rest(p *purchase) (list []sentLine) {
	for k, l := range p.lines {
		if left := l.unfulfilled(); left > 0 {
			list = append(list, sentLine{line: k, quantity: left})
		}
	}
	return list
}

// send creates a fulfillment of the lines. Their claims end, because the pieces have left the location.
func (s *Platform) send(p *purchase, f *fulfillment, lines []sentLine) []event {
	f.id, f.order, f.number, f.status = s.nextID(), p.n, len(p.fulfillments)+1, "SUCCESS"
	for _, one := range lines {
		one.id = s.nextID()
		l := &p.lines[one.line]
		l.sent += one.quantity
		l.settled += min(one.quantity, l.claim())
		f.lines = append(f.lines, one)
	}
	p.fulfillments = append(p.fulfillments, f)
	p.fulfillment = ""
	s.changed(p)
	f.made, f.updated = p.updated, p.updated
	events := []event{{"fulfillments/create", s.restFulfillment(p, f)}, {"orders/updated", s.restPurchase(p)}}
	if p.fulfillmentStatus() == "FULFILLED" {
		return append(events, event{"orders/fulfilled", s.restPurchase(p)})
	}
	return append(events, event{"orders/partially_fulfilled", s.restPurchase(p)})
}

func (o orderObject) fulfillment(f *fulfillment) object {
	tracking := func(k int) object {
		url := any(nil)
		if k < len(f.urls) {
			url = f.urls[k]
		}
		return facts{"FulfillmentTrackingInfo", map[string]any{"company": host.OrNull(f.company), "number": f.numbers[k], "url": url}}
	}
	return fulfillmentObject{facts{"Fulfillment", map[string]any{
		"id": gid("Fulfillment", f.id), "legacyResourceId": strconv.Itoa(f.id), "name": fulfillmentName(o.p, f), "status": f.status, "displayStatus": "FULFILLED",
		"createdAt": host.WholeSeconds(f.made), "updatedAt": host.WholeSeconds(f.updated), "deliveredAt": nil,
	}}, o, f, tracking}
}

type fulfillmentObject struct {
	facts
	o        orderObject
	f        *fulfillment
	tracking func(int) object
}

func (f fulfillmentObject) field(name string, args map[string]any) any {
	switch name {
	case "trackingInfo":
		return first(args, len(f.f.numbers), f.tracking)
	case "order":
		return f.o
	case "location":
		return locationObject{f.o.s, f.f.place}
	case "totalQuantity":
		return f.f.pieces()
	case "fulfillmentLineItems":
		return listing{
			of:   "FulfillmentLineItem",
			n:    len(f.f.lines),
			will: func(int) bool { return true },
			show: f.line,
		}.connection(args)
	}
	return f.facts.field(name, args)
}
