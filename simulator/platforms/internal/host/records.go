package host

import (
	"fmt"
)

// NewOrder is an order with a reference, shipped or not.
type NewOrder struct {
	Platform  string `json:"platform"`
	Reference string `json:"reference"`
	Ship      bool   `json:"ship"`
}

// AddOrder adds an order, or ships the existing one with the reference. It returns the order's id.
func (p *Host) AddOrder(o NewOrder) (id string, err error) {
	s := p.Sides[o.Platform]
	if s == nil || s.Shop == nil {
		return "", fmt.Errorf("%q takes no orders this way", o.Platform)
	}
	s.Shop.write(func(w *World) {
		n := -1
		for k := range w.Orders {
			if o.Reference != "" && w.Orders[k].Reference == o.Reference {
				n = k
			}
		}
		m := NewMaker(p.Config.Seed, uint64(len(w.Orders)))
		if n < 0 {
			n = len(w.Orders)
			m.addOrder(w, s.Shop.tick(p.Config.Now(), 0))
			one := &w.Orders[n]
			one.Status, one.Carrier, one.Tracking, one.Shipped, one.Updated, one.Reference = "paid", "", "", 0, one.Placed, o.Reference
		}
		if o.Ship {
			m.ship(&w.Orders[n], s.Shop.tick(p.Config.Now(), w.Orders[n].Updated))
		}
		id = s.Shop.Name("orders/updated", Changed{Topic: "orders/updated", Index: n})
	})
	return id, nil
}

// Counts returns the numbers of records without deleted ones.
func (s *Shop) Counts() (counts map[string]int) {
	s.Read(func(w *World) {
		counts = map[string]int{
			"products":  Tally(len(w.Products), func(n int) bool { return !w.Products[n].Deleted }),
			"inventory": 2 * Tally(len(w.Items), func(n int) bool { return !w.Products[w.Items[n].Product].Deleted }),
			"customers": Tally(len(w.Customers), func(n int) bool { return !w.Customers[n].Deleted }),
			"orders":    len(w.Orders),
		}
	})
	return counts
}

func (s *Shop) Size(resource string) int {
	return map[string]int{
		"products": len(s.Products), "inventory": 2 * len(s.Items), "customers": len(s.Customers), "orders": len(s.Orders),
	}[resource]
}

func (s *Shop) PlainProduct(n int) any {
	p := s.Products[n]
	items := []any{}
	for k, i := range s.ItemsOf(p) {
		id := s.Name("inventory_levels/update", Changed{Topic: "inventory_levels/update", Index: p.First + k})
		items = append(items, map[string]any{
			"item_id": itemPart(id), "sku": i.SKU, "size": i.Size, "color": i.Color, "price": s.ShowPrice(i),
		})
	}
	return map[string]any{
		"id": s.Name("products/update", Changed{Topic: "products/update", Index: n}), "title": s.ShowTitle(p), "description": p.Description, "brand": p.Brand,
		"category": p.Category, "status": p.Status, "deleted": p.Deleted, "damaged": p.Damaged, "updated_at": WithMillis(p.Updated), "items": items,
	}
}

// itemPart returns the item's part of a stock level's id.
func itemPart(id string) string {
	for k := range id {
		if id[k] == ':' {
			return id[:k]
		}
	}
	return id
}

func (s *Shop) PlainLevel(n int) any {
	i := s.Items[n/2]
	l := i.Levels[n%2]
	id := s.Name("inventory_levels/update", Changed{
		Topic:    "inventory_levels/update",
		Index:    n / 2,
		Location: n % 2,
	})
	return map[string]any{
		"id": id, "item_id": itemPart(id), "sku": i.SKU, "location": id[len(itemPart(id))+1:], "quantity": l.Quantity,
		"updated_at": WithMillis(l.Updated), "deleted": s.Products[i.Product].Deleted,
	}
}

func (s *Shop) PlainCustomer(n int) any {
	c := s.Customers[n]
	return map[string]any{
		"id": s.Name("customers/update", Changed{Topic: "customers/update", Index: n}), "email": c.Email, "name": c.Name(), "loyalty_tier": c.Tier,
		"purchases": c.Purchases, "deleted": c.Deleted, "updated_at": WithMillis(c.Updated),
	}
}

func (s *Shop) PlainOrder(n int) any {
	o := s.Orders[n]
	return map[string]any{
		"id": s.Name("orders/updated", Changed{Topic: "orders/updated", Index: n}), "email": s.EmailOf(n), "status": o.Status,
		"total": Dollars(o.Cents), "items": o.Count(), "reference": o.Reference, "carrier": o.Carrier, "tracking_number": o.Tracking,
		"placed_at": WithMillis(o.Placed), "updated_at": WithMillis(o.Updated),
	}
}
