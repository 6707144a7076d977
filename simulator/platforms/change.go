package platforms

import (
	"fmt"
	"slices"
	"time"
)

// Change is a number of random changes to a platform's data.
type Change struct {
	Platform string   `json:"platform"`
	N        int      `json:"n"`
	Seed     uint64   `json:"seed"`
	Topics   []string `json:"topics"` // default products/create, products/update, products/delete and inventory_levels/update
}

// Changed is one of them.
type Changed struct {
	Topic string `json:"topic"`
	ID    string `json:"id"`

	index, location int
}

// goods are the topics of changes where none are asked for; those that are here more than once are more likely.
var goods = []string{
	"inventory_levels/update", "inventory_levels/update", "inventory_levels/update", "inventory_levels/update",
	"products/update", "products/update", "products/update", "products/create", "products/delete",
}

// changers make one change each and say of what.
var changers = map[string]func(m maker, s *shop, now time.Time) (Changed, bool){
	"products/create": func(m maker, s *shop, now time.Time) (Changed, bool) {
		m.addProduct(s.world, s.tick(now, 0))
		return Changed{index: len(s.products) - 1}, true
	},
	"products/update":         changeProduct,
	"products/delete":         deleteProduct,
	"inventory_levels/update": changeStock,
	"orders/create": func(m maker, s *shop, now time.Time) (Changed, bool) {
		m.addOrder(s.world, s.tick(now, 0))
		o := &s.orders[len(s.orders)-1]
		o.status, o.carrier, o.tracking, o.shipped, o.updated = "paid", "", "", 0, o.placed
		return Changed{index: len(s.orders) - 1}, true
	},
	"orders/updated": func(m maker, s *shop, now time.Time) (Changed, bool) {
		if len(s.orders) == 0 {
			return Changed{}, false
		}
		n := m.IntN(len(s.orders))
		o := &s.orders[n]
		m.ship(o, s.tick(now, o.updated))
		return Changed{index: n}, true
	},
	"customers/create": func(m maker, s *shop, now time.Time) (Changed, bool) {
		m.addCustomer(s.world, s.tick(now, 0))
		return Changed{index: len(s.customers) - 1}, true
	},
	"customers/update": func(m maker, s *shop, now time.Time) (Changed, bool) {
		n, found := some(m, len(s.customers), func(n int) bool { return !s.customers[n].deleted })
		if found {
			c := &s.customers[n]
			c.tier, c.updated = pick(m, tiers), s.tick(now, c.updated)
		}
		return Changed{index: n}, found
	},
	"customers/delete": func(m maker, s *shop, now time.Time) (Changed, bool) {
		n, found := some(m, len(s.customers), func(n int) bool { return !s.customers[n].deleted })
		if found {
			c := &s.customers[n]
			c.deleted, c.updated = true, s.tick(now, c.updated)
		}
		return Changed{index: n}, found
	},
}

// some draws one of n that will do.
func some(m maker, n int, will func(int) bool) (int, bool) {
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

func changeProduct(m maker, s *shop, now time.Time) (Changed, bool) {
	n, found := some(m, len(s.products), func(n int) bool { return !s.products[n].deleted && s.products[n].damaged == "" })
	if !found {
		return Changed{}, false
	}
	p := &s.products[n]
	p.updated = s.tick(now, p.updated)
	switch m.IntN(4) {
	case 0:
		p.title = fmt.Sprintf("%s %s", pick(m, places), p.title[1+slices.Index([]byte(p.title), ' '):])
	case 1:
		p.description = m.describe(*p)
	case 2:
		p.status = map[string]string{"active": "archived", "archived": "active"}[p.status]
	default:
		cents := int64(900 + m.IntN(40000))
		for i := range s.itemsOf(*p) {
			s.items[p.first+i].cents = cents
		}
	}
	return Changed{index: n}, true
}

func deleteProduct(m maker, s *shop, now time.Time) (Changed, bool) {
	n, found := some(m, len(s.products), func(n int) bool { return !s.products[n].deleted })
	if found {
		p := &s.products[n]
		p.deleted, p.updated = true, s.tick(now, p.updated)
	}
	return Changed{index: n}, found
}

func changeStock(m maker, s *shop, now time.Time) (Changed, bool) {
	n, found := some(m, len(s.items), func(n int) bool { return !s.products[s.items[n].product].deleted })
	if !found {
		return Changed{}, false
	}
	place := m.IntN(2)
	i := &s.items[n]
	l := &i.levels[place]
	l.updated = s.tick(now, l.updated)
	l.quantity, i.updated = m.IntN(60), max(i.updated, l.updated)
	return Changed{index: n, location: place}, true
}

// change makes n changes, each of a topic drawn from those given, and calls after each while nothing else happens.
func (s *shop) change(n int, seed uint64, topics []string, now func() time.Time, after func(Changed)) error {
	for _, topic := range topics {
		if changers[topic] == nil {
			return fmt.Errorf("nothing can be changed for topic %q", topic)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	m := newMaker(seed, s.stream+1000)
	for range n {
		topic := pick(m, topics)
		changed, ok := changers[topic](m, s, now())
		if !ok {
			continue
		}
		changed.Topic, changed.ID = topic, s.name(topic, changed)
		after(changed)
	}
	return nil
}
