package shopify

import (
	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// event is a webhook topic with its payload at the time of the event.
type event struct {
	topic string
	body  map[string]any
}

func (s *Platform) announce(events []event) {
	list := make([]host.Event, len(events))
	for n, e := range events {
		list[n] = host.Event{Topic: e.topic, Body: e.body}
	}
	s.Announce(list)
}

// stockEvents returns the events with the available stock of each level.
func (s *Platform) stockEvents(_ *purchase, levels [][2]int) (events []event) {
	for _, at := range levels {
		changed := host.Changed{
			Topic:    "inventory_levels/update",
			Index:    at[0],
			Location: at[1],
		}
		events = append(events, event{changed.Topic, s.payload(changed)})
	}
	return events
}

func restTimeOrNull(ms int64) any {
	if ms == 0 {
		return nil
	}
	return restTime(ms)
}

func (p *purchase) restBag(cents int64) map[string]any {
	money := map[string]any{"amount": host.Dollars(cents), "currency_code": p.currency}
	return map[string]any{"shop_money": money, "presentment_money": money}
}

// restPurchase returns an order in the format of the REST API (docs/api/admin-rest/latest/resources/order), which
// webhooks use.
func (s *Platform) restPurchase(p *purchase) map[string]any {
	lines, shipping, sent, refunds, attributes, codes := []any{}, []any{}, []any{}, []any{}, []any{}, []any{}
	for k := range p.lines {
		lines = append(lines, s.restLine(p, k))
	}
	for _, l := range p.shippingLines {
		shipping = append(shipping, map[string]any{
			"id": l.id, "title": l.title, "code": host.OrNull(l.code), "source": host.OrNull(l.source), "price": host.Dollars(l.cents), "price_set": p.restBag(l.cents),
			"discounted_price": host.Dollars(l.cents), "tax_lines": p.restTaxes(l.taxes),
		})
	}
	for _, f := range p.fulfillments {
		sent = append(sent, s.restFulfillment(p, f))
	}
	for _, r := range p.refunds {
		refunds = append(refunds, s.restRefund(p, r))
	}
	for _, one := range p.attributes {
		attributes = append(attributes, map[string]any{"name": one.name, "value": one.value})
	}
	if p.code != "" {
		codes = append(codes, map[string]any{"code": p.code, "amount": host.Dollars(p.discount), "type": "fixed_amount"})
	}
	order := map[string]any{
		"id": orderBase + p.n, "admin_graphql_api_id": gid("Order", orderBase+p.n), "app_id": appNumber, "name": p.name, "order_number": 1001 + p.n, "number": 1 + p.n,
		"email": p.email, "contact_email": p.email, "phone": host.OrNull(p.phone), "note": host.OrNull(p.note), "note_attributes": attributes, "tags": joined(p.tags),
		"currency": p.currency, "presentment_currency": p.currency, "taxes_included": p.taxesIncluded, "tax_lines": p.restTaxes(p.allTaxes()), "test": p.test,
		"created_at": restTime(p.placed), "updated_at": restTime(p.updated), "processed_at": restTime(p.processed), "closed_at": restTimeOrNull(p.closed),
		"cancelled_at": restTimeOrNull(p.cancelled), "cancel_reason": lowerOrNull(p.cancelReason), "confirmed": true,
		"financial_status": lowerOrNull(p.financialStatus()), "fulfillment_status": p.restFulfillmentStatus(), "po_number": host.OrNull(p.poNumber),
		"source_identifier": host.OrNull(p.sourceIdentifier), "source_name": host.OrNull(p.sourceName), "source_url": host.OrNull(p.sourceURL),
		"line_items": lines, "shipping_lines": shipping, "fulfillments": sent, "refunds": refunds, "discount_codes": codes, "customer": nil,
		"billing_address": restAddress(p.billing), "shipping_address": restAddress(p.shipping), "payment_gateway_names": p.gateways(),
	}
	if p.customer >= 0 {
		order["customer"] = s.restCustomer(p.customer)
	}
	for name, cents := range map[string]int64{
		"total_price": p.total(), "subtotal_price": p.subtotal(), "total_tax": p.tax(), "total_discounts": p.discount, "total_line_items_price": p.items() + p.extra,
		"current_total_price": p.total() - p.withdrawn(), "total_shipping_price": p.shippingCost(),
	} {
		order[name], order[name+"_set"] = host.Dollars(cents), p.restBag(cents)
	}
	delete(order, "total_shipping_price") // the REST API has only its money set
	return order
}

func (s *Platform) restLine(p *purchase, k int) map[string]any {
	l := p.lines[k]
	properties := []any{}
	for _, one := range l.properties {
		properties = append(properties, map[string]any{"name": one.name, "value": one.value})
	}
	status := any(nil)
	switch {
	case l.sent > 0 && l.unfulfilled() == 0:
		status = "fulfilled"
	case l.sent > 0:
		status = "partial"
	}
	line := map[string]any{
		"id": l.id, "admin_graphql_api_id": gid("LineItem", l.id), "product_id": nil, "variant_id": nil, "sku": host.OrNull(l.sku), "title": l.title, "name": l.title,
		"variant_title": host.OrNull(l.variant), "vendor": host.OrNull(l.vendor), "quantity": l.quantity, "current_quantity": l.current(), "fulfillable_quantity": l.unfulfilled(),
		"fulfillment_status": status, "price": host.Dollars(l.cents), "price_set": p.restBag(l.cents), "taxable": l.taxable, "requires_shipping": l.ships, "gift_card": l.giftCard,
		"properties": properties, "tax_lines": p.restTaxes(p.lineTaxes(k)), "total_discount": "0.00",
	}
	if l.item >= 0 {
		line["variant_id"], line["product_id"] = variantBase+l.item, productBase+s.Items[l.item].Product
	}
	return line
}

func (p *purchase) restTaxes(list []tax) []any {
	shown := []any{}
	for _, t := range list {
		shown = append(shown, map[string]any{"title": t.title, "rate": t.rate, "price": host.Dollars(t.cents), "price_set": p.restBag(t.cents), "channel_liable": t.liable})
	}
	return shown
}

func restAddress(of map[string]any) any {
	if of == nil {
		return nil
	}
	shown := map[string]any{}
	for rest, name := range map[string]string{
		"address1": "address1", "address2": "address2", "city": "city", "company": "company", "country": "country", "country_code": "countryCode", "first_name": "firstName",
		"last_name": "lastName", "phone": "phone", "province": "province", "province_code": "provinceCode", "zip": "zip",
	} {
		shown[rest] = of[name]
	}
	return shown
}

func (p *purchase) restFulfillmentStatus() any {
	switch p.fulfillmentStatus() {
	case "FULFILLED":
		return "fulfilled"
	case "PARTIALLY_FULFILLED":
		return "partial"
	case "RESTOCKED":
		return "restocked"
	}
	return nil
}

func (p *purchase) gateways() []string {
	list, seen := []string{}, map[string]bool{}
	for _, t := range p.transactions {
		if t.gateway != "" && !seen[t.gateway] {
			seen[t.gateway], list = true, append(list, t.gateway)
		}
	}
	return list
}

func (s *Platform) restTransaction(p *purchase, t transaction) map[string]any {
	shown := map[string]any{
		"id": t.id, "admin_graphql_api_id": gid("OrderTransaction", t.id), "order_id": orderBase + p.n, "kind": lowerOrNull(t.kind), "status": lowerOrNull(t.status),
		"gateway": host.OrNull(t.gateway), "amount": host.Dollars(t.cents), "currency": p.currency, "created_at": restTime(t.made), "processed_at": restTimeOrNull(t.processed),
		"parent_id": nil, "test": t.test, "authorization": host.OrNull(t.authorization), "source_name": host.OrNull(p.sourceName),
	}
	if t.parent != 0 {
		shown["parent_id"] = t.parent
	}
	return shown
}
