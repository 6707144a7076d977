// Package ratelimit counts requests against rates, using the generic cell rate algorithm: in this process, or in Redis
// together with other replicas. It does not know what the keys stand for.
//
// While Redis does not answer, each replica enforces its share of the rate: the rate divided by the number of replicas last
// known to be alive. It counts in memory all the time, so the loss of Redis gives no fresh burst to keys that were used here.
// Requests allowed meanwhile are not reported to Redis afterwards. So its return, especially with an empty database, can give
// a key one more burst.
package ratelimit

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// Limiter is a ports.Limiter. Rates below 1/1 count as 1/1.
type Limiter struct {
	memory   memory
	shared   *shared // nil: this process counts alone, and the rest is not used
	outage   outage
	replicas *replicas
	alone    atomic.Int64
	log      *slog.Logger
}

// New returns a limiter that counts in the Redis at the URL, or in memory if the URL is empty. It does not connect yet: an
// error means that the URL is invalid.
func New(redisURL string, log *slog.Logger) (*Limiter, error) {
	memory, err := newMemory()
	if err != nil {
		return nil, err
	}
	l := &Limiter{
		memory:   memory,
		outage:   outage{start: time.Now()},
		replicas: newReplicas(),
		log:      log,
	}
	if redisURL == "" {
		return l, nil
	}
	if l.shared, err = newShared(redisURL); err != nil {
		return nil, err
	}
	return l, nil
}

// Take implements ports.Limiter.
func (l *Limiter) Allow(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return l.judge(ctx, key, r, 1)
}

// AllowN implements ports.Limiter.
func (l *Limiter) AllowN(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	return l.judge(ctx, key, r, max(n, 1))
}

// Look implements ports.Limiter.
func (l *Limiter) Peek(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return l.judge(ctx, key, r, 0)
}

// judge counts n requests, which may be 0.
func (l *Limiter) judge(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	r = bounded(r)
	if l.shared == nil {
		return l.memory.count(ctx, key, r, r, n)
	}
	mine := l.memory.count(ctx, key, r, share(r, int(l.replicas.known.Load())), n)
	if yes, trial := l.outage.ask(); yes {
		v, err := l.shared.count(context.WithoutCancel(ctx), key, r, n)
		if trial || err != nil {
			l.recordAnswer(ctx, err)
		}
		if err == nil {
			return v
		}
	}
	l.alone.Add(1)
	return mine
}

// recordAnswer records whether Redis answered, and logs a change.
func (l *Limiter) recordAnswer(ctx context.Context, err error) {
	switch {
	case err != nil && l.outage.begin():
		l.log.WarnContext(ctx, "Redis does not answer: rates are limited without it", "share", 1/float64(l.replicas.known.Load()), "error", err)
	case err == nil && l.outage.end():
		l.log.InfoContext(ctx, "Redis answers again: rates are limited together")
	}
}

// Degraded reports whether Redis is configured and does not answer.
func (l *Limiter) Degraded() bool { return l.outage.lasts() }

// Alone returns how many verdicts were given without an answer from Redis so far.
func (l *Limiter) Alone() int64 { return l.alone.Load() }

// Ask pings Redis. Its error does not contain the address. If no Redis is configured, it returns nil.
func (l *Limiter) Ask(ctx context.Context) error {
	if l.shared == nil {
		return nil
	}
	return l.shared.client.Ping(ctx).Err()
}

// Run announces this replica to the others until ctx ends. It also notices outages of Redis while there are no requests. If
// no Redis is configured, it returns at once.
func (l *Limiter) Run(ctx context.Context) {
	if l.shared == nil {
		return
	}
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	call := context.WithoutCancel(ctx) // the client has timeouts of its own
	for {
		l.recordAnswer(call, l.replicas.beat(call, l.shared.client))
		select {
		case <-ctx.Done():
			l.replicas.leave(call, l.shared.client)
			return
		case <-tick.C:
		}
	}
}

// Close closes the connections to Redis.
func (l *Limiter) Close() error {
	if l.shared == nil {
		return nil
	}
	return l.shared.client.Close()
}
