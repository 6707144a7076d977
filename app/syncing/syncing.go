// Package syncing reads the data of outside platforms into projects. A run is a row that any replica works
// on: page by page, each in one transaction with the run that has advanced past it. What records mean for
// what is here is decided by the Taker, for pages and for what comes to webhooks alike.
package syncing

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Service starts runs and cancels them.
type Service struct {
	*ports.Stores

	Clock   ports.Clock
	Entropy ports.Entropy
	// Wake is told of a run to be worked on. It never waits, and may come before the run is committed.
	Wake func()
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Start starts a run over resources of an integration, over all that are on if none are named, since the
// last time or, full, over everything.
func (s *Service) Start(ctx context.Context, p *project.Project, of id.Integration, resources []string, full bool) (*syncrun.Run, error) {
	i, err := s.Integrations.ByID(ctx, p.ID, of)
	if err != nil {
		return nil, err
	}
	if i.Status == integration.Disconnected {
		return nil, integration.ErrDisconnected()
	}
	list, err := i.CheckResources(resources)
	if err != nil {
		return nil, err
	}
	run := syncrun.Start(id.New[id.Sync](s.Entropy.IDBits()), p.ID, i.ID, list, full, i.Synced, s.Clock.Now())
	if err := s.SyncRuns.Start(ctx, run); err != nil {
		return nil, err
	}
	s.Wake()
	return run, nil
}

// Cancel ends a run. What it has taken stays. Once more it changes nothing.
func (s *Service) Cancel(ctx context.Context, p id.Project, of id.Integration, run id.Sync) (*syncrun.Run, error) {
	if _, err := s.SyncRuns.ByID(ctx, p, of, run); err != nil {
		return nil, err
	}
	return s.SyncRuns.Update(ctx, p, run, func(r *syncrun.Run) error { return r.Cancel(s.Clock.Now()) })
}
