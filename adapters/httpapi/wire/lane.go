package wire

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Lane bounds how many operations run at the same time, and how many of them are of one tenant, so that one
// tenant's load leaves places for others. An operation without a place waits for at most longestWait and is then refused,
// so that an overloaded server answers the others in time. An operation enters after its body has arrived, so that slow
// senders take no place. It gives its place up while it waits for a third party (bulkhead.Outside), and returns without
// waiting, even if that exceeds places: it may hold a transaction that operations with places wait for. New operations
// wait until fewer than places are running.
type Lane struct {
	places *bulkhead.Places
	shed   func()
}

// longestWait is how long an operation waits for a place.
const longestWait = time.Second

// NewLane returns a lane for that many concurrent operations. One tenant gets at most share places. The lane calls shed,
// which may be nil, for each operation that it refuses.
func NewLane(places, share int, shed func()) *Lane {
	if shed == nil {
		shed = func() {}
	}
	return &Lane{bulkhead.NewPlaces(places, func(int) int { return share }), shed}
}

// Enter waits for a place for a tenant's operation. The operation uses the returned context, and calls leave at its end to
// release the place.
func (l *Lane) Enter(ctx context.Context, tenant string) (placed context.Context, leave func(), err error) {
	if !l.places.Take(ctx, tenant, longestWait) {
		if ctx.Err() == nil {
			l.shed()
		}
		return nil, nil, overloaded()
	}
	p := &place{
		lane:   l,
		tenant: tenant,
		held:   true,
	}
	return bulkhead.WithPlace(ctx, p), p.end, nil
}

// place is an operation's.
type place struct {
	lane   *Lane
	tenant string

	mu   sync.Mutex
	out  int // how many parts of the operation wait for a third party
	held bool
	over bool
}

var _ bulkhead.Place = (*place)(nil)

func (p *place) Tenant() string { return p.tenant }

func (p *place) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out++
	p.release()
}

func (p *place) Return() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out--; p.out > 0 || p.over {
		return
	}
	p.lane.places.Retake(p.tenant)
	p.held = true
}

// end is when the operation is over.
func (p *place) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.release()
}

func (p *place) release() {
	if p.held {
		p.held = false
		p.lane.places.Release(p.tenant)
	}
}

// overloaded returns the error for operations that get no place in time.
func overloaded() *fault.Error {
	return fault.New(fault.Unavailable, "overloaded", "The server is busy. Try again.").After(time.Second)
}
