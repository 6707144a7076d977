// Package search finds products by what buyers mean. It keeps an index of each project's catalogue in memory,
// and nothing on disk.
//
// A query's words become groups of alternates: the word itself, what it was probably meant to be if nobody
// knows it, the merchant's synonyms, WordNet's. Documents are scored by BM25F over their fields, the best of
// them again by signs of their titles and by likeness of meaning: by vectors learnt from the catalogue itself,
// or from an embedding model. Filters come before all that, and nothing widens them.
//
// Readers take no lock: they search an immutable snapshot, a list of segments. A change builds a
// small new segment, marks the older copies of its documents dead, and swaps the snapshot. Segments
// are merged once the newer ones hold a tenth of what the next older one does: small ones by the writer, large
// ones in the background, as vectors are learnt there. Stock, prices and products lie beside the text in atomic
// columns, so that a change of those rebuilds nothing.
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

	closing sync.RWMutex    // held by whoever begins background work
	life    context.Context // of it
	end     context.CancelFunc
	tended  sync.WaitGroup
}

var (
	_ ports.Index   = (*Index)(nil)
	_ ports.Learner = (*Index)(nil)
)

// Options of an index. The zero value is one without an embedding model.
type Options struct {
	// Embedder makes vectors of queries. What takes it too long, or fails, is answered without.
	Embedder ports.QueryEmbedder
	// Memory is how many bytes the indexes of all projects may take together. Beyond it, those that were not
	// searched for the longest time are dropped. One project may take half of it; see limits. Zero: no limit.
	Memory int64
	Log    *slog.Logger
}

// New is an index without any project's copy.
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

// Close ends work in the background. What has been learnt stays usable.
func (x *Index) Close() {
	x.closing.Lock()
	x.end()
	x.closing.Unlock()
	x.tended.Wait()
}

// replica is a project's copy of its catalogue.
type replica struct {
	current atomic.Pointer[snapshot] // nil until the first Apply
	used    atomic.Int64             // when it was last searched, in nanoseconds

	names, mostNames atomic.Int64 // in labels, and how many there may be

	applying sync.Mutex // one writer at a time; guards labels, frozen, embedded and fullest
	fullest  int64      // the most bytes that it took since something is left out; 0: nothing is
	labels   segment.Labels
	frozen   int // so many parts are being merged in the background
	embedded embeddings

	// restocking is held shortly, by Restock and when a snapshot is swapped. recent, not nil while an
	// Apply builds, holds what was restocked meanwhile: it is newer than what is being built.
	restocking sync.Mutex
	recent     map[id.Variant]int

	tending tending
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

// Version is the catalogue version of the project's copy. Who asks has a use for the copy.
func (x *Index) Version(project id.Project) int64 {
	c := x.replica(project)
	if c == nil || c.current.Load() == nil {
		return 0
	}
	c.used.Store(time.Now().UnixNano())
	return c.current.Load().version
}

// Loaded are the projects that there are copies of.
func (x *Index) Loaded() (projects []id.Project) {
	x.projects.Range(func(project, c any) bool {
		if c.(*replica).current.Load() != nil {
			projects = append(projects, project.(id.Project))
		}
		return true
	})
	return projects
}

// Apply takes in changes. Stock that Restock sets while it runs stays set.
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
		x.projects.CompareAndDelete(project, loaded) // so that it is built again, with what was left out
		return
	}
	x.tend(c)
}

// emptied reports whether an index that leaves something out has lost a quarter of what it held.
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

// stockOf is the total of every variant of products; none where there is no level.
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

// publish swaps the snapshot once its columns are up to date, which up sees to.
func (c *replica) publish(s *snapshot, up func()) {
	c.restocking.Lock()
	defer c.restocking.Unlock()
	up()
	s.answers = &answers{}
	c.recent = nil
	c.current.Store(s)
}

// Restock replaces the totals of variants. Variants that the copy doesn't have are ignored.
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

// Learn replaces what is known of the project's sales.
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

// Search ranks what matches the query and passes its filter. A text without a single word in it asks
// for everything.
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

// Complements are products to buy along with the given ones.
func (x *Index) Complements(project id.Project, products []id.Product, limit int) []ports.Complement {
	s := x.snapshot(project)
	if s == nil || limit <= 0 {
		return nil
	}
	return s.complements(products, limit)
}
