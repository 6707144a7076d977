package boot

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// registerMetrics registers the health checks and the metrics of the app's parts.
func (a *App) registerMetrics() {
	a.health = telemetry.NewHealth(a.log, nil)
	a.health.Check("database", "no response", a.store.Ping)
	a.health.Check("migrations", "the schema may be out of date", a.store.SchemaCurrent)
	a.clocks.watch(a.health)
	a.metrics.ClockSkew(a.clocks.skews)
	a.metrics.Circuits(a.suspended)
	for name, room := range a.rooms {
		a.metrics.Waiting(name, room.Waiting, room.Refused)
	}
	a.metrics.Outbox(a.store.OutboxLag, a.clock.Now)
	a.metrics.SetAside(a.store.SetAside)
	a.metrics.MoneyUnexplained(a.store.Reconciliations().UnexplainedMoney)
	a.metrics.Unresolved(a.store.Unresolved().UnresolvedAges)
	a.metrics.RateLimits(a.limiter.Degraded, a.limiter.Alone)
	a.metrics.SyncAges(a.store.Integrations().SyncAges)
	a.metrics.SearchIndexes(a.index.Bytes, func() int { return len(a.index.Loaded()) })
	a.store.Pools(a.metrics.Database)
}

// DescribeMetrics lists the server's own metrics, including those without a series yet.
func (a *App) DescribeMetrics() []telemetry.Description { return a.metrics.Describe() }

// timedIndex measures how long searches take.
type timedIndex struct {
	ports.Index
	took func(time.Duration)
}

func (t timedIndex) Search(ctx ports.Outbound, project id.Project, q catalog.Query) (catalog.Found, error) {
	began := time.Now()
	found, err := t.Index.Search(ctx, project, q)
	if err == nil {
		t.took(time.Since(began))
	}
	return found, err
}

// traceWork returns a function that starts a span for the store's work, or nil if tracing is off.
func (a *App) traceWork() func(context.Context, string) (context.Context, func(error)) {
	if a.tracing == nil {
		return nil
	}
	return func(ctx context.Context, name string) (context.Context, func(error)) {
		return a.tracing.StartWork(ctx, "database "+name)
	}
}
