package catalogs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeProducts stores products in memory and records its transactions.
type fakeProducts struct {
	ports.Products
	products     map[string]*catalog.Product // by sku
	transactions [][]string                  // the skus of each
	down         bool
}

func (s *fakeProducts) Upsert(_ context.Context, _ id.Project, keys ports.ProductKeys,
	change func(ports.KnownProducts) []ports.ProductWrite) (map[int]error, error) {
	if s.down {
		return nil, errors.New("the database is away")
	}
	known := ports.KnownProducts{BySKU: map[string]*catalog.Product{}}
	for _, sku := range keys.SKUs {
		if p, ok := s.products[sku]; ok {
			known.BySKU[sku] = p
		}
	}
	change(known) // may run more than once
	failed := map[int]error{}
	var written []string
	for i, w := range change(known) {
		if w.Product.SKU == "taken" {
			failed[i] = fault.New(fault.Conflict, "sku_taken", "The sku is in use.").With("sku", "is in use")
			continue
		}
		s.products[w.Product.SKU] = w.Product
		written = append(written, w.Product.SKU)
	}
	s.transactions = append(s.transactions, written)
	return failed, nil
}

func (s *fakeProducts) Create(_ context.Context, w ports.ProductWrite) error {
	s.products[w.Product.SKU] = w.Product
	return nil
}

// fakeIndex is a loaded index at version 1. It records changes and stock.
type fakeIndex struct {
	ports.Index
	applied   []int64
	restocked map[id.Variant]int
}

func (i *fakeIndex) Version(id.Project) int64 { return 1 }
func (i *fakeIndex) Apply(_ id.Project, c ports.CatalogChanges) {
	i.applied = append(i.applied, c.Version)
}
func (i *fakeIndex) Restock(_ id.Project, totals map[id.Variant]int) { i.restocked = totals }

type fakeReader struct{ ports.CatalogReader }

func (fakeReader) Changes(_ context.Context, _ id.Project, since int64) (ports.CatalogChanges, error) {
	return ports.CatalogChanges{Version: since + 1}, nil
}

// fakeInventory has one variant with pieces at two locations, or the stock in counted.
type fakeInventory struct {
	ports.Inventory
	set     []ports.StockSet
	shelf   *fakeProducts  // nil: the one variant
	counted map[string]int // at the default location, by the sku of a product
}

var shirt = id.New[id.Variant]([16]byte{7})

func (s *fakeInventory) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return []catalog.Level{{Variant: shirt, Quantity: 3}, {Variant: shirt, Location: "b", Quantity: 4}}, nil
}

func (s *fakeInventory) ShelvesOf(ctx context.Context, p id.Project, products []id.Product) (shelves []catalog.Shelf, err error) {
	if s.shelf != nil {
		for sku, n := range s.counted {
			v := s.shelf.products[sku].Variants[0].ID
			shelves = append(shelves,
				catalog.Shelf{Level: catalog.Level{
					Variant:  v,
					Location: project.DefaultLocation,
					Quantity: n - 1,
				}, Held: 1},
				catalog.Shelf{Level: catalog.Level{
					Variant:  v,
					Location: "other",
					Quantity: n + 1,
				}})
		}
		return shelves, nil
	}
	levels, err := s.LevelsOf(ctx, p, products)
	for _, l := range levels {
		shelves = append(shelves, catalog.Shelf{Level: l, Held: 1})
	}
	return shelves, err
}

func (s *fakeInventory) Set(_ context.Context, _ id.Project, levels []ports.StockSet) ([]catalog.Shelf, error) {
	s.set = levels
	return []catalog.Shelf{{Level: catalog.Level{Variant: shirt}}}, nil
}

type system struct{ n byte }

