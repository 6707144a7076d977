package bulkhead

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// ErrFull means that a request would wait beyond its share. Nothing was sent.
var ErrFull = fault.New(fault.Unavailable, "overloaded",
	"Too many requests like this one wait for systems outside. Try again.").After(2 * time.Second)

// Shares bound who waits at the same time.
type Shares struct {
	Places int // in all
	Tenant int // of one tenant's requests
	Target int // for one third party
}

// Room is where requests wait for third parties of one kind. A nil Room has no bounds.
type Room struct {
	shares Shares

	mu               sync.Mutex
	waiting          int
	tenants, targets map[string]int
	refused          int64
}

// NewRoom is an empty room.
func NewRoom(s Shares) *Room {
	return &Room{
		shares:  s,
		tenants: map[string]int{},
		targets: map[string]int{},
	}
}

// Wait runs work, which waits for the target, outside of the request's lane. Beyond the shares it answers ErrFull at
// once. Background work, whose context has no place, counts for the target alone.
func (r *Room) Wait(ctx context.Context, target string, work func() error) error {
	leave, ok := r.Enter(ctx, target)
	if !ok {
		return ErrFull
	}
	defer leave()
	var err error
	Outside(ctx, func() { err = work() })
	return err
}

// Enter takes a place to wait in, which leave gives back, unless there is none.
func (r *Room) Enter(ctx context.Context, target string) (leave func(), ok bool) {
	if r == nil {
		return func() {}, true
	}
	tenant := ""
	if p, has := ctx.Value(placeKey{}).(Place); has {
		tenant = p.Tenant()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting >= r.shares.Places || r.targets[target] >= r.shares.Target || tenant != "" && r.tenants[tenant] >= r.shares.Tenant {
		r.refused++
		return nil, false
	}
	r.waiting++
	r.targets[target]++
	if tenant != "" {
		r.tenants[tenant]++
	}
	return func() { r.leave(tenant, target) }, true
}

func (r *Room) leave(tenant, target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting--
	less(r.targets, target)
	if tenant != "" {
		less(r.tenants, tenant)
	}
}

func less(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// Waiting is how many requests wait.
func (r *Room) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting
}

// Refused is how many requests found no place to wait in.
func (r *Room) Refused() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}
