package bulkhead

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Places is a fair semaphore for tenants. A place that becomes free goes to the waiting tenant that holds the fewest
// places; among equals, to the one whose first waiter has waited longest.
type Places struct {
	size int
	most func(free int) int

	mu     sync.Mutex
	taken  int
	held   map[string]int        // places by tenant, without zeros
	queues map[string]*list.List // waiters by tenant, without empty lists
	last   uint64                // number of the newest waiter
}

// waiter waits for a place.
type waiter struct {
	number  uint64
	granted chan struct{} // closed once it has a place
}

// NewPlaces returns a semaphore of size places. A tenant may take another place while it holds fewer than most(free);
// most must not decrease as free grows.
func NewPlaces(size int, most func(free int) int) *Places {
	return &Places{
		size:   size,
		most:   most,
		held:   map[string]int{},
		queues: map[string]*list.List{},
	}
}

// Take waits for a place for a tenant, at most for longest unless that is 0, and reports whether it got one before the
// context ended. The caller must Release it.
func (p *Places) Take(ctx context.Context, tenant string, longest time.Duration) bool {
	w := p.takeOrQueue(tenant)
	return w == nil || p.await(ctx, tenant, w, longest)
}

// takeOrQueue takes a place and returns nil, or returns a queued waiter.
func (p *Places) takeOrQueue(tenant string) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Waiters cannot use a free place, because their tenants hold as many as they may.
	if p.allowed(p.held[tenant]) {
		p.taken++
		p.held[tenant]++
		return nil
	}
	p.last++
	w := &waiter{p.last, make(chan struct{})}
	q := p.queues[tenant]
	if q == nil {
		q = list.New()
		p.queues[tenant] = q
	}
	q.PushBack(w)
	return w
}

// allowed reports whether a tenant that holds so many places may have another one now.
func (p *Places) allowed(held int) bool {
	free := p.size - p.taken
	return free > 0 && held < p.most(free)
}

// Retake takes a place for a tenant that had released one temporarily, even if none is free.
func (p *Places) Retake(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken++
	p.held[tenant]++
}

// await waits until the waiter has a place, and reports whether it got one.
func (p *Places) await(ctx context.Context, tenant string, w *waiter, longest time.Duration) bool {
	if longest > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, longest)
		defer cancel()
	}
	select {
	case <-w.granted:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.granted: // at the last moment
		return true
	default:
	}
	q := p.queues[tenant]
	for e := q.Front(); e != nil; e = e.Next() {
		if e.Value == w {
			q.Remove(e)
			break
		}
	}
	p.deleteEmpty(tenant, q)
	return false
}

func (p *Places) deleteEmpty(tenant string, q *list.List) {
	if q.Len() == 0 {
		delete(p.queues, tenant)
	}
}

// Release returns a tenant's place and grants free places to waiters.
func (p *Places) Release(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(tenant)
	for p.grant() {
	}
}

// Pass gives a tenant's place to the next waiter and reports whether there was one; if not, the tenant keeps the place.
func (p *Places) Pass(tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(tenant)
	if p.grant() {
		return true
	}
	p.taken++
	p.held[tenant]++
	return false
}

func (p *Places) release(tenant string) {
	p.taken--
	if p.held[tenant]--; p.held[tenant] == 0 {
		delete(p.held, tenant)
	}
}

// grant gives a free place to the next waiter and reports whether a waiter may have it.
func (p *Places) grant() bool {
	next, found := p.next()
	if !found {
		return false
	}
	q := p.queues[next]
	close(q.Remove(q.Front()).(*waiter).granted)
	p.deleteEmpty(next, q)
	p.taken++
	p.held[next]++
	return true
}

// next returns the waiting tenant that gets the next free place.
func (p *Places) next() (tenant string, found bool) {
	fewest, earliest := 0, uint64(0)
	for t, q := range p.queues {
		held, number := p.held[t], q.Front().Value.(*waiter).number
		if p.allowed(held) && (!found || held < fewest || held == fewest && number < earliest) {
			tenant, fewest, earliest, found = t, held, number, true
		}
	}
	return tenant, found
}

// Waiting returns how many callers of Take wait.
func (p *Places) Waiting() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.queues {
		n += q.Len()
	}
	return n
}
