package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Two views, as of two processes, read pages of lists between writes. Each page is the one that a view without
// remembered places reads.
func TestPlaces_severalViews(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := storetest.StoreProject(t, s, 1).ID
		random := rand.New(rand.NewPCG(3, 4))
		scattered(t, s, shop, 700)
		shops, stocks := []catalogue.Products{s.Products(), s.Products()}, []catalogue.Inventory{s.Inventory(), s.Inventory()}
		for step := range 250 {
			view := random.IntN(2)
			page := ports.Page{Limit: 1 + random.IntN(60), Offset: random.IntN(800)}
			f := filters[random.IntN(len(filters))]
			wantList, wantTotal, err := s.Products().List(t.Context(), shop, f, page)
			must(t, err)
			list, total, err := shops[view].List(t.Context(), shop, f, page)
			must(t, err)
			wantLevels, wantCount, err := s.Inventory().Levels(t.Context(), shop, "", page)
			must(t, err)
			levels, count, err := stocks[view].Levels(t.Context(), shop, "", page)
			must(t, err)
			if total != wantTotal || count != wantCount || !reflect.DeepEqual(list, wantList) || !reflect.DeepEqual(levels, wantLevels) {
				t.Fatalf("step %d: %+v of %+v: %d of %d products, want %d of %d; %d of %d levels, want %d of %d", step, page, f,
					len(list), total, len(wantList), wantTotal, len(levels), count, len(wantLevels), wantCount)
			}
			if len(list) > 0 && len(levels) > 0 {
				disturb(t, s, shop, random, list[0], levels[0])
			}
		}
	})
}

var filters = []ports.ProductFilter{{}, {}, {Status: "active"}, {Category: "top1"}, {Text: "drill"}, {Text: "1", Category: "top2", Status: "active"}}

// disturb changes, more often than not, nothing; else a product or a level.
func disturb(t *testing.T, s *storetest.Store, shop id.Project, random *rand.Rand, p *catalog.Product, l catalog.Shelf) {
	switch random.IntN(12) {
	case 0:
		must(t, s.Products().Delete(t.Context(), shop, p.ID, time.UnixMilli(9)))
	case 1:
		_, err := s.Products().Update(t.Context(), shop, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
			p.Status, p.Category = catalog.Archived, "top2"
			return ports.ProductWrite{Product: p}, nil
		})
		must(t, err)
	case 2:
		fresh := *p
		fresh.ID, fresh.SKU = storetest.Numbered[id.Product](random.Int()), fmt.Sprint(random.Int())
		fresh.Variants = []catalog.Variant{{ID: storetest.Numbered[id.Variant](random.Int()), SKU: fresh.SKU}}
		stock := []catalog.Stock{{Variant: fresh.Variants[0].ID, Quantity: 1}}
		must(t, s.Products().Create(t.Context(), ports.ProductWrite{Product: &fresh, Stock: stock}))
	case 3:
		_, err := s.Inventory().Set(t.Context(), shop, []ports.StockSet{{SKU: l.SKU, Location: fmt.Sprint("at", random.IntN(9)), Quantity: 1}})
		must(t, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A level added before a remembered place moves all levels after it, without raising the catalogue's version.
func TestInventory_Levels_addedBefore(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		_, writes := storetest.Products(p.ID, 0, 2)
		for _, w := range writes {
			must(t, s.Products().Create(t.Context(), w))
		}
		stock := s.Inventory()
		read := func(offset int) []catalog.Shelf {
			levels, _, err := stock.Levels(t.Context(), p.ID, "", ports.Page{Limit: 1, Offset: offset})
			must(t, err)
			return levels
		}
		read(0)
		_, err := stock.Set(t.Context(), p.ID, []ports.StockSet{{SKU: "SKU-0", Location: "a", Quantity: 1}})
		must(t, err)
		if got := read(1); len(got) != 1 || got[0].Location != project.DefaultLocation || got[0].SKU != "SKU-0" {
			t.Errorf("after a level before it, the second is %+v", got)
		}
	})
}
