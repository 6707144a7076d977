package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Queue leases background work of one kind, of all projects, to all replicas: no two hold the same. The store's clock
// decides what is due and when a lease ends; no replica's clock matters. Work is in groups, such as a project or an
// integration, so that callers can give each of them its share.
type Queue[T any] interface {
	// Waiting lists groups that have work due, the longest waiting first, a thousand at most.
	Waiting(ctx context.Context) ([]string, error)
	// Claim leases due work of some groups that no other replica holds, the longest waiting of each group. A row that
	// cannot be read does not block others: it comes with Err.
	Claim(ctx context.Context, lease time.Duration, shares []Share) ([]Leased[T], error)
	// SetAside makes claimed work due again after held.Pause, and records that it was set aside and why, for the
	// operators of the service. Work that another replica has leased since is left alone.
	SetAside(ctx context.Context, held Held, reason string) error
	// Restore forgets that work was set aside.
	Restore(ctx context.Context, held Held) error
}

// Share is the maximum number of rows to claim of a group.
type Share struct {
	Group string
	Most  int
}

// Held identifies claimed work.
type Held struct {
	Project id.Project
	Key     string // of the row, within its project and queue
	Group   string
	// Until is when the lease ends by the store's clock. It identifies the lease: writes for held work take effect only
	// while its row has this value.
	Until time.Time
	// Failures is how many times in a row the work was set aside before.
	Failures int
}

const (
	firstPause   = time.Minute
	longestPause = time.Hour
)

// Pause is how long the work is set aside: a minute, twice as long each time, an hour at most.
func (h Held) Pause() time.Duration { return min(firstPause<<min(h.Failures, 10), longestPause) }

// Leased is claimed work. Err is why its row cannot be read; Item is zero then.
type Leased[T any] struct {
	Held
	Item T
	Err  error
}

// SetAside is work that was set aside, and why.
type SetAside struct {
	Held
	Err error
}
