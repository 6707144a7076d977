package boot

import (
	"context"
	"time"
)

// reconcileEvery is how often lapsed payment attempts are looked for.
const reconcileEvery = 2 * time.Second

// reconcile decides lapsed payment attempts until ctx ends.
func (a *App) reconcile(ctx context.Context) {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		decided, err := a.purchase.Reconcile(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.log.WarnContext(ctx, "payment attempts left unresolved", "decided", decided, "error", err)
		case decided > 0:
			a.log.InfoContext(ctx, "payment attempts resolved", "decided", decided)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
