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
// third party it gives its place up (bulkhead.Outside).
type Lane struct {
	places, share int
	shed          func()

	mu     sync.Mutex
	taken  int
	held   map[string]int    // places, by tenant; none: no entry
	queues map[string]*queue // of tenants whose operations wait
	came   uint64            // operations that have had to wait
}

// queue is a tenant's operations that wait: first those that come back, then those that have had no place.
type queue struct{ returning, fresh list.List }

// waiter is an operation that waits.
type waiter struct {
	number  uint64
	granted chan struct{} // closed when it has a place
}

// longestWait is how long an operation waits for a place.
const longestWait = time.Second

// NewLane makes a lane of so many places, of which one tenant has its share at most. shed hears of each operation that
// is turned away; nil: nobody does.
func NewLane(places, share int, shed func()) *Lane {
	if shed == nil {
		shed = func() {}
	}
	return &Lane{places: places, share: share, shed: shed, held: map[string]int{}, queues: map[string]*queue{}}
}

// Enter takes a place for a tenant's operation, which leave gives back. The context is the operation's.
func (l *Lane) Enter(ctx context.Context, tenant string) (placed context.Context, leave func(), err error) {
	w := l.take(tenant, false)
	if w != nil && !l.await(ctx, tenant, w, longestWait) {
		if ctx.Err() == nil {
			l.shed()
		}
		return nil, nil, overloaded()
	}
	p := &place{lane: l, tenant: tenant, request: ctx, held: true}
	return bulkhead.WithPlace(ctx, p), p.end, nil
}

// Unplaced is Enter for operations that take a place by themselves.
func Unplaced(ctx context.Context) (placed context.Context, leave func(), err error) {
	return ctx, func() {}, nil
}

// take takes a place, or returns the waiter in line for one.
func (l *Lane) take(tenant string, returning bool) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Whoever waits while a place is free has its tenant's share already.
	if l.taken < l.places && l.held[tenant] < l.share {
		l.taken++
		l.held[tenant]++
		return nil
	}
	l.came++
	w := &waiter{l.came, make(chan struct{})}
	q := l.queues[tenant]
	if q == nil {
		q = &queue{}
		l.queues[tenant] = q
	}
	q.line(returning).PushBack(w)
	return w
}

func (q *queue) line(returning bool) *list.List {
	if returning {
		return &q.returning
	}
	return &q.fresh
}

// first is the operation that is next in line, and its line; nil: there is none.
func (q *queue) first() (*list.List, *list.Element) {
	if e := q.returning.Front(); e != nil {
		return &q.returning, e
	}
	return &q.fresh, q.fresh.Front()
}

// await waits until the waiter has a place, and reports whether it got one. No patience: as long as the context lives.
func (l *Lane) await(ctx context.Context, tenant string, w *waiter, patience time.Duration) bool {
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
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
	for _, line := range []*list.List{&q.returning, &q.fresh} {
		for e := line.Front(); e != nil; e = e.Next() {
			if e.Value == w {
				line.Remove(e)
				break
			}
		}
	}
	if _, e := q.first(); e == nil {
		delete(l.queues, tenant)
	}
	return false
}

// release gives a tenant's place back, to whoever is next.
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
		line, e := q.first()
		close(line.Remove(e).(*waiter).granted)
		if _, e := q.first(); e == nil {
			delete(l.queues, next)
		}
		l.taken++
		l.held[next]++
	}
}

// next is the waiting tenant that has the fewest places, of several the one whose first operation came first.
func (l *Lane) next() (tenant string, found bool) {
	fewest, earliest := l.share, uint64(0)
	for t, q := range l.queues {
		_, e := q.first()
		number := e.Value.(*waiter).number
		if held := l.held[t]; held < fewest || held == fewest && found && number < earliest {
			tenant, fewest, earliest, found = t, held, number, true
		}
	}
	return tenant, found
}

// place is an operation's.
type place struct {
	lane    *Lane
	tenant  string
	request context.Context

	mu   sync.Mutex // held while the operation waits to come back
	out  int        // how many parts of the operation wait for a third party
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
	w := p.lane.take(p.tenant, true)
	p.held = w == nil || p.lane.await(p.request, p.tenant, w, 0)
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
