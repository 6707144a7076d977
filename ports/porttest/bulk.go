package porttest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// BulkProducts is the contract of ports.BulkProducts.
func BulkProducts(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

// upsert stores the products given, whatever is known of them.
func (s *shop) upsert(products ...*catalog.Product) map[int]error {
	s.t.Helper()
	var skus []string
	var writes []ports.ProductWrite
	for _, p := range products {
		skus = append(skus, p.SKU)
		writes = append(writes, ports.ProductWrite{Product: p})
	}
	failed, err := s.Bulk.Upsert(s.ctx, s.project.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes })
	s.must(err)
	return failed
}

func (s *shop) missing(p *catalog.Product) {
	s.t.Helper()
	_, err := s.Products.Get(s.ctx, s.project.ID, p.ID)
	wantFault(s.t, err, fault.NotFound, "product_not_found")
}

func bulkUpsert(s *shop) {
	known, created := s.product(1, 2), s.rich()
	other, deleted := s.product(1), s.product(1)
	s.must(s.Products.Delete(s.ctx, s.project.ID, deleted.ID, noon))
	before := s.version()
	skus := []string{known.SKU, created.SKU, deleted.SKU, known.Variants[0].SKU}
	keys := ports.ProductKeys{SKUs: skus, IDs: []id.Product{other.ID, known.ID, deleted.ID}}
	failed, err := s.Bulk.Upsert(s.ctx, s.project.ID, keys, func(found ports.KnownProducts) []ports.ProductWrite {
		same(s.t, "found by sku", found.BySKU, map[string]*catalog.Product{known.SKU: known, other.SKU: other})
		same(s.t, "found by id", found.ByID, map[id.Product]*catalog.Product{known.ID: known, other.ID: other})
		next := *found.BySKU[known.SKU]
		next.Name, next.Variants = "changed", next.Variants[1:]
		return []ports.ProductWrite{
			{Product: &next, Stock: []catalog.Stock{{Variant: next.Variants[0].ID, Quantity: 8}}},
			{Product: created, Stock: []catalog.Stock{{Variant: created.Variants[1].ID, Quantity: 5}}},
		}
	})
	s.must(err)
	same(s.t, "failed", len(failed), 0)
	same(s.t, "created", s.get(created), created)
	same(s.t, "name", s.get(known).Name, "changed")
	levels, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{known.ID, created.ID})
	s.must(err)
	same(s.t, "number of levels", len(levels), 2)
	if s.version() <= before {
		s.t.Errorf("version went from %d to %d", before, s.version())
	}
	same(s.t, "changes", len(s.changes(before).Changed), 2)
}

func bulkMany(s *shop) {
	products := make([]*catalog.Product, 1000)
	for i := range products {
		products[i] = s.rich()
	}
	for range 2 { // created, then updated
		same(s.t, "failed", len(s.upsert(products...)), 0)
		same(s.t, "stored", byID(s.changes(0).Changed), byID(products))
	}
}

func bulkTaken(s *shop) {
	owner := s.create(s.rich())
	own, variant, good, late := s.rich(), s.rich(), s.rich(), s.rich()
	own.SKU, variant.Variants[0].SKU, late.SKU = owner.Variants[1].SKU, owner.SKU, good.Variants[0].SKU
	failed := s.upsert(own, good, variant, late)
	for _, i := range []int{0, 2, 3} {
		wantFault(s.t, failed[i], fault.Conflict, "sku_taken")
		wantDetail(s.t, failed[i], "sku")
	}
	same(s.t, "failed", len(failed), 3)
	same(s.t, "the good one", s.get(good), good)
	same(s.t, "the owner", s.get(owner), owner)
	s.missing(own)
	s.missing(variant)
	s.missing(late)
}

// The first gives its sku up, the second takes it; a third can't have what the second has not given up
// yet.
func bulkMoves(s *shop) {
	first, second := s.create(s.rich()), s.create(s.rich())
	freed, wanted := first.Variants[0].SKU, second.SKU
	third := s.rich()
	third.SKU = wanted
	first.Variants, second.Variants[0].SKU, second.SKU = first.Variants[1:], freed, freed
	skus := []string{first.SKU, wanted}
	failed, err := s.Bulk.Upsert(s.ctx, s.project.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite {
		return []ports.ProductWrite{{Product: third}, {Product: first}, {Product: second}}
	})
	s.must(err)
	same(s.t, "failed", len(failed), 1)
	wantFault(s.t, failed[0], fault.Conflict, "sku_taken")
	same(s.t, "first", s.get(first), first)
	same(s.t, "second", s.get(second), second)
	same(s.t, "failed the next time", len(s.upsert(third)), 0)
}

