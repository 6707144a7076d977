// Package search finds products by the words that describe them: a lexical index of each project's
// catalogue, in memory. It knows words and their stems, not meanings, and keeps nothing on disk.
//
// Readers take no lock: they search an immutable snapshot, a list of segments. A change builds a
// small new segment, marks the older copies of its documents dead, and swaps the snapshot. Segments
// are merged once the newer ones hold a tenth of what the next older one does, so that a change costs
// what the change weighs, and a merge now and then; words are analysed once. Stock lies beside the
// snapshot in atomic columns.
package search

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Index implements ports.Index.
type Index struct {
	projects sync.Map // id.Project to *copied
}

var _ ports.Index = (*Index)(nil)

// New is an index without any project's copy.
func New() *Index { return &Index{} }

// copied is a project's copy of its catalogue.
type copied struct {
	current atomic.Pointer[snapshot] // nil until the first Apply

	applying sync.Mutex // one Apply at a time; guards labels
	labels   labels

	// restocking is held shortly, by Restock and when a snapshot is swapped. recent, not nil while an
	// Apply builds, holds what was restocked meanwhile: it is newer than what is being built.
	restocking sync.Mutex
	recent     map[id.Variant]int
}

func (x *Index) snapshot(project id.Project) *snapshot {
	c, known := x.projects.Load(project)
	if !known {
		return nil
	}
	return c.(*copied).current.Load()
}

// Version is the catalogue version of the project's copy.
func (x *Index) Version(project id.Project) int64 {
	if s := x.snapshot(project); s != nil {
		return s.version
	}
	return 0
}

// Apply takes in changes. Stock that Restock sets while it runs stays set.
func (x *Index) Apply(project id.Project, changes ports.CatalogChanges) {
	if x.Version(project) >= changes.Version {
		return
	}
	loaded, _ := x.projects.LoadOrStore(project, &copied{labels: newLabels()})
	c := loaded.(*copied)
	c.applying.Lock()
	defer c.applying.Unlock()
	old := c.current.Load()
	if old == nil {
		old = &snapshot{}
	}
	if old.version >= changes.Version {
		return
	}
	c.noteRestocks()
	c.publish(old.with(changes, &c.labels))
}

func (c *copied) noteRestocks() {
	c.restocking.Lock()
	defer c.restocking.Unlock()
	c.recent = make(map[id.Variant]int)
}

func (c *copied) publish(s *snapshot) {
	c.restocking.Lock()
	defer c.restocking.Unlock()
	s.restock(c.recent)
	c.recent = nil
	c.current.Store(s)
}

// Restock replaces the totals of variants. Variants that the copy doesn't have are ignored.
func (x *Index) Restock(project id.Project, totals map[id.Variant]int) {
	loaded, known := x.projects.Load(project)
	if !known {
		return
	}
	c := loaded.(*copied)
	c.restocking.Lock()
	defer c.restocking.Unlock()
	if c.recent != nil {
		maps.Copy(c.recent, totals)
	}
	if s := c.current.Load(); s != nil {
		s.restock(totals)
	}
}

// Search ranks what matches the words of the query and passes its filter. A text without a single
// word in it asks for everything.
func (x *Index) Search(ctx context.Context, project id.Project, q catalog.Query) (catalog.Found, error) {
	if err := ctx.Err(); err != nil {
		return catalog.Found{}, err
	}
	s := x.snapshot(project)
	if s == nil {
		return catalog.Found{}, nil
	}
	return s.search(q), nil
}

// Complements are products to buy along with the given ones.
func (x *Index) Complements(project id.Project, products []id.Product, limit int) []ports.Complement {
	s := x.snapshot(project)
	if s == nil || limit <= 0 {
		return nil
	}
	return s.complements(products, limit)
}
