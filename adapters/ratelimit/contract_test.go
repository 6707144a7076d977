package ratelimit

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

func TestLimiter_contractInMemory(t *testing.T) {
	t.Parallel()
	adaptertest.Limiter(t, func(t *testing.T) ports.Limiter { return open(t, "") })
}

func TestLimiter_contractInRedis(t *testing.T) {
	t.Parallel()
	server, database := redisserver.Start(t), 0
	adaptertest.Limiter(t, func(t *testing.T) ports.Limiter {
		database++
		l := open(t, fmt.Sprintf("%s&db=%d", patient(server), database))
		t.Cleanup(func() {
			if n := l.Alone(); n > 0 {
				t.Errorf("%d verdicts came without Redis", n)
			}
		})
		return l
	})
}

// patient returns a URL with timeouts that are long enough for a busy machine.
func patient(s *redisserver.Server) string {
	return s.URL() + "?dial_timeout=20s&read_timeout=20s&write_timeout=20s&pool_timeout=20s"
}

func open(tb testing.TB, url string) *Limiter {
	tb.Helper()
	l, err := New(url, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}
