package telemetry

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Loop is the heartbeat of a background loop.
type Loop struct {
	health *Health
	last   atomic.Pointer[time.Time] // not a number: keeps the monotonic clock
}

// Loop adds a check that fails once the loop's last beat is older than maxAge. The first beat is due within maxAge, too.
func (h *Health) Loop(name string, maxAge time.Duration) *Loop {
	l := &Loop{health: h}
	l.Beat()
	h.Check(name, "stalled", func(context.Context) error {
		if age := h.now().Sub(*l.last.Load()); age > maxAge {
			return fmt.Errorf("no run for %s, expected within %s", age.Round(time.Millisecond), maxAge)
		}
		return nil
	})
	return l
}

// Beat records that the loop is alive, whether or not its work succeeded.
func (l *Loop) Beat() {
	now := l.health.now()
	l.last.Store(&now)
}
