package discovery

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Limits of bringing an index up to date.
const (
	maxWait = 3 * time.Second  // for a request
	maxLoad = 60 * time.Second // for the load itself, which continues without the request
)

// ErrIndexBuilding refuses a search while the project's index is not built yet.
var ErrIndexBuilding = fault.New(fault.Unavailable, "index_building", "The shop's search index is being built. Try again in a moment.")

// load brings one project's index up to date. All requests that need the index wait for the same load.
type load struct {
	end  context.CancelFunc
	done chan struct{}
	err  error
}

// loads are the loads in progress.
type loads struct {
	mu      sync.Mutex
	ongoing map[id.Project]*load
	closed  bool
}

// Fresh brings the project's index up to the catalogue version that p was read with. Usually there is nothing to do. The first
// request after a start waits up to maxWait for the index, then gets ErrIndexBuilding. If there is an older index, Fresh returns
// nil after maxWait, and the older index serves while a long change is applied.
func (s *Service) Fresh(ctx context.Context, p *project.Project) error {
	waiting, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for s.Index.Version(p.ID) < p.CatalogVersion {
		l := s.loads.begin(ctx, p.ID, func(ctx context.Context) error { return s.catchUp(ctx, p.ID) })
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

// Building reports whether a project's index is being brought up to date.
func (s *Service) Building(project id.Project) bool {
	s.loads.mu.Lock()
	defer s.loads.mu.Unlock()
	return s.loads.ongoing[project] != nil
}

// begin starts the load unless it is in progress. The load outlives the request that started it.
func (l *loads) begin(ctx context.Context, project id.Project, work func(context.Context) error) *load {
	l.mu.Lock()
	defer l.mu.Unlock()
	if under := l.ongoing[project]; under != nil {
		return under
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLoad)
	began := &load{end: cancel, done: make(chan struct{})}
	if l.closed {
		cancel()
		began.err = ErrIndexBuilding
		close(began.done)
		return began
	}
	if l.ongoing == nil {
		l.ongoing = make(map[id.Project]*load)
	}
	l.ongoing[project] = began
	go func() {
		defer cancel()
		began.err = fault.Survive(func() error { return work(ctx) })
		l.mu.Lock()
		delete(l.ongoing, project)
		l.mu.Unlock()
		close(began.done)
	}()
	return began
}

// Close cancels the loads in progress and waits for them, because they read from the store.
func (s *Service) Close() {
	s.loads.mu.Lock()
	s.loads.closed = true
	under := slices.Collect(maps.Values(s.loads.ongoing))
	s.loads.mu.Unlock()
	for _, l := range under {
		l.end()
		<-l.done
	}
}

// catchUp applies to the index the changes of the catalogue since the index's version.
func (s *Service) catchUp(ctx context.Context, project id.Project) error {
	changes, err := s.committed.Changes(ctx, project, s.Index.Version(project))
	if err != nil {
		return err
	}
	s.Index.Apply(project, changes)
	return nil
}
