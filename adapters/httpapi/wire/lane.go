package wire

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Lane bounds how many operations run at the same time. What finds it full waits for a moment and is
// then turned away, so that an overloaded server answers those that it serves in time. An operation
// enters after its body has arrived: slow senders take no place.
type Lane struct {
	places *semaphore.Weighted
	shed   func()
}

// longestWait is how long an operation waits for a place.
const longestWait = time.Second

// NewLane makes a lane. shed hears of each operation that is turned away; nil: nobody does.
func NewLane(places int, shed func()) *Lane {
	if shed == nil {
		shed = func() {}
	}
	return &Lane{semaphore.NewWeighted(int64(places)), shed}
}

// Enter takes a place, which leave gives back.
func (l *Lane) Enter(ctx context.Context) (leave func(), err error) {
	leave = func() { l.places.Release(1) }
	if l.places.TryAcquire(1) {
		return leave, nil
	}
	waited, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	if l.places.Acquire(waited, 1) == nil {
		return leave, nil
	}
	if ctx.Err() == nil {
		l.shed()
	}
	return nil, overloaded()
}

// overloaded is the answer to what could not be done in time.
func overloaded() *fault.Error {
	return fault.New(fault.Unavailable, "overloaded", "The server is busy. Try again.").After(time.Second)
}
