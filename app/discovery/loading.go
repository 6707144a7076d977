package discovery

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Bounds of bringing an index up to date.
const (
	longestWait = 3 * time.Second  // of a request
	longestLoad = 60 * time.Second // of the work itself, which goes on without the request
)

// ErrIndexBuilding is the answer to a search whose project's index is not there yet.
var ErrIndexBuilding = fault.New(fault.Unavailable, "index_building", "The shop's search is getting ready. Try again in a moment.")

// load is the work of bringing one project's index up to date, which all who need it wait for.
type load struct {
	done chan struct{}
	err  error
}

// loads are those under way.
type loads struct {
	mu      sync.Mutex
	ongoing map[id.Project]*load
}

// Fresh brings the project's index up to the catalogue version that p was read with. Usually there is
// nothing to do. The first request after a start waits until the index is built, but not for long:
// ErrIndexBuilding then. An index that is there, if only older, serves while a long change is taken in.
func (s *Service) Fresh(ctx context.Context, p *project.Project) error {
	if s.Loader != nil {
		return s.Loader.Fresh(ctx, p)
	}
	waiting, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	for s.Index.Version(p.ID) < p.CatalogVersion {
		l := s.loads.begin(p.ID, func() error { return s.catchUp(ctx, p.ID) })
		select {
		case <-l.done:
			if l.err != nil {
				return l.err
			}
		case <-waiting.Done():
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case s.Index.Version(p.ID) == 0:
				busy := *ErrIndexBuilding
				return busy.After(2 * time.Second)
			}
			return nil
		}
	}
	return nil
}

// Building tells whether a project's index is being brought up to date.
func (s *Service) Building(project id.Project) bool {
	if s.Loader != nil {
		return s.Loader.Building(project)
	}
	s.loads.mu.Lock()
	defer s.loads.mu.Unlock()
	return s.loads.ongoing[project] != nil
}

// begin does the work unless it is under way already.
func (l *loads) begin(project id.Project, work func() error) *load {
	l.mu.Lock()
	defer l.mu.Unlock()
	if under := l.ongoing[project]; under != nil {
		return under
	}
	began := &load{done: make(chan struct{})}
	if l.ongoing == nil {
		l.ongoing = make(map[id.Project]*load)
	}
	l.ongoing[project] = began
	go func() {
		began.err = fault.Survive(work)
		l.mu.Lock()
		delete(l.ongoing, project)
		l.mu.Unlock()
		close(began.done)
	}()
	return began
}

// catchUp reads what has changed since the index's version, and applies it. It outlives the request that needed it
// first.
func (s *Service) catchUp(ctx context.Context, project id.Project) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestLoad)
	defer cancel()
	changes, err := s.Catalog.Changes(ctx, project, s.Index.Version(project))
	if err != nil {
		return err
	}
	s.Index.Apply(project, changes)
	return nil
}
