package shopify

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// orderObject is an order as the API shows it.
type orderObject struct {
	s *Platform
	p *purchase
}

func (orderObject) kind() string { return "Order" }

func (s *Platform) order(n int) object { return orderObject{s, s.purchase(n)} }

func (p *purchase) bag(cents int64) object {
	money := facts{"MoneyV2", map[string]any{"amount": host.Dollars(cents), "currencyCode": p.currency}}
	return facts{"MoneyBag", map[string]any{"shopMoney": money, "presentmentMoney": money}}
}

func timeOrNull(ms int64) any {
	if ms == 0 {
		return nil
	}
	return host.WholeSeconds(ms)
}

func (o orderObject) field(name string, args map[string]any) any {
	p := o.p
	switch name {
	case "id":
		return gid("Order", orderBase+p.n)
	case "legacyResourceId":
		return strconv.Itoa(orderBase + p.n)
	case "name":
		return p.name
	case "number":
		return 1001 + p.n
	case "email":
		return host.OrNull(p.email)
	case "phone":
		return host.OrNull(p.phone)
	case "note":
		return host.OrNull(p.note)
	case "poNumber":
		return host.OrNull(p.poNumber)
	case "tags":
		return p.tags
	case "currencyCode", "presentmentCurrencyCode":
		return p.currency
	case "createdAt":
		return host.WholeSeconds(p.placed)
	case "processedAt":
		return host.WholeSeconds(p.processed)
	case "updatedAt":
		return host.WholeSeconds(p.updated)
	case "closedAt":
		return timeOrNull(p.closed)
	case "closed":
		return p.closed > 0
	case "cancelledAt":
		return timeOrNull(p.cancelled)
	case "cancelReason":
		return host.OrNull(p.cancelReason)
	case "test":
		return p.test
	case "confirmed":
		return true
	case "taxesIncluded":
		return p.taxesIncluded
	case "sourceIdentifier":
		return host.OrNull(p.sourceIdentifier)
	case "sourceName":
		return host.OrNull(p.sourceName)
	case "registeredSourceUrl":
		return host.OrNull(p.sourceURL)
	}
	if shown, is := o.sums(name); is {
		return shown
	}
	return o.nested(name, args)
}

// sums returns the order's amounts and fields that follow from them.
func (o orderObject) sums(name string) (any, bool) {
	p := o.p
	sum := func(cents int64) (any, bool) { return p.bag(cents), true }
	switch name {
	case "totalPriceSet":
		return sum(p.total())
	case "currentTotalPriceSet":
		return sum(p.total() - p.withdrawn())
	case "subtotalPriceSet":
		return sum(p.subtotal())
	case "totalTaxSet":
		return sum(p.tax())
	case "totalShippingPriceSet":
		return sum(p.shippingCost())
	case "totalDiscountsSet":
		return sum(p.discount)
	case "totalReceivedSet":
		return sum(p.received())
	case "totalRefundedSet":
		return sum(p.refunded())
	case "netPaymentSet":
		return sum(p.received() - p.refunded())
	case "totalOutstandingSet":
		return sum(max(0, p.total()-p.withdrawn()-p.received()+p.refunded()))
	case "displayFinancialStatus":
		return p.financialStatus(), true
	case "displayFulfillmentStatus":
		return p.fulfillmentStatus(), true
	case "fullyPaid":
		return p.received() >= p.total(), true
	case "unpaid":
		return p.received() == 0 && p.total() > 0, true
	case "refundable":
		return p.received() > p.refunded(), true
	case "subtotalLineItemsQuantity":
		return p.pieces(func(l purchaseLine) int { return l.quantity }), true
	case "currentSubtotalLineItemsQuantity":
		return p.pieces(purchaseLine.current), true
	}
	return nil, false
}

func (p *purchase) pieces(of func(purchaseLine) int) (sum int) {
	for _, l := range p.lines {
		sum += of(l)
	}
	return sum
}

func (o orderObject) nested(name string, args map[string]any) any {
	s, p := o.s, o.p
	list := func(of string, n int, show func(int) object) any {
		return listing{
			of:   of,
			n:    n,
			will: func(int) bool { return true },
			show: show,
		}.connection(args)
	}
	switch name {
	case "customAttributes":
		return pairs("Attribute", "key", p.attributes)
	case "customer":
		if p.customer >= 0 && !s.Customers[p.customer].Deleted {
			return customerObject{s, p.customer}
		}
	case "billingAddress":
		return p.address(p.billing, 1)
	case "shippingAddress":
		return p.address(p.shipping, 2)
	case "metafield":
		return s.metafieldOf(p, args)
	case "metafields":
		return list("Metafield", len(p.metafields), func(k int) object { return p.metafields[k].show() })
	case "lineItems":
		return list("LineItem", len(p.lines), func(k int) object { return o.line(k) })
	case "taxLines":
		return p.showTaxes(p.allTaxes())
	case "discountCode":
		return host.OrNull(p.code)
	case "discountCodes":
		if p.code == "" {
			return []string{}
		}
		return []string{p.code}
	case "shippingLine":
		if len(p.shippingLines) > 0 {
			return p.showShipping(0)
		}
	case "shippingLines":
		return list("ShippingLine", len(p.shippingLines), p.showShipping)
	case "transactions":
		return first(args, len(p.transactions), func(k int) object { return o.transaction(p.transactions[k]) })
	case "cancellation":
		if p.cancelled > 0 {
			return facts{"OrderCancellation", map[string]any{"staffNote": host.OrNull(p.staffNote)}}
		}
	case "refunds":
		return first(args, len(p.refunds), func(k int) object { return o.refund(p.refunds[k]) })
	case "fulfillments":
		return first(args, len(p.fulfillments), func(k int) object { return o.fulfillment(p.fulfillments[k]) })
	case "fulfillmentOrders":
		return o.fulfillmentOrders(args)
	}
	return nil
}

