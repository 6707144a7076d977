package syncing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often the engine looks for due runs, including those that other replicas started.
	poll = 500 * time.Millisecond
	// lease is renewed with each page. It is longer than a page can take.
	lease = 30 * time.Second
	// pageTimeout bounds the reading of a page.
	pageTimeout = 20 * time.Second
	// writeTimeout bounds a write after the engine was asked to stop.
	writeTimeout = 10 * time.Second
	// timeSlice is how long a run may keep its worker while it has more pages to read.
	timeSlice = 20 * time.Second
	// scanLimit bounds the integrations that one scan starts runs for.
	scanLimit = 32
	// startTimeout bounds one scan. It ends even if every project is locked.
	startTimeout = 5 * time.Second
)

// limits reserve workers for projects whose runs are short.
var limits = jobs.Limits{
	Slots: 6,
	Slow:  4,
	Each:  2,
	Long:  timeSlice / 2,
}

// Engine works on sync runs. The caller runs its Job.
type Engine struct {
	Queue        ports.SyncQueue
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Accounts     ports.IntegrationAccounts
	Connectors   map[string]ports.Connector // by type
	Importer     *Importer
	Clock        ports.Clock
	Entropy      ports.Entropy
	Schedules    ports.Schedules
	Log          *slog.Logger
	// Changed is called with the products whose fields or stock have changed, after they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Announced is called when there are events to deliver. It must not block.
	Announced func()
}

// Job starts runs that are wanted and works on those that are due. When it is stopped, other replicas continue the runs.
func (e *Engine) Job() jobs.Job[*syncrun.Run] {
	return jobs.Job[*syncrun.Run]{
		Name:  "synchronise",
		Queue: e.Queue,
		Before: func(ctx context.Context) (more bool, err error) {
			ctx, cancel := context.WithTimeout(ctx, startTimeout)
			defer cancel()
			return false, errors.Join(e.startScheduled(ctx), e.startWanted(ctx))
		},
		Work:   e.work,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  e.Clock,
		Log:    e.Log,
	}
}

// startScheduled starts the syncs that are due by their schedule. A sync that was missed while no server ran starts once.
func (e *Engine) startScheduled(ctx context.Context) error {
	list, err := e.Queue.Scheduled(ctx, e.Clock.Now(), scanLimit)
	for _, i := range list {
		failed := e.schedule(ctx, i)
		if !isRunOver(failed) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// schedule starts an integration's sync, unless another replica already has. It waits only briefly for a locked integration.
func (e *Engine) schedule(ctx context.Context, i *integration.Integration) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout/10)
	defer cancel()
	_, err := e.Integrations.Update(ctx, i.Project, i.ID, func(i *integration.Integration) error {
		if now := e.Clock.Now(); i.SyncDue(now) {
			i.Schedule(func(after time.Time) time.Time { return e.Schedules.Next(i.Config.Schedule, after) }, now)
		}
		return nil
	})
	return err
}

// startWanted starts runs for the resources that the actions of webhooks asked for. It skips a project that is locked, so that
// the others do not wait, and it does not delay due runs for long.
func (e *Engine) startWanted(ctx context.Context) error {
	list, err := e.Queue.Wanting(ctx, scanLimit)
	for _, i := range list {
		err = errors.Join(err, e.startFor(ctx, i))
	}
	return err
}

// startFor starts a run over an integration's wanted resources. If its credentials are refused, startFor drops the wanted
// resources: each of its runs would fail, and the next successful run reads the same data.
func (e *Engine) startFor(ctx context.Context, i *integration.Integration) error {
	err := e.Unit.InTx(ctx, i.Project, func(s ports.SyncStores) error {
		var wanted []syncrun.Resource
		current, err := s.Integrations.Update(ctx, i.Project, i.ID, func(i *integration.Integration) error {
			wanted = wanted[:0]
			for _, r := range i.Wanted {
				if i.Config.Syncs(r) && i.Status == integration.Connected {
					wanted = append(wanted, r)
				}
			}
			i.Wanted = nil
			return nil
		})
		if err != nil || len(wanted) == 0 {
			return err
		}
		run := syncrun.Start(id.New[id.Sync](e.Entropy.IDBits()), i.Project, i.ID, wanted, false, current.Synced, e.Clock.Now())
		return s.Runs.Start(ctx, run)
	})
	if isRunOver(err) {
		return nil // another run is active, or the integration is gone
	}
	return err
}
