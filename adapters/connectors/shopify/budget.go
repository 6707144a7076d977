package shopify

import (
	"maps"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
)

// cost is what Shopify says of a query's cost. It charges what was asked for, gives back what was not used,
// and refills the budget of an app and a shop all the time.
type cost struct {
	RequestedQueryCost float64
	ThrottleStatus     struct {
		MaximumAvailable   float64
		CurrentlyAvailable float64
		RestoreRate        float64 // a second
	}
}

// budget is what was left when Shopify last told.
type budget struct {
	maximum, left, rate float64
	at                  time.Time
}

// now is what is there now: others may have spent of it.
func (b budget) now(t time.Time) float64 {
	return min(b.maximum, b.left+b.rate*t.Sub(b.at).Seconds())
}

// learn remembers what a query costs, and what is left after it.
func (a *account) learn(query string, c cost, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.RequestedQueryCost > 0 {
		if len(a.costs) > 50 { // queries are few; this is not to grow in any case
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

// short is how long it takes until the budget is enough for a query, as far as is known.
func (a *account) short(query string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	missing := min(a.costs[query], a.budget.maximum) - a.budget.now(now)
	if a.budget.rate <= 0 || missing <= 0 {
		return 0
	}
	return time.Duration(missing / a.budget.rate * float64(time.Second))
}

// afford is Throttled if the budget is not enough.
func (a *account) afford(query string, now time.Time) error {
	if wait := a.short(query, now); wait > 0 {
		return connectors.Wait(wait)
	}
	return nil
}

// size is how many records a page of a query has: as many as were affordable last.
func (a *account) size(query string, usual int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := a.sizes[query]; n > 0 {
		return n
	}
	return usual
}

// shrink makes the pages of a query smaller, in proportion to what they may cost, and reports whether they
// could be.
func (a *account) shrink(query string, size int, dear tooDear) bool {
	if size <= 1 {
		return false
	}
	smaller := size / 2
	if dear.cost > dear.allowed && dear.allowed > 0 {
		smaller = min(size-1, int(float64(size)*dear.allowed/dear.cost))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sizes[query] = max(smaller, 1)
	delete(a.costs, query)
	return true
}
