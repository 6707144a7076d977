package wire

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Lane bounds how many operations run at the same time, and how many of them are of one tenant, so that one
// tenant's crowd leaves places for others. What finds no place waits for a moment and is then turned away, so that an
// overloaded server answers those that it serves in time. An operation enters after its body has arrived: slow senders
// take no place. While it waits for a third party it gives its place up (bulkhead.Outside), and comes back without
// waiting, beyond the places if need be: it may hold a transaction that those with places wait for. New operations wait
// until there are fewer than places.
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

// Enter takes a place for a tenant's operation, which leave gives back. The context is the operation's.
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

// overloaded is the answer to what could not be done in time.
func overloaded() *fault.Error {
	return fault.New(fault.Unavailable, "overloaded", "The server is busy. Try again.").After(time.Second)
}
