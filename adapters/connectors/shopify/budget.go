package shopify

import (
	"maps"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
)

// cost is the cost of a query in an answer. Shopify charges the requested cost, refunds the unused part, and
// continuously restores the budget of an app in a shop.
type cost struct {
	RequestedQueryCost float64
	ThrottleStatus     struct {
		MaximumAvailable   float64
		CurrentlyAvailable float64
		RestoreRate        float64 // points per second
	}
}

// budget is the remaining budget in the last answer.
type budget struct {
	maximum, left, rate float64
	at                  time.Time
}

// availableAt estimates the budget at a time. It ignores what other processes have spent.
func (b budget) availableAt(t time.Time) float64 {
	return min(b.maximum, b.left+b.rate*t.Sub(b.at).Seconds())
}

// update stores the cost of a query and the remaining budget.
func (a *account) update(query string, c cost, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.RequestedQueryCost > 0 {
		if len(a.costs) > 50 { // there are few queries; this limits the map in any case
			maps.DeleteFunc(a.costs, func(string, float64) bool { return true })
		}
		a.costs[query] = c.RequestedQueryCost
	}
	if s := c.ThrottleStatus; s.RestoreRate > 0 {
		a.budget = budget{
			maximum: s.MaximumAvailable,
			left:    s.CurrentlyAvailable,
			rate:    s.RestoreRate,
			at:      now,
		}
	}
}

// waitFor estimates how long it takes until the budget suffices for a query.
func (a *account) waitFor(query string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	missing := min(a.costs[query], a.budget.maximum) - a.budget.availableAt(now)
	if a.budget.rate <= 0 || missing <= 0 {
		return 0
	}
	return time.Duration(missing / a.budget.rate * float64(time.Second))
}

// checkBudget returns Throttled if the budget does not suffice.
func (a *account) checkBudget(query string, now time.Time) error {
	if wait := a.waitFor(query, now); wait > 0 {
		return connectors.Wait(wait)
	}
	return nil
}

// size returns the page size of a query: the stored one if a larger one was too expensive, else usual.
func (a *account) size(query string, usual int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := a.sizes[query]; n > 0 {
		return n
	}
	return usual
}

// shrink reduces the page size of a query in proportion to its cost. It returns false if the size is already 1.
func (a *account) shrink(query string, size int, expensive tooExpensive) bool {
	if size <= 1 {
		return false
	}
	smaller := size / 2
	if expensive.cost > expensive.allowed && expensive.allowed > 0 {
		smaller = min(size-1, int(float64(size)*expensive.allowed/expensive.cost))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sizes[query] = max(smaller, 1)
	delete(a.costs, query)
	return true
}