// first returns a list, cut to the argument first.
func first(args map[string]any, n int, show func(int) object) []object {
	if args["first"] != nil {
		n = min(n, number64(args["first"]))
	}
	list := make([]object, n)
	for k := range n {
		list[k] = show(k)
	}
	return list
}

func pairs(of, name string, list []pair) []object {
	shown := []object{}
	for _, one := range list {
		shown = append(shown, facts{of, map[string]any{name: one.name, "value": one.value}})
	}
	return shown
}

func (p *purchase) address(of map[string]any, which int) any {
	if of == nil {
		return nil
	}
	text := func(name string) string { value, _ := of[name].(string); return value }
	values := map[string]any{"id": gid("MailingAddress", 16_000_000_001+2*p.n+which), "countryCodeV2": of["countryCode"]}
	for _, name := range []string{"address1", "address2", "city", "company", "country", "firstName", "lastName", "phone", "province", "provinceCode", "zip"} {
		values[name] = of[name]
	}
	values["name"] = host.OrNull(strings.TrimSpace(text("firstName") + " " + text("lastName")))
	return facts{"MailingAddress", values}
}

func (p *purchase) showTaxes(list []tax) []object {
	shown := []object{}
	for _, t := range list {
		shown = append(shown, facts{"TaxLine", map[string]any{
			"title": t.title, "rate": t.rate, "ratePercentage": t.rate * 100, "priceSet": p.bag(t.cents), "channelLiable": t.liable, "source": nil,
		}})
	}
	return shown
}

func (p *purchase) showShipping(k int) object {
	l := p.shippingLines[k]
	var taxes []tax
	for _, t := range l.taxes {
		t.cents = t.price(l.cents, p.taxesIncluded)
		taxes = append(taxes, t)
	}
	discounted := l.cents
	if p.freeShipping {
		discounted = 0
	}
	return facts{"ShippingLine", map[string]any{
		"id": gid("ShippingLine", l.id), "title": l.title, "code": host.OrNull(l.code), "source": host.OrNull(l.source), "isRemoved": false,
		"originalPriceSet": p.bag(l.cents), "discountedPriceSet": p.bag(discounted), "currentDiscountedPriceSet": p.bag(max(0, discounted-l.refunded)), "taxLines": p.showTaxes(taxes),
	}}
}

func (o orderObject) transaction(t transaction) object {
	p := o.p
	values := map[string]any{
		"id": gid("OrderTransaction", t.id), "kind": t.kind, "status": t.status, "gateway": host.OrNull(t.gateway), "formattedGateway": host.OrNull(t.gateway),
		"amountSet": p.bag(t.cents), "createdAt": host.WholeSeconds(t.made), "processedAt": timeOrNull(t.processed), "test": t.test, "parentTransaction": nil,
		"authorizationCode": host.OrNull(t.authorization), "paymentId": nil, "receiptJson": t.receipt, "manualPaymentGateway": false, "order": o,
	}
	for _, other := range p.transactions {
		if t.parent != 0 && other.id == t.parent {
			values["parentTransaction"] = o.transaction(other)
		}
	}
	return facts{"OrderTransaction", values}
}

func (o orderObject) line(k int) object {
	p, l := o.p, o.p.lines[k]
	name := l.title
	if l.variant != "" && l.variant != "Default Title" && !p.seeded {
		name += " - " + l.variant
	}
	values := map[string]any{
		"id": gid("LineItem", l.id), "name": name, "title": l.title, "variantTitle": host.OrNull(l.variant), "sku": host.OrNull(l.sku), "vendor": host.OrNull(l.vendor),
		"quantity": l.quantity, "currentQuantity": l.current(), "unfulfilledQuantity": l.unfulfilled(), "refundableQuantity": l.current(),
		"requiresShipping": l.ships, "taxable": l.taxable, "isGiftCard": l.giftCard, "originalUnitPriceSet": p.bag(l.cents), "discountedUnitPriceSet": p.bag(l.cents),
		"originalTotalSet": p.bag(l.cents * int64(l.quantity)), "discountedTotalSet": p.bag(l.cents * int64(l.quantity)),
		"taxLines": p.showTaxes(p.lineTaxes(k)), "customAttributes": pairs("Attribute", "key", l.properties), "variant": nil, "product": nil,
	}
	if l.item >= 0 && o.s.exists(o.s.Items[l.item].Product) {
		values["variant"], values["product"] = variantObject{o.s, l.item}, productObject{o.s, o.s.Items[l.item].Product}
	}
	return facts{"LineItem", values}
}
