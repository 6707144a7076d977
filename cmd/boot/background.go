package boot

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/imports"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/markets"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/retention"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// loop is background work that runs periodically. After a crash the next run does what the last one left.
type loop struct {
	name  string
	every time.Duration
	run   func(context.Context) error
	long  bool // a run may take long, so there is no last one at shutdown
}

func (a *App) loops() []loop {
	return []loop{
		{
			name:  "follow the database's clock",
			every: syncEvery,
			run:   a.clocks.follow,
		},
		{
			name:  "forget members' links and sessions",
			every: 10 * time.Minute,
			run:   a.People.Forget,
		},
		{
			name:  "record blocked sign-ins",
			every: 5 * time.Second,
			run:   a.People.RecordBlocked,
		},
		{
			name:  "record uses of keys",
			every: 5 * time.Second,
			run:   a.Access.FlushUses,
		},
		{
			name:  "forget idempotency keys",
			every: 10 * time.Minute,
			run:   a.forgetKeys,
		},
		{
			name:  "forget declines",
			every: time.Minute,
			run:   a.forgetDeclines,
		},
		{
			name:  "refresh tokens",
			every: time.Minute,
			run:   a.refreshTokens,
		},
		{
			name:  "forget consents",
			every: 10 * time.Minute,
			run:   a.forgetConsents,
		},
		{
			name:  "remove what is over",
			every: time.Minute,
			run:   a.retention().Run,
			long:  true,
		},
		{
			name:  "log refused webhook calls",
			every: 10 * time.Second,
			run:   a.platforms.receiver.LogRefusals,
		},
		{
			name:  "learn sales",
			every: 10 * time.Second,
			run:   a.Discovery.LearnSales,
		},
		{
			name:  "fold analytics",
			every: 2 * time.Second,
			run:   a.foldAnalytics,
		},
		{
			name:  "hear of stock",
			every: time.Second,
			run:   a.Discovery.UpdateStock,
		},
		{
			name:  "tune agents",
			every: time.Hour,
			run:   a.selfTuner.Run,
			long:  true,
		},
		{
			name:  "seal decisions",
			every: time.Second,
			run:   a.seal,
		},
		{
			name:  "reconcile books",
			every: time.Minute,
			run:   outbound(a.reconciler().Run),
			long:  true,
		},
		{
			name:  "announce low stock",
			every: 10 * time.Second,
			run:   a.announcing.LowStock,
		},
		{
			name:  "expire checkouts",
			every: 10 * time.Second,
			run:   a.announcing.AbandonedCheckouts,
		},
		{
			name:  "announce lost negotiations",
			every: 30 * time.Second,
			run:   a.announcing.LostNegotiations,
		},
		{
			name:  "announce unresolved payments",
			every: time.Minute,
			run:   a.announcing.Unresolved,
		},
		{
			name:  "forget work set aside",
			every: time.Hour,
			run:   a.store.ForgetSetAside,
		},
		{
			name:  "close projects",
			every: 2 * time.Second,
			run:   a.closeProjects,
		},
		{
			name:  "forget stock turns",
			every: 10 * time.Minute,
			run:   a.pruneStockChanges,
		},
		{
			name:  "name negotiations",
			every: time.Minute,
			run:   a.nameNegotiations,
			long:  true,
		},
		{
			name:  "analyze grown tables",
			every: 2 * time.Second,
			run:   a.analyzeGrown,
			long:  true,
		},
		{
			name:  "forget released slugs",
			every: time.Hour,
			run:   a.store.ForgetSlugs,
		},
		{
			name:  "forget finished jobs",
			every: 10 * time.Minute,
			run:   a.forgetJobs,
		},
	}
}

// startLoops runs the loops and workers until stop is called, which waits for their last runs.
func (a *App) startLoops(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, l := range append(a.loops(), a.embedding()...) {
		beats := a.health.Loop(l.name, max(5*l.every, time.Minute))
		all.Go(func() { a.keepRunning(ctx, l, beats) })
	}
	all.Go(func() { a.limiter.Run(ctx) })
	for _, run := range a.workers() {
		all.Go(func() { run(ctx) })
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// lastRun is the timeout of a loop's run at shutdown.
const lastRun = 5 * time.Second

// keepRunning runs a loop until ctx ends, and then once more unless it is long.
func (a *App) keepRunning(ctx context.Context, l loop, beats *telemetry.Loop) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		a.runOnce(ctx, l)
		beats.Beat()
		select {
		case <-ctx.Done():
			if l.long {
				return
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRun)
			defer cancel()
			a.runOnce(last, l)
			return
		case <-tick.C:
		}
	}
}

