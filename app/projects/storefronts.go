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
	// oldest is how long a project is served from memory after it was read: a write of another replica is seen within it.
	oldest = 250 * time.Millisecond
	// mostKept is how many projects are kept in memory.
	mostKept = 1000
)

// Storefronts keeps the projects that buyers ask for in memory, so that a request costs no round trip to find its shop. It
// is a ports.Storefronts before that of the store, and safe for concurrent use. Whoever is given a project shares it.
//
// What this process writes is forgotten at once (Forget); what others write is seen within 250 ms, and at once by statements
// that move money, which compare the project's Version.
type Storefronts struct {
	store ports.Storefronts
	now   func() time.Time

	mu        sync.Mutex
	forgotten int64                       // calls of Forget so far: a reading that began before one of them may be old
	kept      *lru.Cache[string, reading] // by slug
	slugs     map[id.Project]string       // of what is kept
	under     map[string]*reader          // the newest one of each slug
}

var _ ports.Storefronts = (*Storefronts)(nil)

// reading is a project as it was read, and when that began.
type reading struct {
	project *project.Project
	began   time.Time
}

// reader reads a project for all who ask for its slug meanwhile.
type reader struct {
	reading
	forgotten int64 // when it began
	done      chan struct{}
	err       error
}

// NewStorefronts returns a memory before a store's storefronts. now is a monotonic clock.
func NewStorefronts(store ports.Storefronts, now func() time.Time) *Storefronts {
	s := &Storefronts{
		store: store,
		now:   now,
		slugs: make(map[id.Project]string),
		under: make(map[string]*reader),
	}
	s.kept, _ = lru.NewWithEvict(mostKept, s.dropped) // fails without a size only
	return s
}

// dropped is called when an entry leaves kept, with mu held.
func (s *Storefronts) dropped(slug string, r reading) {
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
		} // the one who read hung up
	}
}

// find returns the project, if it is in memory, or who reads it: the caller, if first is true.
func (s *Storefronts) find(slug string) (p *project.Project, r *reader, first bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.kept.Get(slug); ok && now.Sub(kept.began) < oldest {
		return kept.project, nil, false
	}
	r = s.under[slug]
	if r != nil && r.forgotten == s.forgotten && now.Sub(r.began) < oldest {
		return nil, r, false
	}
	r = &reader{
		reading:   reading{began: now},
		forgotten: s.forgotten,
		done:      make(chan struct{}),
	}
	s.under[slug] = r
	return nil, r, true
}

// read reads a project and keeps it, unless something was forgotten since the reading began. A slug that is unknown is not
// kept.
func (s *Storefronts) read(ctx context.Context, slug string, r *reader) (*project.Project, error) {
	r.err = context.Canceled // of a panic
	defer close(r.done)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.under[slug] == r {
			delete(s.under, slug)
		}
		s.keep(slug, r)
	}()
	r.project, r.err = s.store.BySlug(ctx, slug)
	return r.project, r.err
}

// keep is called with mu held. A project has one slug at a time.
func (s *Storefronts) keep(slug string, r *reader) {
	kept, ok := s.kept.Peek(slug)
	switch {
	case r.forgotten != s.forgotten, ok && kept.began.After(r.began):
	case r.err != nil:
		s.kept.Remove(slug)
	default:
		s.kept.Remove(s.slugs[r.project.ID])
		s.kept.Add(slug, r.reading)
		s.slugs[r.project.ID] = slug
	}
}

// ByProject reads the project anew. What it was in memory is forgotten if it has changed.
func (s *Storefronts) ByProject(ctx context.Context, of id.Project) (*project.Project, error) {
	p, err := s.store.ByProject(ctx, of)
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.kept.Peek(s.slugs[of]); ok && (err != nil || kept.project.Version < p.Version) {
		s.kept.Remove(s.slugs[of])
	}
	return p, err
}

// Forget drops a project from memory after this process wrote it. Readings under way are not kept, for they may have begun
// before the write was committed, and nobody who asks from now on is given them.
func (s *Storefronts) Forget(of id.Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten++
	if slug, ok := s.slugs[of]; ok {
		s.kept.Remove(slug)
	}
}
