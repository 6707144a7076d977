package ratelimit

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	beatEvery   = 3 * time.Second
	forgotAfter = 10 * time.Second // a replica without a beat
	presumed    = 2                // replicas before the first contact
)

// beat records that a replica lives, at Redis' time, and counts those that do.
var beat = redis.NewScript(`
local now = tonumber(redis.call("TIME")[1])
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return redis.call("ZCARD", KEYS[1])
`)

// replicas counts the processes that count together.
type replicas struct {
	id     string
	known  atomic.Int64
	before int // what the beat before said
}

func newReplicas() *replicas {
	r := &replicas{id: rand.Text(), before: presumed}
	r.known.Store(presumed)
	return r
}

// beat is one sign of life. The number falls when two beats in a row say so: after an outage a Redis
// that kept nothing knows one replica first, and hears of the others until the next beat.
func (r *replicas) beat(ctx context.Context, client *redis.Client) error {
	n, err := beat.Run(ctx, client, []string{replicasKey}, r.id, int(forgotAfter.Seconds())).Int()
	if err != nil {
		return err
	}
	r.known.Store(int64(max(n, r.before)))
	r.before = n
	return nil
}

// leave takes this replica off at once, so that the others need not wait until it is forgotten.
func (r *replicas) leave(ctx context.Context, client *redis.Client) {
	client.ZRem(ctx, replicasKey, r.id) // or it is forgotten
}

const replicasKey = "haggle:replicas"
