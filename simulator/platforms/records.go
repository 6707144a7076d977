package platforms

import (
	"fmt"
	"maps"
	"time"
)

// State is how much there is of everything, and what was asked for so far.
func (p *Platforms) State() map[string]any {
	all := map[string]any{ShipStation: p.shipstation.counts()}
	for _, platform := range []string{Shopify, HubSpot, Custom} {
		all[platform] = p.sides[platform].shop.counts()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return map[string]any{"platforms": all, "requests": maps.Clone(p.requests), "now": p.config.Now().UTC().Format(time.RFC3339)}
}

// counts leave out what is deleted.
func (s *shop) counts() (counts map[string]int) {
	s.read(func(w *world) {
		counts = map[string]int{
			"products":  tally(len(w.products), func(n int) bool { return !w.products[n].deleted }),
			"inventory": 2 * tally(len(w.items), func(n int) bool { return !w.products[w.items[n].product].deleted }),
			"customers": tally(len(w.customers), func(n int) bool { return !w.customers[n].deleted }),
			"orders":    len(w.orders),
		}
	})
	return counts
}

func (s *shipstation) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	return map[string]int{"orders": len(s.orders), "shipments": len(s.shipments), "labels_cents": int(s.spent)}
}

var names = []string{Shopify, HubSpot, ShipStation, Custom}

// Records is everything of a resource in one plain form for all platforms, what is deleted too. Ids are those that
// the platform's own answers and webhooks use, as text.
func (p *Platforms) Records(platform, resource string) (list []any, err error) {
	s := p.sides[platform]
	list = []any{}
	switch {
	case s == nil:
		return nil, unknownPlatform(platform)
	case s == p.shipstation.side:
		return p.shipstation.records(resource)
	}
	s.shop.read(func(*world) {
		show := map[string]func(int) any{
			"products": s.shop.plainProduct, "inventory": s.shop.plainLevel, "customers": s.shop.plainCustomer, "orders": s.shop.plainOrder,
		}[resource]
		if show == nil {
			err = fmt.Errorf("%s has no %q", platform, resource)
			return
		}
		for n := range s.shop.size(resource) {
			list = append(list, show(n))
		}
	})
	return list, err
}

func (s *shop) size(resource string) int {
	return map[string]int{
		"products": len(s.products), "inventory": 2 * len(s.items), "customers": len(s.customers), "orders": len(s.orders),
	}[resource]
}

func (s *shop) plainProduct(n int) any {
	p := s.products[n]
	items := []any{}
	for k, i := range s.itemsOf(p) {
		id := s.name("inventory_levels/update", Changed{Topic: "inventory_levels/update", index: p.first + k})
		items = append(items, map[string]any{
			"item_id": itemPart(id), "sku": i.sku, "size": i.size, "color": i.color, "price": s.showPrice(i),
		})
	}
	return map[string]any{
		"id": s.name("products/update", Changed{Topic: "products/update", index: n}), "title": s.showTitle(p), "description": p.description, "brand": p.brand,
		"category": p.category, "status": p.status, "deleted": p.deleted, "damaged": p.damaged, "updated_at": withMillis(p.updated), "items": items,
	}
}

// itemPart is what comes before the place in the id of a level.
func itemPart(id string) string {
	for k := range id {
		if id[k] == ':' {
			return id[:k]
		}
	}
	return id
}

func (s *shop) plainLevel(n int) any {
	i := s.items[n/2]
	l := i.levels[n%2]
	id := s.name("inventory_levels/update", Changed{Topic: "inventory_levels/update", index: n / 2, location: n % 2})
	return map[string]any{
		"id": id, "item_id": itemPart(id), "sku": i.sku, "location": id[len(itemPart(id))+1:], "quantity": l.quantity,
		"updated_at": withMillis(l.updated), "deleted": s.products[i.product].deleted,
	}
}

func (s *shop) plainCustomer(n int) any {
	c := s.customers[n]
	return map[string]any{
		"id": s.name("customers/update", Changed{Topic: "customers/update", index: n}), "email": c.email, "name": c.name(), "loyalty_tier": c.tier,
		"purchases": c.purchases, "deleted": c.deleted, "updated_at": withMillis(c.updated),
	}
}

func (s *shop) plainOrder(n int) any {
	o := s.orders[n]
	return map[string]any{
		"id": s.name("orders/updated", Changed{Topic: "orders/updated", index: n}), "email": s.customers[o.customer].email, "status": o.status,
		"total": dollars(o.cents), "items": o.count(), "reference": o.reference, "carrier": o.carrier, "tracking_number": o.tracking,
		"placed_at": withMillis(o.placed), "updated_at": withMillis(o.updated),
	}
}

func (s *shipstation) records(resource string) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	list := []any{}
	switch resource {
	case "orders":
		for n := range s.orders {
			list = append(list, s.showOrder(n))
		}
	case "shipments":
		for n := range s.shipments {
			list = append(list, s.showShipment(n))
		}
	default:
		return nil, fmt.Errorf("shipstation has no %q", resource)
	}
	return list, nil
}
