package catalogue_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// StockAdjuster is the contract of ports.StockAdjuster.
func StockAdjuster(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
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
			test(porttest.OpenShop(t, stores))
		})
	}
}

func shiftLevels(s *porttest.Shop) {
	a, b, none := s.Product(1, 2), s.Product(3), s.Product(0)
	s.Keep(a, "north", 4)
	foreign := porttest.OpenShop(s.T, s.Stores).Product(9)
	got, err := s.StockAdjuster.Levels(s.Ctx, s.Project.ID, []ports.StockPlace{
		{SKU: a.Variants[0].SKU, Location: "north"}, {SKU: b.SKU, Location: "main"}, {SKU: b.SKU, Location: "nowhere"},
		{SKU: foreign.SKU, Location: "main"}, {SKU: a.SKU, Location: "main"}, {SKU: none.SKU, Location: "main"}, {SKU: b.SKU, Location: "main"},
	})
	s.Must(err)
	want := []catalog.Shelf{porttest.Shelf(a, 0, "north", 4), porttest.Shelf(b, 0, "main", 3), porttest.Shelf(b, 0, "nowhere", 0), porttest.Shelf(none, 0, "main", 0)}
	order := func(a, b catalog.Shelf) int {
		return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Location, b.Location))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	porttest.Same(s.T, "levels", got, want)
	got, err = s.StockAdjuster.Levels(s.Ctx, s.Project.ID, nil)
	s.Must(err)
	porttest.Same(s.T, "of none", len(got), 0)
	_, total, err := s.Inventory.Levels(s.Ctx, s.Project.ID, b.SKU, ports.Page{Limit: 9})
	s.Must(err)
	porttest.Same(s.T, "levels made by looking", total, 1)
}

func shiftMany(s *porttest.Shop) {
	var shifts []ports.StockShift
	var places []ports.StockPlace
	products := make([]*catalog.Product, 600)
	for i := range products {
		products[i] = s.Rich()
		sku := products[i].Variants[0].SKU
		shifts = append(shifts, ports.StockShift{
			SKU:      sku,
			Location: "main",
			Delta:    i,
		})
		places = append(places, ports.StockPlace{SKU: sku, Location: "main"})
	}
	porttest.Same(s.T, "failed", len(upsert(s, products...)), 0)
	s.Shift(shifts...)
	levels, err := s.StockAdjuster.Levels(s.Ctx, s.Project.ID, places)
	s.Must(err)
	porttest.Same(s.T, "levels", len(levels), len(places))
	for i, l := range levels {
		porttest.Same(s.T, "level of "+l.SKU, l.Quantity, slices.Index(places, ports.StockPlace{SKU: l.SKU, Location: "main"}))
		if s.T.Failed() {
			s.T.Fatal("at ", i)
		}
	}
}

func shiftMoves(s *porttest.Shop) {
	a, b := s.Product(1), s.Product(5)
	s.Shift(porttest.At(a, "main", 4), porttest.At(b, "main", -2), porttest.At(a, "shopify-1", 3), porttest.At(a, "main", -1), porttest.At(b, "shopify-2", 0))
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 4, "shopify-1": 3})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 3, "shopify-2": 0})
	s.Shift()
}

func shiftClamps(s *porttest.Shop) {
	a, b := s.Product(5), s.Product(catalog.MaxStock-1)
	s.Shift(porttest.At(a, "main", -7), porttest.At(a, "main", 2), porttest.At(a, "new", -1), porttest.At(b, "main", 5), porttest.At(b, "main", -2), porttest.At(b, "new", 2*catalog.MaxStock))
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 2, "new": 0})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": catalog.MaxStock - 2, "new": catalog.MaxStock})
}

func shiftUnknown(s *porttest.Shop) {
	p, foreign, gone := s.Product(1), porttest.OpenShop(s.T, s.Stores).Product(1), s.Product(1)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	unknown, err := s.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{
		porttest.At(foreign, "main", 1), porttest.At(p, "main", 2), porttest.At(gone, "main", 3), {SKU: "no such", Location: "main", Delta: 4}, porttest.At(p, "main", 5),
	})
	s.Must(err)
	porttest.Same(s.T, "unknown", unknown, []int{0, 2, 3})
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 8})
	porttest.Same(s.T, "foreign stock", len(s.Stock(foreign)), 0)
	unknown, err = s.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(foreign, "main", 1)})
	s.Must(err)
	porttest.Same(s.T, "all unknown", unknown, []int{0})
}

func shiftRace(s *porttest.Shop) {
	p := s.Product(1)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(p, "main", 2), porttest.At(p, "new", 3)})
		return err
	}))
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 1 + 2*porttest.Racers, "new": 3 * porttest.Racers})
}

func shiftRaceCrossed(s *porttest.Shop) {
	a, b := s.Product(porttest.Racers), s.Product(porttest.Racers)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		var err error
		if i%2 == 0 {
			_, err = s.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(b, "main", -1), porttest.At(a, "main", -1)})
		} else {
			_, err = s.Adjust(ports.StockMove{
				SKU:      a.SKU,
				Location: "main",
				Delta:    -1,
			}, ports.StockMove{
				SKU:      b.SKU,
				Location: "main",
				Delta:    -1,
			})
		}
		if fault.Is(err, "insufficient_stock") {
			s.T.Error("stock ran out")
		}
		return err
	}))
	porttest.Same(s.T, "stock", s.Stock(a), map[string]int{"main": 0})
	porttest.Same(s.T, "stock", s.Stock(b), map[string]int{"main": 0})
}
