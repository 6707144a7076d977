package platforms

import (
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// State returns the numbers of records and of requests so far.
func (p *Platforms) State() map[string]any {
	all := map[string]any{ShipStation: p.shipstation.Counts()}
	for platform, side := range p.Sides {
		if side.Shop != nil {
			all[platform] = side.Shop.Counts()
		}
	}
	return map[string]any{
		"platforms":          all,
		"shopify_orders":     p.shopify.Written(),
		"woocommerce_orders": p.woocommerce.Written(),
		"custom_orders":      p.custom.Written(),
		"hubspot_deals":      p.hubspot.Written(),
		"requests":           p.RequestCounts(),
		"now":                p.Config.Now().UTC().Format(time.RFC3339),
	}
}

// Records returns all records of a resource, including deleted ones, in the same format for all platforms. Ids are
// strings as in the platform's answers and webhooks.
func (p *Platforms) Records(platform, resource string) (list []any, err error) {
	s := p.Sides[platform]
	list = []any{}
	switch {
	case s == nil:
		return nil, p.UnknownPlatform(platform)
	case s == p.shipstation.Side:
		return p.shipstation.Records(resource)
	}
	s.Shop.Read(func(*host.World) {
		show := map[string]func(int) any{
			"products": s.Shop.PlainProduct, "inventory": s.Shop.PlainLevel, "customers": s.Shop.PlainCustomer, "orders": s.Shop.PlainOrder,
		}[resource]
		if show == nil {
			err = fmt.Errorf("%s has no %q", platform, resource)
			return
		}
		for n := range s.Shop.Size(resource) {
			list = append(list, show(n))
		}
	})
	return list, err
}
