// Package ratelimit counts requests against rates, by the generic cell rate algorithm: in this process,
// or together with other replicas in Redis.
//
// Without Redis' answer a replica neither lets everything through nor nothing: it goes on alone with its
// share of the rate, which is the rate divided by the replicas last known to live. It keeps count for
// that all the time, so the loss of Redis is no fresh burst to those who were using theirs here. What the
// replicas allowed alone is not told to Redis afterwards: its return, the more so if it kept nothing, can
// give a key one burst more.
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

// New makes a limiter that counts in the Redis at the URL, or without one in memory. It does not connect
// yet: the error is about the URL.
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

// Take is the port's.
func (l *Limiter) Take(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return l.judge(ctx, key, r, 1)
}

// TakeN is the port's.
func (l *Limiter) TakeN(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	return l.judge(ctx, key, r, max(n, 1))
}

// Look is the port's.
func (l *Limiter) Look(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return l.judge(ctx, key, r, 0)
}

// judge counts n requests, or none.
func (l *Limiter) judge(ctx context.Context, key string, r ports.Rate, n int) ports.Verdict {
	r = bounded(r)
	if l.shared == nil {
		return l.memory.count(ctx, key, r, r, n)
	}
	mine := l.memory.count(ctx, key, r, share(r, int(l.replicas.known.Load())), n)
	if yes, trial := l.outage.ask(); yes {
		v, err := l.shared.count(context.WithoutCancel(ctx), key, r, n)
		if trial || err != nil {
			l.heard(ctx, err)
		}
		if err == nil {
			return v
		}
	}
	l.alone.Add(1)
	return mine
}

// heard takes note of whether Redis answered, and logs a change.
func (l *Limiter) heard(ctx context.Context, err error) {
	switch {
	case err != nil && l.outage.begin():
		l.log.WarnContext(ctx, "Redis does not answer: rates are limited without it", "share", 1/float64(l.replicas.known.Load()), "error", err)
	case err == nil && l.outage.end():
		l.log.InfoContext(ctx, "Redis answers again: rates are limited together")
	}
}

// Degraded reports whether Redis is there to be used and does not answer.
func (l *Limiter) Degraded() bool { return l.outage.lasts() }

// Alone is how many verdicts were given without Redis' answer so far.
func (l *Limiter) Alone() int64 { return l.alone.Load() }

// Ask asks Redis for a sign of life. Its error does not hold the address. Without Redis there is nothing to ask.
func (l *Limiter) Ask(ctx context.Context) error {
	if l.shared == nil {
		return nil
	}
	return l.shared.client.Ping(ctx).Err()
}

// Run tells the other replicas of this one until ctx ends, and notices when Redis goes or returns also
// without requests. Without Redis it has nothing to do and returns.
func (l *Limiter) Run(ctx context.Context) {
	if l.shared == nil {
		return
	}
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	call := context.WithoutCancel(ctx) // the client has timeouts of its own
	for {
		l.heard(call, l.replicas.beat(call, l.shared.client))
		select {
		case <-ctx.Done():
			l.replicas.leave(call, l.shared.client)
			return
		case <-tick.C:
		}
	}
}

// Close lets go of Redis' connections.
func (l *Limiter) Close() error {
	if l.shared == nil {
		return nil
	}
	return l.shared.client.Close()
}
