package catalogue_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// BulkProducts is the contract of ports.BulkProducts.
func BulkProducts(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"new products are created, known ones updated": bulkUpsert,
		"many products":                           bulkMany,
		"a taken sku fails alone":                 bulkTaken,
		"skus move in the order given":            bulkMoves,
		"a product given twice is stored as last": bulkTwice,
		"text that can't be stored fails alone":   bulkText,
		"nothing to store":                        bulkNothing,
		"an unknown project":                      bulkUnknown,
		"racing upserts of one sku make one":      bulkRace,
		"racing batches in opposite orders":       bulkRaceCrossed,
		"batches race with adjustments":           bulkRaceStock,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// upsert stores the products given, whatever is known of them.
func upsert(s *porttest.Shop, products ...*catalog.Product) map[int]error {
	s.T.Helper()
	var skus []string
	var writes []ports.ProductWrite
	for _, p := range products {
		skus = append(skus, p.SKU)
		writes = append(writes, ports.ProductWrite{Product: p})
	}
	failed, err := s.Bulk.Upsert(s.Ctx, s.Project.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes })
	s.Must(err)
	return failed
}

func missing(s *porttest.Shop, p *catalog.Product) {
	s.T.Helper()
	_, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
}

func bulkUpsert(s *porttest.Shop) {
	known, created := s.Product(1, 2), s.Rich()
	other, deleted := s.Product(1), s.Product(1)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, deleted.ID, porttest.Noon))
	before := catalogVersion(s)
	skus := []string{known.SKU, created.SKU, deleted.SKU, known.Variants[0].SKU}
	keys := ports.ProductKeys{SKUs: skus, IDs: []id.Product{other.ID, known.ID, deleted.ID}}
	failed, err := s.Bulk.Upsert(s.Ctx, s.Project.ID, keys, func(found ports.KnownProducts) []ports.ProductWrite {
		porttest.Same(s.T, "found by sku", found.BySKU, map[string]*catalog.Product{known.SKU: known, other.SKU: other})
		porttest.Same(s.T, "found by id", found.ByID, map[id.Product]*catalog.Product{known.ID: known, other.ID: other})
		next := *found.BySKU[known.SKU]
		next.Name, next.Variants = "changed", next.Variants[1:]
		return []ports.ProductWrite{
			{Product: &next, Stock: []catalog.Stock{{Variant: next.Variants[0].ID, Quantity: 8}}},
			{Product: created, Stock: []catalog.Stock{{Variant: created.Variants[1].ID, Quantity: 5}}},
		}
	})
	s.Must(err)
	porttest.Same(s.T, "failed", len(failed), 0)
	porttest.Same(s.T, "created", s.Get(created), created)
	porttest.Same(s.T, "name", s.Get(known).Name, "changed")
	levels, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{known.ID, created.ID})
	s.Must(err)
	porttest.Same(s.T, "number of levels", len(levels), 2)
	if catalogVersion(s) <= before {
		s.T.Errorf("version went from %d to %d", before, catalogVersion(s))
	}
	porttest.Same(s.T, "changes", len(s.Changes(before).Changed), 2)
}

func bulkMany(s *porttest.Shop) {
	products := make([]*catalog.Product, 1000)
	for i := range products {
		products[i] = s.Rich()
	}
	for range 2 { // created, then updated
		porttest.Same(s.T, "failed", len(upsert(s, products...)), 0)
		porttest.Same(s.T, "stored", byID(s.Changes(0).Changed), byID(products))
	}
}

func bulkTaken(s *porttest.Shop) {
	owner := create(s, s.Rich())
	own, variant, good, late := s.Rich(), s.Rich(), s.Rich(), s.Rich()
	own.SKU, variant.Variants[0].SKU, late.SKU = owner.Variants[1].SKU, owner.SKU, good.Variants[0].SKU
	failed := upsert(s, own, good, variant, late)
	for _, i := range []int{0, 2, 3} {
		porttest.WantFault(s.T, failed[i], fault.Conflict, "sku_taken")
		porttest.WantDetail(s.T, failed[i], "sku")
	}
	porttest.Same(s.T, "failed", len(failed), 3)
	porttest.Same(s.T, "the good one", s.Get(good), good)
	porttest.Same(s.T, "the owner", s.Get(owner), owner)
	missing(s, own)
	missing(s, variant)
	missing(s, late)
}

// The first gives its sku up, the second takes it; a third can't have what the second has not given up
// yet.
func bulkMoves(s *porttest.Shop) {
	first, second := create(s, s.Rich()), create(s, s.Rich())
	freed, wanted := first.Variants[0].SKU, second.SKU
	third := s.Rich()
	third.SKU = wanted
	first.Variants, second.Variants[0].SKU, second.SKU = first.Variants[1:], freed, freed
	skus := []string{first.SKU, wanted}
	failed, err := s.Bulk.Upsert(s.Ctx, s.Project.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite {
		return []ports.ProductWrite{{Product: third}, {Product: first}, {Product: second}}
	})
	s.Must(err)
	porttest.Same(s.T, "failed", len(failed), 1)
	porttest.WantFault(s.T, failed[0], fault.Conflict, "sku_taken")
	porttest.Same(s.T, "first", s.Get(first), first)
	porttest.Same(s.T, "second", s.Get(second), second)
	porttest.Same(s.T, "failed the next time", len(upsert(s, third)), 0)
}

