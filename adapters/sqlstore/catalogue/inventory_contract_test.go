package catalogue_test

import (
	"cmp"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Inventory is the contract of ports.Inventory.
func Inventory(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"levels are listed by sku and location": inventoryList,
		"levels of products":                    inventoryOf,
		"set returns what it wrote, in order":   inventorySet,
		"adjust moves, one after the other":     inventoryAdjust,
		"adjust never goes below zero":          inventoryShort,
		"unknown skus are named all at once":    inventoryUnknown,
		"no more than a level can hold":         inventoryMost,
		"racing adjustments are all counted":    inventoryRaceUp,
		"racers share out what there is":        inventoryRaceDown,
		"racing over several variants":          inventoryRaceCrossed,
		"racing both ways, none is lost":        inventoryRaceBothWays,
		"a set races with adjustments":          inventoryRaceSet,
		"adjusting variants while they go":      inventoryRaceDropped,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func inventoryList(s *porttest.Shop) {
	a, b := s.Product(1, 2), s.Product(3)
	s.Keep(a, "north", 4)
	s.Keep(a, "Zoo", 5)
	porttest.OpenShop(s.T, s.Stores).Product(9)
	all := []catalog.Shelf{
		porttest.Shelf(a, 0, "Zoo", 5), porttest.Shelf(a, 0, "main", 1), porttest.Shelf(a, 0, "north", 4), porttest.Shelf(a, 1, "main", 2), porttest.Shelf(b, 0, "main", 3),
	}
	slices.SortStableFunc(all, func(a, b catalog.Shelf) int { return cmp.Compare(a.SKU, b.SKU) })
	for _, ask := range []struct {
		sku   string
		page  ports.Page
		want  []catalog.Shelf
		total int
	}{
		{"", ports.Page{Limit: 10}, all, 5},
		{"", ports.Page{Limit: 2, Offset: 1}, all[1:3], 5},
		{"", ports.Page{Limit: 2, Offset: 5}, all[:0], 5},
		{b.SKU, ports.Page{Limit: 10}, []catalog.Shelf{porttest.Shelf(b, 0, "main", 3)}, 1},
		{"unknown", ports.Page{Limit: 10}, all[:0], 0},
	} {
		got, total, err := s.Inventory.Levels(s.Ctx, s.Project.ID, ask.sku, ask.page)
		s.Must(err)
		porttest.Same(s.T, "levels of "+ask.sku, append([]catalog.Shelf{}, got...), ask.want)
		porttest.Same(s.T, "total of "+ask.sku, total, ask.total)
	}
}

func inventoryOf(s *porttest.Shop) {
	a, b, other := s.Product(1, 2), s.Product(3), s.Product(4)
	foreign := porttest.OpenShop(s.T, s.Stores).Product(9)
	s.Keep(a, "east", 0)
	want := []catalog.Level{porttest.Level(a, 0, "east", 0), porttest.Level(a, 0, "main", 1), porttest.Level(a, 1, "main", 2), porttest.Level(b, 0, "main", 3)}
	slices.SortStableFunc(want, func(a, b catalog.Level) int { return cmp.Compare(a.Variant.String(), b.Variant.String()) })
	got, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{b.ID, foreign.ID, a.ID, porttest.Random[id.Product]()})
	s.Must(err)
	porttest.Same(s.T, "levels", got, want)
	got, err = s.Inventory.LevelsOf(s.Ctx, s.Project.ID, nil)
	s.Must(err)
	porttest.Same(s.T, "levels of nothing", len(got), 0)
	asked := []id.Variant{b.Variants[0].ID, foreign.Variants[0].ID, a.Variants[0].ID, a.Variants[1].ID, porttest.Random[id.Variant]()}
	totals, err := s.Inventory.TotalsOf(s.Ctx, s.Project.ID, asked)
	s.Must(err)
	porttest.Same(s.T, "totals", totals, catalog.Totals(want))
	totals, err = s.Inventory.TotalsOf(s.Ctx, s.Project.ID, nil)
	s.Must(err)
	porttest.Same(s.T, "totals of nothing", len(totals), 0)
	porttest.Same(s.T, "another's", s.Stock(other), map[string]int{"main": 4})
}

func inventorySet(s *porttest.Shop) {
	a, b := s.Product(1), s.Product(2)
	got, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{
		{SKU: b.SKU, Location: "north", Quantity: 7}, {SKU: a.SKU, Location: "main", Quantity: 0},
		{SKU: b.SKU, Location: "north", Quantity: 6}, {SKU: b.SKU, Location: "main", Quantity: 5},
	})
	s.Must(err)
	porttest.Same(s.T, "returned", got, []catalog.Shelf{porttest.Shelf(b, 0, "north", 7), porttest.Shelf(a, 0, "main", 0), porttest.Shelf(b, 0, "north", 6), porttest.Shelf(b, 0, "main", 5)})
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 0})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 5, "north": 6})
}

