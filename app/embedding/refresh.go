package embedding

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// window is how many products without a vector are looked at first. Where none of them has one in store either,
// it grows.
const window = 500

// rest is how many times as long as a project's round took the project is left alone then: while a model works
// on a large catalogue, there are vectors all the time.
const rest = 9

// look is how often it is looked whether products have lost their vectors, which takes going through all of them.
const look = 10 * time.Second

// Index is an index in memory that is to know the vectors.
type Index interface {
	Version(project id.Project) int64
	Loaded() []id.Project
	// Unembedded are products without a vector of a model, up to a limit, in no order.
	Unembedded(project id.Project, model string, limit int) []*catalog.Product
	// Embed gives products their vectors. One whose text has changed loses its vector. Vectors of another length than
	// the others of the model are ignored.
	Embed(project id.Project, model string, vectors map[id.Product][]float32)
}

// Refresher gives an index in memory the vectors that are stored. Each replica has its own.
type Refresher struct {
	Index   Index
	Vectors ports.Vectors
	Model   string
	Clock   ports.Clock

	mu   sync.Mutex
	seen map[id.Project]seen
}

// seen is what there was when the index had all of it.
type seen struct {
	version int64 // of the index
	stored  int64
	left    int       // products that had no vector
	next    time.Time // when to fill it again at the soonest
	looked  time.Time // at its products
}

// Refresh goes through the projects in the index. Where neither the index nor what is stored has moved since
// the last time, and no product has lost its vector, it does nothing.
func (r *Refresher) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	projects := r.Index.Loaded()
	if len(projects) == 0 {
		r.seen = nil
		return nil
	}
	progress, err := r.Vectors.Progress(ctx, r.Model, projects)
	if err != nil {
		return err
	}
	all := make(map[id.Project]seen, len(projects))
	for _, p := range projects {
		began := r.Clock.Now()
		now := seen{version: r.Index.Version(p), stored: progress[p].Stored}
		if before, known := r.seen[p]; known && (began.Before(before.next) || r.still(p, &before, now)) {
			all[p] = before
			continue
		}
		var left int
		e := fault.Survive(func() (err error) {
			left, err = r.fill(ctx, p)
			return err
		})
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		now.left = left
		ended := r.Clock.Now()
		now.looked, now.next = ended, ended.Add(rest*ended.Sub(began))
		all[p] = now
	}
	r.seen = all
	return err
}

// still reports whether a project is as it was. An index that dropped the project and read it anew has the same
// version, and no vectors.
func (r *Refresher) still(project id.Project, before *seen, now seen) bool {
	if before.version != now.version || before.stored != now.stored {
		return false
	}
	at := r.Clock.Now()
	if at.Sub(before.looked) < look {
		return true
	}
	before.looked = at
	return len(r.Index.Unembedded(project, r.Model, before.left+1)) <= before.left
}

// fill gives a project's products the vectors that are stored, until no more are found, and tells how many
// products are left without.
func (r *Refresher) fill(ctx context.Context, project id.Project) (left int, err error) {
	given := make(map[id.Product]bool)
	for limit := window; ; {
		products := r.Index.Unembedded(project, r.Model, limit)
		found, err := r.give(ctx, project, products, given)
		switch {
		case err != nil || ctx.Err() != nil:
			return 0, errors.Join(err, ctx.Err())
		case found > 0:
		case len(products) < limit:
			return len(products), nil
		default:
			limit *= 4
		}
	}
}

// give tells how many products it found a vector for and had not given it before: an index need not take it.
func (r *Refresher) give(ctx context.Context, project id.Project, products []*catalog.Product, given map[id.Product]bool) (int, error) {
	hashes := make([]ports.TextHash, len(products))
	for i, p := range products {
		hashes[i] = hashOf(Text(p))
	}
	stored, err := r.Vectors.Get(ctx, project, r.Model, hashes)
	if err != nil || len(stored) == 0 {
		return 0, err
	}
	vectors := make(map[id.Product][]float32, len(products))
	for i, p := range products {
		if vector, ok := stored[hashes[i]]; ok && !given[p.ID] {
			vectors[p.ID], given[p.ID] = vector, true
		}
	}
	if len(vectors) > 0 {
		r.Index.Embed(project, r.Model, vectors)
	}
	return len(vectors), nil
}
