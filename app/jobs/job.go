// Package jobs runs background work for tenants: a Worker leases due items from a queue, limits each group to its share, runs
// the work, and sets items aside that cannot be read or cause a panic. Each Job defines its work and stores the results.
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
	// Work does the work of a task and records the outcome. Items without a recorded outcome are claimed again when their lease
	// is over. If it fails with fault.ErrPanic or fault.ErrUnreadable, the worker calls it again with each item of a batch
	// alone and sets the failing items aside.
	Work func(ctx ports.Outbound, t Task[T]) error
	// Before, if set, does work without a lease before each claim. It reports whether there is more.
	Before func(ctx context.Context) (more bool, err error)
	// Record, if set, stores outcomes that tasks have collected, before each claim and at shutdown. While it fails, the worker
	// claims nothing.
	Record func(ctx context.Context) error

	Limits Limits
	Lease  time.Duration // longer than a task can take, unless it extends its lease
	Poll   time.Duration // interval between claims without Wake, for work that other replicas stored or that is due again
	// Pace is the shortest time between the starts of two rounds, so that under load one round claims the work of many calls of
	// Wake; 0: none. A round that continues a backlog does not wait for it. There is a backlog if Before reported more, or if
	// there was more to claim than fitted; then the next round starts once half of the tasks have ended.
	Pace  time.Duration
	Clock ports.Clock
	Log   *slog.Logger
	// Ran, if set, is called after each round with its error, or nil.
	Ran func(error)
}

// ErrFailed means that a task failed and has recorded it: the group counts as slow, and the worker reports no error.
var ErrFailed = errors.New("the work failed, and that is recorded")

// Limits are how many tasks run concurrently.
type Limits struct {
	Slots int // tasks of all groups
	Slow  int // tasks of slow groups, those whose last task failed or took Long; 0: as many as Slots
	Each  int // tasks of one group
	Quick int // tasks of a group whose last one was not slow; 0: as many as Each
	Long  time.Duration
	// Batch is how many claimed items of a group a task may have. A group then has one task at a time. 0: a task is one item.
	Batch int
}

// Task is claimed work of one group.
type Task[T any] struct {
	Group string
	Items []ports.Leased[T]
	// Clock is this process's clock corrected by the offset of the store's clock when it leased the task.
	Clock ports.Clock
}

// Item is the only item of a task that has no batch.
func (t Task[T]) Item() T { return t.Items[0].Item }

// Extended sets the end of the only item's lease. Work that extends its lease must call it, so that the worker can still set the
// item aside.
func (t Task[T]) Extended(until time.Time) { t.Items[0].Until = until }

// storeClock is a clock corrected by the offset of the store's clock.
type storeClock struct {
	ports.Clock
	ahead time.Duration
}

func (c storeClock) Now() time.Time { return c.Clock.Now().Add(c.ahead) }
