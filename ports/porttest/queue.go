package porttest

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// claimUpTo claims work that is due now, up to most of each group.
func claimUpTo[T any](ctx context.Context, q ports.Queue[T], lease time.Duration, most int) ([]ports.Leased[T], error) {
	groups, err := q.Waiting(ctx)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	shares := make([]ports.Share, len(groups))
	for i, group := range groups {
		shares[i] = ports.Share{Group: group, Most: most}
	}
	return q.Claim(ctx, lease, shares)
}

// ClaimAt stops the stores' clock and claims up to most of each group.
func ClaimAt[T any](s Stores, q ports.Queue[T], now time.Time, lease time.Duration, most int) ([]ports.Leased[T], error) {
	s.SetClock(now)
	return claimUpTo(context.Background(), q, lease, most)
}
