package search

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

var liveProject = id.Stored[id.Project]("proj_live")

// history is a shop whose products are added, changed and removed at random.
type history struct {
	random   *rand.Rand
	version  int64
	products map[int]*catalog.Product
	stock    map[id.Variant]int
}

func newHistory(seed uint64) *history {
	return &history{rand.New(rand.NewPCG(seed, 1)), 0, map[int]*catalog.Product{}, map[id.Variant]int{}}
}

func (h *history) pick(words ...string) string { return words[h.random.IntN(len(words))] }

// write creates or changes a product, including its stock.
func (h *history) write(n int) *catalog.Product {
	p := &catalog.Product{
		ID:       id.Stored[id.Product](fmt.Sprint("prod_", n)),
		SKU:      fmt.Sprint(n),
		Status:   catalog.Active,
		Name:     fmt.Sprintf("%s %s no%d", h.pick("red", "green", "blue"), h.pick("tent", "stove", "lamp", "peg"), n),
		Brand:    h.pick("", "Ridgeline", "Fjord"),
		Category: h.pick("outdoor/tents", "outdoor/stoves", "home"),
		Price:    money.Of(int64(1+h.random.IntN(90_00)), money.USD),
	}
	for i := range 1 + h.random.IntN(3) {
		v := catalog.Variant{
			ID:    id.Stored[id.Variant](fmt.Sprint("var_", n, "_", i)),
			SKU:   fmt.Sprint(n, "-", i),
			Color: h.pick("Red", "Green", ""),
		}
		p.Variants = append(p.Variants, v)
		h.stock[v.ID] = h.random.IntN(3)
	}
	h.products[n] = p
	return p
}

// step returns the next change, mostly a small one.
func (h *history) step(most int) ports.CatalogChanges {
	h.version++
	c := ports.CatalogChanges{Version: h.version}
	changed := map[int]bool{}
	for range 1 + h.random.IntN(h.random.IntN(most)+1) {
		n := h.random.IntN(most * 4)
		if changed[n] {
			continue
		}
		changed[n] = true
		old, known := h.products[n]
		switch {
		case known && h.random.IntN(4) == 0:
			delete(h.products, n)
			c.Removed = append(c.Removed, old.ID)
		case known && h.random.IntN(6) == 0:
			archived := *old
			archived.Status = catalog.Archived
			delete(h.products, n)
			c.Changed = append(c.Changed, &archived)
		default:
			c.Changed = append(c.Changed, h.write(n))
		}
	}
	c.Levels = h.levels(c.Changed)
	return c
}

func (h *history) levels(products []*catalog.Product) (levels []catalog.Level) {
	for _, p := range products {
		for _, v := range p.Variants {
			levels = append(levels, catalog.Level{
				Product:  p.ID,
				Variant:  v.ID,
				Quantity: h.stock[v.ID],
			})
		}
	}
	return levels
}

// sell changes the stock of a few variants.
func (h *history) sell() map[id.Variant]int {
	totals := map[id.Variant]int{}
	for _, p := range h.products {
		v := p.Variants[h.random.IntN(len(p.Variants))]
		h.stock[v.ID] = h.random.IntN(2)
		totals[v.ID] = h.stock[v.ID]
		if len(totals) == 3 {
			break
		}
	}
	return totals
}

// unlearned returns an index without background work, which searches by words only.
func unlearned() *Index {
	x := New(Options{})
	x.Close()
	return x
}

// now returns a new index of the same catalogue.
func (h *history) now() *Index {
	x := unlearned()
	all := make([]*catalog.Product, 0, len(h.products))
	for _, p := range h.products {
		all = append(all, p)
	}
	x.Apply(liveProject, ports.CatalogChanges{
		Version: h.version + 1,
		Changed: all,
		Levels:  h.levels(all),
	})
	return x
}

// After many changes, an index equals a new one of the current catalogue.
func TestIndex_Apply_manyChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		h, x := newHistory(seed), unlearned()
		for round := range 150 {
			x.Apply(liveProject, h.step(30))
			x.Restock(liveProject, h.sell())
			if round%10 == 9 {
				sameAnswers(t, x, h.now())
			}
		}
		checkMerged(t, x.snapshot(liveProject))
	}
}

// sameAnswers compares results and stock. The order of text matches may differ, because words of dead documents count until
// they are merged away.
func sameAnswers(t *testing.T, got, want *Index) {
	t.Helper()
	for _, q := range []catalog.Query{
		{}, {Text: "tent"}, {Text: "red stove"}, {Text: "no7"}, {Filter: catalog.Filter{Colors: []string{"green"}}},
		{Text: "fjord", Filter: catalog.Filter{Categories: []string{"outdoor"}}},
	} {
		q.Limit = 5000
		one, other := answer(t, got, q), answer(t, want, q)
		if !reflect.DeepEqual(one, other) {
			t.Fatalf("%+v: %d and %d hits\n got %.2000v\nwant %.2000v", q, len(one.hits), len(other.hits), one, other)
		}
	}
	for _, n := range []string{"prod_1", "prod_2", "prod_3"} {
		given := []id.Product{id.Stored[id.Product](n)}
		one, other := got.Complements(liveProject, given, 5), want.Complements(liveProject, given, 5)
		if !reflect.DeepEqual(one, other) {
			t.Fatalf("complements of %s\n got %+v\nwant %+v", n, one, other)
		}
	}
}

