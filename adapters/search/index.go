// Package search finds products for buyers' queries. It keeps an index of each project's catalogue in memory, and stores
// nothing on disk.
//
// Each word of a query becomes a group of alternates: the word itself, its probable correction if it is unknown, the
// merchant's synonyms, and WordNet's. Documents are scored by BM25F over their fields. The best ones are ranked again by
// signals of their titles and by semantic similarity, using vectors learned from the catalogue itself or from an embedding
// model. Filters are applied first, and nothing bypasses them.
//
// Readers take no locks: they search an immutable snapshot, which is a list of segments. A change builds a small new segment,
// marks the older versions of its documents dead, and swaps the snapshot. Segments are merged once the newer ones have a tenth
// of the next older one's size: small ones by the writer, large ones in the background, where vectors are learned, too. Stock,
// prices and products are atomic columns outside of the text, so that changing them rebuilds nothing.
package search

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Index implements ports.Index and ports.Learner.
type Index struct {
	embedder ports.QueryEmbedder
	log      *slog.Logger
	memory   int64
	limits   segment.Limits // of one project
	projects sync.Map       // id.Project to *replica

	closing sync.RWMutex    // read-locked to start background work
	life    context.Context // of background work
	end     context.CancelFunc
	tended  sync.WaitGroup
}

var (
	_ ports.Index   = (*Index)(nil)
	_ ports.Learner = (*Index)(nil)
)

// Options configures an index. The zero value means no embedding model.
type Options struct {
	// Embedder returns vectors of queries. If it fails or takes too long, the query is answered without a vector.
	Embedder ports.QueryEmbedder
	// Memory limits the bytes of the indexes of all projects together. Beyond it, the least recently searched ones are
	// dropped. One project may use half of it; see limits. Zero means no limit.
	Memory int64
	Log    *slog.Logger
}

// New returns an index without any project's catalogue.
func New(o Options) *Index {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{
		embedder: o.Embedder,
		log:      o.Log,
		memory:   o.Memory,
		limits:   segment.LimitsOf(o.Memory / 2),
	}
	x.life, x.end = context.WithCancel(context.Background())
	return x
}

// Close stops background work. The index and its learned vectors stay usable.
func (x *Index) Close() {
	x.closing.Lock()
	x.end()
	x.closing.Unlock()
	x.tended.Wait()
}

// replica is the index of a project's catalogue.
type replica struct {
	current atomic.Pointer[snapshot] // nil until the first Apply
	used    atomic.Int64             // when it was last searched, in nanoseconds

	names, mostNames atomic.Int64 // number of names in labels, and its limit

	applying sync.Mutex // one writer at a time; guards labels, frozen, embedded and fullest
	fullest  int64      // its maximum size in bytes since something is left out; 0: nothing is left out
	labels   segment.Labels
	frozen   int // so many parts are being merged in the background
	embedded embeddings

	// restocking is held briefly, by Restock and while a snapshot is swapped. recent is not nil during Apply. It holds the
	// stock set meanwhile, which is newer than the snapshot being built.
	restocking sync.Mutex
	recent     map[id.Variant]int

	maintenance maintenance
}

func (x *Index) replica(project id.Project) *replica {
	if c, known := x.projects.Load(project); known {
		return c.(*replica)
	}
	return nil
}

func (x *Index) snapshot(project id.Project) *snapshot {
	if c := x.replica(project); c != nil {
		return c.current.Load()
	}
	return nil
}

// Version returns the catalogue version of the project's index. The call counts as a use of the index.
func (x *Index) Version(project id.Project) int64 {
	c := x.replica(project)
	if c == nil || c.current.Load() == nil {
		return 0
	}
	c.used.Store(time.Now().UnixNano())
	return c.current.Load().version
}

// Loaded returns the projects that have an index.
func (x *Index) Loaded() (projects []id.Project) {
	x.projects.Range(func(project, c any) bool {
		if c.(*replica).current.Load() != nil {
			projects = append(projects, project.(id.Project))
		}
		return true
	})
	return projects
}

