package sqlstore_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports"
)

// BenchmarkUpsert creates 1,000 products at a time.
func BenchmarkUpsert(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		p := storetest.StoreProject(b, s, 1)
		n := 0
		for b.Loop() {
			skus, writes := storetest.Products(p.ID, n, 1000)
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
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		p := storetest.StoreProject(b, s, 1)
		skus, writes := storetest.Products(p.ID, 0, 1000)
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
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		storetest.StoreProject(b, s, 1)
		for b.Loop() {
			if _, err := s.Storefronts().BySlug(b.Context(), "shop-1"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChanges reads a catalogue of 10,000 products, in short mode 1,000, from the beginning.
func BenchmarkChanges(b *testing.B) {
	products := 10_000
	if testing.Short() {
		products = 1000
	}
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		p := storetest.StoreProject(b, s, 1)
		for n := 0; n < products; n += 1000 {
			skus, writes := storetest.Products(p.ID, n, 1000)
			if _, err := s.Catalog().Upsert(b.Context(), p.ID, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes }); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			changes, err := s.Catalog().Changes(b.Context(), p.ID, 0)
			if err != nil || len(changes.Changed) != products {
				b.Fatal(len(changes.Changed), err)
			}
		}
	})
}
