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
	presumed    = 2                // replicas, assumed before the first contact
)

// beat records that a replica is alive, at Redis' time, and counts the live ones.
var beat = redis.NewScript(`
local now = tonumber(redis.call("TIME")[1])
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return redis.call("ZCARD", KEYS[1])
`)

// replicas counts the live processes that use the same Redis.
type replicas struct {
	id     string
	known  atomic.Int64
	before int // the result of the previous beat
}

func newReplicas() *replicas {
	r := &replicas{id: rand.Text(), before: presumed}
	r.known.Store(presumed)
	return r
}

// beat sends one heartbeat. The known number falls only if two consecutive beats agree: after an outage, a Redis that lost its
// data knows one replica at first, and the others by the next beat.
func (r *replicas) beat(ctx context.Context, client *redis.Client) error {
	n, err := beat.Run(ctx, client, []string{replicasKey}, r.id, int(forgotAfter.Seconds())).Int()
	if err != nil {
		return err
	}
	r.known.Store(int64(max(n, r.before)))
	r.before = n
	return nil
}

// leave removes this replica at once, so that the others need not wait until it expires.
func (r *replicas) leave(ctx context.Context, client *redis.Client) {
	client.ZRem(ctx, replicasKey, r.id) // if this fails, it expires
}

const replicasKey = "haggle:replicas"
