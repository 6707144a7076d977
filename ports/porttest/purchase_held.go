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
func (s *Shop) recount(p *catalog.Product, quantity int) catalog.Shelf {
	s.T.Helper()
	levels, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{{
		SKU:      p.SKU,
		Location: "main",
		Quantity: quantity,
	}})
	s.Must(err)
	return levels[0]
}

func held(p *catalog.Product, quantity, held, oversold int) catalog.Shelf {
	return catalog.Shelf{
		Level:    Level(p, 0, "main", quantity),
		Held:     held,
		Oversold: oversold,
	}
}

func purchaseHeldSet(s *Shop) {
	p, other := s.Product(9), s.Product(9)
	first := s.MustClaim(s.Checkout(s.Session(), Line(p, 2), Line(other, 1)))
	second := s.MustClaim(s.Checkout(s.Session(), Line(p, 3)))
	Same(s.T, "counted", s.recount(p, 10), held(p, 5, 5, 0))
	s.Must(s.Settle(first.ID(), s.Declined))
	Same(s.T, "after one is put back", s.Stock(p), map[string]int{"main": 7})
	s.Must(s.Settle(second.ID(), s.Declined))
	Same(s.T, "after both are put back", s.Stock(p), map[string]int{"main": 10})
	Same(s.T, "counted", s.recount(p, 4), held(p, 4, 0, 0))
	Same(s.T, "another's", s.Stock(other), map[string]int{"main": 9})
}

func purchaseHeldBelow(s *Shop) {
	p := s.Product(9)
	first := s.MustClaim(s.Checkout(s.Session(), Line(p, 4)))
	second := s.MustClaim(s.Checkout(s.Session(), Line(p, 2)))
	Same(s.T, "counted", s.recount(p, 1), held(p, 0, 6, 5))
	_, err := s.claim(s.Checkout(s.Session(), Line(p, 1)).ID())
	if err == nil {
		s.T.Error("a piece was sold that is not there")
	}
	s.Must(s.Settle(first.ID(), s.Declined))
	Same(s.T, "of four that come back", s.Stock(p), map[string]int{"main": 0})
	s.Must(s.Settle(second.ID(), s.Declined))
	Same(s.T, "of two more", s.Stock(p), map[string]int{"main": 1})
}

// A product that is written with a quantity counts its pieces too.
func purchaseHeldWritten(s *Shop) {
	p := s.Product(9)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 2)))
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 5}}}))
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3})
	shelves, err := s.Inventory.ShelvesOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	Same(s.T, "as the merchant counts", shelves, []catalog.Shelf{held(p, 3, 2, 0)})
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: shelves[0].Count()}}}))
	Same(s.T, "stock after what was read is written", s.Stock(p), map[string]int{"main": 3})
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "stock put back", s.Stock(p), map[string]int{"main": 5})
}

// A person counts stock while attempts begin and end: in the end the counted stock is for sale.
func purchaseHeldRace(s *Shop) {
	for range 4 {
		p := s.Product(Racers)
		var checkouts [Racers]*checkout.Checkout
		for i := range checkouts {
			checkouts[i] = s.Checkout(s.Session(), Line(p, 1))
			if i%2 == 0 {
				s.MustClaim(checkouts[i])
			}
		}
		s.Must(AtOnce(Racers, func(i int) error {
			switch {
			case i == 1:
				_, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{{
					SKU:      p.SKU,
					Location: "main",
					Quantity: 50,
				}})
				return err
			case i%2 == 0:
				return s.Settle(checkouts[i].ID(), s.Declined)
			}
			_, err := s.claim(checkouts[i].ID())
			return err
		}))
		for i := 3; i < Racers; i += 2 {
			s.Must(s.Settle(checkouts[i].ID(), s.Declined))
		}
		Same(s.T, "stock", s.Stock(p), map[string]int{"main": 50})
	}
}

// heldModel is a simple model of one shelf.
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

// purchaseHeldProperty runs random steps from a seed, and compares the stock for sale with the model after each.
func purchaseHeldProperty(s *Shop) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 0))
		p := s.Product(8)
		m := &heldModel{count: 8}
		trail := fmt.Sprintf("seed %d:", seed)
		for range 30 {
			trail += " " + s.heldStep(p, m, r)
			want := max(m.count-m.inAttempts(), 0)
			if got := s.Stock(p)["main"]; got != want {
				s.T.Fatalf("%d for sale, want %d\n%s", got, want, trail)
			}
		}
	}
}

func (s *Shop) heldStep(p *catalog.Product, m *heldModel, r *rand.Rand) string {
	n := r.IntN(4) + 1
	switch step := r.IntN(8); {
	case step < 2:
		return s.heldClaim(p, m, n)
	case step < 4 && len(m.open) > 0:
		return s.heldEnd(m, r.IntN(len(m.open)), step == 2)
	case step == 4 && len(m.sold) > 0:
		i := r.IntN(len(m.sold))
		s.CarryOn(m.sold[i].ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
		m.count += m.took[i]
		m.sold[i], m.took[i] = m.sold[0], m.took[0]
		m.sold, m.took = m.sold[1:], m.took[1:]
		return "cancel"
	case step == 5:
		m.count = r.IntN(10)
		want := held(p, max(m.count-m.inAttempts(), 0), m.inAttempts(), max(m.inAttempts()-m.count, 0))
		Same(s.T, "set", s.recount(p, m.count), want)
		return fmt.Sprint("set ", m.count)
	case step > 5 && s.StockAdjuster != nil:
		return s.heldMove(p, m, (n-2)*2, step == 6)
	}
	return "nothing"
}

func (s *Shop) heldClaim(p *catalog.Product, m *heldModel, n int) string {
	c := s.Checkout(s.Session(), Line(p, n))
	_, err := s.claim(c.ID())
	if enough := m.count-m.inAttempts() >= n; enough != (err == nil) {
		s.T.Errorf("of %d, %d held, %d are claimed: %v", m.count, m.inAttempts(), n, err)
	}
	if err == nil {
		m.open, m.held = append(m.open, c), append(m.held, n)
	}
	return fmt.Sprint("claim ", n)
}

func (s *Shop) heldEnd(m *heldModel, i int, paid bool) string {
	c, n := m.open[i], m.held[i]
	m.open[i], m.held[i] = m.open[0], m.held[0]
	m.open, m.held = m.open[1:], m.held[1:]
	if !paid {
		s.Must(s.Settle(c.ID(), s.Declined))
		return fmt.Sprint("decline ", n)
	}
	s.Must(s.Settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.Paid(c)
		m.sold, m.took = append(m.sold, settlement.Order), append(m.took, n)
		return settlement, err
	}))
	m.count -= n
	return fmt.Sprint("pay ", n)
}

// heldMove is an adjustment by a person or a platform's. Neither takes more than is there; a platform takes what is.
func (s *Shop) heldMove(p *catalog.Product, m *heldModel, delta int, person bool) string {
	if !person {
		s.Shift(At(p, "main", delta))
		m.count = max(m.count+delta, min(m.count, 0))
		return fmt.Sprint("shift ", delta)
	}
	levels, err := s.Adjust(ports.StockMove{
		SKU:      p.SKU,
		Location: "main",
		Delta:    delta,
	})
	if refused := delta < 0 && m.count+delta < 0; refused != (err != nil) {
		s.T.Errorf("%d and %d: %v", m.count, delta, err)
	}
	if err == nil {
		m.count += delta
		Same(s.T, "count", levels[0].Count(), m.count)
	}
	return fmt.Sprint("adjust ", delta)
}
