package projects

import (
	"context"
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// maxAge is how long a project is served from the cache after it was read, and so how late writes of other replicas are seen.
	maxAge = 250 * time.Millisecond
	// cacheSize is how many projects are cached.
	cacheSize = 1000
)

// Storefronts is a cache in front of the store's ports.Storefronts, so that a buyer's request needs no round trip to find its
// project. It is safe for concurrent use. Callers share the projects that it returns and must not change them.
//
// A write of this process takes effect at once, because it calls Forget. A write of another process is seen within 250 ms, and
// at once by statements that move money, because they compare the project's Version.
type Storefronts struct {
	store ports.Storefronts
	now   func() time.Time

	mu        sync.Mutex
	forgotten int64                     // number of calls of Forget; a read that began before one of them may be stale
	cache     *lru.Cache[string, entry] // by slug
	slugs     map[id.Project]string     // of the cached projects
	inFlight  map[string]*call          // the newest read in progress, by slug
}

var _ ports.Storefronts = (*Storefronts)(nil)

// entry is a project and the time when its read began.
type entry struct {
	project *project.Project
	began   time.Time
}

// call is a read in progress. All callers that ask for the same slug meanwhile share it.
type call struct {
	entry
	forgotten int64 // Storefronts.forgotten when the read began
	done      chan struct{}
	err       error
}

// NewStorefronts returns an empty cache in front of store. now is a monotonic clock.
func NewStorefronts(store ports.Storefronts, now func() time.Time) *Storefronts {
	s := &Storefronts{
		store:    store,
		now:      now,
		slugs:    make(map[id.Project]string),
		inFlight: make(map[string]*call),
	}
	s.cache, _ = lru.NewWithEvict(cacheSize, s.onEvict) // fails only for sizes below one
	return s
}

// onEvict is called with mu held when an entry leaves the cache.
func (s *Storefronts) onEvict(slug string, r entry) {
	if s.slugs[r.project.ID] == slug {
		delete(s.slugs, r.project.ID)
	}
}

func (s *Storefronts) BySlug(ctx context.Context, slug string) (*project.Project, error) {
	for {
		p, r, first := s.find(slug)
		switch {
		case p != nil:
			return p, nil
		case first:
			return s.read(ctx, slug, r)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.done:
		}
		if r.err == nil {
			return r.project, nil
		}
		if !errors.Is(r.err, context.Canceled) && !errors.Is(r.err, context.DeadlineExceeded) {
			return nil, r.err
		} // the caller that started the read has gone: try again
	}
}

// find returns the project if it is cached, else the call that reads it. If first is true, the caller must do that read.
func (s *Storefronts) find(slug string) (p *project.Project, r *call, first bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.cache.Get(slug); ok && now.Sub(kept.began) < maxAge {
		return kept.project, nil, false
	}
	r = s.inFlight[slug]
	if r != nil && r.forgotten == s.forgotten && now.Sub(r.began) < maxAge {
		return nil, r, false
	}
	r = &call{
		entry:     entry{began: now},
		forgotten: s.forgotten,
		done:      make(chan struct{}),
	}
	s.inFlight[slug] = r
	return nil, r, true
}

// read reads a project and caches it, unless Forget was called since the read began. It does not cache an unknown slug.
func (s *Storefronts) read(ctx context.Context, slug string, r *call) (*project.Project, error) {
	r.err = context.Canceled // if BySlug panics
	defer close(r.done)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.inFlight[slug] == r {
			delete(s.inFlight, slug)
		}
		s.keep(slug, r)
	}()
	r.project, r.err = s.store.BySlug(ctx, slug)
	return r.project, r.err
}

// keep caches the result of a read, with mu held. A project has one slug at a time.
func (s *Storefronts) keep(slug string, r *call) {
	kept, ok := s.cache.Peek(slug)
	switch {
	case r.forgotten != s.forgotten, ok && kept.began.After(r.began):
	case r.err != nil:
		s.cache.Remove(slug)
	default:
		s.cache.Remove(s.slugs[r.project.ID])
		s.cache.Add(slug, r.entry)
		s.slugs[r.project.ID] = slug
	}
}

// ByProject reads the project from the store, and drops an older version of it from the cache.
func (s *Storefronts) ByProject(ctx context.Context, of id.Project) (*project.Project, error) {
	p, err := s.store.ByProject(ctx, of)
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.cache.Peek(s.slugs[of]); ok && (err != nil || kept.project.Version < p.Version) {
		s.cache.Remove(s.slugs[of])
	}
	return p, err
}

// Forget drops a project from the cache after this process wrote it. Reads in progress are neither cached nor shared with later
// callers, because they may have begun before the write was committed.
func (s *Storefronts) Forget(of id.Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten++
	if slug, ok := s.slugs[of]; ok {
		s.cache.Remove(slug)
	}
}
