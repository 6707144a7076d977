package porttest

import (
	"cmp"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Inventory is the contract of ports.Inventory.
func Inventory(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

func level(p *catalog.Product, variant int, location string, quantity int) catalog.Level {
	v := p.Variants[variant]
	return catalog.Level{Product: p.ID, Variant: v.ID, SKU: v.SKU, Location: location, Quantity: quantity}
}

// shelf is a level without held or oversold pieces.
func shelf(p *catalog.Product, variant int, location string, quantity int) catalog.Shelf {
	return catalog.Shelf{Level: level(p, variant, location, quantity)}
}

func (s *shop) adjust(moves ...ports.StockMove) ([]catalog.Shelf, error) {
	return s.Inventory.Adjust(s.ctx, s.project.ID, moves)
}

func inventoryList(s *shop) {
	a, b := s.product(1, 2), s.product(3)
	s.keep(a, "north", 4)
	s.keep(a, "Zoo", 5)
	openShop(s.t, s.Stores).product(9)
	all := []catalog.Shelf{
		shelf(a, 0, "Zoo", 5), shelf(a, 0, "main", 1), shelf(a, 0, "north", 4), shelf(a, 1, "main", 2), shelf(b, 0, "main", 3),
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
		{b.SKU, ports.Page{Limit: 10}, []catalog.Shelf{shelf(b, 0, "main", 3)}, 1},
		{"unknown", ports.Page{Limit: 10}, all[:0], 0},
	} {
		got, total, err := s.Inventory.Levels(s.ctx, s.project.ID, ask.sku, ask.page)
		s.must(err)
		same(s.t, "levels of "+ask.sku, got, ask.want)
		same(s.t, "total of "+ask.sku, total, ask.total)
	}
}

func inventoryOf(s *shop) {
	a, b, other := s.product(1, 2), s.product(3), s.product(4)
	foreign := openShop(s.t, s.Stores).product(9)
	s.keep(a, "east", 0)
	want := []catalog.Level{level(a, 0, "east", 0), level(a, 0, "main", 1), level(a, 1, "main", 2), level(b, 0, "main", 3)}
	slices.SortStableFunc(want, func(a, b catalog.Level) int { return cmp.Compare(a.Variant.String(), b.Variant.String()) })
	got, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{b.ID, foreign.ID, a.ID, random[id.Product]()})
	s.must(err)
	same(s.t, "levels", got, want)
	got, err = s.Inventory.LevelsOf(s.ctx, s.project.ID, nil)
	s.must(err)
	same(s.t, "levels of nothing", len(got), 0)
	same(s.t, "another's", s.stock(other), map[string]int{"main": 4})
}

func inventorySet(s *shop) {
	a, b := s.product(1), s.product(2)
	got, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{
		{SKU: b.SKU, Location: "north", Quantity: 7}, {SKU: a.SKU, Location: "main", Quantity: 0},
		{SKU: b.SKU, Location: "north", Quantity: 6}, {SKU: b.SKU, Location: "main", Quantity: 5},
	})
	s.must(err)
	same(s.t, "returned", got, []catalog.Shelf{shelf(b, 0, "north", 7), shelf(a, 0, "main", 0), shelf(b, 0, "north", 6), shelf(b, 0, "main", 5)})
	same(s.t, "stock", s.stock(a), map[string]int{"main": 0})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 5, "north": 6})
}

func inventoryAdjust(s *shop) {
	a, b := s.product(1), s.product(2)
	got, err := s.adjust(
		ports.StockMove{SKU: b.SKU, Location: "main", Delta: -2, Reason: "broken"},
		ports.StockMove{SKU: a.SKU, Location: "north", Delta: 4, Reason: "delivery"},
		ports.StockMove{SKU: a.SKU, Location: "north", Delta: -3, Reason: "moved"},
		ports.StockMove{SKU: a.SKU, Location: "main", Delta: 3, Reason: "moved"},
	)
	s.must(err)
	same(s.t, "returned", got, []catalog.Shelf{shelf(b, 0, "main", 0), shelf(a, 0, "north", 4), shelf(a, 0, "north", 1), shelf(a, 0, "main", 4)})
	same(s.t, "stock", s.stock(a), map[string]int{"main": 4, "north": 1})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 0})
}

