package ratelimit

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/throttled/throttled/v2"

	"github.com/haggle-commerce/haggle/ports"
)

var ctx = context.Background()

// plans are the default rates, and the interval of their steady requests.
var plans = []struct {
	rate  ports.Rate
	apart time.Duration
}{
	{ports.Rate{PerMinute: 100, Burst: 150}, 600 * time.Millisecond},
	{ports.Rate{PerMinute: 1000, Burst: 1500}, 60 * time.Millisecond},
	{ports.Rate{PerMinute: 10000, Burst: 15000}, 6 * time.Millisecond},
}

func TestLimiter_Allow_exactToTheNanosecond(t *testing.T) {
	t.Parallel()
	for _, plan := range plans {
		t.Run(fmt.Sprint(plan.rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := open(t, "")
				for range 2 { // the second time after a rest
					if n := admitted(l, plan.rate, plan.rate.Burst+10); n != plan.rate.Burst {
						t.Fatalf("%d were admitted at once", n)
					}
					v := l.Allow(ctx, "key", plan.rate)
					if want := (ports.Verdict{
						Limit:      plan.rate.Burst,
						Reset:      90 * time.Second,
						RetryAfter: plan.apart,
					}); v != want {
						t.Fatalf("%+v, want %+v", v, want)
					}
					time.Sleep(v.RetryAfter - 1)
					if v := l.Allow(ctx, "key", plan.rate); v.Allowed || v.RetryAfter != 1 {
						t.Fatalf("a nanosecond early: %+v", v)
					}
					time.Sleep(time.Nanosecond)
					if n := admitted(l, plan.rate, 2); n != 1 {
						t.Fatalf("%d were admitted after RetryAfter", n)
					}
					time.Sleep(90 * time.Second)
				}
			})
		})
	}
}

func TestLimiter_Allow_steadyMinute(t *testing.T) {
	t.Parallel()
	for _, plan := range plans {
		t.Run(fmt.Sprint(plan.rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, n := open(t, ""), 0
				admitted(l, plan.rate, plan.rate.Burst)
				for range 4 * plan.rate.PerMinute {
					time.Sleep(plan.apart / 4)
					n += admitted(l, plan.rate, 1)
				}
				if n != plan.rate.PerMinute {
					t.Errorf("%d were admitted in a minute", n)
				}
			})
		})
	}
}

// A changed share of the same rate does not reset the count.
func TestMemory_count_changedShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, err := newMemory()
		if err != nil {
			t.Fatal(err)
		}
		whole := plans[0].rate
		for range share(whole, 2).Burst {
			m.count(ctx, "key", whole, share(whole, 2), 1)
		}
		for n := 1; n <= 5; n++ {
			if v := m.count(ctx, "key", whole, share(whole, n), 1); v.Allowed {
				t.Errorf("as one of %d: %+v", n, v)
			}
		}
	})
}

// A caller that loses many compare-and-swaps is counted in the end.
func TestMemory_count_contended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, err := newMemory()
		if err != nil {
			t.Fatal(err)
		}
		m.store = &contended{GCRAStoreCtx: m.store, losses: 50}
		for n := range 2 {
			if v := m.count(ctx, "key", plans[0].rate, plans[0].rate, 1); v.Remaining != 149-n {
				t.Errorf("request %d: %+v", n+1, v)
			}
		}
	})
}

// contended is a store whose first compare-and-swaps fail, as if other callers were faster.
type contended struct {
	throttled.GCRAStoreCtx
	losses int
}

func (c *contended) CompareAndSwapWithTTL(ctx context.Context, key string, old, next int64, ttl time.Duration) (bool, error) {
	if c.losses--; c.losses >= 0 {
		return false, nil
	}
	return c.GCRAStoreCtx.CompareAndSwapWithTTL(ctx, key, old, next, ttl)
}

func TestMemory_millionKeys(t *testing.T) {
	l, rarely := open(t, ""), ports.Rate{PerMinute: 1, Burst: 150} // the last key is used twice within a minute
	empty := heap()
	for i := range 1_000_000 {
		l.Allow(ctx, fmt.Sprintf("203.0.113.%d/project", i), rarely)
	}
	grown := heap() - empty
	t.Logf("a million keys take %d KiB", grown>>10)
	if grown > 24<<20 { // the remembered keys need about 16 MiB
		t.Errorf("a million keys take %d KiB", grown>>10)
	}
	if v := l.Allow(ctx, "203.0.113.999999/project", rarely); v.Remaining != 148 {
		t.Errorf("the last key is forgotten: %+v", v)
	}
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// admitted returns how many of n immediate requests are allowed.
func admitted(l *Limiter, r ports.Rate, n int) int {
	count := 0
	for range n {
		if l.Allow(ctx, "key", r).Allowed {
			count++
		}
	}
	return count
}