// Apply applies changes. Stock that Restock sets meanwhile is kept.
func (x *Index) Apply(project id.Project, changes ports.CatalogChanges) {
	if x.Version(project) >= changes.Version {
		return
	}
	loaded, _ := x.projects.LoadOrStore(project, &replica{labels: segment.NewLabels()})
	c := loaded.(*replica)
	c.applying.Lock()
	defer c.applying.Unlock()
	old := c.current.Load()
	if old == nil {
		old = &snapshot{limits: x.limits}
	}
	if old.version >= changes.Version || old.version < changes.Since {
		return
	}
	c.noteRestocks()
	next, repriced := old.with(changes, &c.labels, c.frozen)
	c.publish(next, func() {
		next.reprice(repriced)
		next.restock(stockOf(repriced, changes.Levels))
		next.restock(c.recent)
	})
	if c.names.Store(int64(c.labels.Spellings())); old.version == 0 {
		c.notice()
		c.used.Store(time.Now().UnixNano())
	}
	if len(changes.Changed) > 0 {
		x.evict(project)
	}
	if left := next.leftOut(); left != (ports.LeftOut{}) && old.leftOut() != left {
		x.log.Warn("a search index reached its memory limit and leaves words out", "project", project.String(),
			"spelling", left.Spelling, "descriptions", left.Descriptions, "products", left.Products, "bytes", next.bytes(),
			"limit", x.limits.Most)
	}
	if c.emptied() {
		x.projects.CompareAndDelete(project, loaded) // so that it is rebuilt, including what was left out
		return
	}
	x.maintain(c)
}

// emptied reports whether an index that leaves something out has shrunk by a quarter.
func (c *replica) emptied() bool {
	s := c.current.Load()
	if s.leftOut() == (ports.LeftOut{}) {
		c.fullest = 0
		return false
	}
	bytes := s.liveBytes()
	c.fullest = max(c.fullest, bytes)
	return bytes < c.fullest/4*3
}

// stockOf returns the total stock of every variant of products, without those that have no level.
func stockOf(products []*catalog.Product, levels []catalog.Level) map[id.Variant]int {
	totals := make(map[id.Variant]int, len(products))
	for _, p := range products {
		for _, v := range p.Variants {
			totals[v.ID] = 0
		}
	}
	for _, l := range levels {
		if _, wanted := totals[l.Variant]; wanted {
			totals[l.Variant] += l.Quantity
		}
	}
	return totals
}

func (c *replica) noteRestocks() {
	c.restocking.Lock()
	defer c.restocking.Unlock()
	c.recent = make(map[id.Variant]int)
}

// publish calls up to update the columns, and swaps the snapshot.
func (c *replica) publish(s *snapshot, up func()) {
	c.restocking.Lock()
	defer c.restocking.Unlock()
	up()
	s.answers = &answers{}
	c.recent = nil
	c.current.Store(s)
}

// Restock replaces the totals of variants and ignores unknown variants.
func (x *Index) Restock(project id.Project, totals map[id.Variant]int) {
	c := x.replica(project)
	if c == nil {
		return
	}
	c.restocking.Lock()
	defer c.restocking.Unlock()
	if c.recent != nil {
		maps.Copy(c.recent, totals)
	}
	if s := c.current.Load(); s != nil {
		s.restock(totals)
	}
}

// Learn replaces the project's sales data.
func (x *Index) Learn(project id.Project, s ports.Sales) {
	c := x.replica(project)
	if c == nil {
		return
	}
	learnt := newSales(s)
	c.applying.Lock()
	defer c.applying.Unlock()
	if old := c.current.Load(); old != nil {
		next := old.copy()
		next.sales = learnt
		c.publish(next, func() {})
	}
}

// Search ranks the products that match the query and pass its filter. A text without any word matches all products.
func (x *Index) Search(ctx ports.Outbound, project id.Project, q catalog.Query) (catalog.Found, error) {
	if err := ctx.Err(); err != nil {
		return catalog.Found{}, err
	}
	c := x.replica(project)
	if c == nil || c.current.Load() == nil {
		return catalog.Found{}, nil
	}
	s := c.current.Load()
	c.used.Store(time.Now().UnixNano())
	return s.search(q, x.meaning(ctx, s, q.Text)), nil
}

// Complements returns products to buy together with the given ones.
func (x *Index) Complements(project id.Project, products []id.Product, limit int) []ports.Complement {
	s := x.snapshot(project)
	if s == nil || limit <= 0 {
		return nil
	}
	return s.complements(products, limit)
}
