package adaptertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// rarely are rates whose next request is a minute away, so that a test's own time changes no count.
func rarely(burst int) ports.Rate { return ports.Rate{PerMinute: 1, Burst: burst} }

// Limiter is the contract of ports.Limiter. open returns one that has counted nothing.
func Limiter(t *testing.T, open func(t *testing.T) ports.Limiter) {
	t.Run("a rested key is admitted its burst at once, and then not", func(t *testing.T) {
		l := open(t)
		for _, burst := range []int{1, 2, 7, 150, 1500} {
			for n := range burst {
				want := ports.Verdict{
					Allowed:   true,
					Limit:     burst,
					Remaining: burst - n - 1,
				}
				v := take(t, l, "key", rarely(burst))
				if v.Allowed != want.Allowed || v.Limit != want.Limit || v.Remaining != want.Remaining {
					t.Fatalf("request %d of a burst of %d: %+v, want %+v", n+1, burst, v, want)
				}
			}
			if v := take(t, l, "key", rarely(burst)); v.Allowed {
				t.Errorf("request %d of a burst of %d: %+v", burst+1, burst, v)
			}
		}
	})
	t.Run("a caller that waits as told is admitted, and one request more is not", func(t *testing.T) { limiterHonest(t, open(t)) })
	t.Run("who asks without pause is admitted at most at the rate", func(t *testing.T) { limiterSteady(t, open(t)) })
	t.Run("keys are apart, and so are the rates of a key", func(t *testing.T) { limiterApart(t, open(t)) })
	t.Run("thirty-two racers are admitted exactly the burst", func(t *testing.T) {
		l := open(t)
		for _, burst := range []int{1, 10, 31} {
			if n := admittedOf(32, l, rarely(burst)); n != burst {
				t.Errorf("%d of 32 racers were admitted, want %d", n, burst)
			}
		}
	})
	t.Run("what a refused caller is told does not grow by asking", func(t *testing.T) {
		l := open(t)
		take(t, l, "key", rarely(1))
		first := take(t, l, "key", rarely(1))
		for range 20 {
			if v := take(t, l, "key", rarely(1)); v.RetryAfter > first.RetryAfter || v.Reset > first.Reset {
				t.Fatalf("%+v came before %+v", first, v)
			}
		}
		time.Sleep(2 * time.Millisecond)
		if v := take(t, l, "key", rarely(1)); v.RetryAfter >= first.RetryAfter || v.Reset >= first.Reset {
			t.Errorf("%+v was followed by %+v: time passes", first, v)
		}
	})
	t.Run("after Reset all of the burst is there again", func(t *testing.T) { limiterReset(t, open(t)) })
	t.Run("it answers a caller that is gone", func(t *testing.T) {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if v := open(t).Allow(gone, "key", rarely(3)); !v.Allowed || v.Limit != 3 {
			t.Errorf("%+v", v)
		}
	})
	t.Run("looking counts nothing and tells what a request would meet", func(t *testing.T) { limiterLook(t, open(t)) })
	t.Run("a request that counts as several takes as many", func(t *testing.T) { limiterWeighs(t, open(t)) })
	t.Run("a rate of nothing is one request a minute", func(t *testing.T) {
		l := open(t)
		for _, r := range []ports.Rate{{}, {PerMinute: -5, Burst: -5}} {
			if v := take(t, l, "of nothing", r); v.Limit != 1 {
				t.Errorf("%+v: %+v", r, v)
			}
		}
	})
}

// limiterRate is fast enough to wait for: a request every 20 ms.
var limiterRate = ports.Rate{PerMinute: 3000, Burst: 5}

func limiterHonest(t *testing.T, l ports.Limiter) {
	exhaust(t, l, "key", limiterRate)
	for n := range 10 {
		v := take(t, l, "key", limiterRate)
		if v.Allowed { // the machine delayed the test by the time of a request
			continue
		}
		if most := time.Minute/time.Duration(limiterRate.PerMinute) + time.Millisecond; v.RetryAfter > most {
			t.Fatalf("told to wait %v, and requests come every %v", v.RetryAfter, most)
		}
		time.Sleep(v.RetryAfter)
		if v := take(t, l, "key", limiterRate); !v.Allowed {
			t.Fatalf("wait %d was for nothing: %+v", n, v)
		}
	}
}

func limiterSteady(t *testing.T, l ports.Limiter) {
	start, admitted := time.Now(), 0
	for time.Since(start) < 200*time.Millisecond {
		if take(t, l, "key", limiterRate).Allowed {
			admitted++
		}
	}
	waited := time.Since(start)
	if most := limiterRate.Burst + int(waited*time.Duration(limiterRate.PerMinute)/time.Minute); admitted > most {
		t.Errorf("%d admitted in %v, want at most %d", admitted, waited, most)
	}
}

