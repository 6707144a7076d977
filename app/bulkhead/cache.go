package bulkhead

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

// Cache holds one value for each third party, such as a circuit breaker, by key. When it is full, it drops the least
// recently used value. It is safe for concurrent use.
type Cache[K comparable, T any] struct {
	known *lru.Cache[K, T]
	begin func() T
}

// NewCache returns an empty cache for room values; begin makes the value of a new key.
func NewCache[K comparable, T any](room int, begin func() T) Cache[K, T] {
	known, _ := lru.New[K, T](room) // fails without room only
	return Cache[K, T]{known, begin}
}

// Of returns the value of a key, and makes it if there is none.
func (k Cache[K, T]) Of(key K) T {
	if one, ok := k.known.Get(key); ok {
		return one
	}
	one := k.begin()
	if before, ok, _ := k.known.PeekOrAdd(key, one); ok {
		return before
	}
	return one
}

// Open returns how many circuit breakers are open.
func (k Cache[K, T]) Open() (n int) {
	for _, one := range k.known.Values() {
		if c, ok := any(one).(interface{ State() gobreaker.State }); ok && c.State() == gobreaker.StateOpen {
			n++
		}
	}
	return n
}
