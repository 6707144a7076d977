package ratelimit

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"github.com/haggle-commerce/haggle/ports"
)

// remembered bounds the keys in memory. The key that rested longest is forgotten first: it counts as
// rested, which it is unless this many others came since.
const remembered = 1 << 16

// memory counts in this process.
type memory struct{ store throttled.GCRAStoreCtx }

func newMemory() (memory, error) {
	store, err := memstore.New(remembered)
	if err != nil {
		return memory{}, err
	}
	start := time.Now()
	store.SetTimeNow(func() time.Time { return start.Add(time.Since(start)) }) // setting the machine's clock changes nothing
	return memory{throttled.WrapStoreWithContext(store)}, nil
}

// unwritten is a store that is only looked at. Counting nothing would write what it read, and count one
// if a racer was faster.
type unwritten struct{ throttled.GCRAStoreCtx }

func (unwritten) SetIfNotExistsWithTTL(context.Context, string, int64, time.Duration) (bool, error) {
	return true, nil
}

func (unwritten) CompareAndSwapWithTTL(context.Context, string, int64, int64, time.Duration) (bool, error) {
	return true, nil
}

// count counts n requests of the key, or none, under its rate, of which mine is for this limiter. A change
// of mine alone starts no new count.
func (m memory) count(ctx context.Context, key string, r, mine ports.Rate, n int) ports.Verdict {
	store := m.store
	if n == 0 {
		store = unwritten{m.store}
	}
	quota := throttled.RateQuota{MaxRate: throttled.PerMin(mine.PerMinute), MaxBurst: mine.Burst - 1}
	gcra, err := throttled.NewGCRARateLimiterCtx(store, quota) // a few words; what it counts is in the store
	if err != nil {
		panic(fmt.Sprintf("ratelimit: %v is not bounded: %v", mine, err))
	}
	gcra.SetMaxCASAttemptsLimit(math.MaxInt) // a racer tries again only after another one got through
	limited, result, err := gcra.RateLimitCtx(ctx, name(key, r), min(n, mine.Burst))
	if err != nil {
		panic(fmt.Sprintf("ratelimit: counting in memory: %v", err)) // neither the store nor the clock can fail
	}
	return ports.Verdict{
		Allowed:    !limited && result.RetryAfter <= 0,
		Limit:      result.Limit,
		Remaining:  result.Remaining,
		Reset:      result.ResetAfter,
		RetryAfter: max(result.RetryAfter, 0),
	}
}
