package porttest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Half of the racers take two pieces each, half bring one: what is left is what every accepted move
// says, and no level on the way was below zero.
func inventoryRaceBothWays(s *shop) {
	p := s.product(3)
	var moved atomic.Int64
	s.must(atOnce(racers, func(i int) error {
		delta := 1 - i%2*3
		levels, err := s.adjust(ports.StockMove{SKU: p.SKU, Location: "main", Delta: delta})
		switch {
		case fault.KindOf(err) == fault.Conflict:
			return nil
		case err != nil:
			return err
		case levels[0].Quantity < 0:
			return fmt.Errorf("a level of %d", levels[0].Quantity)
		}
		moved.Add(int64(delta))
		return nil
	}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3 + int(moved.Load())})
}

// One counts the shelves while the others move pieces, in the other order: each adjustment comes before
// the count or after it, for both variants alike.
func inventoryRaceSet(s *shop) {
	a, b := s.product(racers), s.product(racers)
	s.must(atOnce(racers, func(i int) error {
		if i == 0 {
			_, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{
				{SKU: b.SKU, Location: "main", Quantity: 100}, {SKU: a.SKU, Location: "main", Quantity: 100},
				{SKU: a.SKU, Location: "new", Quantity: 1},
			})
			return err
		}
		moves := []ports.StockMove{
			{SKU: a.SKU, Location: "main", Delta: -1}, {SKU: b.SKU, Location: "main", Delta: -1}, {SKU: a.SKU, Location: "new", Delta: 1},
		}
		if i%2 == 0 {
			slices.Reverse(moves)
		}
		_, err := s.adjust(moves...)
		return err
	}))
	ofA, ofB := s.stock(a), s.stock(b)
	after := 100 - ofA["main"] // adjustments that came after the count
	if after < 0 || after >= racers || ofA["new"] != 1+after || ofB["main"] != ofA["main"] {
		s.t.Errorf("stock is %v and %v", ofA, ofB)
	}
}
