package bulkhead

import (
	"context"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// ErrFull means that too many requests of the tenant, for the target or in all wait already. Nothing was sent.
var ErrFull = fault.New(fault.Unavailable, "overloaded",
	"Too many requests like this one wait for external systems. Try again.").After(2 * time.Second)

// Shares limits how many requests wait at the same time.
type Shares struct {
	Places int // in all
	Tenant int // per tenant
	Target int // per third party
}

// Room counts and limits the requests that wait for third parties of one kind. A nil Room has no limits.
type Room struct {
	shares Shares

	mu               sync.Mutex
	waiting          int
	tenants, targets map[string]int
	refused          int64
}

// NewRoom returns an empty room.
func NewRoom(s Shares) *Room {
	return &Room{
		shares:  s,
		tenants: map[string]int{},
		targets: map[string]int{},
	}
}

// Wait runs work, which waits for the target, without the request's place (see Outside). It returns ErrFull at once if a
// limit is reached. Background work, whose context has no place, has no tenant's limit.
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

// Enter counts a waiting request until leave is called. ok is false if a limit is reached.
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
	decrement(r.targets, target)
	if tenant != "" {
		decrement(r.tenants, tenant)
	}
}

func decrement(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// Waiting returns how many requests wait.
func (r *Room) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting
}

// Refused returns how many requests were refused because a limit was reached.
func (r *Room) Refused() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}
