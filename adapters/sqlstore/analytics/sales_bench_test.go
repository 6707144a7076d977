package analytics_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
)

// The figures that count are those of -sold 100000.
var soldLines = flag.Int("sold", 2_000, "order lines in the benchmark of sales")

// storeOrders stores orders of so many lines each, one for each second from the epoch on. product names
// the product of an order's line.
func storeOrders(tb testing.TB, s *storetest.Store, project id.Project, orders, lines int, product func(order, line int) string) {
	tb.Helper()
	const perInsert = 200
	storetest.WithoutReferences(tb, s) // there are no checkouts
	for from := 0; from < orders; from += perInsert {
		var rows [][]any
		for i := from; i < min(from+perInsert, orders); i++ {
			sold := make([]storetest.LineJSON, lines)
			for l := range sold {
				name := product(i, l)
				sold[l] = storetest.LineJSON{
					Product:  name,
					Variant:  name,
					SKU:      name,
					Name:     "Cordless drill of the maker",
					Quantity: 1,
					Unit:     99_00,
					Original: 99_00,
				}
			}
			text, err := db.ToJSON(sold)
			if err != nil {
				tb.Fatal(err)
			}
			of := storetest.Numbered[id.Order](i).String()
			rows = append(rows, []any{
				project.String(), of, of, of, of, "confirmed", text, "{}", "", "", "USD", 0, 0, 0, 0, 0, "{}", "processing", i * 1000, 1, "", "",
			})
		}
		err := s.DB.InTx(tb.Context(), project, func(t *db.Tx) error { return t.Insert(tb.Context(), storetest.InsertOrders, rows, "") })
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkSales sums up orders of few lines and of many, of 5,000 products.
func BenchmarkSales(b *testing.B) {
	for _, lines := range []int{3, 50} {
		b.Run(fmt.Sprintf("of_%d_lines", lines), func(b *testing.B) {
			storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
				p, random := storetest.StoreProject(b, s, 1), rand.New(rand.NewPCG(1, 2))
				storeOrders(b, s, p.ID, *soldLines/lines, lines, func(int, int) string {
					n := int(random.ExpFloat64() * 500) // few products are sold often
					return storetest.Numbered[id.Product](min(n, 4999)).String()
				})
				b.ReportAllocs()
				for b.Loop() {
					sales, err := s.Sales().Sales(b.Context(), p.ID, time.UnixMilli(0), 20)
					if err != nil || len(sales.Sold) == 0 {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
