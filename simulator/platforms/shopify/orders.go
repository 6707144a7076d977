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

// loyalty returns the tag of a tier, as loyalty apps write it.
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

func orderName(n int) string { return "#" + strconv.Itoa(1001+n) }

var financial = map[string]string{"paid": "PAID", "fulfilled": "PAID", "refunded": "REFUNDED", "canceled": "VOIDED"}
