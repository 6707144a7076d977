package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

func settled(t testing.TB, x *Index) {
	t.Helper()
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Merges and training in the background, concurrent with changes, sales and searches, leave an index of the current
// catalogue.
func TestIndex_Apply_backgroundWork(t *testing.T) {
	t.Parallel()
	h, x := newHistory(11), New(Options{})
	defer x.Close()
	for n := range 3 * inline {
		h.write(n)
	}
	all := make([]*catalog.Product, 0, len(h.products))
	for _, p := range h.products {
		all = append(all, p)
	}
	h.version = 1
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 1,
		Changed: all,
		Levels:  h.levels(all),
	})
	stop := readOn(t, x, 1)
	for range 150 {
		x.Apply(liveProject, h.step(900))
		x.Restock(liveProject, h.sell())
	}
	stop()
	settled(t, x)
	s := x.snapshot(liveProject)
	if mergeFrom(s.parts) < len(s.parts) || s.unlearned() || s.latent == nil {
		t.Errorf("%d parts, %d documents unlearnt, learnt: %t", len(s.parts), s.unlearnt, s.latent != nil)
	}
	byWords := s.copy()
	byWords.latent = nil
	x.replica(liveProject).current.Store(byWords)
	sameAnswers(t, x, h.now())
}

// A change that affects no text keeps the segment and is visible at once.
func TestIndex_Apply_priceKeepsSegment(t *testing.T) {
	t.Parallel()
	h, x := newHistory(4), New(Options{})
	for n := range 30 {
		h.write(n)
	}
	p := h.products[7]
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 1,
		Changed: []*catalog.Product{p, h.products[8]},
		Levels:  h.levels([]*catalog.Product{p}),
	})
	before := x.snapshot(liveProject).parts[0].Segment
	cheaper := *p
	cheaper.Price, cheaper.Images = money.Of(1, money.USD), []catalog.Image{{URL: "/new.jpg"}}
	cheaper.Variants = slices.Clone(p.Variants)
	levels := []catalog.Level{{Product: p.ID, Variant: p.Variants[0].ID, Quantity: 44}}
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 2,
		Changed: []*catalog.Product{&cheaper},
		Levels:  levels,
	})
	s := x.snapshot(liveProject)
	if len(s.parts) != 1 || s.parts[0].Segment != before || s.version != 2 {
		t.Errorf("%d parts at version %d, the same segment: %t", len(s.parts), s.version, s.parts[0].Segment == before)
	}
	most := money.Of(1, money.USD)
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, catalog.Query{Text: "no7", Filter: catalog.Filter{PriceMax: &most}})
	if err != nil || found.Total != 1 || found.Hits[0].Product != &cheaper || found.Facets.PriceRanges[0].Max != most {
		t.Errorf("%+v, %v", found, err)
	}
	if got := s.parts[0].Stock[s.parts[0].ByVariant[p.Variants[0].ID]].Load(); got != 44 {
		t.Errorf("stock %d, want 44", got)
	}
}

// fakeEmbedder is an embedding model that has vectors of some texts.
type fakeEmbedder struct {
	mu      sync.Mutex
	vectors map[string][]float32
	err     error

	forgotten []string
}

func (m *fakeEmbedder) Model() string { return "model-1" }

func (m *fakeEmbedder) Forget(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgotten = append(m.forgotten, text)
}

