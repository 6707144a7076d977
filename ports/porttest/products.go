package porttest

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
)

// Products is the contract of ports.Products.
func Products(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
		"lists are narrowed by text, category or status": productFilter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// rich is a product with a value in every field and two variants.
func (s *shop) rich() *catalog.Product {
	sku := random[id.Product]().String()
	return &catalog.Product{
		ID: random[id.Product](), Project: s.project.ID, SKU: sku, Name: `Fjällräven "Abisko" <2>`, Description: "Light.\n\tDry \\ warm.",
		Brand: "O'Neil", Category: "outdoor/tents", Price: usd(499_90), Cost: pointer(usd(200_00)), CompetitorPrice: pointer(usd(520_00)),
		Negotiable: true, Images: []catalog.Image{{URL: "/images/a.jpg", Alt: "Ein Zelt"}, {URL: "https://cdn.example.com/b.jpg"}},
		Attributes: map[string]string{"weight": "1.2 kg", "größe": "zwei"}, Tags: []string{"light", "3-season"},
		Variants: []catalog.Variant{
			{ID: random[id.Variant](), SKU: sku + "-G", Size: "2P", Color: "Green"},
			{ID: random[id.Variant](), SKU: sku + "-A", Size: "3P", Color: "Red", Price: pointer(usd(549_00))},
		},
		Reviews: catalog.Reviews{Average: 455, Count: 12, Summary: "Good."}, Related: []string{"PEG-1"},
		Status: catalog.Active, CreatedAt: noon.Add(7 * time.Millisecond), UpdatedAt: noon.Add(time.Hour),
	}
}

func (s *shop) create(p *catalog.Product) *catalog.Product {
	s.t.Helper()
	s.must(s.Products.Create(s.ctx, ports.ProductWrite{Product: p}))
	return p
}

func (s *shop) get(p *catalog.Product) *catalog.Product {
	s.t.Helper()
	got, err := s.Products.Get(s.ctx, s.project.ID, p.ID)
	s.must(err)
	return got
}

// updateTo replaces a product.
func (s *shop) updateTo(w ports.ProductWrite) error {
	_, err := s.Products.Update(s.ctx, s.project.ID, w.Product.ID, func(*catalog.Product) (ports.ProductWrite, error) { return w, nil })
	return err
}

func (s *shop) version() int64 {
	s.t.Helper()
	p, err := s.Storefronts.ByProject(s.ctx, s.project.ID)
	s.must(err)
	return p.CatalogVersion
}

func productRoundTrip(s *shop) {
	full := s.rich()
	bare := &catalog.Product{
		ID: random[id.Product](), Project: s.project.ID, SKU: "BARE-" + s.project.ID.String(), Name: "x", Price: usd(1),
		Variants: []catalog.Variant{{ID: random[id.Variant](), SKU: "BARE-" + s.project.ID.String()}},
		Status:   catalog.Archived, CreatedAt: noon, UpdatedAt: noon,
	}
	for _, want := range []*catalog.Product{full, bare} {
		same(s.t, "product", s.get(s.create(want)), want)
	}
}

func productUpdate(s *shop) {
	before := s.create(s.rich())
	want := s.rich()
	want.ID, want.CreatedAt = before.ID, before.CreatedAt
	want.Variants[1].ID, want.Variants[1].SKU = before.Variants[0].ID, before.Variants[0].SKU // one stays, in another place
	want.Status, want.Negotiable, want.Cost, want.Price = catalog.Archived, false, nil, usd(1_00)
	got, err := s.Products.Update(s.ctx, s.project.ID, before.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		same(s.t, "to be changed", p, before)
		return ports.ProductWrite{Product: want, Stock: []catalog.Stock{{Variant: want.Variants[0].ID, Quantity: 4}}}, nil
	})
	s.must(err)
	same(s.t, "returned", got, want)
	same(s.t, "stored", s.get(want), want)
	same(s.t, "stock", s.stock(want), map[string]int{project.DefaultLocation: 4})
}

func productFailedChange(s *shop) {
	p := s.product(3)
	before, version := s.get(p), s.version()
	_, err := s.Products.Update(s.ctx, s.project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Name, p.Variants[0].SKU = "changed", "changed"
		return ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 9}}}, errPlain
	})
	same(s.t, "error", err, errPlain)
	taken := s.rich()
	taken.Variants[1].SKU = p.SKU
	err = s.Products.Create(s.ctx, ports.ProductWrite{Product: taken})
	wantFault(s.t, err, fault.Conflict, "sku_taken")
	_, err = s.Products.Get(s.ctx, s.project.ID, taken.ID)
	wantFault(s.t, err, fault.NotFound, "product_not_found")
	same(s.t, "product", s.get(p), before)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3})
	same(s.t, "version", s.version(), version)
}

