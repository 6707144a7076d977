package bulkhead

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

// Keyed is what is known of third parties, such as a circuit breaker for each, by their keys. Of more than it has room
// for, the one that was asked for the longest time ago is forgotten. It is safe for concurrent use.
type Keyed[K comparable, T any] struct {
	known *lru.Cache[K, T]
	begin func() T
}

// NewKeyed knows nothing yet; begin makes what is known of a third party at first.
func NewKeyed[K comparable, T any](room int, begin func() T) Keyed[K, T] {
	known, _ := lru.New[K, T](room) // fails without room only
	return Keyed[K, T]{known, begin}
}

// Of is what is known of a third party.
func (k Keyed[K, T]) Of(key K) T {
	if one, ok := k.known.Get(key); ok {
		return one
	}
	one := k.begin()
	if before, ok, _ := k.known.PeekOrAdd(key, one); ok {
		return before
	}
	return one
}

// Open counts the circuit breakers that are open: the third parties that are left alone at the moment.
func (k Keyed[K, T]) Open() (n int) {
	for _, one := range k.known.Values() {
		if c, ok := any(one).(interface{ State() gobreaker.State }); ok && c.State() == gobreaker.StateOpen {
			n++
		}
	}
	return n
}
