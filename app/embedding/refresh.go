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

// firstLimit is how many products without a vector are read first. If none of them has a stored vector, the limit grows.
const firstLimit = 500

// restFactor is the pause of a project between two rounds, as a multiple of the last round's duration. While a model works on a large
// catalog, new vectors are stored all the time.
const restFactor = 9

// checkInterval is how often products are checked for lost vectors, which means to go over all of them.
const checkInterval = 10 * time.Second

// Index is an in-memory index of products with vectors.
type Index interface {
	Version(project id.Project) int64
	Loaded() []id.Project
	// Unembedded returns up to limit products without a vector of a model, in no order.
	Unembedded(project id.Project, model string, limit int) []*catalog.Product
	// Embed sets the vectors of products. A product whose text changes loses its vector. Vectors of another length than the
	// others of the model are ignored.
	Embed(project id.Project, model string, vectors map[id.Product][]float32)
}

// Refresher copies stored vectors into an in-memory index. Each replica has its own.
type Refresher struct {
	Index   Index
	Vectors ports.Vectors
	Model   string
	Clock   ports.Clock

	mu     sync.Mutex
	states map[id.Project]projectState
}

// projectState is the state of a project after its last round.
type projectState struct {
	version int64 // version of the index
	stored  int64
	left    int       // products that had no vector
	next    time.Time // the earliest time of the next round
	looked  time.Time // when the products were last checked for lost vectors
}

// Refresh goes over the projects in the index. It skips a project if neither the index nor the stored vectors have changed since
// the last round and no product has lost its vector.
func (r *Refresher) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	projects := r.Index.Loaded()
	if len(projects) == 0 {
		r.states = nil
		return nil
	}
	progress, err := r.Vectors.Progress(ctx, r.Model, projects)
	if err != nil {
		return err
	}
	all := make(map[id.Project]projectState, len(projects))
	for _, p := range projects {
		began := r.Clock.Now()
		now := projectState{version: r.Index.Version(p), stored: progress[p].Stored}
		if before, known := r.states[p]; known && (began.Before(before.next) || r.isUnchanged(p, &before, now)) {
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
		now.looked, now.next = ended, ended.Add(restFactor*ended.Sub(began))
		all[p] = now
	}
	r.states = all
	return err
}

// isUnchanged reports whether a project is unchanged. An index that dropped the project and loaded it again has the same version, but
// no vectors.
func (r *Refresher) isUnchanged(project id.Project, before *projectState, now projectState) bool {
	if before.version != now.version || before.stored != now.stored {
		return false
	}
	at := r.Clock.Now()
	if at.Sub(before.looked) < checkInterval {
		return true
	}
	before.looked = at
	return len(r.Index.Unembedded(project, r.Model, before.left+1)) <= before.left
}

// fill sets the stored vectors of a project's products until it finds no more. It returns how many products have none.
func (r *Refresher) fill(ctx context.Context, project id.Project) (left int, err error) {
	given := make(map[id.Product]bool)
	for limit := firstLimit; ; {
		products := r.Index.Unembedded(project, r.Model, limit)
		found, err := r.setVectors(ctx, project, products, given)
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

// setVectors sets the stored vectors of products. It returns the number of those that it has not set before, because an index may ignore
// vectors.
func (r *Refresher) setVectors(ctx context.Context, project id.Project, products []*catalog.Product, given map[id.Product]bool) (int, error) {
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
