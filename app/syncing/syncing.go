// Package syncing imports the data of external platforms into projects. A run is a row that any replica works on, page by page;
// each page is one transaction together with the run's progress. Taker imports the records, both of pages and of webhook
// calls. The platforms' protocols are the adapters' business.
package syncing

import (
	"context"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
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
	// Wake is called when a run is due. It must not block, and may be called before the run is committed.
	Wake func()
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Wanted selects what a run does.
type Wanted struct {
	Resources []string // empty: all that are enabled
	Full      bool
	Preview   bool
}

// Start starts a run over resources of an integration; without names, over all that are enabled. The run reads what changed
// since the last one or, if full, everything.
func (s *Service) Start(ctx context.Context, p *project.Project, of id.Integration, wanted Wanted) (*syncrun.Run, error) {
	i, err := s.Integrations.ByID(ctx, p.ID, of)
	if err != nil {
		return nil, err
	}
	if i.Status == integration.Disconnected {
		return nil, integration.ErrDisconnected()
	}
	list, err := i.CheckResources(wanted.Resources)
	if err != nil {
		return nil, err
	}
	if wanted.Preview {
		if at := slices.Index(wanted.Resources, syncrun.Inventory.String()); at >= 0 {
			return nil, fault.Field(fmt.Sprintf("resources.%d", at), "cannot be previewed: stock is adjusted by its changes since the previous sync")
		}
		if list = syncrun.Previewed(list); len(list) == 0 {
			return nil, fault.Field("resources", "has nothing to preview")
		}
	}
	run := syncrun.Start(id.New[id.Sync](s.Entropy.IDBits()), p.ID, i.ID, list, wanted.Full, i.Synced, s.Clock.Now())
	run.Preview = wanted.Preview
	if err := s.SyncRuns.Start(ctx, run); err != nil {
		return nil, err
	}
	s.Wake()
	return run, nil
}

// Cancel ends a run. Records that it has imported stay. Canceling twice has no effect.
func (s *Service) Cancel(ctx context.Context, p id.Project, of id.Integration, run id.Sync) (*syncrun.Run, error) {
	if _, err := s.SyncRuns.ByID(ctx, p, of, run); err != nil {
		return nil, err
	}
	return s.SyncRuns.Update(ctx, p, run, func(r *syncrun.Run) error { return r.Cancel(s.Clock.Now()) })
}
