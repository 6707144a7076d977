package ratelimit

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

// The error of an invalid URL is one line that describes valid ones and contains no password.
func TestNew_badURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"localhost:6379", "http://localhost", "redis://host/shop", "redis://host/0?colour=red",
		"redis://:secret@host:port", "redis://user:se/secret@host", "unix://", "redis://host/0?read_timeout=soon",
		"redis://:secret@host/0?master_name=", "redis://host/0?master_name=a&addr=b", "redis://host/0?master_name=a&replica_only=true",
		"redis://host/0?master_name=a&route_randomly=true", "redis://host/0?master_name=a&password=secret&colour=red", "unix:///s?master_name=a",
	} {
		l, err := New(url, slog.New(slog.DiscardHandler))
		if l != nil || err == nil {
			t.Errorf("%q makes %v, %v", url, l, err)
			continue
		}
		if text := err.Error(); !strings.Contains(text, "redis://") || strings.Contains(text, "\n") || strings.Contains(text, "secret") {
			t.Errorf("%q: %s", url, text)
		}
	}
}

// A request is one round trip. Every key has our prefix, and expires.
func TestShared_count_oneRoundTrip(t *testing.T) {
	t.Parallel()
	l, rarely := open(t, patient(redisserver.Start(t))), ports.Rate{PerMinute: 1, Burst: 150} // the keys do not expire during the test
	l.Allow(ctx, "first", rarely)                                                             // connects, and loads the script
	var trips roundTrips
	l.shared.client.AddHook(&trips)
	for range 10 {
		l.Allow(ctx, "key", rarely)
	}
	if n := trips.n.Load(); n != 10 {
		t.Errorf("ten requests are %d round trips", n)
	}
	keys, err := l.shared.client.Keys(ctx, "*").Result()
	if err != nil || len(keys) != 2 {
		t.Errorf("Redis holds %q, %v", keys, err)
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, "haggle:rate:1/150:") {
			t.Errorf("Redis holds %s", key)
		}
		if life := l.shared.client.TTL(ctx, key).Val(); life <= 0 {
			t.Errorf("%s lives %v: it never goes", key, life)
		}
	}
}

type roundTrips struct{ n atomic.Int64 }

func (r *roundTrips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (r *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		r.n.Add(1)
		return next(ctx, cmd)
	}
}

func (r *roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		r.n.Add(1)
		return next(ctx, cmds)
	}
}
