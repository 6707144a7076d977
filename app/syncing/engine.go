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
	// poll is how often due runs, those of other replicas too, are looked for.
	poll = 500 * time.Millisecond
	// lease is renewed with each page. It is longer than a page can take.
	lease = 30 * time.Second
	// patience bounds the reading of a page.
	patience = 20 * time.Second
	// finishing bounds what is written once the engine is told to stop.
	finishing = 10 * time.Second
	// turn is after how long a run that has more to read lets others have its place.
	turn = 20 * time.Second
	// wanting are how many integrations are looked at that a webhook wants to be read.
	wanting = 32
	// starting bounds the starting of their runs: less than it takes to wait for all of their projects.
	starting = 5 * time.Second
)

// limits leave places for projects whose runs are short.
var limits = jobs.Limits{
	Slots: 6,
	Slow:  4,
	Each:  2,
	Long:  turn / 2,
}

// Engine works on runs. Its Job is to be run.
type Engine struct {
	Queue        ports.SyncQueue
	Integrations ports.Integrations
	Projects     ports.ProjectFinder
	Unit         ports.SyncUnit
	Accounts     ports.IntegrationAccounts
	Connectors   map[string]ports.Connector // by type
	Taker        *Taker
	Clock        ports.Clock
	Entropy      ports.Entropy
	Schedules    ports.Schedules
	Log          *slog.Logger
	// Changed is told of products whose fields or stock have changed, once they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Announced is told that there are events to deliver. It never waits.
	Announced func()
}

// Job starts runs that are wanted, and works on those that are due. Told to stop, it leaves them to others.
func (e *Engine) Job() jobs.Job[*syncrun.Run] {
	return jobs.Job[*syncrun.Run]{
		Name:  "synchronise",
		Queue: e.Queue,
		Before: func(ctx context.Context) (more bool, err error) {
			ctx, cancel := context.WithTimeout(ctx, starting)
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

// startScheduled asks for the syncs that are due by their schedule. One whose time passed while no server ran starts once.
func (e *Engine) startScheduled(ctx context.Context) error {
	list, err := e.Queue.Scheduled(ctx, e.Clock.Now(), wanting)
	for _, i := range list {
		failed := e.schedule(ctx, i)
		if !over(failed) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// schedule asks for an integration's sync, unless another replica was first. It does not wait long for one that is in use.
func (e *Engine) schedule(ctx context.Context, i *integration.Integration) error {
	ctx, cancel := context.WithTimeout(ctx, starting/10)
	defer cancel()
	_, err := e.Integrations.Update(ctx, i.Project, i.ID, func(i *integration.Integration) error {
		if now := e.Clock.Now(); i.SyncDue(now) {
			i.Schedule(func(after time.Time) time.Time { return e.Schedules.Next(i.Config.Schedule, after) }, now)
		}
		return nil
	})
	return err
}

// startWanted starts runs over what webhooks' actions want to be read. One that cannot be started now, its
// project being in other hands, keeps no other one waiting, and all of them the due runs not for long.
func (e *Engine) startWanted(ctx context.Context) error {
	list, err := e.Queue.Wanting(ctx, wanting)
	for _, i := range list {
		err = errors.Join(err, e.startFor(ctx, i))
	}
	return err
}

// startFor starts a run over an integration's wanted resources. One whose credentials are refused has them
// dropped: its calls would have run after run fail, and its next run reads what this one would have.
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
	if over(err) {
		return nil // another one is running, or the integration is gone
	}
	return err
}
