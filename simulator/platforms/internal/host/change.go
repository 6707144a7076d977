package host

import (
	"fmt"
	"slices"
	"time"
)

// Change requests a number of random changes to a platform's data.
type Change struct {
	Platform string   `json:"platform"`
	N        int      `json:"n"`
	Seed     uint64   `json:"seed"`
	Topics   []string `json:"topics"` // default products/create, products/update, products/delete and inventory_levels/update
}

// Changed is one change.
type Changed struct {
	Topic string `json:"topic"`
	ID    string `json:"id"`

	Index    int `json:"-"` // position of the record in the shop
	Location int `json:"-"`
}

// Goods are the default topics of changes. Repeated topics are more likely.
var Goods = []string{
	"inventory_levels/update", "inventory_levels/update", "inventory_levels/update", "inventory_levels/update",
	"products/update", "products/update", "products/update", "products/create", "products/delete",
}

// Changers make one change each and describe it.
var Changers = map[string]func(m maker, s *Shop, now time.Time) (Changed, bool){
	"products/create": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		m.addProduct(s.World, s.tick(now, 0), 0)
		return Changed{Index: len(s.Products) - 1}, true
	},
	"products/update":         changeProduct,
	"products/delete":         deleteProduct,
	"inventory_levels/update": changeStock,
	"orders/create": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		m.addOrder(s.World, s.tick(now, 0))
		o := &s.Orders[len(s.Orders)-1]
		o.Status, o.Carrier, o.Tracking, o.Shipped, o.Updated = "paid", "", "", 0, o.Placed
		return Changed{Index: len(s.Orders) - 1}, true
	},
	"orders/updated": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		if len(s.Orders) == 0 {
			return Changed{}, false
		}
		n := m.IntN(len(s.Orders))
		o := &s.Orders[n]
		m.ship(o, s.tick(now, o.Updated))
		return Changed{Index: n}, true
	},
	"customers/create": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		m.addCustomer(s.World, s.tick(now, 0))
		return Changed{Index: len(s.Customers) - 1}, true
	},
	"customers/update": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		n, found := Some(m, len(s.Customers), func(n int) bool { return !s.Customers[n].Deleted })
		if found {
			c := &s.Customers[n]
			c.Tier, c.Updated = pick(m, tiers), s.tick(now, c.Updated)
		}
		return Changed{Index: n}, found
	},
	"customers/delete": func(m maker, s *Shop, now time.Time) (Changed, bool) {
		n, found := Some(m, len(s.Customers), func(n int) bool { return !s.Customers[n].Deleted })
		if found {
			c := &s.Customers[n]
			c.Deleted, c.Updated = true, s.tick(now, c.Updated)
		}
		return Changed{Index: n}, found
	},
}

// Some returns a random number below n for which will returns true.
func Some(m maker, n int, will func(int) bool) (int, bool) {
	for range 100 {
		if n == 0 {
			break
		}
		if i := m.IntN(n); will(i) {
			return i, true
		}
	}
	return 0, false
}

func changeProduct(m maker, s *Shop, now time.Time) (Changed, bool) {
	n, found := Some(m, len(s.Products), func(n int) bool { return !s.Products[n].Deleted && s.Products[n].Damaged == "" })
	if !found {
		return Changed{}, false
	}
	p := &s.Products[n]
	p.Updated = s.tick(now, p.Updated)
	switch m.IntN(4) {
	case 0:
		p.Title = fmt.Sprintf("%s %s", pick(m, places), p.Title[1+slices.Index([]byte(p.Title), ' '):])
	case 1:
		p.Description = m.describe(*p)
	case 2:
		p.Status = map[string]string{"active": "archived", "archived": "active"}[p.Status]
	default:
		cents := int64(900 + m.IntN(40000))
		for i := range s.ItemsOf(*p) {
			s.Items[p.First+i].Cents = cents
		}
	}
	return Changed{Index: n}, true
}

func deleteProduct(m maker, s *Shop, now time.Time) (Changed, bool) {
	n, found := Some(m, len(s.Products), func(n int) bool { return !s.Products[n].Deleted })
	if found {
		p := &s.Products[n]
		p.Deleted, p.Updated = true, s.tick(now, p.Updated)
	}
	return Changed{Index: n}, found
}

func changeStock(m maker, s *Shop, now time.Time) (Changed, bool) {
	n, found := Some(m, len(s.Items), func(n int) bool { return !s.Products[s.Items[n].Product].Deleted })
	if !found {
		return Changed{}, false
	}
	place := m.IntN(2)
	i := &s.Items[n]
	l := &i.Levels[place]
	l.Updated = s.tick(now, l.Updated)
	l.Quantity, i.Updated = m.IntN(60), max(i.Updated, l.Updated)
	return Changed{Index: n, Location: place}, true
}

// Change makes n changes, each of a random topic of topics, and calls after following each of them. It holds the lock.
func (s *Shop) Change(n int, seed uint64, topics []string, now func() time.Time, after func(Changed)) error {
	for _, topic := range topics {
		if Changers[topic] == nil {
			return fmt.Errorf("nothing can be changed for topic %q", topic)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	m := NewMaker(seed, s.Stream+1000)
	for range n {
		topic := pick(m, topics)
		changed, ok := Changers[topic](m, s, now())
		if !ok {
			continue
		}
		changed.Topic, changed.ID = topic, s.Name(topic, changed)
		after(changed)
	}
	return nil
}
