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

// take counts one request of the key under its rate, of which mine is for this limiter. A change of mine
// alone starts no new count.
func (m memory) take(ctx context.Context, key string, r, mine ports.Rate) ports.Verdict {
	quota := throttled.RateQuota{MaxRate: throttled.PerMin(mine.PerMinute), MaxBurst: mine.Burst - 1}
	gcra, err := throttled.NewGCRARateLimiterCtx(m.store, quota) // a few words; what it counts is in the store
	if err != nil {
		panic(fmt.Sprintf("ratelimit: %v is not bounded: %v", mine, err))
	}
	gcra.SetMaxCASAttemptsLimit(math.MaxInt) // a racer tries again only after another one got through
	limited, result, err := gcra.RateLimitCtx(ctx, name(key, r), 1)
	if err != nil {
		panic(fmt.Sprintf("ratelimit: counting in memory: %v", err)) // neither the store nor the clock can fail
	}
	return ports.Verdict{
		Allowed:    !limited,
		Limit:      result.Limit,
		Remaining:  result.Remaining,
		Reset:      result.ResetAfter,
		RetryAfter: max(result.RetryAfter, 0),
	}
}
