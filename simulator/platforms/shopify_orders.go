package platforms

import (
	"strconv"
)

type customerObject struct {
	s *shopify
	n int
}

func (customerObject) kind() string { return "Customer" }

// loyalty is the tag that tells the tier, as apps of this kind write it.
func loyalty(tier string) []string {
	if tier == "" {
		return []string{}
	}
	return []string{"loyalty:" + tier}
}

func (o customerObject) field(name string, args map[string]any) any {
	c := o.s.customers[o.n]
	switch name {
	case "id":
		return gid("Customer", customerBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(customerBase + o.n)
	case "email":
		return c.email
	case "defaultEmailAddress":
		return facts{"CustomerEmailAddress", map[string]any{"emailAddress": c.email}}
	case "firstName":
		return c.first
	case "lastName":
		return c.last
	case "displayName":
		return c.name()
	case "numberOfOrders":
		return strconv.Itoa(c.purchases)
	case "amountSpent":
		return usd(o.s.spent(o.n))
	case "tags":
		return loyalty(c.tier)
	case "state":
		return "ENABLED"
	case "verifiedEmail":
		return true
	case "createdAt":
		return wholeSeconds(c.created)
	case "updatedAt":
		return wholeSeconds(c.updated)
	case "metafield":
		if args["namespace"] == "loyalty" && args["key"] == "tier" && c.tier != "" {
			return facts{"Metafield", map[string]any{
				"id": gid("Metafield", customerBase+o.n), "namespace": "loyalty", "key": "tier", "value": c.tier, "type": "single_line_text_field",
			}}
		}
	}
	return nil
}

func (s *shopify) spent(customer int) (cents int64) {
	for _, o := range s.orders {
		if o.customer == customer {
			cents += o.cents
		}
	}
	return cents
}

func usd(cents int64) object {
	return facts{"MoneyV2", map[string]any{"amount": dollars(cents), "currencyCode": "USD"}}
}

func bag(cents int64) object {
	return facts{"MoneyBag", map[string]any{"shopMoney": usd(cents), "presentmentMoney": usd(cents)}}
}

type orderObject struct {
	s *shopify
	n int
}

func (orderObject) kind() string { return "Order" }

func orderName(n int) string { return "#" + strconv.Itoa(1001+n) }

var financial = map[string]string{"paid": "PAID", "fulfilled": "PAID", "refunded": "REFUNDED", "canceled": "VOIDED"}

func (o orderObject) field(name string, args map[string]any) any {
	s, one := o.s, o.s.orders[o.n]
	switch name {
	case "id":
		return gid("Order", orderBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(orderBase + o.n)
	case "name":
		return orderName(o.n)
	case "number":
		return 1001 + o.n
	case "email":
		return s.customers[one.customer].email
	case "tags":
		return []string{}
	case "currencyCode":
		return "USD"
	case "createdAt", "processedAt":
		return wholeSeconds(one.placed)
	case "updatedAt":
		return wholeSeconds(one.updated)
	case "test":
		return false
	case "confirmed":
		return true
	}
	return o.nested(name, args)
}

func (o orderObject) nested(name string, args map[string]any) any {
	s, one := o.s, o.s.orders[o.n]
	switch name {
	case "cancelledAt":
		if one.status == "canceled" {
			return wholeSeconds(one.updated)
		}
	case "displayFinancialStatus":
		return financial[one.status]
	case "displayFulfillmentStatus":
		if one.shipped > 0 {
			return "FULFILLED"
		}
		return "UNFULFILLED"
	case "sourceIdentifier":
		return orNull(one.reference)
	case "totalPriceSet", "currentTotalPriceSet", "subtotalPriceSet":
		return bag(one.cents)
	case "subtotalLineItemsQuantity", "currentSubtotalLineItemsQuantity":
		return one.count()
	case "customAttributes":
		return o.attributes()
	case "customer":
		return customerObject{s, one.customer}
	case "fulfillments":
		return o.fulfillments()
	case "lineItems":
		return listing{
			of: "LineItem", n: len(one.lines), will: func(int) bool { return true }, show: func(k int) object { return o.line(k) },
		}.connection(args)
	}
	return nil
}

func (o orderObject) attributes() []object {
	reference := o.s.orders[o.n].reference
	if reference == "" {
		return []object{}
	}
	return []object{facts{"Attribute", map[string]any{"key": "reference", "value": reference}}}
}

func (o orderObject) fulfillments() []object {
	one := o.s.orders[o.n]
	if one.shipped == 0 {
		return []object{}
	}
	number := 5_600_000_001 + o.n
	tracking := facts{"FulfillmentTrackingInfo", map[string]any{
		"company": one.carrier, "number": one.tracking, "url": "https://track.example.com/" + one.tracking,
	}}
	return []object{facts{"Fulfillment", map[string]any{
		"id": gid("Fulfillment", number), "legacyResourceId": strconv.Itoa(number), "name": orderName(o.n) + "-F1", "status": "SUCCESS", "displayStatus": "FULFILLED",
		"createdAt": wholeSeconds(one.shipped), "updatedAt": wholeSeconds(one.shipped), "deliveredAt": nil, "trackingInfo": []object{tracking},
	}}}
}

func (o orderObject) line(k int) object {
	l := o.s.orders[o.n].lines[k]
	i := o.s.items[l.item]
	p := o.s.products[i.product]
	return facts{"LineItem", map[string]any{
		"id": gid("LineItem", 12_000_000_001+o.n*4+k), "name": p.title, "title": p.title, "sku": i.sku, "quantity": l.quantity, "currentQuantity": l.quantity,
		"variant": variantObject{o.s, l.item}, "product": productObject{o.s, i.product}, "originalUnitPriceSet": bag(l.cents), "discountedUnitPriceSet": bag(l.cents),
	}}
}
