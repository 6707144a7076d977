package system

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstLooks  = 3               // measurements before the clock is used; the fastest one counts
	lookTimeout = 2 * time.Second // of one measurement
	// coarse is the resolution of the database's answer.
	coarse = time.Millisecond
)

// DatabaseClock follows the clock of the database, so that times that several machines compare (leases, windows, due times)
// come from one clock. Between measurements it uses this machine's monotonic clock: a step of the local wall clock does not
// change it.
//
// The accuracy of a measurement is its round trip. If the clock lies within that span it is not changed, otherwise it is set
// to the nearest end of the span. So it goes back by no more than it was proven to be ahead.
type DatabaseClock struct {
	ask  func(context.Context) (time.Time, error)
	wall func() time.Time // of this machine

	mu     sync.Mutex // held while measuring
	anchor atomic.Pointer[anchor]
}

// anchor is a moment on two clocks.
type anchor struct {
	local    time.Time // with its monotonic reading
	database time.Time
	stands   bool // the clock is stopped
}

func (a *anchor) at(local time.Time) time.Time {
	if a.stands {
		return a.database
	}
	return a.database.Add(local.Sub(a.local))
}

// NewDatabaseClock measures the database's clock by calling ask, and returns ask's error if it fails.
func NewDatabaseClock(ctx context.Context, ask func(context.Context) (time.Time, error)) (*DatabaseClock, error) {
	c := &DatabaseClock{ask: ask, wall: Clock{}.Now}
	var best span
	for n := range firstLooks {
		s, err := c.look(ctx)
		if err != nil {
			return nil, err
		}
		if n == 0 || s.width() < best.width() {
			best = s
		}
	}
	c.anchor.Store(&anchor{local: best.sent, database: best.earliest.Add(best.width() / 2)})
	return c, nil
}

// Now returns the database's time, in UTC and whole milliseconds.
func (c *DatabaseClock) Now() time.Time {
	return c.anchor.Load().at(time.Now()).UTC().Truncate(time.Millisecond)
}

// Skew returns how far the database's clock is ahead of this machine's wall clock.
func (c *DatabaseClock) Skew() time.Duration {
	return c.Now().Sub(c.wall())
}

// Stand stops the clock at a time until Sync or Stand is called. It is for servers whose time is set by a test.
func (c *DatabaseClock) Stand(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.anchor.Store(&anchor{database: at, stands: true})
}

// Sync measures again and corrects the clock. After an error the clock continues unchanged.
func (c *DatabaseClock) Sync(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.look(ctx)
	if err != nil {
		return err
	}
	now := c.anchor.Load().at(s.sent)
	switch {
	case now.Before(s.earliest):
		now = s.earliest
	case now.After(s.latest):
		now = s.latest
	}
	c.anchor.Store(&anchor{local: s.sent, database: now})
	return nil
}

// span is the result of a measurement: it contains the database's time at which the query was sent.
type span struct {
	sent             time.Time
	earliest, latest time.Time
}

func (s span) width() time.Duration { return s.latest.Sub(s.earliest) }

func (c *DatabaseClock) look(ctx context.Context) (span, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	sent := time.Now()
	answer, err := c.ask(ctx)
	if err != nil {
		return span{}, err
	}
	took := time.Since(sent)
	return span{sent, answer.Add(-took - coarse), answer.Add(coarse)}, nil
}
