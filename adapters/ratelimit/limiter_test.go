package ratelimit

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

func TestLimiter_Allow_twoReplicas(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	a, b := open(t, patient(server)), open(t, patient(server))
	rate := ports.Rate{PerMinute: 3000, Burst: 40}
	keys := []string{"one", "two", "three"}
	counts := make([]atomic.Int64, len(keys))
	start := time.Now()
	race(a, b, 300*time.Millisecond, func(l *Limiter) {
		for i, key := range keys {
			if l.Allow(ctx, key, rate).Allowed {
				counts[i].Add(1)
			}
		}
	})
	most := int64(rate.Burst) + earned(rate, time.Since(start))
	for i, key := range keys {
		if n := counts[i].Load(); n > most || n < int64(rate.Burst) {
			t.Errorf("%s was admitted %d times, want %d to %d", key, n, rate.Burst, most)
		}
	}
	if n := a.Alone() + b.Alone(); n > 0 {
		t.Errorf("%d verdicts came without Redis", n)
	}
}

func TestLimiter_Allow_redisOutage(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	var logs lines
	a, b := openLogging(t, &logs, patient(server)), openLogging(t, &logs, patient(server))
	rate := ports.Rate{PerMinute: 600, Burst: 60}
	var count atomic.Int64
	take := func(l *Limiter) {
		if l.Allow(ctx, "key", rate).Allowed {
			count.Add(1)
		}
	}
	start := time.Now()
	for range 2 * rate.Burst { // the whole burst, half of it on each replica
		take(a)
		take(b)
	}
	server.Stop()
	race(a, b, 400*time.Millisecond, take)
	// Both have used their share of the burst, so that the outage allows only the steady rate.
	if n, most := count.Load(), int64(rate.Burst)+earned(rate, time.Since(start))+2; n > most {
		t.Errorf("%d were admitted until now, want at most %d", n, most)
	}
	if !a.Degraded() || !b.Degraded() || a.Alone() == 0 || b.Alone() == 0 {
		t.Errorf("degraded: %v and %v; verdicts alone: %d and %d", a.Degraded(), b.Degraded(), a.Alone(), b.Alone())
	}
	if v := a.Allow(ctx, "key", rate); v.Limit != 30 {
		t.Errorf("one of two replicas allows a burst of %d, want its half", v.Limit)
	}

	server.Restart()
	for _, l := range []*Limiter{a, b} {
		within(t, 20*time.Second, "return to Redis", func() bool { take(l); return !l.Degraded() })
	}
	alone := a.Alone()
	if v := a.Allow(ctx, "key", rate); v.Limit != rate.Burst || a.Alone() != alone {
		t.Errorf("after the return: %+v, %d verdicts alone", v, a.Alone()-alone)
	}
	race(a, b, 200*time.Millisecond, take)
	// Redis lost its data: one more burst.
	if n, most := count.Load(), int64(2*rate.Burst)+earned(rate, time.Since(start))+2; n > most {
		t.Errorf("%d were admitted in all, want at most %d", n, most)
	}
	for _, change := range []string{"does not answer", "answers again"} {
		if n := logs.count(change); n != 2 {
			t.Errorf("two replicas logged %d times that Redis %s:\n%s", n, change, &logs)
		}
	}
}

// Before the first contact with Redis, a limiter assumes two replicas.
func TestLimiter_Allow_redisUnreachable(t *testing.T) {
	t.Parallel()
	l := open(t, "unix://"+filepath.Join(t.TempDir(), "nobody.sock"))
	rate := ports.Rate{PerMinute: 3, Burst: 9}
	if n := admitted(l, rate, 20); n != 5 {
		t.Errorf("%d of a burst of 9 were admitted, want a half, rounded up", n)
	}
	if !l.Degraded() || l.Alone() != 20 {
		t.Errorf("degraded %v, %d verdicts alone", l.Degraded(), l.Alone())
	}
}

// A Redis that accepts connections but never answers costs one timeout per pause.
func TestLimiter_Allow_silentRedis(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	l := open(t, "redis://"+silent.Addr().String())
	asked := &roundTrips{}
	l.shared.client.AddHook(asked)
	start := time.Now()
	l.Allow(ctx, "key", plans[0].rate)
	if took := time.Since(start); took < callTimeout || l.shared.client.Options().ReadTimeout != callTimeout {
		t.Errorf("the first request took %v", took)
	}
	once := asked.n.Load()
	for range 100 {
		l.Allow(ctx, "key", plans[0].rate)
	}
	// Later requests asked Redis again only if the machine was slow.
	if n, took := asked.n.Load(), time.Since(start); n > once*(1+int64(took/pause)) || !l.Degraded() {
		t.Errorf("a hundred and one took %v, asked %d times and once %d, degraded %v", took, n, once, l.Degraded())
	}
}

// race runs eight concurrent callers per replica, each calling take continuously and at least a hundred times.
func race(a, b *Limiter, howLong time.Duration, take func(*Limiter)) {
	var callers sync.WaitGroup
	start := time.Now()
	for i := range 16 {
		l := []*Limiter{a, b}[i%2]
		callers.Go(func() {
			for n := 0; n < 100 || time.Since(start) < howLong; n++ {
				take(l)
			}
		})
	}
	callers.Wait()
}

// earned returns how many requests the steady rate allows in a time.
func earned(r ports.Rate, d time.Duration) int64 {
	return int64(d) * int64(r.PerMinute) / int64(time.Minute)
}

func openLogging(t *testing.T, to *lines, url string) *Limiter {
	t.Helper()
	l, err := New(url, slog.New(slog.NewTextHandler(to, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// lines collects log output for tests.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(words string) int { return strings.Count(fmt.Sprint(l), words) }

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
