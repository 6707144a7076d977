package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// recount sets the stock of a product at main and returns the level as it is then.
func (s *shop) recount(p *catalog.Product, quantity int) catalog.Shelf {
	s.t.Helper()
	levels, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{{SKU: p.SKU, Location: "main", Quantity: quantity}})
	s.must(err)
	return levels[0]
}

func held(p *catalog.Product, quantity, held, oversold int) catalog.Shelf {
	return catalog.Shelf{Level: level(p, 0, "main", quantity), Held: held, Oversold: oversold}
}

func purchaseHeldSet(s *shop) {
	p, other := s.product(9), s.product(9)
	first := s.mustClaim(s.checkout(s.session(), line(p, 2), line(other, 1)))
	second := s.mustClaim(s.checkout(s.session(), line(p, 3)))
	same(s.t, "counted", s.recount(p, 10), held(p, 5, 5, 0))
	s.must(s.settle(first.ID(), s.declined))
	same(s.t, "after one is put back", s.stock(p), map[string]int{"main": 7})
	s.must(s.settle(second.ID(), s.declined))
	same(s.t, "after both are put back", s.stock(p), map[string]int{"main": 10})
	same(s.t, "counted", s.recount(p, 4), held(p, 4, 0, 0))
	same(s.t, "another's", s.stock(other), map[string]int{"main": 9})
}

func purchaseHeldBelow(s *shop) {
	p := s.product(9)
	first := s.mustClaim(s.checkout(s.session(), line(p, 4)))
	second := s.mustClaim(s.checkout(s.session(), line(p, 2)))
	same(s.t, "counted", s.recount(p, 1), held(p, 0, 6, 5))
	_, err := s.claim(s.checkout(s.session(), line(p, 1)).ID())
	if err == nil {
		s.t.Error("a piece was sold that is not there")
	}
	s.must(s.settle(first.ID(), s.declined))
	same(s.t, "of four that come back", s.stock(p), map[string]int{"main": 0})
	s.must(s.settle(second.ID(), s.declined))
	same(s.t, "of two more", s.stock(p), map[string]int{"main": 1})
}

// A product that is written with a quantity counts its pieces too.
func purchaseHeldWritten(s *shop) {
	p := s.product(9)
	c := s.mustClaim(s.checkout(s.session(), line(p, 2)))
	s.must(s.updateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 5}}}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3})
	shelves, err := s.Inventory.ShelvesOf(s.ctx, s.project.ID, []id.Product{p.ID})
	s.must(err)
	same(s.t, "as the merchant counts", shelves, []catalog.Shelf{held(p, 3, 2, 0)})
	s.must(s.updateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: shelves[0].Count()}}}))
	same(s.t, "stock after what was read is written", s.stock(p), map[string]int{"main": 3})
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "stock put back", s.stock(p), map[string]int{"main": 5})
}

// Somebody counts while attempts begin and end: what is for sale in the end is what was counted.
func purchaseHeldRace(s *shop) {
	for range 4 {
		p := s.product(racers)
		var checkouts [racers]*checkout.Checkout
		for i := range checkouts {
			checkouts[i] = s.checkout(s.session(), line(p, 1))
			if i%2 == 0 {
				s.mustClaim(checkouts[i])
			}
		}
		s.must(atOnce(racers, func(i int) error {
			switch {
			case i == 1:
				_, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{{SKU: p.SKU, Location: "main", Quantity: 50}})
				return err
			case i%2 == 0:
				return s.settle(checkouts[i].ID(), s.declined)
			}
			_, err := s.claim(checkouts[i].ID())
			return err
		}))
		for i := 3; i < racers; i += 2 {
			s.must(s.settle(checkouts[i].ID(), s.declined))
		}
		same(s.t, "stock", s.stock(p), map[string]int{"main": 50})
	}
}