func inventoryAdjust(s *porttest.Shop) {
	a, b := s.Product(1), s.Product(2)
	got, err := s.Adjust(
		ports.StockMove{
			SKU:      b.SKU,
			Location: "main",
			Delta:    -2,
			Reason:   "broken",
		},
		ports.StockMove{
			SKU:      a.SKU,
			Location: "north",
			Delta:    4,
			Reason:   "delivery",
		},
		ports.StockMove{
			SKU:      a.SKU,
			Location: "north",
			Delta:    -3,
			Reason:   "moved",
		},
		ports.StockMove{
			SKU:      a.SKU,
			Location: "main",
			Delta:    3,
			Reason:   "moved",
		},
	)
	s.Must(err)
	porttest.Same(s.T, "returned", got, []catalog.Shelf{porttest.Shelf(b, 0, "main", 0), porttest.Shelf(a, 0, "north", 4), porttest.Shelf(a, 0, "north", 1), porttest.Shelf(a, 0, "main", 4)})
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 4, "north": 1})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 0})
}

func inventoryShort(s *porttest.Shop) {
	a, b := s.Product(5), s.Product(2)
	_, err := s.Adjust(
		ports.StockMove{
			SKU:      a.SKU,
			Location: "main",
			Delta:    -4,
		},
		ports.StockMove{
			SKU:      b.SKU,
			Location: "main",
			Delta:    1,
		},
		ports.StockMove{
			SKU:      a.SKU,
			Location: "main",
			Delta:    -2,
		},
		ports.StockMove{
			SKU:      b.SKU,
			Location: "nowhere",
			Delta:    -1,
		},
	)
	porttest.WantFault(s.T, err, fault.Conflict, "insufficient_stock")
	porttest.WantDetail(s.T, err, "adjustments.2.delta")
	porttest.WantDetail(s.T, err, "adjustments.3.delta")
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 5})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 2})
}

func inventoryUnknown(s *porttest.Shop) {
	p, foreign, gone := s.Product(1), porttest.OpenShop(s.T, s.Stores).Product(1), s.Product(1)
	many := s.Product(1, 2) // its own sku is that of no variant
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	var sets []ports.StockSet
	var moves []ports.StockMove
	for _, sku := range []string{foreign.SKU, p.SKU, gone.SKU, many.SKU} {
		sets = append(sets, ports.StockSet{
			SKU:      sku,
			Location: "main",
			Quantity: 9,
		})
		moves = append(moves, ports.StockMove{
			SKU:      sku,
			Location: "main",
			Delta:    9,
		})
	}
	_, setErr := s.Inventory.Set(s.Ctx, s.Project.ID, sets)
	_, moveErr := s.Adjust(moves...)
	for list, err := range map[string]error{"levels": setErr, "adjustments": moveErr} {
		porttest.WantFault(s.T, err, fault.Invalid, "validation_error")
		for _, index := range []string{"0", "2", "3"} {
			porttest.WantDetail(s.T, err, list+"."+index+".sku")
		}
	}
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 1})
	porttest.Same(s.T, "foreign stock", len(s.Stock(foreign)), 0)
}

func inventoryMost(s *porttest.Shop) {
	p := s.Product(catalog.MaxStock)
	_, err := s.Adjust(ports.StockMove{
		SKU:      p.SKU,
		Location: "main",
		Delta:    1,
	})
	porttest.WantFault(s.T, err, fault.Invalid, "validation_error")
	porttest.WantDetail(s.T, err, "adjustments.0.delta")
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": catalog.MaxStock})
}

func inventoryRaceUp(s *porttest.Shop) {
	p := s.Product(1)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.Adjust(ports.StockMove{
			SKU:      p.SKU,
			Location: "new",
			Delta:    3,
		})
		return err
	}))
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 1, "new": 3 * porttest.Racers})
}

func inventoryRaceDown(s *porttest.Shop) {
	p := s.Product(7)
	porttest.Same(s.T, "winners", s.Race("insufficient_stock", func(int) error {
		_, err := s.Adjust(ports.StockMove{
			SKU:      p.SKU,
			Location: "main",
			Delta:    -1,
		})
		return err
	}), 7)
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 0})
}

// Half of the racers name the variants in one order, half in the other.
func inventoryRaceCrossed(s *porttest.Shop) {
	a, b := s.Product(porttest.Racers), s.Product(porttest.Racers)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		moves := []ports.StockMove{{SKU: a.SKU, Location: "main", Delta: -1}, {SKU: b.SKU, Location: "main", Delta: -1}}
		if i%2 == 0 {
			slices.Reverse(moves)
		}
		_, err := s.Adjust(moves...)
		return err
	}))
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 0})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 0})
}

// A variant goes in the middle of the race: adjustments count or say that the sku is unknown.
func inventoryRaceDropped(s *porttest.Shop) {
	p := s.Product(1, 1)
	dropped := p.Variants[0].SKU
	var deleted atomic.Bool
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		if i == 0 {
			p.Variants = p.Variants[1:]
			err := s.UpdateTo(ports.ProductWrite{Product: p})
			deleted.Store(true)
			return err
		}
		gone := deleted.Load()
		_, err := s.Adjust(ports.StockMove{
			SKU:      dropped,
			Location: "main",
			Delta:    1,
		})
		if gone || err != nil {
			porttest.WantFault(s.T, err, fault.Invalid, "validation_error")
		}
		return nil
	}))
	_, total, err := s.Inventory.Levels(s.Ctx, s.Project.ID, dropped, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "levels of the dropped variant", total, 0)
}
