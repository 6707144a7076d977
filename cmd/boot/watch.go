package boot

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

// watchParts says what health and metrics look at.
func (a *App) watchParts() {
	a.health = telemetry.NewHealth(a.log, nil)
	a.health.Check("database", "no answer", a.store.Ping)
	a.health.Check("migrations", "not known to be up to date", a.store.SchemaCurrent)
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
	a.store.Pools(a.metrics.Database)
}

// traceWork is how the store's work becomes spans; nil where tracing is off.
func (a *App) traceWork() func(context.Context, string) (context.Context, func(error)) {
	if a.tracing == nil {
		return nil
	}
	return func(ctx context.Context, name string) (context.Context, func(error)) {
		return a.tracing.StartWork(ctx, "database "+name)
	}
}