func productNoAliasing(s *shop) {
	want := s.create(s.rich())
	got := s.get(want)
	got.Name, got.Attributes["weight"], got.Tags[0], got.Images[0].Alt = "changed", "changed", "changed", "changed"
	got.Variants[0].SKU, *got.Cost = "changed", usd(1)
	same(s.t, "stored", s.get(want), want)
	written := *want
	want.Attributes = map[string]string{"weight": "changed"}
	same(s.t, "stored after the writer changed its own", s.get(want), &written)
}

func productUnknown(s *shop) {
	theirs := openShop(s.t, s.Stores).product(1)
	for _, unknown := range []id.Product{random[id.Product](), theirs.ID} {
		_, err := s.Products.Get(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "product_not_found")
		_, err = s.Products.Update(s.ctx, s.project.ID, unknown, func(p *catalog.Product) (ports.ProductWrite, error) {
			s.t.Error("a change was asked for")
			return ports.ProductWrite{Product: p}, nil
		})
		wantFault(s.t, err, fault.NotFound, "product_not_found")
		wantFault(s.t, s.Products.Delete(s.ctx, s.project.ID, unknown, noon), fault.NotFound, "product_not_found")
	}
	orphan := s.rich()
	orphan.Project = random[id.Project]()
	err := s.Products.Create(s.ctx, ports.ProductWrite{Product: orphan})
	wantFault(s.t, err, fault.NotFound, "project_not_found")
}

func productDelete(s *shop) {
	p := s.product(3)
	s.must(s.Products.Delete(s.ctx, s.project.ID, p.ID, noon))
	_, err := s.Products.Get(s.ctx, s.project.ID, p.ID)
	wantFault(s.t, err, fault.NotFound, "product_not_found")
	wantFault(s.t, s.Products.Delete(s.ctx, s.project.ID, p.ID, noon), fault.NotFound, "product_not_found")
	same(s.t, "stock", s.stock(p), map[string]int{})
	_, total, err := s.Products.List(s.ctx, s.project.ID, ports.ProductFilter{}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "total", total, 0)
	again := s.rich()
	again.SKU, again.Variants = p.SKU, []catalog.Variant{{ID: random[id.Variant](), SKU: p.SKU}}
	same(s.t, "a product of the same sku", s.get(s.create(again)), again)
}

func productDroppedVariants(s *shop) {
	p := s.product(1, 2, 3)
	s.keep(p, "north", 4)
	p.Variants = []catalog.Variant{p.Variants[2]}
	s.must(s.updateTo(ports.ProductWrite{Product: p}))
	levels, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{p.ID})
	s.must(err)
	v := p.Variants[0]
	same(s.t, "levels", levels, []catalog.Level{{Product: p.ID, Variant: v.ID, SKU: v.SKU, Location: "main", Quantity: 3}})
}

func productStockStays(s *shop) {
	p := s.product(3)
	s.keep(p, "north", 4)
	p.Name = "New name"
	s.must(s.updateTo(ports.ProductWrite{Product: p}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3, "north": 4})
	s.must(s.updateTo(ports.ProductWrite{Product: p, Stock: []catalog.Stock{{Variant: p.Variants[0].ID, Quantity: 0}}}))
	same(s.t, "stock", s.stock(p), map[string]int{"main": 0, "north": 4})
}

// A sku is taken whether the other product has it for itself or for a variant.
func productSKUTaken(s *shop) {
	other := s.create(s.rich())
	for _, sku := range []string{other.SKU, other.Variants[0].SKU} {
		own, forVariant := s.rich(), s.rich()
		own.SKU, forVariant.Variants[1].SKU = sku, sku
		for _, p := range []*catalog.Product{own, forVariant} {
			err := s.Products.Create(s.ctx, ports.ProductWrite{Product: p})
			wantFault(s.t, err, fault.Conflict, "sku_taken")
			wantDetail(s.t, err, "sku")
			changed := *p
			changed.ID = s.create(s.rich()).ID
			wantFault(s.t, s.updateTo(ports.ProductWrite{Product: &changed}), fault.Conflict, "sku_taken")
		}
	}
	same(s.t, "the owner", s.get(other), other)
}

