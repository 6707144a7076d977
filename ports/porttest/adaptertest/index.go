package adaptertest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Index is the contract of ports.Index. open makes an index that has no copy of any catalogue.
func Index(t *testing.T, open func() ports.Index) {
	for name, test := range map[string]func(*window){
		"an unknown project has nothing":                  indexUnknown,
		"what was applied is found":                       indexFound,
		"changes it already has are ignored":              indexOlder,
		"updates, archived and removed products":          indexUpdated,
		"projects are apart":                              indexApart,
		"stock counts over all locations, then by total":  indexStock,
		"an empty text finds all, in stock first":         indexBrowse,
		"all words before some, the name before the rest": indexOrder,
		"a category has what is below it":                 indexCategory,
		"one variant passes the whole filter":             indexVariants,
		"preferred colours lift and exclude none":         indexPrefer,
		"total and facets count every match":              indexFacets,
		"odd texts are answered":                          indexOddTexts,
		"a canceled search is an error":                   indexCanceled,
		"complements":                                     indexComplements,
		"racing changes leave the newest":                 indexRace,
		"readers see whole changes":                       indexReaders,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&window{
				t:       t,
				index:   open(),
				project: porttest.Random[id.Project](),
				levels:  map[id.Product][]catalog.Level{},
			})
		})
	}
}

func indexUnknown(w *window) {
	if v := w.index.Version(w.project); v != 0 {
		w.t.Errorf("version %d of nothing", v)
	}
	w.index.Restock(w.project, map[id.Variant]int{porttest.Random[id.Variant](): 5})
	found := w.search(text("tent"))
	if len(found.Hits) != 0 || found.Total != 0 || found.Confidence != 0 {
		w.t.Errorf("found %+v", found)
	}
	if c := w.index.Complements(w.project, []id.Product{porttest.Random[id.Product]()}, 3); len(c) != 0 {
		w.t.Errorf("complements %+v", c)
	}
}

func indexFound(w *window) {
	w.apply(w.product("Ridgeline Tent"), w.product("Camp Stove"))
	if v := w.index.Version(w.project); v != 1 {
		w.t.Errorf("version %d, want 1", v)
	}
	found := w.search(text("tent"))
	if len(found.Hits) != 1 || found.Hits[0].Product.Name != "Ridgeline Tent" || found.Total != 1 {
		w.t.Fatalf("found %+v", found)
	}
	if len(found.Hits[0].Reasons) == 0 {
		w.t.Error("no reason is given")
	}
	if found.Confidence != found.Hits[0].Score {
		w.t.Errorf("confidence %d in a best hit of %d", found.Confidence, found.Hits[0].Score)
	}
}

func indexOlder(w *window) {
	first := w.changes(w.product("Old Tent"))
	second := w.changes(w.product("New Tent"))
	w.index.Apply(w.project, second)
	w.index.Apply(w.project, first)
	w.finds(text("tent"), "New Tent")
	w.index.Apply(w.project, ports.CatalogChanges{Version: second.Version, Removed: []id.Product{second.Changed[0].ID}})
	w.finds(text("tent"), "New Tent")
}

func indexUpdated(w *window) {
	tent, stove, lamp := w.product("Tent"), w.product("Stove"), w.product("Lamp")
	w.apply(tent, stove, lamp)
	renamed, archived := *tent, *stove
	renamed.Name, archived.Status = "Kayak", catalog.Archived
	w.apply(&renamed, &archived)
	w.finds(text("tent stove"))
	w.finds(text("kayak"), "Kayak")
	w.findsAll(catalog.Filter{}, "Kayak", "Lamp")
	w.version++
	w.index.Apply(w.project, ports.CatalogChanges{Version: w.version, Removed: []id.Product{lamp.ID}})
	w.findsAll(catalog.Filter{}, "Kayak")
	w.apply(stove)
	w.findsAll(catalog.Filter{}, "Kayak", "Stove")
}

func indexApart(w *window) {
	w.apply(w.product("Tent"))
	other := *w
	other.project = porttest.Random[id.Project]()
	other.finds(text("tent"))
	w.finds(text("tent"), "Tent")
}

