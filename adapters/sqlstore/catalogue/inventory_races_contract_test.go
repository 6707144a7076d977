package catalogue_test

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Half of the racers take two pieces each, half bring one: what is left is what every accepted move
// says, and no level on the way was below zero.
func inventoryRaceBothWays(s *porttest.Shop) {
	p := s.Product(3)
	var moved atomic.Int64
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		delta := 1 - i%2*3
		levels, err := s.Adjust(ports.StockMove{
			SKU:      p.SKU,
			Location: "main",
			Delta:    delta,
		})
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
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3 + int(moved.Load())})
}

// One counts the shelves while the others move pieces, in the other order: each adjustment comes before
// the count or after it, for both variants alike.
func inventoryRaceSet(s *porttest.Shop) {
	a, b := s.Product(porttest.Racers), s.Product(porttest.Racers)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		if i == 0 {
			_, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{
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
		_, err := s.Adjust(moves...)
		return err
	}))
	ofA, ofB := s.Stock(a), s.Stock(b)
	after := 100 - ofA["main"] // adjustments that came after the count
	if after < 0 || after >= porttest.Racers || ofA["new"] != 1+after || ofB["main"] != ofA["main"] {
		s.T.Errorf("stock is %v and %v", ofA, ofB)
	}
}
