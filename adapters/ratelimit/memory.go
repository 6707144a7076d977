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

// remembered bounds the keys in memory. The least recently used key is evicted first. It then counts as unused, which is
// wrong only if this many other keys were used within its window.
const remembered = 1 << 16

// memory counts in this process.
type memory struct{ store throttled.GCRAStoreCtx }

func newMemory() (memory, error) {
	store, err := memstore.New(remembered)
	if err != nil {
		return memory{}, err
	}
	start := time.Now()
	store.SetTimeNow(func() time.Time { return start.Add(time.Since(start)) }) // monotonic: setting the machine's clock has no effect
	return memory{throttled.WrapStoreWithContext(store)}, nil
}

// unwritten is a read-only store. Without it, counting 0 requests would write back the value it read, and could undo a
// concurrent caller's count.
type unwritten struct{ throttled.GCRAStoreCtx }

func (unwritten) SetIfNotExistsWithTTL(context.Context, string, int64, time.Duration) (bool, error) {
	return true, nil
}

func (unwritten) CompareAndSwapWithTTL(context.Context, string, int64, int64, time.Duration) (bool, error) {
	return true, nil
}

// count counts n requests of the key, which may be 0. r is the whole rate and mine this limiter's share of it. Counts are
// stored by key and r, so a change of mine alone does not reset them.
func (m memory) count(ctx context.Context, key string, r, mine ports.Rate, n int) ports.Verdict {
	store := m.store
	if n == 0 {
		store = unwritten{m.store}
	}
	quota := throttled.RateQuota{MaxRate: throttled.PerMin(mine.PerMinute), MaxBurst: mine.Burst - 1}
	gcra, err := throttled.NewGCRARateLimiterCtx(store, quota) // small; the counts are in the store
	if err != nil {
		panic(fmt.Sprintf("ratelimit: %v is not bounded: %v", mine, err))
	}
	gcra.SetMaxCASAttemptsLimit(math.MaxInt) // a caller retries only after another one succeeded
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