func indexStock(w *window) {
	a, b := w.product("Tent"), w.product("Tent")
	w.stock(a, 0)
	w.levels[a.ID] = append(w.levels[a.ID], catalog.Level{
		Product:  a.ID,
		Variant:  a.Variants[0].ID,
		Location: "east",
		Quantity: 2,
	})
	w.stock(b, 0)
	w.apply(a, b)
	first := func() id.Product {
		found := w.search(text("tent"))
		if found.Total != 2 {
			w.t.Fatalf("found %d of 2", found.Total)
		}
		return found.Hits[0].Product.ID
	}
	porttest.Same(w.t, "first, with stock in the east", first(), a.ID)
	w.index.Restock(w.project, map[id.Variant]int{a.Variants[0].ID: 0, b.Variants[0].ID: 3, porttest.Random[id.Variant](): 9})
	porttest.Same(w.t, "first, after restocking", first(), b.ID)
	w.apply(w.product("Stove"))
	porttest.Same(w.t, "first, after an unrelated change", first(), b.ID)
}

func indexBrowse(w *window) {
	gone, there := w.product("A tent"), w.product("Z stove")
	gone.Reviews = catalog.Reviews{Average: 500, Count: 900}
	w.stock(gone, 0)
	w.apply(gone, there)
	w.finds(catalog.Query{}, "Z stove", "A tent")
	w.finds(catalog.Query{Text: "  ", Limit: 1}, "Z stove")
}

func indexOrder(w *window) {
	w.apply(
		w.product("Green tent"),
		w.product("Green tent, lightweight"),
		w.product("Stove", func(p *catalog.Product) { p.Description = "Burns beside every lightweight green tent." }),
	)
	w.finds(catalog.Query{Text: "lightweight green tent", Limit: 2}, "Green tent, lightweight", "Stove")
	w.finds(text("lightweight green tent"), "Green tent, lightweight", "Stove", "Green tent")
	got := namesOf(w.search(text("tent")))
	if len(got) != 3 || got[2] != "Stove" {
		w.t.Errorf("tent finds %q, want the stove last", got)
	}
}

func indexCategory(w *window) {
	in := func(category string) func(*catalog.Product) {
		return func(p *catalog.Product) { p.Category = category }
	}
	w.apply(
		w.product("top", in("outdoor")), w.product("below", in("Outdoor/Tents")),
		w.product("deep", in("outdoor/tents/family")), w.product("else", in("outdoors/tents")), w.product("none", in("")),
	)
	w.findsAll(catalog.Filter{Categories: []string{"outdoor"}}, "top", "below", "deep")
	w.findsAll(catalog.Filter{Categories: []string{"OUTDOOR/tents"}}, "below", "deep")
	w.findsAll(catalog.Filter{Categories: []string{"outdoor/ten"}})
	w.findsAll(catalog.Filter{Categories: []string{"Outdoors", "outdoor/tents"}}, "below", "deep", "else")
	w.findsAll(catalog.Filter{}, "top", "below", "deep", "else", "none")
}

func indexVariants(w *window) {
	variant := func(size, color string, price int64) catalog.Variant {
		v := catalog.Variant{
			ID:    porttest.Random[id.Variant](),
			SKU:   porttest.Random[id.Variant]().String(),
			Size:  size,
			Color: color,
		}
		if price > 0 {
			amount := porttest.USD(price)
			v.Price = &amount
		}
		return v
	}
	jacket := w.product("jacket", func(p *catalog.Product) {
		p.Variants = []catalog.Variant{variant("M", "Green", 0), variant("L", "Red", 80_00), variant("S", "Green", 120_00)}
	})
	lamp := w.product("lamp", func(p *catalog.Product) {
		p.Price, p.Attributes = porttest.USD(30_00), map[string]string{"product_colour": "Green"}
	})
	w.apply(jacket, lamp)
	at := func(price int64) *money.Amount { a := porttest.USD(price); return &a }
	w.findsAll(catalog.Filter{Size: "m"}, "jacket")
	w.findsAll(catalog.Filter{Size: "XL"})
	w.findsAll(catalog.Filter{Colors: []string{"GREEN"}}, "jacket", "lamp")
	w.findsAll(catalog.Filter{Colors: []string{"blue", "red"}}, "jacket")
	w.findsAll(catalog.Filter{Colors: []string{"blue"}})
	w.findsAll(catalog.Filter{PriceMax: at(100_00)}, "jacket", "lamp")
	w.findsAll(catalog.Filter{PriceMax: at(79_99)}, "lamp")
	w.findsAll(catalog.Filter{PriceMax: at(100_00), Size: "S"})
	w.findsAll(catalog.Filter{PriceMax: at(90_00), Colors: []string{"green"}}, "lamp")
	w.findsAll(catalog.Filter{
		PriceMax: at(100_00),
		Size:     "M",
		Colors:   []string{"green"},
	}, "jacket")
}

