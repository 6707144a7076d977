package porttest

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// workerPatience bounds the waiting for a worker.
const workerPatience = 20 * time.Second

// worker runs a worker until stop, which waits for its end.
func (c queueCase) worker(work func(context.Context, ports.Leased[any]) error) (wake, stop func()) {
	if c.suite.Work == nil {
		c.Skip("the store's suite has no worker")
	}
	ctx, cancel := context.WithCancel(c.Context())
	wake, done := c.suite.Work(ctx, c.queue, work)
	return wake, func() {
		cancel()
		c.wait("the worker's end", done)
	}
}

func (c queueCase) wait(what string, done <-chan struct{}) {
	c.Helper()
	select {
	case <-done:
	case <-time.After(workerPatience):
		c.Fatal("waited too long for " + what)
	}
}

func queuePanic(c queueCase) {
	c.fill(3)
	worked := make(chan struct{}, 3)
	var first sync.Once
	var bad string
	_, stop := c.worker(func(_ context.Context, l ports.Leased[any]) error {
		defer func() { worked <- struct{}{} }()
		first.Do(func() {
			bad = nameOf(l.Held)
			panic("of all things")
		})
		return c.record(l)
	})
	for range 3 {
		c.wait("work", worked)
	}
	stop()
	c.at(queueStart.Add(time.Minute - time.Millisecond))
	Same(c, "claimed within the pause", len(c.claim(3)), 0)
	c.at(queueStart.Add(time.Minute))
	again := c.claim(3)
	if len(again) != 1 {
		c.Fatalf("%d claimed after the pause, want 1", len(again))
	}
	Same(c, "what panicked", []any{nameOf(again[0].Held), again[0].Failures}, []any{bad, 1})
}

func queueWoken(c queueCase) {
	c.at(queueStart)
	worked := make(chan struct{}, 1)
	wake, stop := c.worker(func(_ context.Context, l ports.Leased[any]) error {
		defer func() { worked <- struct{}{} }()
		return c.record(l)
	})
	c.fill(1)
	wake()
	c.wait("work", worked)
	stop()
	c.at(queueStart.Add(48 * time.Hour))
	Same(c, "left", len(c.claim(1)), 0)
}

func queueStopped(c queueCase) {
	c.fill(1)
	begun, release, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	_, stop := c.worker(func(_ context.Context, l ports.Leased[any]) error {
		close(begun)
		<-release
		return c.record(l)
	})
	c.wait("work", begun)
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
		c.Error("the worker ended before its work")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	c.wait("the worker's end", stopped)
	c.at(queueStart.Add(48 * time.Hour))
	Same(c, "left", len(c.claim(1)), 0)
}
