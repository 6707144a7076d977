package shopify

import (
	"strconv"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

type customerObject struct {
	s *Platform
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
	c := o.s.Customers[o.n]
	switch name {
	case "id":
		return gid("Customer", customerBase+o.n)
	case "legacyResourceId":
		return strconv.Itoa(customerBase + o.n)
	case "email":
		return c.Email
	case "defaultEmailAddress":
		return facts{"CustomerEmailAddress", map[string]any{"emailAddress": c.Email}}
	case "firstName":
		return c.First
	case "lastName":
		return c.Last
	case "displayName":
		return c.Name()
	case "numberOfOrders":
		return strconv.Itoa(c.Purchases)
	case "amountSpent":
		return usd(o.s.spent(o.n))
	case "tags":
		return loyalty(c.Tier)
	case "state":
		return "ENABLED"
	case "verifiedEmail":
		return true
	case "createdAt":
		return host.WholeSeconds(c.Created)
	case "updatedAt":
		return host.WholeSeconds(c.Updated)
	case "metafield":
		if args["namespace"] == "loyalty" && args["key"] == "tier" && c.Tier != "" {
			return facts{"Metafield", map[string]any{
				"id": gid("Metafield", customerBase+o.n), "namespace": "loyalty", "key": "tier", "value": c.Tier, "type": "single_line_text_field",
			}}
		}
	}
	return nil
}

func (s *Platform) spent(customer int) (cents int64) {
	for _, o := range s.Orders {
		if o.Customer == customer {
			cents += o.Cents
		}
	}
	return cents
}

func usd(cents int64) object {
	return facts{"MoneyV2", map[string]any{"amount": host.Dollars(cents), "currencyCode": "USD"}}
}

func bag(cents int64) object {
	return facts{"MoneyBag", map[string]any{"shopMoney": usd(cents), "presentmentMoney": usd(cents)}}
}

type orderObject struct {
	s *Platform
	n int
}

func (orderObject) kind() string { return "Order" }

func orderName(n int) string { return "#" + strconv.Itoa(1001+n) }

var financial = map[string]string{"paid": "PAID", "fulfilled": "PAID", "refunded": "REFUNDED", "canceled": "VOIDED"}

func (o orderObject) field(name string, args map[string]any) any {
	s, one := o.s, o.s.Orders[o.n]
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
		return s.Customers[one.Customer].Email
	case "tags":
		return []string{}
	case "currencyCode":
		return "USD"
	case "createdAt", "processedAt":
		return host.WholeSeconds(one.Placed)
	case "updatedAt":
		return host.WholeSeconds(one.Updated)
	case "test":
		return false
	case "confirmed":
		return true
	}
	return o.nested(name, args)
}

func (o orderObject) nested(name string, args map[string]any) any {
	s, one := o.s, o.s.Orders[o.n]
	switch name {
	case "cancelledAt":
		if one.Status == "canceled" {
			return host.WholeSeconds(one.Updated)
		}
	case "displayFinancialStatus":
		return financial[one.Status]
	case "displayFulfillmentStatus":
		if one.Shipped > 0 {
			return "FULFILLED"
		}
		return "UNFULFILLED"
	case "sourceIdentifier":
		return host.OrNull(one.Reference)
	case "totalPriceSet", "currentTotalPriceSet", "subtotalPriceSet":
		return bag(one.Cents)
	case "subtotalLineItemsQuantity", "currentSubtotalLineItemsQuantity":
		return one.Count()
	case "customAttributes":
		return o.attributes()
	case "customer":
		return customerObject{s, one.Customer}
	case "fulfillments":
		return o.fulfillments()
	case "lineItems":
		return listing{
			of: "LineItem", n: len(one.Lines), will: func(int) bool { return true }, show: func(k int) object { return o.line(k) },
		}.connection(args)
	}
	return nil
}

func (o orderObject) attributes() []object {
	reference := o.s.Orders[o.n].Reference
	if reference == "" {
		return []object{}
	}
	return []object{facts{"Attribute", map[string]any{"key": "reference", "value": reference}}}
}

func (o orderObject) fulfillments() []object {
	one := o.s.Orders[o.n]
	if one.Shipped == 0 {
		return []object{}
	}
	number := 5_600_000_001 + o.n
	tracking := facts{"FulfillmentTrackingInfo", map[string]any{
		"company": one.Carrier, "number": one.Tracking, "url": "https://track.example.com/" + one.Tracking,
	}}
	return []object{facts{"Fulfillment", map[string]any{
		"id": gid("Fulfillment", number), "legacyResourceId": strconv.Itoa(number), "name": orderName(o.n) + "-F1", "status": "SUCCESS", "displayStatus": "FULFILLED",
		"createdAt": host.WholeSeconds(one.Shipped), "updatedAt": host.WholeSeconds(one.Shipped), "deliveredAt": nil, "trackingInfo": []object{tracking},
	}}}
}

func (o orderObject) line(k int) object {
	l := o.s.Orders[o.n].Lines[k]
	i := o.s.Items[l.Item]
	p := o.s.Products[i.Product]
	return facts{"LineItem", map[string]any{
		"id": gid("LineItem", 12_000_000_001+o.n*4+k), "name": p.Title, "title": p.Title, "sku": i.SKU, "quantity": l.Quantity, "currentQuantity": l.Quantity,
		"variant": variantObject{o.s, l.Item}, "product": productObject{o.s, i.Product}, "originalUnitPriceSet": bag(l.Cents), "discountedUnitPriceSet": bag(l.Cents),
	}}
}
