package sqlstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func onEachEngine(b *testing.B, bench func(*testing.B, *Store)) {
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) { bench(b, fresh(b)) })
	}
}

// numbered is the id of a test's n-th thing.
func numbered[T id.ID[K], K id.Kind](n int) T {
	var bits [16]byte
	copy(bits[:], fmt.Sprintf("%016d", n))
	return id.New[T, K](bits)
}

func storeProject(tb testing.TB, s *Store, n int) *project.Project {
	tb.Helper()
	owner := &account.Account{ID: numbered[id.Account](n), Name: "Owner", Plan: account.Starter, CreatedAt: time.UnixMilli(0)}
	if err := s.Accounts().Open(tb.Context(), owner); err != nil {
		tb.Fatal(err)
	}
	p, err := project.Open(numbered[id.Project](n), owner.ID, project.Draft{Name: "Shop", Slug: fmt.Sprintf("shop-%d", n)}, time.UnixMilli(0))
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Projects().Create(tb.Context(), p); err != nil {
		tb.Fatal(err)
	}
	return p
}

func products(p id.Project, from, n int) (skus []string, writes []ports.ProductWrite) {
	for i := from; i < from+n; i++ {
		sku := fmt.Sprintf("SKU-%d", i)
		v := numbered[id.Variant](i)
		skus = append(skus, sku)
		writes = append(writes, ports.ProductWrite{
			Product: &catalog.Product{
				ID: numbered[id.Product](i), Project: p, SKU: sku, Name: "Cordless drill " + sku, Brand: "Maker", Category: "tools/drills",
				Description: strings.Repeat("A handy tool. ", 20), Price: money.Of(99_00, money.USD), Negotiable: true,
				Attributes: map[string]string{"voltage": "18 V", "weight": "1.4 kg"}, Tags: []string{"tools"},
				Variants: []catalog.Variant{{ID: v, SKU: sku}}, Status: catalog.Active,
				CreatedAt: time.UnixMilli(0), UpdatedAt: time.UnixMilli(0),
			},
			Stock: []catalog.Stock{{Variant: v, Quantity: 10}},
		})
	}
	return skus, writes
}

// BenchmarkUpsert creates 1,000 products at a time.
func BenchmarkUpsert(b *testing.B) {
	onEachEngine(b, func(b *testing.B, s *Store) {
		p := storeProject(b, s, 1)
		n := 0
		for b.Loop() {
			skus, writes := products(p.ID, n, 1000)
			n += 1000
			failed, err := s.Catalog().Upsert(b.Context(), p.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes })
			if err != nil || len(failed) > 0 {
				b.Fatal(failed, err)
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "products/s")
	})
}

// BenchmarkReupsert updates 1,000 products at a time.
func BenchmarkReupsert(b *testing.B) {
	onEachEngine(b, func(b *testing.B, s *Store) {
		p := storeProject(b, s, 1)
		skus, writes := products(p.ID, 0, 1000)
		n := 0
		for b.Loop() {
			n += 1000
			failed, err := s.Catalog().Upsert(b.Context(), p.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes })
			if err != nil || len(failed) > 0 {
				b.Fatal(failed, err)
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "products/s")
	})
}

// BenchmarkBySlug is what every ACP request begins with.
func BenchmarkBySlug(b *testing.B) {
	onEachEngine(b, func(b *testing.B, s *Store) {
		storeProject(b, s, 1)
		for b.Loop() {
			if _, err := s.Storefronts().BySlug(b.Context(), "shop-1"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChanges reads a catalogue of 10,000 products from the beginning.
func BenchmarkChanges(b *testing.B) {
	onEachEngine(b, func(b *testing.B, s *Store) {
		p := storeProject(b, s, 1)
		for n := 0; n < 10_000; n += 1000 {
			skus, writes := products(p.ID, n, 1000)
			if _, err := s.Catalog().Upsert(b.Context(), p.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes }); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			changes, err := s.Catalog().Changes(b.Context(), p.ID, 0)
			if err != nil || len(changes.Changed) != 10_000 {
				b.Fatal(len(changes.Changed), err)
			}
		}
	})
}
