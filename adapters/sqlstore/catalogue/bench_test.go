package catalogue_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// The figures that count are those of -catalogue 100000.
var catalogueSize = flag.Int("catalogue", 2_000, "products in the benchmarks' catalogue")

// scattered is the catalogue of a shop of some age: random ids, three levels of categories, every
// tenth product archived, every fourth with three variants.
func scattered(tb testing.TB, s *storetest.Store, project id.Project, n int) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	bits := func() (b [16]byte) {
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for from := 0; from < n; from += 1000 {
		var writes []ports.ProductWrite
		for i := from; i < min(from+1000, n); i++ {
			writes = append(writes, scatteredProduct(project, i, bits))
		}
		failed, err := s.Catalog().Upsert(tb.Context(), project, ports.ProductKeys{}, func(ports.KnownProducts) []ports.ProductWrite { return writes })
		if err != nil || len(failed) > 0 {
			tb.Fatal(failed, err)
		}
	}
}

func scatteredProduct(project id.Project, i int, bits func() [16]byte) ports.ProductWrite {
	p := &catalog.Product{
		ID:          id.New[id.Product](bits()),
		Project:     project,
		SKU:         fmt.Sprintf("SKU-%06d", i*7919%1_000_000),
		Name:        fmt.Sprintf("Cordless drill %d of the maker", i),
		Category:    fmt.Sprintf("top%d/middle%d/leaf%d", i%5, i%25, i%200),
		Description: strings.Repeat("A handy tool. ", 20),
		Price:       money.Of(99_00, money.USD),
		Negotiable:  true,
		Attributes:  map[string]string{"voltage": "18 V", "weight": "1.4 kg"},
		Tags:        []string{"tools"},
		Status:      catalog.Active,
		CreatedAt:   time.UnixMilli(int64(i / 3)),
		UpdatedAt:   time.UnixMilli(int64(i / 3)),
	}
	if i%10 == 0 {
		p.Status = catalog.Archived
	}
	w := ports.ProductWrite{Product: p}
	for v := range 1 + i%4/3*2 {
		sku := p.SKU
		if v > 0 {
			sku = fmt.Sprintf("%s-%d", p.SKU, v)
		}
		variant := catalog.Variant{ID: id.New[id.Variant](bits()), SKU: sku}
		p.Variants = append(p.Variants, variant)
		w.Stock = append(w.Stock, catalog.Stock{Variant: variant.ID, Quantity: 10})
	}
	return w
}

// BenchmarkCatalogueLists reads what a merchant's admin pages read, of a catalogue at size.
func BenchmarkCatalogueLists(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		n := *catalogueSize
		shop, stock := s.Products(), s.Inventory()
		p := storetest.StoreProject(b, s, 1)
		scattered(b, s, p.ID, n)
		if err := s.Analyze(b.Context()); err != nil {
			b.Fatal(err)
		}
		list := func(f ports.ProductFilter, offsets ...int) func(*testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					for _, offset := range offsets {
						if _, _, err := shop.List(b.Context(), p.ID, f, ports.Page{Limit: 100, Offset: offset}); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		}
		category := ports.ProductFilter{Category: "top1"}
		both := ports.ProductFilter{Category: "top1", Status: "active"}
		b.Run("first", list(ports.ProductFilter{}, 0))
		b.Run("middle", list(ports.ProductFilter{}, n/2))
		b.Run("last", list(ports.ProductFilter{}, n-20))
		b.Run("walk", list(ports.ProductFilter{}, offsets(n)...))
		b.Run("leaf", list(ports.ProductFilter{Category: "top1/middle1/leaf1"}, 0))
		b.Run("top", list(category, 0))
		b.Run("top-last", list(category, n/5-20))
		b.Run("archived", list(ports.ProductFilter{Status: "archived"}, 0))
		b.Run("active-last", list(ports.ProductFilter{Status: "active"}, n*9/10-20))
		b.Run("top-active-last", list(both, n*9/50-20))
		b.Run("text-rare", list(ports.ProductFilter{Text: "drill 77"}, 0))
		b.Run("text-none", list(ports.ProductFilter{Text: "no such thing"}, 0))
		b.Run("text-all", list(ports.ProductFilter{Text: "drill"}, 0))
		b.Run("text-all-last", list(ports.ProductFilter{Text: "drill"}, n-20))
		b.Run("text-top-active", list(ports.ProductFilter{
			Text:     "77",
			Category: "top1",
			Status:   "active",
		}, 0))
		benchmarkOthers(b, s, shop, stock, p.ID, n)
	})
}

// offsets are the pages of a list, one after the other.
func offsets(n int) (all []int) {
	for offset := 0; offset < n; offset += 100 {
		all = append(all, offset)
	}
	return all
}

func benchmarkOthers(b *testing.B, s *storetest.Store, shop catalogue.Products, stock catalogue.Inventory, project id.Project, n int) {
	catalogues := s.Catalog()
	run := func(name string, read func(*testing.B) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(b); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	levels := func(offset int) func(*testing.B) error {
		return func(b *testing.B) error {
			_, _, err := stock.Levels(b.Context(), project, "", ports.Page{Limit: 100, Offset: offset})
			return err
		}
	}
	first, _, err := shop.List(b.Context(), project, ports.ProductFilter{}, ports.Page{Limit: 1, Offset: n / 2})
	if err != nil {
		b.Fatal(err)
	}
	run("one", func(b *testing.B) error {
		_, err := shop.Get(b.Context(), project, first[0].ID)
		return err
	})
	run("categories", func(b *testing.B) error {
		_, err := catalogues.Categories(b.Context(), project)
		return err
	})
	run("levels-first", levels(0))
	run("levels-last", levels(n*3/2-20))
	run("levels-walk", func(b *testing.B) error {
		for _, offset := range offsets(n * 3 / 2) {
			if err := levels(offset)(b); err != nil {
				return err
			}
		}
		return nil
	})
}