func inventoryShort(s *shop) {
	a, b := s.product(5), s.product(2)
	_, err := s.adjust(
		ports.StockMove{SKU: a.SKU, Location: "main", Delta: -4},
		ports.StockMove{SKU: b.SKU, Location: "main", Delta: 1},
		ports.StockMove{SKU: a.SKU, Location: "main", Delta: -2},
		ports.StockMove{SKU: b.SKU, Location: "nowhere", Delta: -1},
	)
	wantFault(s.t, err, fault.Conflict, "insufficient_stock")
	wantDetail(s.t, err, "adjustments.2.delta")
	wantDetail(s.t, err, "adjustments.3.delta")
	same(s.t, "stock", s.stock(a), map[string]int{"main": 5})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 2})
}

func inventoryUnknown(s *shop) {
	p, foreign, gone := s.product(1), openShop(s.t, s.Stores).product(1), s.product(1)
	many := s.product(1, 2) // its own sku is that of no variant
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	var sets []ports.StockSet
	var moves []ports.StockMove
	for _, sku := range []string{foreign.SKU, p.SKU, gone.SKU, many.SKU} {
		sets = append(sets, ports.StockSet{SKU: sku, Location: "main", Quantity: 9})
		moves = append(moves, ports.StockMove{SKU: sku, Location: "main", Delta: 9})
	}
	_, setErr := s.Inventory.Set(s.ctx, s.project.ID, sets)
	_, moveErr := s.adjust(moves...)
	for list, err := range map[string]error{"levels": setErr, "adjustments": moveErr} {
		wantFault(s.t, err, fault.Invalid, "validation_error")
		for _, index := range []string{"0", "2", "3"} {
			wantDetail(s.t, err, list+"."+index+".sku")
		}
	}
	same(s.t, "stock", s.stock(p), map[string]int{"main": 1})
	same(s.t, "foreign stock", len(s.stock(foreign)), 0)
}

func inventoryMost(s *shop) {
	p := s.product(catalog.MaxStock)
	_, err := s.adjust(ports.StockMove{SKU: p.SKU, Location: "main", Delta: 1})
	wantFault(s.t, err, fault.Invalid, "validation_error")
	wantDetail(s.t, err, "adjustments.0.delta")
	same(s.t, "stock", s.stock(p), map[string]int{"main": catalog.MaxStock})
}

func inventoryRaceUp(s *shop) {
	p := s.product(1)
	s.must(atOnce(racers, func(int) error {
		_, err := s.adjust(ports.StockMove{SKU: p.SKU, Location: "new", Delta: 3})
		return err
	}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 1, "new": 3 * racers})
}

func inventoryRaceDown(s *shop) {
	p := s.product(7)
	same(s.t, "winners", s.race("insufficient_stock", func(int) error {
		_, err := s.adjust(ports.StockMove{SKU: p.SKU, Location: "main", Delta: -1})
		return err
	}), 7)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 0})
}

// Half of the racers name the variants in one order, half in the other.
func inventoryRaceCrossed(s *shop) {
	a, b := s.product(racers), s.product(racers)
	s.must(atOnce(racers, func(i int) error {
		moves := []ports.StockMove{{SKU: a.SKU, Location: "main", Delta: -1}, {SKU: b.SKU, Location: "main", Delta: -1}}
		if i%2 == 0 {
			slices.Reverse(moves)
		}
		_, err := s.adjust(moves...)
		return err
	}))
	same(s.t, "stock", s.stock(a), map[string]int{"main": 0})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 0})
}

// A variant goes in the middle of the race: adjustments count or say that the sku is unknown.
func inventoryRaceDropped(s *shop) {
	p := s.product(1, 1)
	dropped := p.Variants[0].SKU
	var deleted atomic.Bool
	s.must(atOnce(racers, func(i int) error {
		if i == 0 {
			p.Variants = p.Variants[1:]
			err := s.updateTo(ports.ProductWrite{Product: p})
			deleted.Store(true)
			return err
		}
		gone := deleted.Load()
		_, err := s.adjust(ports.StockMove{SKU: dropped, Location: "main", Delta: 1})
		if gone || err != nil {
			wantFault(s.t, err, fault.Invalid, "validation_error")
		}
		return nil
	}))
	_, total, err := s.Inventory.Levels(s.ctx, s.project.ID, dropped, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "levels of the dropped variant", total, 0)
}
