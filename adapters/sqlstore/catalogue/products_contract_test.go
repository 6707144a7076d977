package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Products is the contract of ports.Products.
func Products(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a product comes back as it was stored":          productRoundTrip,
		"update stores and returns the change":           productUpdate,
		"a failed change leaves no trace":                productFailedChange,
		"what was read belongs to the reader":            productNoAliasing,
		"unknown and foreign products":                   productUnknown,
		"a deleted product is gone, its sku is free":     productDelete,
		"dropped variants take their stock along":        productDroppedVariants,
		"stock that a write does not set stays":          productStockStays,
		"a sku belongs to one product":                   productSKUTaken,
		"the same sku in two projects":                   productSKUElsewhere,
		"one of sixteen gets the sku":                    productSKURace,
		"sixteen changes of one product are all kept":    productUpdateRace,
		"every write is one version":                     productVersions,
		"a product in another currency is refused":       productCurrency,
		"lists are newest first, with totals":            productList,
		"lists have a part of very many variants":        productWide,
		"lists are narrowed by text, category or status": productFilter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func create(s *porttest.Shop, p *catalog.Product) *catalog.Product {
	s.T.Helper()
	s.Must(s.Products.Create(s.Ctx, ports.ProductWrite{Product: p}))
	return p
}

func catalogVersion(s *porttest.Shop) int64 {
	s.T.Helper()
	p, err := s.Storefronts.ByProject(s.Ctx, s.Project.ID)
	s.Must(err)
	return p.CatalogVersion
}

func productRoundTrip(s *porttest.Shop) {
	full := s.Rich()
	bare := &catalog.Product{
		ID:        porttest.Random[id.Product](),
		Project:   s.Project.ID,
		SKU:       "BARE-" + s.Project.ID.String(),
		Name:      "x",
		Price:     porttest.USD(1),
		Variants:  []catalog.Variant{{ID: porttest.Random[id.Variant](), SKU: "BARE-" + s.Project.ID.String()}},
		Status:    catalog.Archived,
		CreatedAt: porttest.Noon,
		UpdatedAt: porttest.Noon,
	}
	for _, want := range []*catalog.Product{full, bare} {
		porttest.Same(s.T, "product", s.Get(create(s, want)), want)
	}
}

func productUpdate(s *porttest.Shop) {
	before := create(s, s.Rich())
	want := s.Rich()
	want.ID, want.CreatedAt = before.ID, before.CreatedAt
	want.Variants[1].ID, want.Variants[1].SKU = before.Variants[0].ID, before.Variants[0].SKU // one stays, in another place
	want.Status, want.Negotiable, want.Cost, want.Price = catalog.Archived, false, nil, porttest.USD(1_00)
	got, err := s.Products.Update(s.Ctx, s.Project.ID, before.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		porttest.Same(s.T, "to be changed", p, before)
		return ports.ProductWrite{Product: want, Stock: []catalog.Stock{{Variant: want.Variants[0].ID, Quantity: 4}}}, nil
	})
	s.Must(err)
	porttest.Same(s.T, "returned", got, want)
	porttest.Same(s.T, "stored", s.Get(want), want)
	porttest.Same(s.T, "stock", s.Stock(want), map[string]int{project.DefaultLocation: 4})
}

func productFailedChange(s *porttest.Shop) {
	p := s.Product(3)
	before, version := s.Get(p), catalogVersion(s)
	_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Name, p.Variants[0].SKU = "changed", "changed"
		return ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 9}}}, porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	taken := s.Rich()
	taken.Variants[1].SKU = p.SKU
	err = s.Products.Create(s.Ctx, ports.ProductWrite{Product: taken})
	porttest.WantFault(s.T, err, fault.Conflict, "sku_taken")
	_, err = s.Products.Get(s.Ctx, s.Project.ID, taken.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
	porttest.Same(s.T, "product", s.Get(p), before)
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3})
	porttest.Same(s.T, "version", catalogVersion(s), version)
}

func productNoAliasing(s *porttest.Shop) {
	want := create(s, s.Rich())
	got := s.Get(want)
	got.Name, got.Attributes["weight"], got.Tags[0], got.Images[0].Alt = "changed", "changed", "changed", "changed"
	got.Variants[0].SKU, *got.Cost = "changed", porttest.USD(1)
	porttest.Same(s.T, "stored", s.Get(want), want)
	written := *want
	want.Attributes = map[string]string{"weight": "changed"}
	porttest.Same(s.T, "stored after the writer changed its own", s.Get(want), &written)
}