func productSKUElsewhere(s *shop) {
	p := s.create(s.rich())
	twin := *p
	neighbour := openShop(s.t, s.Stores)
	twin.Project, twin.Name = neighbour.project.ID, "Twin"
	neighbour.create(&twin)
	same(s.t, "ours", s.get(p), p)
	same(s.t, "theirs", neighbour.get(&twin), &twin)
}

func productSKURace(s *shop) {
	sku := random[id.Product]().String()
	same(s.t, "winners", s.race("sku_taken", func(i int) error {
		p := s.rich()
		if i%2 == 0 {
			p.SKU = sku
		} else {
			p.Variants[0].SKU = sku
		}
		return s.Products.Create(s.ctx, ports.ProductWrite{Product: p})
	}), 1)
}

func productUpdateRace(s *shop) {
	p := s.product(0)
	before := s.version()
	s.must(atOnce(racers, func(int) error {
		_, err := s.Products.Update(s.ctx, s.project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
			p.Reviews.Count++
			return ports.ProductWrite{Product: p}, nil
		})
		return err
	}))
	same(s.t, "changes", s.get(p).Reviews.Count, racers)
	same(s.t, "versions", s.version()-before, int64(racers))
}

func productVersions(s *shop) {
	same(s.t, "a new project's", s.version(), int64(0))
	p := s.product(1)
	same(s.t, "after create", s.version(), int64(1))
	s.must(s.updateTo(ports.ProductWrite{Product: p}))
	same(s.t, "after update", s.version(), int64(2))
	s.must(s.Products.Delete(s.ctx, s.project.ID, p.ID, noon))
	same(s.t, "after delete", s.version(), int64(3))
	_, err := s.change(func(p *project.Project) error {
		p.Name, p.CatalogVersion = "changed", 99
		return nil
	})
	s.must(err)
	same(s.t, "after a change of the project", s.version(), int64(3))
}

func productCurrency(s *shop) {
	p := s.rich()
	_, err := s.change(func(p *project.Project) error {
		return p.Change(project.Change{Settings: project.SettingsPatch{Currency: patch.To("EUR")}}, noon)
	})
	s.must(err)
	wantFault(s.t, s.Products.Create(s.ctx, ports.ProductWrite{Product: p}), fault.Conflict, "currency_changed")
	eur := s.byID(s.project.ID).Settings.Currency
	p.Price, p.Cost, p.CompetitorPrice, p.Variants[1].Price = money.Of(1_00, eur), nil, nil, nil
	same(s.t, "in the new currency", s.get(s.create(p)), p)
}

func productList(s *shop) {
	var all []*catalog.Product
	for i := range 6 {
		p := s.rich()
		p.CreatedAt = noon.Add(time.Duration(i/2) * time.Second)
		all = append(all, s.create(p))
	}
	slices.SortFunc(all, func(a, b *catalog.Product) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	for _, page := range []ports.Page{{Limit: 100}, {Limit: 3, Offset: 1}, {Limit: 1, Offset: 5}, {Limit: 1, Offset: 6}} {
		got, total, err := s.Products.List(s.ctx, s.project.ID, ports.ProductFilter{}, page)
		s.must(err)
		same(s.t, "page", got, part(all, page))
		same(s.t, "total", total, len(all))
	}
}

func productFilter(s *shop) {
	for i, category := range []string{"outdoor/tents", "outdoor/tents/light", "outdoor/tents-old", "outdoor", "", "Outdoor/tents"} {
		p := s.rich()
		p.SKU, p.Name, p.Category = fmt.Sprintf("AB_%d%%", i), fmt.Sprintf("ÆBLE Tent %d", i), category
		if i%2 == 1 {
			p.Status = catalog.Archived
		}
		s.create(p)
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
		{ports.ProductFilter{Status: "active", Category: "outdoor/tents", Text: "ab_2"}, 0},
	} {
		list, total, err := s.Products.List(s.ctx, s.project.ID, ask.filter, ports.Page{Limit: 100})
		s.must(err)
		if len(list) != ask.want || total != ask.want {
			s.t.Errorf("%+v finds %d, total %d; want %d", ask.filter, len(list), total, ask.want)
		}
		for _, p := range list {
			same(s.t, "variants", len(p.Variants), 2)
		}
	}
}
