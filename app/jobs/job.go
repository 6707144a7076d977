// Package jobs is the worker under all background work that is done for tenants: it claims due work from a
// queue, no more of a group than its share, works on it and sets aside what this program cannot read or
// panics on. What the work is, and what it leaves in the store, is each job's own affair.
package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// Job is one kind of work.
type Job[T any] struct {
	Name  string
	Queue ports.Queue[T]
	// Work does claimed work and records what became of it. What it leaves unrecorded is claimed again when
	// its lease is over, and what it fails on for fault.ErrPanic or fault.ErrUnreadable is set aside. It may be
	// called again with each item of a batch alone.
	Work func(ctx ports.Outbound, t Task[T]) error
	// Before, if set, is work without a lease, done before each claim. It reports whether there is more.
	Before func(ctx context.Context) (more bool, err error)
	// Record, if set, stores what tasks left for it, before each claim and at the end. While it fails nothing
	// is claimed.
	Record func(ctx context.Context) error

	Limits Limits
	Lease  time.Duration // longer than a task can take, unless it extends its lease
	Poll   time.Duration // how often work that other replicas stored, or that is due again, is looked for
	// Pace is how long after the start of a round the next one starts at the earliest, so that under load a round finds
	// the work of many calls of Wake; 0: at once. A round does not wait for it that goes on with a backlog: if Before
	// reported more, or if there was more to claim than had room, and half of what is worked on has ended.
	Pace  time.Duration
	Clock ports.Clock
	Log   *slog.Logger
	// Ran, if set, is called after each round with what went wrong.
	Ran func(error)
}

// ErrFailed is a task that failed, which is recorded: the group counts as slow, and nothing is reported.
var ErrFailed = errors.New("the work failed, and that is recorded")

// Limits are how much is worked on at once.
type Limits struct {
	Slots int // tasks of all groups
	Slow  int // tasks of slow groups, those whose last task failed or took Long; 0: as many as Slots
	Each  int // tasks of one group
	Quick int // tasks of a group whose last one was not slow; 0: as many as Each
	Long  time.Duration
	// Batch is how many claimed items of a group a task may have, of which there is one at a time. 0: a task is
	// one item.
	Batch int
}

// Task is claimed work of one group.
type Task[T any] struct {
	Group string
	Items []ports.Leased[T]
	// Clock is the store's: it runs as here, from when the store leased the task.
	Clock ports.Clock
}

// Item is the only item of a task that has no batch.
func (t Task[T]) Item() T { return t.Items[0].Item }

// Extended tells the worker until when the lease of the only item lasts now. Work that moves the end of its
// lease calls it, so that the item can still be set aside.
func (t Task[T]) Extended(until time.Time) { t.Items[0].Until = until }

// storeClock is a clock corrected by how far the store's is ahead.
type storeClock struct {
	ports.Clock
	ahead time.Duration
}

func (c storeClock) Now() time.Time { return c.Clock.Now().Add(c.ahead) }