func indexPrefer(w *window) {
	red := func(p *catalog.Product) { p.Variants[0].Color = "Red" }
	w.apply(w.product("Tent", func(p *catalog.Product) { p.Reviews = catalog.Reviews{Average: 500, Count: 99} }), w.product("Tent", red))
	found := w.search(catalog.Query{Text: "tent", Prefer: []string{"red"}})
	if found.Total != 2 || found.Hits[0].Product.Variants[0].Color != "Red" {
		w.t.Errorf("found %+v", found)
	}
}

func indexFacets(w *window) {
	var all []*catalog.Product
	for i := range 40 {
		all = append(all, w.product(fmt.Sprintf("Tent %d", i), func(p *catalog.Product) {
			p.Brand, p.Price = []string{"Ridgeline", "Fjord", "fjord "}[i%3], porttest.USD(int64(10_00+i*i*100))
			p.Variants[0].Color = []string{"Green", "Red"}[min(1, i%4)]
		}))
	}
	w.apply(append(all, w.product("Stove", func(p *catalog.Product) { p.Brand = "Ember" }))...)
	found := w.search(catalog.Query{Text: "tent", Limit: 3})
	if len(found.Hits) != 3 || found.Total != 40 {
		w.t.Errorf("%d hits of %d, want 3 of 40", len(found.Hits), found.Total)
	}
	porttest.Same(w.t, "brands", len(found.Facets.Brands), 2)
	porttest.Same(w.t, "first brand's count", found.Facets.Brands[0].Count, 26)
	porttest.Same(w.t, "colours", found.Facets.Colors, []catalog.Count{{Name: "Red", Count: 30}, {Name: "Green", Count: 10}})
	counted := 0
	for i, r := range found.Facets.PriceRanges {
		counted += r.Count
		if i > 0 && r.Min.Minor() <= found.Facets.PriceRanges[i-1].Max.Minor() {
			w.t.Errorf("price ranges overlap or go down: %+v", found.Facets.PriceRanges)
		}
		up := w.search(catalog.Query{Text: "tent", Filter: catalog.Filter{PriceMax: &r.Max}})
		porttest.Same(w.t, "matches up to "+r.Max.String(), up.Total, counted)
	}
	porttest.Same(w.t, "in all price ranges", counted, 40)
	if n := len(found.Facets.PriceRanges); n < 3 {
		w.t.Errorf("%d price ranges", n)
	}
	most := porttest.USD(340_00)
	narrowed := w.search(catalog.Query{Text: "tent", Filter: catalog.Filter{
		PriceMax: &most,
		Brands:   []string{"RIDGELINE"},
		Colors:   []string{"red"},
	}})
	porttest.Same(w.t, "price ranges of red Ridgeline tents at any price", sum(narrowed.Facets.PriceRanges), w.search(catalog.Query{
		Text: "tent", Filter: catalog.Filter{Brands: []string{"Ridgeline"}, Colors: []string{"red"}},
	}).Total)
	for _, b := range narrowed.Facets.Brands {
		porttest.Same(w.t, "red up to 340.00 of "+b.Name, w.search(catalog.Query{
			Text: "tent", Filter: catalog.Filter{
				PriceMax: &most,
				Brands:   []string{b.Name},
				Colors:   []string{"red"},
			},
		}).Total, b.Count)
	}
	for _, c := range narrowed.Facets.Colors {
		porttest.Same(w.t, "Ridgeline up to 340.00 in "+c.Name, w.search(catalog.Query{
			Text: "tent", Filter: catalog.Filter{
				PriceMax: &most,
				Brands:   []string{"ridgeline"},
				Colors:   []string{c.Name},
			},
		}).Total, c.Count)
	}
}

func sum(ranges []catalog.PriceRange) (n int) {
	for _, r := range ranges {
		n += r.Count
	}
	return n
}

