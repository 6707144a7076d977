package adaptertest

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// window is a project's catalogue as its index shows it.
type window struct {
	t       testing.TB
	index   ports.Index
	project id.Project
	version int64
	levels  map[id.Product][]catalog.Level
}

// product is one at 100.00 with a piece in stock, not applied yet.
func (w *window) product(name string, change ...func(*catalog.Product)) *catalog.Product {
	product := porttest.Random[id.Product]()
	p := &catalog.Product{
		ID:        product,
		Project:   w.project,
		SKU:       product.String(),
		Name:      name,
		Category:  "outdoor/gear",
		Price:     porttest.USD(100_00),
		Status:    catalog.Active,
		CreatedAt: porttest.Noon,
		UpdatedAt: porttest.Noon,
		Variants:  []catalog.Variant{{ID: porttest.Random[id.Variant](), SKU: product.String()}},
	}
	for _, c := range change {
		c(p)
	}
	w.stock(p, 1)
	return p
}

// stock is what the next apply brings for each variant, at main.
func (w *window) stock(p *catalog.Product, quantity int) {
	w.levels[p.ID] = nil
	for _, v := range p.Variants {
		l := catalog.Level{
			Product:  p.ID,
			Variant:  v.ID,
			SKU:      v.SKU,
			Location: "main",
			Quantity: quantity,
		}
		w.levels[p.ID] = append(w.levels[p.ID], l)
	}
}

func (w *window) changes(products ...*catalog.Product) ports.CatalogChanges {
	w.version++
	c := ports.CatalogChanges{Version: w.version, Changed: products}
	for _, p := range products {
		c.Levels = append(c.Levels, w.levels[p.ID]...)
	}
	return c
}

func (w *window) apply(products ...*catalog.Product) {
	w.index.Apply(w.project, w.changes(products...))
}

func (w *window) search(q catalog.Query) catalog.Found {
	w.t.Helper()
	found, err := w.index.Search(ports.NewOutbound(w.t.Context()), w.project, q)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, hit := range found.Hits {
		if hit.Score <= 0 || hit.Score >= 1000 || hit.Score > found.Confidence {
			w.t.Errorf("%q has score %d, confidence %d", hit.Product.Name, hit.Score, found.Confidence)
		}
	}
	return found
}

// finds expects exactly these names, in order.
func (w *window) finds(q catalog.Query, names ...string) {
	w.t.Helper()
	if got := namesOf(w.search(q)); !slices.Equal(got, names) {
		w.t.Errorf("%+v finds %q, want %q", q, got, names)
	}
}

// findsAll expects these names in any order.
func (w *window) findsAll(f catalog.Filter, names ...string) {
	w.t.Helper()
	got := namesOf(w.search(catalog.Query{Filter: f, Limit: 100}))
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		w.t.Errorf("%+v finds %q, want %q", f, got, names)
	}
}

func namesOf(found catalog.Found) []string {
	names := make([]string, len(found.Hits))
	for i, hit := range found.Hits {
		names[i] = hit.Product.Name
	}
	return names
}

func text(words string) catalog.Query { return catalog.Query{Text: words} }
