package ports

import (
	"context"
	"time"
)

// Rate is the allowed number of requests: PerMinute steadily, and Burst at once after a rest.
type Rate struct{ PerMinute, Burst int }

// Verdict is whether one more request is within a rate. Remaining of Limit are left at once; after
// Reset all of them are. A refused caller that waits RetryAfter, which is then above zero, is admitted.
type Verdict struct {
	Allowed           bool
	Limit, Remaining  int
	Reset, RetryAfter time.Duration
}

// Limiter counts requests against rates.
type Limiter interface {
	// Allow counts one request of the key. Different keys, and different rates of a key, are counted apart; a refused
	// request counts nothing. It always returns a verdict, even when ctx has ended: a limiter that has lost its shared
	// memory goes on with its own share of the rate. However many processes share a limiter, a key is admitted at most
	// Burst + PerMinute × minutes times, and another Burst when shared memory is lost and comes back.
	Allow(ctx context.Context, key string, r Rate) Verdict
	// AllowN is Allow for a request that counts as n of them, or as Burst if that is fewer. If it is refused, the
	// verdict's remaining count has no meaning.
	AllowN(ctx context.Context, key string, r Rate, n int) Verdict
	// Peek is Allow without counting: it reports whether a request now would be admitted, and what remains before it.
	Peek(ctx context.Context, key string, r Rate) Verdict
}