func (s *system) Now() time.Time    { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
func (s *system) Bits128() [16]byte { s.n++; return [16]byte{s.n} }

func (s *system) IDBits() [16]byte  { return s.Bits128() }
func (s *system) Secret(int) string { return "" }

type fixture struct {
	*catalogs.Service
	shelf   *fakeProducts
	index   *fakeIndex
	stock   *fakeInventory
	project *project.Project
}

func newFixture() fixture {
	products, found, levels, sys := &fakeProducts{products: map[string]*catalog.Product{}}, &fakeIndex{}, &fakeInventory{}, &system{}
	return fixture{
		&catalogs.Service{
			Stores: &ports.Stores{
				Products:     products,
				BulkProducts: products,
				Catalog:      fakeReader{},
				Inventory:    levels,
				Index:        found,
			},
			Clock:   sys,
			Entropy: sys,
		},
		products, found, levels, &project.Project{Settings: project.DefaultSettings()},
	}
}

func line(number int, sku string, price int64) catalogs.Line {
	return catalogs.Line{Number: number, Draft: catalog.Draft{
		SKU:   patch.To(sku),
		Name:  patch.To("Thing " + sku),
		Price: patch.To(money.Of(price, money.USD)),
	}}
}

func TestUpsert_outcomes(t *testing.T) {
	t.Parallel()
	s := newFixture()
	unread := line(3, "c", 0)
	unread.Err = fault.Field("price", "has more decimals than USD has")
	unread.Draft.Name = patch.To("")
	lines := []catalogs.Line{line(0, "a", 100), line(1, "", 100), line(2, "taken", 100), unread, line(4, "a", 250), line(5, "b", -1)}
	results, err := s.Upsert(t.Context(), s.project, lines)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		text := r.SKU + ":" + r.Outcome.String()
		var e *fault.Error
		if errors.As(r.Err, &e) {
			for _, d := range e.Details {
				text += " " + d.Field
			}
		}
		if (r.Err == nil) == r.Product.IsZero() {
			t.Errorf("%s has product %v", text, r.Product)
		}
		got = append(got, text)
	}
	want := []string{"a:created", ":failed sku", "taken:failed sku", "c:failed price name", "a:updated", "b:failed price"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if s.shelf.products["a"].Price.Minor() != 250 || results[0].Product != results[4].Product {
		t.Errorf("the later line of a sku does not count: %v", s.shelf.products["a"])
	}
	if len(s.index.applied) != 1 {
		t.Errorf("the index was updated %v times", len(s.index.applied))
	}
}

func TestAllProblems_joined(t *testing.T) {
	t.Parallel()
	s := newFixture()
	l := line(0, "a", 0)
	l.Draft.Name, l.Err = patch.To(""), fault.Field("price", "has more decimals than USD has")
	_, err := s.Create(t.Context(), s.project, l)
	var e *fault.Error
	if !errors.As(err, &e) || len(e.Details) != 2 || e.Details[0].Message != "has more decimals than USD has" || len(s.shelf.products) != 0 {
		t.Errorf("%v", err)
	}
}

// A joined error keeps the kind, code and details of the fields that could not be read, and their own error is not modified.
func TestAllProblems_unreadKind(t *testing.T) {
	t.Parallel()
	s := newFixture()
	l := line(0, "a", 0)
	unread := fault.New(fault.Malformed, "invalid_request", "The line is malformed.").With("images", "is no list")
	l.Draft.Name, l.Err = patch.To(""), unread
	_, err := s.Create(t.Context(), s.project, l)
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Malformed || e.Code != "invalid_request" || len(e.Details) != 3 || e.Details[0].Field != "images" {
		t.Errorf("%v", err)
	}
	if len(unread.Details) != 1 {
		t.Errorf("the line's own error now has %v", unread.Details)
	}
}

func TestAfterWrite_product(t *testing.T) {
	t.Parallel()
	s := newFixture()
	item, err := s.Create(t.Context(), s.project, line(0, "a", 100))
	if err != nil || !slices.Equal(s.index.applied, []int64{2}) || item.Stock[shirt] != 9 {
		t.Errorf("%v, %v, %v", s.index.applied, item.Stock, err)
	}
	if _, err := s.SetStock(t.Context(), s.project, []ports.StockSet{{SKU: "a", Quantity: 3}}); err != nil {
		t.Fatal(err)
	}
	if s.index.restocked[shirt] != 7 || s.stock.set[0].Location != project.DefaultLocation {
		t.Errorf("restocked %v, set %v", s.index.restocked, s.stock.set)
	}
}

func TestSetStock_invalid(t *testing.T) {
	t.Parallel()
	s := newFixture()
	_, err := s.SetStock(t.Context(), s.project, []ports.StockSet{
		{SKU: "a", Quantity: 1}, {SKU: "a", Location: "main", Quantity: 2}, {Location: "A B", Quantity: -1},
	})
	wantFields(t, err, "levels.1.sku", "levels.2.sku", "levels.2.location", "levels.2.quantity")
	_, err = s.AdjustStock(t.Context(), s.project, []ports.StockMove{{SKU: "a"}, {SKU: "b", Delta: 1 << 40, Reason: strings.Repeat("x", 201)}})
	wantFields(t, err, "adjustments.0.delta", "adjustments.1.delta", "adjustments.1.reason")
}

func wantFields(t *testing.T, err error, want ...string) {
	t.Helper()
	var e *fault.Error
	errors.As(err, &e)
	var got []string
	if e != nil {
		for _, d := range e.Details {
			got = append(got, d.Field)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
