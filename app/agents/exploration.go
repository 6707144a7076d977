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

// month is the period of an Exploration.
const month = 30 * 24 * time.Hour

// explorationOf returns the cost of a share of negotiations like the recorded ones; lost is the most that one loses, as a share of
// its list price.
func explorationOf(records []tuning.Record, share money.Percent, lost float64, until time.Time, c money.Currency) Exploration {
	e := Exploration{Share: share, Cost: money.Zero(c)}
	if len(records) == 0 {
		return e
	}
	first, stake := until, 0.
	for i := range records {
		if records[i].At.Before(first) {
			first = records[i].At
		}
		stake += float64(records[i].Signals.List.Minor()) * float64(max(records[i].Signals.Quantity, 1))
	}
	rate := float64(month) / float64(max(until.Sub(first), 24*time.Hour)) // a shorter record says nothing about whole days
	e.Negotiations = int(math.Round(rate * float64(len(records))))
	e.Cost = money.Of(int64(math.Ceil(rate*stake*max(lost, 0)*float64(share)/float64(money.Whole))), c)
	return e
}
