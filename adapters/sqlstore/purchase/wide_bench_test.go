package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// wide is what is done with a product of 2,048 variants.
var wide = map[string]func(*porttest.Shop, *catalog.Product){
	"save": func(s *porttest.Shop, p *catalog.Product) {
		color := map[string]string{"": "Red", "Red": "Blue", "Blue": "Red"}[p.Variants[0].Color]
		for n := range p.Variants {
			p.Variants[n].Color = color
		}
		s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	},
	"save unchanged": func(s *porttest.Shop, p *catalog.Product) {
		_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
			return ports.ProductWrite{Product: p}, nil
		})
		s.Must(err)
	},
	"read": func(s *porttest.Shop, p *catalog.Product) {
		_, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
		s.Must(err)
	},
	"list": func(s *porttest.Shop, p *catalog.Product) {
		_, _, err := s.Products.List(s.Ctx, s.Project.ID, ports.ProductFilter{}, ports.Page{Limit: 50})
		s.Must(err)
		_, _, err = s.Inventory.ListedOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
		s.Must(err)
	},
	"stock of a hit": func(s *porttest.Shop, p *catalog.Product) {
		list := make([]id.Variant, catalog.MostListed)
		for n := range list {
			list[n] = p.Variants[n].ID
		}
		_, err := s.Inventory.TotalsOf(s.Ctx, s.Project.ID, list)
		s.Must(err)
	},
	"basket": func(s *porttest.Shop, p *catalog.Product) {
		_, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{Products: []id.Product{p.ID}})
		s.Must(err)
	},
	"pay": func(s *porttest.Shop, p *catalog.Product) { s.Pay(s.Checkout(s.Session(), porttest.Line(p, 1))) },
}

// BenchmarkWideProduct is what a product of 2,048 variants costs.
func BenchmarkWideProduct(b *testing.B) {
	for engine, open := range map[string]func(testing.TB) *storetest.Store{
		"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		s := porttest.OpenShop(b, storetest.Views(open(b)))
		p := s.Wide(catalog.MaxVariants, 1_000_000)
		for name, work := range wide {
			b.Run(engine+"/"+name, func(b *testing.B) {
				for b.Loop() {
					work(s, p)
				}
			})
		}
	}
}

// The number of statements for a product does not depend on its variants. A prepared statement that writes them counts
// once.
func TestCheckouts_wideProductStatements(t *testing.T) {
	t.Parallel()
	stores, count := storetest.CountedSQLite(t)
	s := porttest.OpenShop(t, storetest.Views(stores))
	most := map[string]int64{"save": 8, "save unchanged": 8, "read": 4, "list": 10, "stock of a hit": 2, "basket": 6, "pay": 20}
	p := s.Wide(catalog.MaxVariants, 10)
	for name, work := range wide {
		if n := count(func() { work(s, p) }); n > most[name] {
			t.Errorf("%s takes %d statements", name, n)
		} else {
			t.Logf("%s takes %d statements", name, n)
		}
	}
}
