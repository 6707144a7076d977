package syncing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often due runs, those of other replicas too, are looked for.
	poll = 500 * time.Millisecond
	// lease is how long a run is in hand after each page. It is longer than a page can take.
	lease = 30 * time.Second
	// patience bounds the reading of a page.
	patience = 20 * time.Second
	// finishing bounds what is written once the engine is told to stop.
	finishing = 10 * time.Second
	// slots are how many runs are in hand at once.
	slots = 4
	// turn is after how long a run that has more to read lets others have its place.
	turn = 20 * time.Second
	// wanting are how many integrations are looked at that a webhook wants to be read.
	wanting = 32
	// starting bounds the starting of their runs: less than it takes to wait for all of their projects.
	starting = 5 * time.Second
)

// Accounts opens integrations for use.
type Accounts interface {
	// Use runs work on the integration's account. work may run twice: with other credentials, after it
	// returned ErrCredentialsRefused. A disconnected integration: Conflict integration_disconnected.
	Use(ctx context.Context, i *integration.Integration, work func(ports.Connection) error) error
}

// Projects finds the project of a run.
type Projects interface {
	ByProject(ctx context.Context, project id.Project) (*project.Project, error)
}

// Parts are what an engine works with.
type Parts struct {
	Queue        ports.SyncQueue
	Runs         ports.SyncRuns
	Integrations ports.Integrations
	Projects     Projects
	Unit         ports.SyncUnit
	Accounts     Accounts
	Connectors   map[string]ports.Connector // by type
	Taker        *Taker
	Clock        ports.Clock
	Entropy      ports.Entropy
	Log          *slog.Logger
	// Changed is told of products whose fields or stock have changed, once they are stored.
	Changed func(ctx context.Context, project id.Project, products []id.Product)
	// Announced is told that there are events to deliver. It never waits.
	Announced func()
	// Ran is told after each round of work, with what went wrong.
	Ran func(error)
}

// Engine works on runs, as long as it runs. Any number of them share the work.
type Engine struct {
	Parts
	wake chan struct{}
	done chan struct{}
	busy int
}

// NewEngine puts one together. Run starts it.
func NewEngine(p Parts) *Engine {
	return &Engine{Parts: p, wake: make(chan struct{}, 1), done: make(chan struct{}, slots)}
}

// Wake tells that there may be something to do. It never waits.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends, and then lets go of what is in hand, for others to go on with.
func (e *Engine) Run(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		err := fault.Survive(func() error { return e.step(ctx) })
		if ctx.Err() == nil {
			e.Ran(err)
		}
		select {
		case <-ctx.Done():
			for ; e.busy > 0; e.busy-- {
				<-e.done
			}
			return
		case <-e.wake:
		case <-tick.C:
		case <-e.done:
			e.busy--
		}
	}
}

// step starts runs that are wanted, and takes due ones in hand, as far as there is room.
func (e *Engine) step(ctx context.Context) error {
	unstarted := e.startWanted(ctx)
	if e.busy >= slots {
		return unstarted
	}
	now := e.Clock.Now()
	runs, err := e.Queue.Claim(ctx, now, now.Add(lease), slots-e.busy)
	for _, r := range runs {
		e.busy++
		go func() {
			defer func() { e.done <- struct{}{} }()
			if err := fault.Survive(func() error { e.work(ctx, r); return nil }); err != nil {
				e.Log.ErrorContext(ctx, "a sync run is left to its lease", "run", r.ID.String(), "error", err)
			}
		}()
	}
	return errors.Join(unstarted, err)
}

// startWanted starts runs over what webhooks' actions want to be read. One that cannot be started now, its
// project being in other hands, keeps no other one waiting, and all of them the due runs not for long.
func (e *Engine) startWanted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
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
		run := syncrun.Start(id.New[id.Sync](e.Entropy.Bits128()), i.Project, i.ID, wanted, false, current.Synced, e.Clock.Now())
		return s.Runs.Start(ctx, run)
	})
	if over(err) {
		return nil // another one is running, or the integration is gone
	}
	return err
}
