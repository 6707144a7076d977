package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func benchmark(b *testing.B, work func(*porttest.Sale)) {
	b.Helper()
	for name, open := range map[string]func(testing.TB) *storetest.Store{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		b.Run(name, func(b *testing.B) {
			sale := porttest.NewSale(b, storetest.Views(open(b)))
			for b.Loop() {
				work(sale)
			}
		})
	}
}

// A quote: look up a slug, then read for and store an answer.
func BenchmarkQuote(b *testing.B) { benchmark(b, func(s *porttest.Sale) { s.Quote() }) }

// A purchase: a quote, its checkout, and the two transactions that create the order.
func BenchmarkPurchase(b *testing.B) {
	benchmark(b, func(s *porttest.Sale) { s.Finalize(s.Init(s.Quote())) })
}