func bulkTwice(s *porttest.Shop) {
	p := s.Rich()
	last := *p
	last.Name, last.Variants = "last", p.Variants[:1]
	porttest.Same(s.T, "failed", len(upsert(s, p, s.Rich(), &last)), 0)
	porttest.Same(s.T, "stored", s.Get(p), &last)
}

func bulkText(s *porttest.Shop) {
	nul, broken, good := s.Rich(), s.Rich(), s.Rich()
	nul.Name, broken.Variants[1].Size = "a\x00b", "\xff"
	failed := upsert(s, nul, broken, good)
	porttest.WantFault(s.T, failed[0], fault.Invalid, "validation_error")
	porttest.WantFault(s.T, failed[1], fault.Invalid, "validation_error")
	porttest.Same(s.T, "failed", len(failed), 2)
	porttest.Same(s.T, "the good one", s.Get(good), good)
	missing(s, nul)
	missing(s, broken)
}

func bulkNothing(s *porttest.Shop) {
	porttest.Same(s.T, "failed", len(upsert(s)), 0)
	porttest.Same(s.T, "products", len(s.Changes(0).Changed), 0)
}

func bulkUnknown(s *porttest.Shop) {
	_, err := s.Bulk.Upsert(s.Ctx, porttest.Random[id.Project](), ports.ProductKeys{SKUs: []string{"x"}}, func(ports.KnownProducts) []ports.ProductWrite {
		s.T.Error("a change was asked for")
		return nil
	})
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}

func bulkRace(s *porttest.Shop) {
	sku := s.Rich().SKU
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		failed, err := s.Bulk.Upsert(s.Ctx, s.Project.ID, ports.ProductKeys{SKUs: []string{sku}}, func(known ports.KnownProducts) []ports.ProductWrite {
			p := known.BySKU[sku]
			if p == nil {
				p = s.Rich()
				p.SKU = sku
			}
			p.Reviews.Count++
			return []ports.ProductWrite{{Product: p}}
		})
		if len(failed) > 0 {
			return fmt.Errorf("upsert %d: %w", i, failed[0])
		}
		return err
	}))
	all := s.Changes(0).Changed
	porttest.Same(s.T, "products", len(all), 1)
	porttest.Same(s.T, "upserts that counted", all[0].Reviews.Count, 12+porttest.Racers)
}

// Half of the racers bring the products in one order, half in the other: every batch is stored, is one
// version, and makes no product twice.
func bulkRaceCrossed(s *porttest.Shop) {
	skus := make([]string, 40)
	for i := range skus {
		skus[i] = s.Rich().SKU
	}
	before := catalogVersion(s)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		mine := slices.Clone(skus)
		if i%2 == 0 {
			slices.Reverse(mine)
		}
		return countUp(s, mine)
	}))
	all := s.Changes(0).Changed
	porttest.Same(s.T, "products", len(all), len(skus))
	porttest.Same(s.T, "versions", catalogVersion(s)-before, int64(porttest.Racers))
	for _, p := range all {
		porttest.Same(s.T, "batches that counted", p.Reviews.Count, 12+porttest.Racers)
	}
}

// countUp upserts products with one more review each, and sets their stock.
func countUp(s *porttest.Shop, skus []string) error {
	failed, err := s.Bulk.Upsert(s.Ctx, s.Project.ID, ports.ProductKeys{SKUs: skus}, func(known ports.KnownProducts) (writes []ports.ProductWrite) {
		for _, sku := range skus {
			p := known.BySKU[sku]
			if p == nil {
				p = s.Rich()
				p.SKU, p.Variants = sku, []catalog.Variant{{ID: porttest.Random[id.Variant](), SKU: sku}}
			}
			p.Reviews.Count++
			writes = append(writes, ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 1000}}})
		}
		return writes
	})
	for i := range failed {
		err = errors.Join(err, fmt.Errorf("%s: %w", skus[i], failed[i]))
	}
	return err
}

// Batches lock stock while adjustments of the same variants do, in another order.
func bulkRaceStock(s *porttest.Shop) {
	skus := make([]string, 60)
	for i := range skus {
		skus[i] = s.Rich().SKU
	}
	s.Must(countUp(s, skus))
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		if i%4 == 0 {
			return countUp(s, skus)
		}
		moves := make([]ports.StockMove, len(skus))
		for n, sku := range skus {
			moves[len(skus)-1-n] = ports.StockMove{
				SKU:      sku,
				Location: "main",
				Delta:    -1,
			}
		}
		_, err := s.Adjust(moves...)
		return err
	}))
	levels, total, err := s.Inventory.Levels(s.Ctx, s.Project.ID, "", ports.Page{Limit: 100})
	s.Must(err)
	porttest.Same(s.T, "levels", total, len(skus))
	for _, l := range levels {
		if l.Quantity < 1000-porttest.Racers || l.Quantity > 1000 || l.Quantity != levels[0].Quantity {
			s.T.Errorf("%s has %d pieces, the first has %d", l.SKU, l.Quantity, levels[0].Quantity)
		}
	}
}
