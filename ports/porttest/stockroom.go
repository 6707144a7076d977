package porttest

import (
	"cmp"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// StockRoom is the contract of ports.StockRoom.
func StockRoom(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"many places":                               shiftMany,
		"levels are those of places":                shiftLevels,
		"shifts move, one after the other":          shiftMoves,
		"a shift goes no further than stock can":    shiftClamps,
		"unknown skus come back, the others move":   shiftUnknown,
		"racing shifts are all counted":             shiftRace,
		"shifts and adjustments in opposite orders": shiftRaceCrossed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// shift moves stock of known skus.
func (s *shop) shift(shifts ...ports.StockShift) {
	s.t.Helper()
	unknown, err := s.StockRoom.Shift(s.ctx, s.project.ID, shifts)
	s.must(err)
	same(s.t, "unknown", len(unknown), 0)
}

func at(p *catalog.Product, location string, delta int) ports.StockShift {
	return ports.StockShift{SKU: p.Variants[0].SKU, Location: location, Delta: delta}
}

func shiftLevels(s *shop) {
	a, b, none := s.product(1, 2), s.product(3), s.product(0)
	s.keep(a, "north", 4)
	foreign := openShop(s.t, s.Stores).product(9)
	got, err := s.StockRoom.Levels(s.ctx, s.project.ID, []ports.StockPlace{
		{SKU: a.Variants[0].SKU, Location: "north"}, {SKU: b.SKU, Location: "main"}, {SKU: b.SKU, Location: "nowhere"},
		{SKU: foreign.SKU, Location: "main"}, {SKU: a.SKU, Location: "main"}, {SKU: none.SKU, Location: "main"}, {SKU: b.SKU, Location: "main"},
	})
	s.must(err)
	want := []catalog.Shelf{shelf(a, 0, "north", 4), shelf(b, 0, "main", 3), shelf(b, 0, "nowhere", 0), shelf(none, 0, "main", 0)}
	order := func(a, b catalog.Shelf) int {
		return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Location, b.Location))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	same(s.t, "levels", got, want)
	got, err = s.StockRoom.Levels(s.ctx, s.project.ID, nil)
	s.must(err)
	same(s.t, "of none", len(got), 0)
	_, total, err := s.Inventory.Levels(s.ctx, s.project.ID, b.SKU, ports.Page{Limit: 9})
	s.must(err)
	same(s.t, "levels made by looking", total, 1)
}

func shiftMany(s *shop) {
	var shifts []ports.StockShift
	var places []ports.StockPlace
	products := make([]*catalog.Product, 600)
	for i := range products {
		products[i] = s.rich()
		sku := products[i].Variants[0].SKU
		shifts = append(shifts, ports.StockShift{SKU: sku, Location: "main", Delta: i})
		places = append(places, ports.StockPlace{SKU: sku, Location: "main"})
	}
	same(s.t, "failed", len(s.upsert(products...)), 0)
	s.shift(shifts...)
	levels, err := s.StockRoom.Levels(s.ctx, s.project.ID, places)
	s.must(err)
	same(s.t, "levels", len(levels), len(places))
	for i, l := range levels {
		same(s.t, "level of "+l.SKU, l.Quantity, slices.Index(places, ports.StockPlace{SKU: l.SKU, Location: "main"}))
		if s.t.Failed() {
			s.t.Fatal("at ", i)
		}
	}
}

func shiftMoves(s *shop) {
	a, b := s.product(1), s.product(5)
	s.shift(at(a, "main", 4), at(b, "main", -2), at(a, "shopify-1", 3), at(a, "main", -1), at(b, "shopify-2", 0))
	same(s.t, "stock", s.stock(a), map[string]int{"main": 4, "shopify-1": 3})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 3, "shopify-2": 0})
	s.shift()
}

func shiftClamps(s *shop) {
	a, b := s.product(5), s.product(catalog.MaxStock-1)
	s.shift(at(a, "main", -7), at(a, "main", 2), at(a, "new", -1), at(b, "main", 5), at(b, "main", -2), at(b, "new", 2*catalog.MaxStock))
	same(s.t, "stock", s.stock(a), map[string]int{"main": 2, "new": 0})
	same(s.t, "stock", s.stock(b), map[string]int{"main": catalog.MaxStock - 2, "new": catalog.MaxStock})
}

func shiftUnknown(s *shop) {
	p, foreign, gone := s.product(1), openShop(s.t, s.Stores).product(1), s.product(1)
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	unknown, err := s.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{
		at(foreign, "main", 1), at(p, "main", 2), at(gone, "main", 3), {SKU: "no such", Location: "main", Delta: 4}, at(p, "main", 5),
	})
	s.must(err)
	same(s.t, "unknown", unknown, []int{0, 2, 3})
	same(s.t, "stock", s.stock(p), map[string]int{"main": 8})
	same(s.t, "foreign stock", len(s.stock(foreign)), 0)
	unknown, err = s.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(foreign, "main", 1)})
	s.must(err)
	same(s.t, "all unknown", unknown, []int{0})
}

func shiftRace(s *shop) {
	p := s.product(1)
	s.must(atOnce(racers, func(int) error {
		_, err := s.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(p, "main", 2), at(p, "new", 3)})
		return err
	}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 1 + 2*racers, "new": 3 * racers})
}

func shiftRaceCrossed(s *shop) {
	a, b := s.product(racers), s.product(racers)
	s.must(atOnce(racers, func(i int) error {
		var err error
		if i%2 == 0 {
			_, err = s.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(b, "main", -1), at(a, "main", -1)})
		} else {
			_, err = s.adjust(ports.StockMove{SKU: a.SKU, Location: "main", Delta: -1}, ports.StockMove{SKU: b.SKU, Location: "main", Delta: -1})
		}
		if fault.Is(err, "insufficient_stock") {
			s.t.Error("stock ran out")
		}
		return err
	}))
	same(s.t, "stock", s.stock(a), map[string]int{"main": 0})
	same(s.t, "stock", s.stock(b), map[string]int{"main": 0})
}
