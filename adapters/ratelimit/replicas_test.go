package ratelimit

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

func TestReplicas_beat(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	var all []*Limiter
	for range 3 {
		all = append(all, open(t, patient(server)))
	}
	beats(t, all[0], presumed) // one beat is not enough to lower the number
	beats(t, all[0], 1)
	beats(t, all[1], 2)
	beats(t, all[2], 3)
	beats(t, all[1], 3)
	beats(t, all[0], 3)
	server.Restart() // loses all replicas
	beats(t, all[0], 3)
	beats(t, all[1], 3)
	beats(t, all[2], 3)
	beats(t, all[0], 3)
	all[1].replicas.leave(ctx, all[1].shared.client)
	beats(t, all[0], 3)
	beats(t, all[0], 2)
}

func beats(t *testing.T, l *Limiter, want int64) {
	t.Helper()
	if err := l.replicas.beat(ctx, l.shared.client); err != nil {
		t.Fatal(err)
	}
	if got := l.replicas.known.Load(); got != want {
		t.Errorf("knows of %d replicas, want %d", got, want)
	}
}

func TestReplicas_beat_silentReplica(t *testing.T) {
	t.Parallel()
	a := open(t, patient(redisserver.Start(t)))
	redis := a.shared.client
	now, err := redis.Time(ctx).Result()
	if err != nil {
		t.Fatal(err)
	}
	const silent = `return redis.call("ZADD", KEYS[1], ARGV[1], "silent", ARGV[2], "recent")`
	old, recent := now.Add(-forgotAfter-time.Second).Unix(), now.Add(time.Second-forgotAfter/2).Unix()
	if err := redis.Eval(ctx, silent, []string{replicasKey}, old, recent).Err(); err != nil {
		t.Fatal(err)
	}
	beats(t, a, 2)
	if names := redis.ZRange(ctx, replicasKey, 0, -1).Val(); len(names) != 2 || names[0] != "recent" {
		t.Errorf("Redis knows %q", names)
	}
}

// Run registers the replica in Redis, and removes it when its context ends.
func TestLimiter_Run(t *testing.T) {
	t.Parallel()
	l := open(t, patient(redisserver.Start(t)))
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { l.Run(running); close(ended) }()
	alive := func() int64 { return l.shared.client.ZCard(ctx, replicasKey).Val() }
	within(t, 20*time.Second, "the first beat", func() bool { return alive() == 1 })
	stop()
	<-ended
	if n := alive(); n != 0 {
		t.Errorf("%d replicas after the end", n)
	}
}

func TestLimiter_Run_withoutRedis(t *testing.T) {
	t.Parallel()
	l := open(t, "")
	l.Run(ctx)
	if l.Degraded() || l.Alone() != 0 {
		t.Error("a limiter that never had Redis does not miss it")
	}
}

// within waits until the condition holds.
func within(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within %v", what, patience)
		}
	}
}