func limiterApart(t *testing.T, l ports.Limiter) {
	small, large := rarely(2), rarely(9)
	exhaust(t, l, "a", small)
	if v := take(t, l, "b", small); v.Remaining != 1 {
		t.Errorf("another key: %+v", v)
	}
	for n := range large.Burst {
		if v := take(t, l, "a", large); v.Remaining != large.Burst-n-1 {
			t.Fatalf("request %d under another rate: %+v", n+1, v)
		}
		if v := take(t, l, "a", small); v.Allowed {
			t.Fatalf("the first rate forgot its count: %+v", v)
		}
	}
	if v := take(t, l, "a", ports.Rate{PerMinute: 2, Burst: small.Burst}); !v.Allowed {
		t.Errorf("another rate with the same burst: %+v", v)
	}
}

func limiterReset(t *testing.T, l ports.Limiter) {
	exhaust(t, l, "key", limiterRate)
	refused := take(t, l, "key", limiterRate)
	if full := time.Minute * time.Duration(limiterRate.Burst) / time.Duration(limiterRate.PerMinute); refused.Reset > full {
		t.Errorf("all is back after %v, want at most %v", refused.Reset, full)
	}
	time.Sleep(refused.Reset + time.Millisecond) // Redis' clock has whole microseconds
	if v := take(t, l, "key", limiterRate); v.Remaining != limiterRate.Burst-1 {
		t.Errorf("after Reset %+v, want all but one left", v)
	}
}

func limiterWeighs(t *testing.T, l ports.Limiter) {
	ctx := context.Background()
	for _, step := range []struct {
		n, left int
		ok      bool
	}{{5, 7, true}, {2, 5, true}, {1, 4, true}, {5, 0, false}, {4, 0, true}, {1, 0, false}} {
		v := l.AllowN(ctx, "key", rarely(12), step.n)
		if v.Allowed != step.ok || v.Allowed && v.Remaining != step.left || v.Allowed != (v.RetryAfter == 0) {
			t.Fatalf("%d: %+v, want %d left", step.n, v, step.left)
		}
	}
	if v := l.AllowN(ctx, "small", rarely(3), 5); !v.Allowed || v.Remaining != 0 {
		t.Errorf("one that counts as more than the burst: %+v", v)
	}
	if v := l.AllowN(ctx, "nothing", rarely(3), 0); !v.Allowed || v.Remaining != 2 {
		t.Errorf("one that counts as none: %+v", v)
	}
}

func limiterLook(t *testing.T, l ports.Limiter) {
	const burst = 3
	for n := range burst {
		for range 2 * burst {
			if v := look(t, l, "key", rarely(burst)); !v.Allowed || v.Remaining != burst-n {
				t.Fatalf("after %d requests it sees %+v", n, v)
			}
		}
		take(t, l, "key", rarely(burst))
	}
	if v := look(t, l, "another key", rarely(burst)); v.Remaining != burst || v.Reset != 0 {
		t.Errorf("a rested key: %+v", v)
	}
	exhaust(t, l, "fast", limiterRate)
	for n := range 5 {
		v := look(t, l, "fast", limiterRate)
		time.Sleep(v.RetryAfter)
		if v := take(t, l, "fast", limiterRate); !v.Allowed {
			t.Errorf("look %d told to wait for nothing: %+v", n, v)
		}
	}
	porttest.Together(8, func(int) error {
		for range 50 {
			l.Peek(context.Background(), "raced", rarely(burst))
		}
		return nil
	})
	if n := admittedOf(8, l, rarely(burst)); n != burst {
		t.Errorf("%d of 8 racers were admitted after many looked, want %d", n, burst)
	}
}

// look looks and checks what every verdict of it promises.
func look(t *testing.T, l ports.Limiter, key string, r ports.Rate) ports.Verdict {
	t.Helper()
	v := l.Peek(context.Background(), key, r)
	if v.Limit != r.Burst || v.Remaining > v.Limit || v.Reset < 0 || v.Allowed != (v.Remaining > 0) || v.Allowed != (v.RetryAfter == 0) || v.RetryAfter < 0 {
		t.Fatalf("%+v under %+v", v, r)
	}
	return v
}

// exhaust takes until the key is refused.
func exhaust(t *testing.T, l ports.Limiter, key string, r ports.Rate) {
	t.Helper()
	for take(t, l, key, r).Allowed {
	}
}

// take takes one request and checks what every verdict promises.
func take(t *testing.T, l ports.Limiter, key string, r ports.Rate) ports.Verdict {
	t.Helper()
	v := l.Allow(context.Background(), key, r)
	switch {
	case v.Limit != max(r.Burst, 1), v.Remaining < 0, v.Remaining >= v.Limit, v.Reset <= 0:
		t.Fatalf("%+v under %+v", v, r)
	case v.Allowed != (v.RetryAfter == 0), v.RetryAfter < 0, !v.Allowed && v.Remaining > 0:
		t.Fatalf("%+v", v)
	}
	return v
}

var errRefused = errors.New("refused")

// admittedOf counts the admitted of n racers for one key.
func admittedOf(n int, l ports.Limiter, r ports.Rate) int {
	admitted := 0
	for _, err := range porttest.Together(n, func(int) error {
		if !l.Allow(context.Background(), "raced", r).Allowed {
			return errRefused
		}
		return nil
	}) {
		if err == nil {
			admitted++
		}
	}
	return admitted
}