// heldModel is one shelf as a person with a sheet of paper would keep it.
type heldModel struct {
	count int // pieces there
	open  []*checkout.Checkout
	held  []int // by each of open
	sold  []*order.Order
	took  []int // by each of sold
}

func (m *heldModel) inAttempts() (n int) {
	for _, h := range m.held {
		n += h
	}
	return n
}

// purchaseHeldProperty does what a seed says, and compares what is for sale with the model after each step.
func purchaseHeldProperty(s *shop) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 0))
		p := s.product(8)
		m := &heldModel{count: 8}
		trail := fmt.Sprintf("seed %d:", seed)
		for range 30 {
			trail += " " + s.heldStep(p, m, r)
			want := max(m.count-m.inAttempts(), 0)
			if got := s.stock(p)["main"]; got != want {
				s.t.Fatalf("%d for sale, want %d\n%s", got, want, trail)
			}
		}
	}
}

func (s *shop) heldStep(p *catalog.Product, m *heldModel, r *rand.Rand) string {
	n := r.IntN(4) + 1
	switch step := r.IntN(8); {
	case step < 2:
		return s.heldClaim(p, m, n)
	case step < 4 && len(m.open) > 0:
		return s.heldEnd(m, r.IntN(len(m.open)), step == 2)
	case step == 4 && len(m.sold) > 0:
		i := r.IntN(len(m.sold))
		s.carryOn(m.sold[i].ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
		m.count += m.took[i]
		m.sold[i], m.took[i] = m.sold[0], m.took[0]
		m.sold, m.took = m.sold[1:], m.took[1:]
		return "cancel"
	case step == 5:
		m.count = r.IntN(10)
		want := held(p, max(m.count-m.inAttempts(), 0), m.inAttempts(), max(m.inAttempts()-m.count, 0))
		same(s.t, "set", s.recount(p, m.count), want)
		return fmt.Sprint("set ", m.count)
	case step > 5 && s.StockRoom != nil:
		return s.heldMove(p, m, (n-2)*2, step == 6)
	}
	return "nothing"
}

func (s *shop) heldClaim(p *catalog.Product, m *heldModel, n int) string {
	c := s.checkout(s.session(), line(p, n))
	_, err := s.claim(c.ID())
	if enough := m.count-m.inAttempts() >= n; enough != (err == nil) {
		s.t.Errorf("of %d, %d held, %d are claimed: %v", m.count, m.inAttempts(), n, err)
	}
	if err == nil {
		m.open, m.held = append(m.open, c), append(m.held, n)
	}
	return fmt.Sprint("claim ", n)
}

func (s *shop) heldEnd(m *heldModel, i int, paid bool) string {
	c, n := m.open[i], m.held[i]
	m.open[i], m.held[i] = m.open[0], m.held[0]
	m.open, m.held = m.open[1:], m.held[1:]
	if !paid {
		s.must(s.settle(c.ID(), s.declined))
		return fmt.Sprint("decline ", n)
	}
	s.must(s.settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.paid(c)
		m.sold, m.took = append(m.sold, settlement.Order), append(m.took, n)
		return settlement, err
	}))
	m.count -= n
	return fmt.Sprint("pay ", n)
}

// heldMove is an adjustment by a person or a platform's. Neither takes more than is there; a platform takes what is.
func (s *shop) heldMove(p *catalog.Product, m *heldModel, delta int, person bool) string {
	if !person {
		s.shift(at(p, "main", delta))
		m.count = max(m.count+delta, min(m.count, 0))
		return fmt.Sprint("shift ", delta)
	}
	levels, err := s.adjust(ports.StockMove{SKU: p.SKU, Location: "main", Delta: delta})
	if refused := delta < 0 && m.count+delta < 0; refused != (err != nil) {
		s.t.Errorf("%d and %d: %v", m.count, delta, err)
	}
	if err == nil {
		m.count += delta
		same(s.t, "count", levels[0].Count(), m.count)
	}
	return fmt.Sprint("adjust ", delta)
}