func bulkTwice(s *shop) {
	p := s.rich()
	last := *p
	last.Name, last.Variants = "last", p.Variants[:1]
	same(s.t, "failed", len(s.upsert(p, s.rich(), &last)), 0)
	same(s.t, "stored", s.get(p), &last)
}

func bulkText(s *shop) {
	nul, broken, good := s.rich(), s.rich(), s.rich()
	nul.Name, broken.Variants[1].Size = "a\x00b", "\xff"
	failed := s.upsert(nul, broken, good)
	wantFault(s.t, failed[0], fault.Invalid, "validation_error")
	wantFault(s.t, failed[1], fault.Invalid, "validation_error")
	same(s.t, "failed", len(failed), 2)
	same(s.t, "the good one", s.get(good), good)
	s.missing(nul)
	s.missing(broken)
}

func bulkNothing(s *shop) {
	same(s.t, "failed", len(s.upsert()), 0)
	same(s.t, "products", len(s.changes(0).Changed), 0)
}

func bulkUnknown(s *shop) {
	_, err := s.Bulk.Upsert(s.ctx, random[id.Project](), ports.ProductKeys{SKUs: []string{"x"}}, func(ports.KnownProducts) []ports.ProductWrite {
		s.t.Error("a change was asked for")
		return nil
	})
	wantFault(s.t, err, fault.NotFound, "project_not_found")
}

func bulkRace(s *shop) {
	sku := s.rich().SKU
	s.must(atOnce(racers, func(i int) error {
		failed, err := s.Bulk.Upsert(s.ctx, s.project.ID, ports.ProductKeys{SKUs: []string{sku}}, func(known ports.KnownProducts) []ports.ProductWrite {
			p := known.BySKU[sku]
			if p == nil {
				p = s.rich()
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
	all := s.changes(0).Changed
	same(s.t, "products", len(all), 1)
	same(s.t, "upserts that counted", all[0].Reviews.Count, 12+racers)
}

// Half of the racers bring the products in one order, half in the other: every batch is stored, is one
// version, and makes no product twice.
func bulkRaceCrossed(s *shop) {
	skus := make([]string, 40)
	for i := range skus {
		skus[i] = s.rich().SKU
	}
	before := s.version()
	s.must(atOnce(racers, func(i int) error {
		mine := slices.Clone(skus)
		if i%2 == 0 {
			slices.Reverse(mine)
		}
		return s.countUp(mine)
	}))
	all := s.changes(0).Changed
	same(s.t, "products", len(all), len(skus))
	same(s.t, "versions", s.version()-before, int64(racers))
	for _, p := range all {
		same(s.t, "batches that counted", p.Reviews.Count, 12+racers)
	}
}

// countUp upserts products with one more review each, and sets their stock.
func (s *shop) countUp(skus []string) error {
	failed, err := s.Bulk.Upsert(s.ctx, s.project.ID, ports.ProductKeys{SKUs: skus}, func(known ports.KnownProducts) (writes []ports.ProductWrite) {
		for _, sku := range skus {
			p := known.BySKU[sku]
			if p == nil {
				p = s.rich()
				p.SKU, p.Variants = sku, []catalog.Variant{{ID: random[id.Variant](), SKU: sku}}
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
func bulkRaceStock(s *shop) {
	skus := make([]string, 60)
	for i := range skus {
		skus[i] = s.rich().SKU
	}
	s.must(s.countUp(skus))
	s.must(atOnce(racers, func(i int) error {
		if i%4 == 0 {
			return s.countUp(skus)
		}
		moves := make([]ports.StockMove, len(skus))
		for n, sku := range skus {
			moves[len(skus)-1-n] = ports.StockMove{SKU: sku, Location: "main", Delta: -1}
		}
		_, err := s.adjust(moves...)
		return err
	}))
	levels, total, err := s.Inventory.Levels(s.ctx, s.project.ID, "", ports.Page{Limit: 100})
	s.must(err)
	same(s.t, "levels", total, len(skus))
	for _, l := range levels {
		if l.Quantity < 1000-racers || l.Quantity > 1000 || l.Quantity != levels[0].Quantity {
			s.t.Errorf("%s has %d pieces, the first has %d", l.SKU, l.Quantity, levels[0].Quantity)
		}
	}
}
