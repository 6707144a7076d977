package search_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// stuffed returns products whose text is in one kind of field and contains no new words.
func stuffed(products int, fill func(*catalog.Product, string)) []*catalog.Product {
	list := make([]*catalog.Product, products)
	for n := range list {
		sku := fmt.Sprintf("F%06d", n)
		p := &catalog.Product{
			ID:       id.Stored[id.Product]("prod_" + sku),
			Project:  benchProject,
			SKU:      sku,
			Status:   catalog.Active,
			Name:     "Garden lamp " + sku,
			Price:    money.Of(10_00, money.USD),
			Variants: []catalog.Variant{{ID: id.Stored[id.Variant]("var_" + sku), SKU: sku}},
		}
		fill(p, sku)
		list[n] = p
	}
	return list
}

// texts returns n texts of size bytes each.
func texts(n, size int, sku string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Repeat("lamp ", size/5) + sku[:1]
	}
	return list
}

// The index reports the memory of every field that a merchant can fill, and stays within its limit.
func TestAllowance_everyField(t *testing.T) {
	t.Parallel()
	const limit, each = 16 * megabyte, 40_000
	for name, fill := range map[string]func(*catalog.Product, string){
		"descriptions": func(p *catalog.Product, sku string) { p.Description = texts(1, each, sku)[0] },
		"reviews":      func(p *catalog.Product, sku string) { p.Reviews.Summary = texts(1, each, sku)[0] },
		"tags":         func(p *catalog.Product, sku string) { p.Tags = texts(100, each/100, sku) },
		"related":      func(p *catalog.Product, sku string) { p.Related = texts(50, each/50, sku) },
		"attributes": func(p *catalog.Product, sku string) {
			p.Attributes = make(map[string]string)
			for i, text := range texts(100, each/100, sku) {
				p.Attributes[fmt.Sprint("a", i)] = text
			}
		},
		"variants": func(p *catalog.Product, sku string) {
			for i, text := range texts(99, each/99, sku) {
				name := fmt.Sprintf("%s-%d", sku, i)
				p.Variants = append(p.Variants, catalog.Variant{
					ID:    id.Stored[id.Variant]("var_" + name),
					SKU:   name,
					Size:  text,
					Color: fmt.Sprint(i),
				})
			}
		},
	} {
		products := stuffed(400, fill)
		x := search.New(search.Options{Memory: limit, Log: slog.New(slog.DiscardHandler)})
		for n := range 4 {
			x.Apply(benchProject, ports.CatalogChanges{
				Version: int64(n + 1),
				Since:   int64(n),
				Changed: products[n*100 : (n+1)*100],
			})
		}
		settle(t, x)
		state := x.State(benchProject)
		t.Logf("%s: %d products, %.1f MB, %+v", name, state.Products, float64(state.Bytes)/megabyte, state.LeftOut)
		if state.Bytes > limit/2 || state.Bytes < limit/4 || !state.LeftOut.Products || state.Products == 0 {
			t.Errorf("%s: 400 products of %d KB take %d KB of %d, %+v", name, each>>10, state.Bytes>>10, int64(limit/2)>>10, state)
		}
		x.Close()
	}
}

// Once products are shorter or removed, those that were left out are found again.
func TestEmptied_leftOutReturns(t *testing.T) {
	t.Parallel()
	const limit = 16 * megabyte
	long := stuffed(400, func(p *catalog.Product, sku string) { p.Description = texts(1, 40_000, sku)[0] })
	short := stuffed(400, func(p *catalog.Product, sku string) { p.Description = "lamp" })
	gone := make([]id.Product, 300)
	for i := range gone {
		gone[i] = long[i].ID
	}
	for name, change := range map[string]struct {
		changes ports.CatalogChanges
		then    []*catalog.Product
	}{
		"edited": {ports.CatalogChanges{
			Version: 2,
			Since:   1,
			Changed: short,
		}, short},
		"deleted": {ports.CatalogChanges{
			Version: 2,
			Since:   1,
			Removed: gone,
		}, long[300:]},
	} {
		x := search.New(search.Options{Memory: limit, Log: slog.New(slog.DiscardHandler)})
		x.Apply(benchProject, ports.CatalogChanges{Version: 1, Changed: long})
		if !x.State(benchProject).LeftOut.Products {
			t.Fatalf("%s: nothing is left out: %+v", name, x.State(benchProject))
		}
		x.Apply(benchProject, change.changes)
		if x.Version(benchProject) == 0 { // it has to be rebuilt
			x.Apply(benchProject, ports.CatalogChanges{Version: 2, Changed: change.then})
		}
		settle(t, x)
		if state := x.State(benchProject); state.LeftOut != (ports.LeftOut{}) || state.Products != len(change.then) {
			t.Errorf("%s: %d products are left, the index has %d and leaves out %+v", name, len(change.then), state.Products, state.LeftOut)
		}
		x.Close()
	}
}

// A changed product stays in a full index.
func TestAllowance_editKeepsProducts(t *testing.T) {
	t.Parallel()
	x := search.New(search.Options{Memory: 16 * megabyte, Log: slog.New(slog.DiscardHandler)})
	defer x.Close()
	fill := func(p *catalog.Product, sku string) { p.Description = texts(1, 40_000, sku)[0] }
	x.Apply(benchProject, ports.CatalogChanges{Version: 1, Changed: stuffed(400, fill)})
	before := x.State(benchProject)
	for n := range 20 {
		edited := stuffed(1, func(p *catalog.Product, sku string) { fill(p, sku); p.Brand = fmt.Sprint("brand ", n) })
		x.Apply(benchProject, ports.CatalogChanges{
			Version: int64(n + 2),
			Since:   int64(n + 1),
			Changed: edited,
		})
	}
	settle(t, x)
	if after := x.State(benchProject); !before.LeftOut.Products || after.Products != before.Products {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// The memory of a merchant's synonyms and category names is counted, too.
func TestBytes_synonymsAndNames(t *testing.T) {
	t.Parallel()
	synonyms := make([]catalog.Synonym, 1000)
	for i := range synonyms {
		for k := range 20 {
			synonyms[i].Words = append(synonyms[i].Words, strings.Repeat("w", 60)+fmt.Sprintf(" %d %d", i, k))
		}
	}
	products := stuffed(1000, func(p *catalog.Product, sku string) {
		p.Category, p.Brand = sku+strings.Repeat("c", 400), sku+strings.Repeat("b", 150)
	})
	for name, c := range map[string]struct {
		with, without ports.CatalogChanges
	}{
		"synonyms": {ports.CatalogChanges{Version: 1, Synonyms: &synonyms}, ports.CatalogChanges{Version: 1}},
		"names": {ports.CatalogChanges{Version: 1, Changed: products}, ports.CatalogChanges{Version: 1, Changed: stuffed(1000,
			func(p *catalog.Product, _ string) {
				p.Category, p.Brand = strings.Repeat("c", 407), strings.Repeat("b", 157)
			})}},
	} {
		says := func(changes ports.CatalogChanges) int64 {
			x := search.New(search.Options{})
			defer x.Close()
			x.Apply(benchProject, changes)
			return x.State(benchProject).Bytes
		}
		with, without := says(c.with), says(c.without)
		t.Logf("%s: %.2f MB", name, float64(with-without)/megabyte)
		if with-without < megabyte {
			t.Errorf("%s: the index says that they take %d bytes", name, with-without)
		}
	}
}