type answered struct {
	hits    []string
	total   int
	facets  catalog.Facets
	inStock map[string]int
}

func answer(t *testing.T, x *Index, q catalog.Query) answered {
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
	if err != nil {
		t.Fatal(err)
	}
	a := answered{
		total:   found.Total,
		facets:  found.Facets,
		inStock: map[string]int{},
	}
	for i := range a.facets.Brands {
		a.facets.Brands[i].Name = segment.KeyOf(a.facets.Brands[i].Name)
	}
	s := x.snapshot(liveProject)
	for _, hit := range found.Hits {
		a.hits = append(a.hits, hit.Product.Name)
		p, number := place(s, hit.Product.ID, byProduct)
		a.inStock[hit.Product.Name] = p.InStock(number)
	}
	if q.Text != "" {
		slices.Sort(a.hits)
	}
	return a
}

func checkMerged(t *testing.T, s *snapshot) {
	t.Helper()
	for i, p := range s.parts {
		if p.deadCount*share > len(p.Documents) || p.live() == 0 {
			t.Errorf("part %d keeps %d dead of %d", i, p.deadCount, len(p.Documents))
		}
		if i > 0 && p.live()*share >= s.parts[i-1].live() {
			t.Errorf("part %d has %d documents after %d", i, p.live(), s.parts[i-1].live())
		}
		for term := range p.Words.Terms.Len() {
			if len(p.Words.Of(term)) == 0 {
				t.Errorf("part %d keeps the word %q, which no document has", i, p.Words.Terms.At(term))
			}
		}
	}
}

// Changes do not affect a search that has already begun.
func TestSnapshot_immutable(t *testing.T) {
	t.Parallel()
	h, x := newHistory(2), New(Options{})
	x.Apply(liveProject, h.step(2000))
	for range 20 {
		old := x.snapshot(liveProject)
		before := old.search(catalog.Query{Text: "red tent", Limit: 5000}, nil)
		x.Apply(liveProject, h.step(5))
		if after := old.search(catalog.Query{Text: "red tent", Limit: 5000}, nil); !reflect.DeepEqual(before, after) {
			t.Fatal("an older snapshot has changed")
		}
	}
}

// Stock that is set during Apply is newer than the change, and is kept.
func TestIndex_Restock_duringApply(t *testing.T) {
	t.Parallel()
	h, x := newHistory(3), New(Options{})
	p := h.write(1)
	variant := p.Variants[0].ID
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: []*catalog.Product{p}})
	c := x.replica(liveProject)
	c.noteRestocks()
	renamed := *p
	renamed.Name = "Other"
	building, _ := c.current.Load().with(ports.CatalogChanges{Version: 2, Changed: []*catalog.Product{&renamed}}, &c.labels, 0)
	x.Restock(liveProject, map[id.Variant]int{variant: 7})
	c.publish(building, func() { building.restock(c.recent) })
	s := x.snapshot(liveProject)
	if got := s.parts[0].Stock[s.parts[0].ByVariant[variant]].Load(); got != 7 {
		t.Errorf("stock is %d, want 7", got)
	}
}

// This test is for the race detector. It also checks that a search never shows a product twice, or one that was removed before
// the search began.
func TestIndex_Search_duringChanges(t *testing.T) {
	t.Parallel()
	h, x := newHistory(5), unlearned()
	x.Apply(liveProject, h.step(50))
	stop := readOn(t, x, 2)
	for range 300 {
		x.Apply(liveProject, h.step(50))
		x.Restock(liveProject, h.sell())
	}
	stop()
	sameAnswers(t, x, h.now())
}

// readOn starts goroutines that search continuously until stop is called.
func readOn(t *testing.T, x *Index, readers int) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					readOnce(t, x)
				}
			}
		})
	}
	return func() {
		close(done)
		all.Wait()
	}
}

func readOnce(t *testing.T, x *Index) {
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, catalog.Query{Text: "red tent lamp", Limit: 5000})
	if err != nil || len(found.Hits) != found.Total {
		t.Errorf("%d of %d, error %v", len(found.Hits), found.Total, err)
	}
	seen := map[id.Product]bool{}
	for _, hit := range found.Hits {
		if seen[hit.Product.ID] {
			t.Errorf("%s twice", hit.Product.Name)
		}
		seen[hit.Product.ID] = true
	}
	if len(found.Hits) > 0 {
		x.Complements(liveProject, []id.Product{found.Hits[0].Product.ID}, 3)
	}
}
