package wire

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Lane bounds how many operations run at the same time, and how many of them are of one tenant, so that one
// tenant's crowd leaves places for others. A place that becomes free goes to the tenant that has the fewest. What
// finds no place waits for a moment and is then turned away, so that an overloaded server answers those that it
// serves in time. An operation enters after its body has arrived: slow senders take no place. While it waits for a
// third party it gives its place up (bulkhead.Outside), and comes back without waiting, beyond the places if need be:
// it may hold a transaction that those with places wait for. New operations wait until there are fewer than places.
type Lane struct {
	places, share int
	shed          func()

	mu     sync.Mutex
	taken  int
	held   map[string]int        // places, by tenant; none: no entry
	queues map[string]*list.List // waiters, of tenants whose operations wait
	came   uint64                // operations that have had to wait
}

// waiter is an operation that waits.
type waiter struct {
	number  uint64
	granted chan struct{} // closed when it has a place
}

// longestWait is how long an operation waits for a place.
const longestWait = time.Second

// NewLane returns a lane for that many concurrent operations. One tenant gets at most share places. The lane calls shed,
// which may be nil, for each operation that it refuses.
func NewLane(places, share int, shed func()) *Lane {
	if shed == nil {
		shed = func() {}
	}
	return &Lane{places: places, share: share, shed: shed, held: map[string]int{}, queues: map[string]*list.List{}}
}

// Enter takes a place for a tenant's operation, which leave gives back. The context is the operation's.
func (l *Lane) Enter(ctx context.Context, tenant string) (placed context.Context, leave func(), err error) {
	w := l.take(tenant)
	if w != nil && !l.await(ctx, tenant, w) {
		if ctx.Err() == nil {
			l.shed()
		}
		return nil, nil, overloaded()
	}
	p := &place{lane: l, tenant: tenant, held: true}
	return bulkhead.WithPlace(ctx, p), p.end, nil
}

// Unplaced is Enter for operations that take a place by themselves.
func Unplaced(ctx context.Context) (placed context.Context, leave func(), err error) {
	return ctx, func() {}, nil
}

// take takes a place, or returns the waiter in line for one.
func (l *Lane) take(tenant string) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	// If operations wait while a place is free, their tenants hold their whole shares.
	if l.taken < l.places && l.held[tenant] < l.share {
		l.taken++
		l.held[tenant]++
		return nil
	}
	l.came++
	w := &waiter{l.came, make(chan struct{})}
	q := l.queues[tenant]
	if q == nil {
		q = list.New()
		l.queues[tenant] = q
	}
	q.PushBack(w)
	return w
}

// retake takes a place again for an operation that has given it up, whether one is free or not.
func (l *Lane) retake(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken++
	l.held[tenant]++
}

// await waits until the waiter has a place, and reports whether it got one.
func (l *Lane) await(ctx context.Context, tenant string, w *waiter) bool {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	select {
	case <-w.granted:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.granted: // at the last moment
		return true
	default:
	}
	q := l.queues[tenant]
	for e := q.Front(); e != nil; e = e.Next() {
		if e.Value == w {
			q.Remove(e)
			break
		}
	}
	l.forgetEmpty(tenant, q)
	return false
}

func (l *Lane) forgetEmpty(tenant string, q *list.List) {
	if q.Len() == 0 {
		delete(l.queues, tenant)
	}
}

// release frees a tenant's place and grants it to the next waiter.
func (l *Lane) release(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	if l.held[tenant]--; l.held[tenant] == 0 {
		delete(l.held, tenant)
	}
	for l.taken < l.places {
		next, found := l.next()
		if !found {
			return
		}
		q := l.queues[next]
		close(q.Remove(q.Front()).(*waiter).granted)
		l.forgetEmpty(next, q)
		l.taken++
		l.held[next]++
	}
}

// next is the waiting tenant that has the fewest places, of several the one whose first operation came first.
func (l *Lane) next() (tenant string, found bool) {
	fewest, earliest := l.share, uint64(0)
	for t, q := range l.queues {
		number := q.Front().Value.(*waiter).number
		if held := l.held[t]; held < fewest || held == fewest && found && number < earliest {
			tenant, fewest, earliest, found = t, held, number, true
		}
	}
	return tenant, found
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
	p.lane.retake(p.tenant)
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
		p.lane.release(p.tenant)
	}
}

// overloaded is the answer to what could not be done in time.
func overloaded() *fault.Error {
	return fault.New(fault.Unavailable, "overloaded", "The server is busy. Try again.").After(time.Second)
}
