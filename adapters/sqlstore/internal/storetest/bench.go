package storetest

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

func OnEachEngine(b *testing.B, bench func(*testing.B, *Store)) {
	for name, fresh := range Engines {
		b.Run(name, func(b *testing.B) { bench(b, fresh(b)) })
	}
}

// Numbered is the id of a test's n-th thing.
func Numbered[T id.ID[K], K id.Kind](n int) T {
	var bits [16]byte
	copy(bits[:], fmt.Sprintf("%016d", n))
	return id.New[T, K](bits)
}

func StoreProject(tb testing.TB, s *Store, n int) *project.Project {
	tb.Helper()
	owner := &account.Account{
		ID:        Numbered[id.Account](n),
		Name:      "Owner",
		Plan:      account.Starter,
		CreatedAt: time.UnixMilli(0),
	}
	if err := s.Accounts().Open(tb.Context(), owner); err != nil {
		tb.Fatal(err)
	}
	p, err := project.Open(Numbered[id.Project](n), owner.ID, project.Draft{Name: "Shop", Slug: fmt.Sprintf("shop-%d", n)}, time.UnixMilli(0))
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Projects().Create(tb.Context(), p); err != nil {
		tb.Fatal(err)
	}
	return p
}

func Products(p id.Project, from, n int) (skus []string, writes []ports.ProductWrite) {
	for i := from; i < from+n; i++ {
		sku := fmt.Sprintf("SKU-%d", i)
		v := Numbered[id.Variant](i)
		skus = append(skus, sku)
		writes = append(writes, ports.ProductWrite{
			Product: &catalog.Product{
				ID:          Numbered[id.Product](i),
				Project:     p,
				SKU:         sku,
				Name:        "Cordless drill " + sku,
				Brand:       "Maker",
				Category:    "tools/drills",
				Description: strings.Repeat("A handy tool. ", 20),
				Price:       money.Of(99_00, money.USD),
				Negotiable:  true,
				Attributes:  map[string]string{"voltage": "18 V", "weight": "1.4 kg"},
				Tags:        []string{"tools"},
				Variants:    []catalog.Variant{{ID: v, SKU: sku}},
				Status:      catalog.Active,
				CreatedAt:   time.UnixMilli(0),
				UpdatedAt:   time.UnixMilli(0),
			},
			Stock: []catalog.Stock{{Variant: v, Quantity: 10}},
		})
	}
	return skus, writes
}