func indexOddTexts(w *window) {
	w.apply(w.product("Zelt für Drei ⛺"), w.product("テント"))
	w.finds(text("ZELT"), "Zelt für Drei ⛺")
	w.finds(text("テント"), "テント")
	for _, odd := range []string{
		"' OR 1=1; DROP TABLE products; --", `"\x00*:(){}[]^~`, "\xff\xfe zelt", "⛺⛺", "zelt\u0301",
		strings.Repeat("zelt ", 400), strings.Repeat("x", 2000), strings.Repeat("-", 2000),
	} {
		w.search(text(odd))
	}
}

func indexCanceled(w *window) {
	w.apply(w.product("Tent"))
	ctx, cancel := context.WithCancel(w.t.Context())
	cancel()
	if _, err := w.index.Search(ports.NewOutbound(ctx), w.project, text("tent")); err == nil {
		w.t.Error("a canceled search answered")
	}
}

func indexComplements(w *window) {
	in := func(category string) func(*catalog.Product) {
		return func(p *catalog.Product) { p.Category = category }
	}
	stove, lamp, soldOut := w.product("Stove", in("outdoor/stoves")), w.product("Lamp", in("home/lamps")), w.product("Peg", in("outdoor/pegs"))
	sibling, shirt := w.product("Other tent"), w.product("Shirt", in("clothing"))
	w.stock(soldOut, 0)
	soldOut.Variants = append(soldOut.Variants, catalog.Variant{
		ID:   porttest.Random[id.Variant](),
		SKU:  "peg-2",
		Size: "L",
	})
	tent := w.product("Tent", func(p *catalog.Product) { p.Related = []string{"unknown", soldOut.SKU, lamp.SKU, p.SKU} })
	w.apply(tent, stove, lamp, soldOut, sibling, shirt)
	expect := func(limit int, names ...string) {
		w.t.Helper()
		var got []string
		for _, c := range w.index.Complements(w.project, []id.Product{tent.ID}, limit) {
			got = append(got, c.Product.Name+c.Variant.Label())
		}
		porttest.Same(w.t, fmt.Sprintf("%d complements", limit), got, names)
	}
	expect(5, "Lamp", "Stove")
	expect(1, "Lamp")
	expect(0)
	w.index.Restock(w.project, map[id.Variant]int{soldOut.Variants[1].ID: 4})
	expect(5, "PegL", "Lamp", "Stove")
}

func indexRace(w *window) {
	tent := w.product("Tent")
	for range 20 {
		var all sync.WaitGroup
		for range porttest.Racers {
			p := *tent
			p.Name = fmt.Sprintf("Tent %d", w.version+1)
			c := w.changes(&p)
			all.Go(func() { w.index.Apply(w.project, c) })
		}
		all.Wait()
		porttest.Same(w.t, "version", w.index.Version(w.project), w.version)
		w.finds(text("tent"), fmt.Sprintf("Tent %d", w.version))
	}
}

// indexReaders lets readers look while every product changes its brand at once, again and again.
func indexReaders(w *window) {
	const products, rounds = 30, 60
	totals := map[id.Variant]int{}
	all := make([]*catalog.Product, products)
	for i := range all {
		all[i] = w.product(fmt.Sprintf("Tent %d", i), func(p *catalog.Product) { p.Brand = "B0" })
		totals[all[i].Variants[0].ID] = i % 3
	}
	w.apply(all...)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for more := true; more; {
				select {
				case <-done:
					more = false
				default:
				}
				found, err := w.index.Search(ports.NewOutbound(w.t.Context()), w.project, text("tent"))
				if err != nil || found.Total != products || len(found.Facets.Brands) != 1 {
					w.t.Errorf("half a change: %d products, brands %+v, error %v", found.Total, found.Facets.Brands, err)
					return
				}
				w.index.Complements(w.project, []id.Product{found.Hits[0].Product.ID}, 2)
			}
		})
	}
	for round := range rounds {
		next := make([]*catalog.Product, products)
		for i, p := range all {
			changed := *p
			changed.Brand = fmt.Sprintf("B%d", round%7)
			next[i] = &changed
		}
		w.apply(next...)
		w.index.Restock(w.project, totals)
	}
	close(done)
	readers.Wait()
}