func (m *fakeEmbedder) Embed(_ ports.Outbound, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, m.err
	}
	return [][]float32{m.vectors[texts[0]]}, nil
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	h := newHistory(9)
	model := &fakeEmbedder{vectors: map[string][]float32{"somewhere to sleep": {1, 0, 0}}}
	x := New(Options{Embedder: model})
	tent, stove, lamp := h.write(1), h.write(2), h.write(3)
	tent.Name, stove.Name, lamp.Name = "Ridgeline", "Ember", "Glow"
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: []*catalog.Product{tent, stove, lamp}})
	find := func() (names []string) {
		found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, catalog.Query{Text: "somewhere to sleep"})
		if err != nil || found.Total != len(found.Hits) {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, hit := range found.Hits {
			names = append(names, hit.Product.Name)
			if !slices.Equal(hit.Reasons, []string{"close in meaning"}) {
				t.Errorf("reasons %q", hit.Reasons)
			}
		}
		return names
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if got := find(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("before there are vectors")
	if n := len(x.Unembedded(liveProject, "model-1", 10)); n != 3 {
		t.Errorf("%d products without a vector, want 3", n)
	}
	x.Embed(liveProject, "model-1", map[id.Product][]float32{tent.ID: {.9, .1, 0}, stove.ID: {0, 1, 0}})
	x.Embed(liveProject, "model-1", map[id.Product][]float32{lamp.ID: {1, 0}}) // of another length
	settled(t, x)
	expect("embedded", "Ridgeline")
	if left := x.Unembedded(liveProject, "model-1", 10); len(left) != 1 || left[0] != lamp {
		t.Errorf("without a vector: %v", left)
	}
	x.Embed(liveProject, "model-1", map[id.Product][]float32{lamp.ID: {.8, .3, 0}})
	settled(t, x)
	expect("all embedded", "Ridgeline", "Glow")
	if state := x.State(liveProject); state.Embedded != 3 || state.Model != "model-1" || state.Products != 3 || state.Bytes <= 0 {
		t.Errorf("%+v", state)
	}
	model.err = errors.New("down")
	expect("while the model is down")
	model.err = nil
	renamed := *tent
	renamed.Name = "Ridge"
	x.Apply(liveProject, ports.CatalogChanges{Version: 2, Changed: []*catalog.Product{&renamed}})
	expect("after a text has changed", "Glow")
	if left := x.Unembedded(liveProject, "model-1", 10); len(left) != 1 || left[0] != &renamed {
		t.Errorf("without a vector: %v", left)
	}
	again := renamed
	again.Name = "Crest"
	x.Apply(liveProject, ports.CatalogChanges{Version: 3, Changed: []*catalog.Product{&again}})
	x.Embed(liveProject, "model-1", map[id.Product][]float32{tent.ID: {1, 0, 0}})
	settled(t, x)
	expect("with the vector of an earlier text", "Glow")
	model.vectors["somewhere to sleep"] = []float32{1, 0}
	expect("with a query of another length")
	if len(model.forgotten) != 1 {
		t.Errorf("a vector of no use is remembered: %q", model.forgotten)
	}
}

// Products found by vectors must pass the filter, and are counted.
func TestIndex_Embed_filtered(t *testing.T) {
	t.Parallel()
	h, model := newHistory(9), &fakeEmbedder{vectors: map[string][]float32{"shelter": {1, 0}}}
	x := New(Options{Embedder: model})
	near := map[id.Product][]float32{}
	var all []*catalog.Product
	for n := range 40 {
		p := h.write(n)
		p.Name, p.Category, p.Brand = fmt.Sprint("Item ", n), []string{"tents", "stoves"}[n%2], "Fjord"
		near[p.ID] = []float32{1, float32(n) / 100}
		all = append(all, p)
	}
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	x.Embed(liveProject, model.Model(), near)
	settled(t, x)
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, catalog.Query{
		Text:   "shelter",
		Filter: catalog.Filter{Categories: []string{"tents"}},
		Limit:  5,
	})
	if err != nil || found.Total != 20 || found.Facets.Brands[0].Count != 20 || len(found.Hits) != 5 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, hit := range found.Hits {
		if hit.Product.Category != "tents" {
			t.Errorf("%s is of %s", hit.Product.Name, hit.Product.Category)
		}
	}
}

// All indexes together stay within the memory limit, even if all are in use.
func TestEvict_leastRecentlySearched(t *testing.T) {
	t.Parallel()
	h := newHistory(6)
	all := []*catalog.Product{h.write(1), h.write(2), h.write(3)}
	alone := New(Options{})
	alone.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	one := alone.bytes()

	x := New(Options{Memory: 3*one + one/2})
	var projects []id.Project
	for n := range 4 {
		projects = append(projects, id.Stored[id.Project](fmt.Sprint("proj_", n)))
	}
	for n, project := range projects[:3] {
		x.Apply(project, ports.CatalogChanges{Version: 1, Changed: all})
		x.replica(project).used.Store(int64(100 + n))
	}
	if n := len(x.Loaded()); n != 3 {
		t.Fatalf("%d projects are left of 3 that fit", n)
	}
	if _, err := x.Search(ports.NewOutbound(t.Context()), projects[0], catalog.Query{Text: "tent"}); err != nil {
		t.Fatal(err)
	}
	x.Apply(projects[3], ports.CatalogChanges{Version: 1, Changed: all})
	if x.Version(projects[1]) != 0 || x.Version(projects[0]) != 1 || x.Version(projects[2]) != 1 || x.Version(projects[3]) != 1 {
		t.Errorf("left: %v", x.Loaded())
	}
	x.Restock(projects[1], map[id.Variant]int{})
	x.Learn(projects[1], ports.Sales{})
	if state := x.State(projects[1]); state != (ports.IndexState{}) {
		t.Errorf("%+v", state)
	}
}