// outbound adapts the run of a loop that calls third parties.
func outbound(run func(ports.Outbound) error) func(context.Context) error {
	return func(ctx context.Context) error { return run(ports.NewOutbound(ctx)) }
}

func (a *App) runOnce(ctx context.Context, l loop) {
	err := fault.Survive(func() error { return l.run(ctx) })
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return
	}
	a.metrics.BackgroundRan(l.name, err)
	if err != nil {
		a.log.WarnContext(ctx, "background work failed; it will run again", "loop", l.name, "error", err)
	}
}

// closeProjects continues to close and delete the projects that are being closed or deleted.
func (a *App) closeProjects(ctx context.Context) error {
	closer := projects.Closer{
		Closings:     a.store.Projects(),
		Connected:    a.store.Integrations(),
		Disconnecter: a.Connecting,
	}
	return closer.Run(ports.NewOutbound(ctx), projects.Quiet)
}

// workers returns the lease-queue workers. Each runs until its context ends.
func (a *App) workers() []func(context.Context) {
	list := []func(context.Context){
		observed(a, a.publisher),
		observed(a, jobs.NewWorker(a.Purchase.Reconciliation())),
		observed(a, jobs.NewWorker(a.Purchase.OrphanRefunds())),
		observed(a, jobs.NewWorker(a.Aftersales.Refunding())),
		observed(a, jobs.NewWorker(a.jobRunner().Job())),
		observed(a, a.platforms.engine),
		observed(a, a.platforms.worker),
		observed(a, a.platforms.writing),
		observed(a, a.platforms.mirror),
		observed(a, a.platforms.checks),
	}
	if a.embeddings.worker != nil {
		list = append(list, observed(a, jobs.NewWorker(a.embeddings.worker.Job())))
	}
	return list
}

func observed[T any](a *App, w *jobs.Worker[T]) func(context.Context) {
	w.Ran = a.loopObserver(w.Name)
	return w.Run
}

// forgetKeys removes expired idempotency keys with their responses.
func (a *App) forgetKeys(ctx context.Context) error {
	for {
		if n, err := a.store.Requests().Purge(ctx, a.clock.Now()); err != nil || n == 0 {
			return err
		}
	}
}

// forgetDeclines removes declines that are too old to count against a buyer.
func (a *App) forgetDeclines(ctx context.Context) error {
	return a.store.Checkouts().ForgetDeclines(ctx, a.clock.Now().Add(-2*checkout.DeclineWindow))
}

// retention removes records that are older than their project's retention settings.
func (a *App) retention() *retention.Service {
	return &retention.Service{
		Store: a.store.Retention(),
		Vault: a.vault,
	}
}

// pruneStockChanges removes availability changes that every replica has read.
func (a *App) pruneStockChanges(ctx context.Context) error {
	return a.store.AvailabilityChanges().PruneBefore(ctx, a.clock.Now().Add(-discovery.AvailabilityChangesKept))
}

// jobRunner works on the jobs that merchants start: imports and market simulations.
func (a *App) jobRunner() *markets.Runner {
	loader := &imports.Worker{
		Stores:   a.wholeStores(),
		Catalogs: a.Catalogs,
		Open:     openImport,
	}
	return &markets.Runner{
		Stores:   a.wholeStores(),
		Import:   loader.Work,
		Queue:    a.store.JobQueue(),
		Projects: a.store.ActiveProjects(),
		Clock:    a.clock,
		Log:      a.log,
	}
}

// forgetJobs removes old finished jobs, and import files that no job needs.
func (a *App) forgetJobs(ctx context.Context) error {
	for _, forget := range []func(context.Context) (more bool, err error){a.store.Jobs().Forget, a.store.Imports().Forget} {
		for more := true; more; {
			var err error
			if more, err = forget(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldAnalytics adds new events to the analytics, for at most 20 s at a time.
func (a *App) foldAnalytics(ctx context.Context) error {
	for began := time.Now(); ; {
		if more, err := a.store.Analytics().Fold(ctx); err != nil || !more || time.Since(began) > 20*time.Second {
			return err
		}
	}
}

// nameNegotiations names negotiations that an earlier release stored without a name.
func (a *App) nameNegotiations(ctx context.Context) error {
	for ctx.Err() == nil {
		if more, err := a.store.Negotiations().Name(ctx); err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// analyzeGrown keeps the planner's statistics up to date. If the login may not ANALYZE, it logs that once: autovacuum
// will do it later.
func (a *App) analyzeGrown(ctx context.Context) error {
	refused, err := a.store.AnalyzeGrown(ctx)
	if len(refused) > 0 {
		a.unanalyzed.Do(func() {
			a.log.WarnContext(ctx, "the database role cannot ANALYZE tables: queries may be slow until autovacuum analyzes them", "tables", refused)
		})
	}
	return err
}
