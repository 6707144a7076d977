package agents

import (
	"math"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Exploration is what trying a policy costs at most.
type Exploration struct {
	Share        money.Percent // of sessions that the policy serves
	Negotiations int           // in 30 days
	Cost         money.Amount  // in 30 days, at most: share × negotiations × the most lost by one × the money at stake in one
}

// explorationOf returns the cost of a share of negotiations like the recorded ones; lost is the most that one loses, as a share of
// its list price.
func explorationOf(records []tuning.Record, share money.Percent, lost float64, until time.Time, c money.Currency) Exploration {
	var v volume
	for i := range records {
		v.count(records[i].At, records[i].Signals.List, max(records[i].Signals.Quantity, 1))
	}
	seconds := max(int64(until.Sub(v.oldest)/time.Second), int64(leastVolumeSpan/time.Second)) // a shorter record says nothing about whole days
	cost := v.list * float64(monthSeconds) / float64(seconds) * max(lost, 0) * float64(share) / float64(money.Whole)
	return Exploration{
		Share:        share,
		Negotiations: v.perMonth(seconds),
		Cost:         money.Of(int64(math.Ceil(min(cost, 1<<53))), c),
	}
}