// Names that no product has any more need no memory, and all products are found as before.
func TestRelabel(t *testing.T) {
	t.Parallel()
	h, x := newHistory(3), New(Options{})
	for round := range 40 {
		var all []*catalog.Product
		for n := range 300 {
			p := h.write(n)
			p.Brand, p.Category = fmt.Sprint("brand ", round, n), fmt.Sprint("outdoor/", round, "/", n)
			for i := range p.Variants {
				p.Variants[i].Color = fmt.Sprint("Color ", round, n%50)
			}
			all = append(all, p)
		}
		h.version++
		x.Apply(liveProject, ports.CatalogChanges{
			Version: h.version,
			Changed: all,
			Levels:  h.levels(all),
		})
	}
	settled(t, x)
	c := x.replica(liveProject)
	if names := c.labels.Spellings(); names > 2*700+spare+700 || c.overgrown() {
		t.Errorf("%d names", names)
	}
	byWords := c.current.Load().copy()
	byWords.latent = nil
	c.current.Store(byWords)
	sameAnswers(t, x, h.now())
}

// Sales decide among equal products, and products that were bought together are recommended.
func TestSales(t *testing.T) {
	t.Parallel()
	h, x := newHistory(6), New(Options{})
	var all []*catalog.Product
	for n := range 4 {
		p := h.write(n)
		p.Name, p.Brand, p.Category = "Tent", "", fmt.Sprint("only", n)
		h.stock[p.Variants[0].ID] = 1
		all = append(all, p)
	}
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 1,
		Changed: all,
		Levels:  h.levels(all),
	})
	x.Learn(liveProject, ports.Sales{
		Sold:     map[id.Product]int{all[2].ID: 90, all[1].ID: 2},
		Together: map[id.Product][]id.Product{all[0].ID: {all[3].ID, all[0].ID, all[1].ID}},
	})
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, catalog.Query{Text: "tent"})
	if err != nil || found.Hits[0].Product != all[2] || found.Hits[1].Product != all[1] {
		t.Errorf("%+v, %v", found.Hits, err)
	}
	together := x.Complements(liveProject, []id.Product{all[0].ID}, 3)
	if len(together) != 2 || together[0].Product != all[3] || together[1].Product != all[1] {
		t.Errorf("complements %+v", together)
	}
}

// An index that is closed during background work stays usable.
func TestIndex_Close_whileLearning(t *testing.T) {
	t.Parallel()
	h, x := newHistory(8), New(Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		p := h.write(n)
		p.Description = fmt.Sprint(random.Perm(40))
	}
	x.Apply(liveProject, h.step(300))
	x.Close()
	settled(t, x)
	x.Apply(liveProject, h.step(300))
	readOnce(t, x)
}

// improve trains a model and adds vectors, one task a call.
func TestReplica_improve(t *testing.T) {
	t.Parallel()
	h, x := newHistory(9), New(Options{})
	var all []*catalog.Product
	for n := range 2 * leastDocuments {
		all = append(all, h.write(n))
	}
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	settled(t, x)
	c := x.replica(liveProject)
	untrained := c.current.Load().copy()
	untrained.latent, untrained.unlearnt = nil, len(all)
	c.current.Store(untrained)
	c.embedded.put("model-1", map[id.Product][]float32{all[0].ID: {1, 0, 0}})
	improve := func() *snapshot {
		t.Helper()
		if err := c.improve(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c.current.Load()
	}
	if s := improve(); s.latent == nil || s.unlearnt != 0 || !c.embedded.waiting() {
		t.Errorf("learnt: %t, %d documents unlearnt, vectors waiting: %t", s.latent != nil, s.unlearnt, c.embedded.waiting())
	}
	embedded := improve()
	if embedded.model != "model-1" || c.due() {
		t.Errorf("vectors of %q, more due: %t", embedded.model, c.due())
	}
	if improve() != embedded {
		t.Error("it is changed although nothing is due")
	}
}

// Sets that are sealed, or too small for it, are skipped.
func TestSeal(t *testing.T) {
	t.Parallel()
	set, small := vectors.New(2, 5_100), vectors.New(2, 1)
	for n := range set.Len() {
		set.Put(uint32(n), []float32{1, float32(n)})
	}
	small.Put(0, []float32{1, 0})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := seal(canceled, nil, small, set); !errors.Is(err, context.Canceled) || !set.Stale() {
		t.Errorf("canceled: %v, stale: %t", err, set.Stale())
	}
	if err := seal(t.Context(), nil, small, set); err != nil || set.Stale() {
		t.Errorf("%v, stale: %t", err, set.Stale())
	}
	if err := seal(canceled, small, set); err != nil {
		t.Errorf("sealed sets: %v", err)
	}
}