func productUnknown(s *porttest.Shop) {
	theirs := porttest.OpenShop(s.T, s.Stores).Product(1)
	for _, unknown := range []id.Product{porttest.Random[id.Product](), theirs.ID} {
		_, err := s.Products.Get(s.Ctx, s.Project.ID, unknown)
		porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
		_, err = s.Products.Update(s.Ctx, s.Project.ID, unknown, func(p *catalog.Product) (ports.ProductWrite, error) {
			s.T.Error("a change was asked for")
			return ports.ProductWrite{Product: p}, nil
		})
		porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
		porttest.WantFault(s.T, s.Products.Delete(s.Ctx, s.Project.ID, unknown, porttest.Noon), fault.NotFound, "product_not_found")
	}
	orphan := s.Rich()
	orphan.Project = porttest.Random[id.Project]()
	err := s.Products.Create(s.Ctx, ports.ProductWrite{Product: orphan})
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}

func productDelete(s *porttest.Shop) {
	p := s.Product(3)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, p.ID, porttest.Noon))
	_, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
	porttest.WantFault(s.T, s.Products.Delete(s.Ctx, s.Project.ID, p.ID, porttest.Noon), fault.NotFound, "product_not_found")
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{})
	_, total, err := s.Products.List(s.Ctx, s.Project.ID, ports.ProductFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, "total", total, 0)
	again := s.Rich()
	again.SKU, again.Variants = p.SKU, []catalog.Variant{{ID: porttest.Random[id.Variant](), SKU: p.SKU}}
	porttest.Same(s.T, "a product of the same sku", s.Get(create(s, again)), again)
}

func productDroppedVariants(s *porttest.Shop) {
	p := s.Product(1, 2, 3)
	s.Keep(p, "north", 4)
	p.Variants = []catalog.Variant{p.Variants[2]}
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	levels, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	v := p.Variants[0]
	porttest.Same(s.T, "levels", levels, []catalog.Level{{Product: p.ID, Variant: v.ID, SKU: v.SKU, Location: "main", Quantity: 3}})
}

func productStockStays(s *porttest.Shop) {
	p := s.Product(3)
	s.Keep(p, "north", 4)
	p.Name = "New name"
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3, "north": 4})
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 0}}}))
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 0, "north": 4})
}

// A sku is taken whether the other product has it for itself or for a variant.
func productSKUTaken(s *porttest.Shop) {
	other := create(s, s.Rich())
	for _, sku := range []string{other.SKU, other.Variants[0].SKU} {
		own, forVariant := s.Rich(), s.Rich()
		own.SKU, forVariant.Variants[1].SKU = sku, sku
		for _, p := range []*catalog.Product{own, forVariant} {
			err := s.Products.Create(s.Ctx, ports.ProductWrite{Product: p})
			porttest.WantFault(s.T, err, fault.Conflict, "sku_taken")
			porttest.WantDetail(s.T, err, "sku")
			changed := *p
			changed.ID = create(s, s.Rich()).ID
			porttest.WantFault(s.T, s.UpdateTo(ports.ProductWrite{Product: &changed}), fault.Conflict, "sku_taken")
		}
	}
	porttest.Same(s.T, "the owner", s.Get(other), other)
}

func productSKUElsewhere(s *porttest.Shop) {
	p := create(s, s.Rich())
	twin := *p
	neighbour := porttest.OpenShop(s.T, s.Stores)
	twin.Project, twin.Name = neighbour.Project.ID, "Twin"
	create(neighbour, &twin)
	porttest.Same(s.T, "ours", s.Get(p), p)
	porttest.Same(s.T, "theirs", neighbour.Get(&twin), &twin)
}

func productSKURace(s *porttest.Shop) {
	sku := porttest.Random[id.Product]().String()
	porttest.Same(s.T, "winners", s.Race("sku_taken", func(i int) error {
		p := s.Rich()
		if i%2 == 0 {
			p.SKU = sku
		} else {
			p.Variants[0].SKU = sku
		}
		return s.Products.Create(s.Ctx, ports.ProductWrite{Product: p})
	}), 1)
}

func productUpdateRace(s *porttest.Shop) {
	p := s.Product(0)
	before := catalogVersion(s)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
			p.Reviews.Count++
			return ports.ProductWrite{Product: p}, nil
		})
		return err
	}))
	porttest.Same(s.T, "changes", s.Get(p).Reviews.Count, porttest.Racers)
	porttest.Same(s.T, "versions", catalogVersion(s)-before, int64(porttest.Racers))
}

func productVersions(s *porttest.Shop) {
	porttest.Same(s.T, "a new project's", catalogVersion(s), int64(0))
	p := s.Product(1)
	porttest.Same(s.T, "after create", catalogVersion(s), int64(1))
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	porttest.Same(s.T, "after update", catalogVersion(s), int64(2))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, p.ID, porttest.Noon))
	porttest.Same(s.T, "after delete", catalogVersion(s), int64(3))
	_, err := s.Change(func(p *project.Project) error {
		p.Name, p.CatalogVersion = "changed", 99
		return nil
	})
	s.Must(err)
	porttest.Same(s.T, "after a change of the project", catalogVersion(s), int64(3))
}

