package bulkhead

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Places are shared among tenants. A place that becomes free goes to the waiting tenant that has the fewest, of several
// to the one whose first waiter came first.
type Places struct {
	size int
	most func(free int) int

	mu     sync.Mutex
	taken  int
	held   map[string]int        // places, by tenant; none: no entry
	queues map[string]*list.List // waiters, of tenants that wait
	came   uint64                // waiters so far
}

// waiter waits for a place.
type waiter struct {
	number  uint64
	granted chan struct{} // closed when it has a place
}

// NewPlaces returns size places. A tenant takes another one while it has fewer than most, which is given how many are
// free, and grows with that.
func NewPlaces(size int, most func(free int) int) *Places {
	return &Places{
		size:   size,
		most:   most,
		held:   map[string]int{},
		queues: map[string]*list.List{},
	}
}

// Take takes a place for a tenant, which Release gives back, and reports whether it got one before the context ended
// and, unless longest is 0, before it has waited that long.
func (p *Places) Take(ctx context.Context, tenant string, longest time.Duration) bool {
	w := p.take(tenant)
	return w == nil || p.await(ctx, tenant, w, longest)
}

// take takes a place, or returns the waiter in line for one.
func (p *Places) take(tenant string) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	// If others wait while a place is free, their tenants have all that they may have.
	if p.may(p.held[tenant]) {
		p.taken++
		p.held[tenant]++
		return nil
	}
	p.came++
	w := &waiter{p.came, make(chan struct{})}
	q := p.queues[tenant]
	if q == nil {
		q = list.New()
		p.queues[tenant] = q
	}
	q.PushBack(w)
	return w
}

// may reports whether a tenant that holds so many places may have another one now.
func (p *Places) may(held int) bool {
	free := p.size - p.taken
	return free > 0 && held < p.most(free)
}

// Retake takes a place again for a tenant that has given it up, whether one is free or not.
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
	p.forgetEmpty(tenant, q)
	return false
}

func (p *Places) forgetEmpty(tenant string, q *list.List) {
	if q.Len() == 0 {
		delete(p.queues, tenant)
	}
}

// Release gives a tenant's place back and grants it to the next waiter.
func (p *Places) Release(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack(tenant)
	for p.grant() {
	}
}

// Pass grants a tenant's place to the next waiter, and reports whether one got it; if not, the tenant keeps it.
func (p *Places) Pass(tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack(tenant)
	if p.grant() {
		return true
	}
	p.taken++
	p.held[tenant]++
	return false
}

func (p *Places) giveBack(tenant string) {
	p.taken--
	if p.held[tenant]--; p.held[tenant] == 0 {
		delete(p.held, tenant)
	}
}

// grant gives a free place to the next waiter, and reports whether there is one that may have it.
func (p *Places) grant() bool {
	next, found := p.next()
	if !found {
		return false
	}
	q := p.queues[next]
	close(q.Remove(q.Front()).(*waiter).granted)
	p.forgetEmpty(next, q)
	p.taken++
	p.held[next]++
	return true
}

// next is the waiting tenant that gets a place.
func (p *Places) next() (tenant string, found bool) {
	fewest, earliest := 0, uint64(0)
	for t, q := range p.queues {
		held, number := p.held[t], q.Front().Value.(*waiter).number
		if p.may(held) && (!found || held < fewest || held == fewest && number < earliest) {
			tenant, fewest, earliest, found = t, held, number, true
		}
	}
	return tenant, found
}

// Waiting is how many wait.
func (p *Places) Waiting() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.queues {
		n += q.Len()
	}
	return n
}