func productCurrency(s *porttest.Shop) {
	p := s.Rich()
	_, err := s.Change(func(p *project.Project) error {
		return p.Change(project.Change{Settings: project.SettingsPatch{Currency: patch.To("EUR")}}, porttest.Noon)
	})
	s.Must(err)
	porttest.WantFault(s.T, s.Products.Create(s.Ctx, ports.ProductWrite{Product: p}), fault.Conflict, "currency_changed")
	eur := s.ByID(s.Project.ID).Settings.Currency
	p.Price, p.Cost, p.CompetitorPrice, p.Variants[1].Price = money.Of(1_00, eur), nil, nil, nil
	porttest.Same(s.T, "in the new currency", s.Get(create(s, p)), p)
}

func productList(s *porttest.Shop) {
	var all []*catalog.Product
	for i := range 6 {
		p := s.Rich()
		p.CreatedAt = porttest.Noon.Add(time.Duration(i/2) * time.Second)
		all = append(all, create(s, p))
	}
	slices.SortFunc(all, func(a, b *catalog.Product) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	for _, page := range []ports.Page{{Limit: 100}, {Limit: 3, Offset: 1}, {Limit: 1, Offset: 5}, {Limit: 1, Offset: 6}} {
		got, total, err := s.Products.List(s.Ctx, s.Project.ID, ports.ProductFilter{}, page)
		s.Must(err)
		porttest.Same(s.T, "page", got, porttest.Part(all, page))
		porttest.Same(s.T, "total", total, len(all))
	}
}

func productWide(s *porttest.Shop) {
	p := s.Wide(catalog.MaxVariants, 2)
	short := s.Product(3)
	list, _, err := s.Products.List(s.Ctx, s.Project.ID, ports.ProductFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	for _, one := range list {
		want := p.Variants[:catalog.MostListed]
		if one.ID == short.ID {
			want = short.Variants
		}
		porttest.Same(s.T, "listed variants", one.Variants, want)
	}
	shelves, rest, err := s.Inventory.ListedOf(s.Ctx, s.Project.ID, []id.Product{p.ID, short.ID})
	s.Must(err)
	porttest.Same(s.T, "shelves", len(shelves), catalog.MostListed+1)
	porttest.Same(s.T, "the rest", rest, map[id.Product]ports.Unlisted{
		p.ID: {Variants: catalog.MaxVariants - catalog.MostListed, Quantity: 2 * (catalog.MaxVariants - catalog.MostListed)},
	})
	whole, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	s.Must(err)
	porttest.Same(s.T, "the whole product", whole, p)
}

func productFilter(s *porttest.Shop) {
	for i, category := range []string{"outdoor/tents", "outdoor/tents/light", "outdoor/tents-old", "outdoor", "", "Outdoor/tents"} {
		p := s.Rich()
		p.SKU, p.Name, p.Category = fmt.Sprintf("AB_%d%%", i), fmt.Sprintf("ÆBLE Tent %d", i), category
		if i%2 == 1 {
			p.Status = catalog.Archived
		}
		create(s, p)
	}
	for _, ask := range []struct {
		filter ports.ProductFilter
		want   int
	}{
		{ports.ProductFilter{}, 6},
		{ports.ProductFilter{Category: "outdoor/tents"}, 2},
		{ports.ProductFilter{Category: "outdoor"}, 4},
		{ports.ProductFilter{Category: "out"}, 0},
		{ports.ProductFilter{Text: "æble"}, 6},
		{ports.ProductFilter{Text: "TENT 3"}, 1},
		{ports.ProductFilter{Text: "ab_1%"}, 1},
		{ports.ProductFilter{Text: "a__1"}, 0},
		{ports.ProductFilter{Text: `\`}, 0},
		{ports.ProductFilter{Text: "'; --$1"}, 0},
		{ports.ProductFilter{Status: "archived"}, 3},
		{ports.ProductFilter{Status: "active", Category: "outdoor/tents"}, 1},
		{ports.ProductFilter{
			Status:   "active",
			Category: "outdoor/tents",
			Text:     "ab_2",
		}, 0},
	} {
		list, total, err := s.Products.List(s.Ctx, s.Project.ID, ask.filter, ports.Page{Limit: 100})
		s.Must(err)
		if len(list) != ask.want || total != ask.want {
			s.T.Errorf("%+v finds %d, total %d; want %d", ask.filter, len(list), total, ask.want)
		}
		for _, p := range list {
			porttest.Same(s.T, "variants", len(p.Variants), 2)
		}
	}
}
