package tuning

import (
	"cmp"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Offers cost nothing, and orders cost money. A session that led to an order has full weight. A client's other sessions have
// full weight up to freeSessions, plus perOrder for each of its sessions with an order; if there are more, they share that
// weight. So a client with a thousand sessions and no order weighs as much as one session, and with one order as much as five.
//
// An attacker can use many clients. So all sessions of clients without an order weigh at most maxWithoutOrder times as much as
// the sessions with one, if there is any, and no client and no hour has more than maxShare of the whole weight; with fewer than
// manyGroups of them, no more than the like multiple of their mean.
const (
	freeSessions    = 1
	perOrder        = 4
	maxWithoutOrder = 1.5
	maxShare        = .02
	manyGroups      = 200
)

// oldShare is the weight of what was recorded before a drift, relative to what was recorded after it.
const oldShare = .25

// client identifies the client, by the session if it is not known.
func (r *Record) client() string {
	if r.Client != "" {
		return r.Client
	}
	return r.Session.String()
}

// trust returns the weight of each record. The largest is 1. A session without a known client counts as one of a client of its
// own.
func trust(records []Record) []float64 {
	bought := map[id.Session]bool{}
	for i := range records {
		bought[records[i].Session] = bought[records[i].Session] || records[i].Bought
	}
	type sessionCount struct{ free, orders float64 }
	clients, seen := map[string]*sessionCount{}, map[id.Session]bool{}
	for i := range records {
		r := &records[i]
		if seen[r.Session] {
			continue
		}
		seen[r.Session] = true
		if clients[r.client()] == nil {
			clients[r.client()] = &sessionCount{}
		}
		if bought[r.Session] {
			clients[r.client()].orders++
		} else {
			clients[r.client()].free++
		}
	}
	all, with, without := make([]float64, len(records)), 0., 0.
	for i := range records {
		r := &records[i]
		all[i] = 1
		c := clients[r.client()]
		if !bought[r.Session] {
			all[i] = min(1, (freeSessions+perOrder*c.orders)/c.free)
		}
		if r.old {
			all[i] *= oldShare
		}
	}
	limit := func() {
		limitShares(all, func(i int) string { return records[i].client() })
		limitShares(all, func(i int) time.Time { return records[i].At.Truncate(time.Hour) })
	}
	limit() // first, so that honest sessions without an order do not pay for those of one hour
	for i := range records {
		if bought[records[i].Session] {
			with += all[i]
		} else if clients[records[i].client()].orders == 0 {
			without += all[i]
		}
	}
	if with > 0 && without > maxWithoutOrder*with {
		for i := range records {
			if clients[records[i].client()].orders == 0 {
				all[i] *= maxWithoutOrder * with / without
			}
		}
		limit()
	}
	if len(all) == 0 {
		return all
	}
	most := slices.Max(all)
	for i := range all {
		all[i] /= most // only relative weights matter
	}
	return all
}

// limitShares reduces weights so that no group has more than maxShare of their sum, or of few groups more than
// maxShare·manyGroups times their mean.
func limitShares[K comparable](weights []float64, group func(int) K) {
	sums, total := map[K]float64{}, 0.
	for i, w := range weights {
		sums[group(i)] += w
		total += w
	}
	share := max(maxShare, maxShare*manyGroups/max(float64(len(sums)), 1))
	if share >= 1 {
		return
	}
	sorted := make([]float64, 0, len(sums))
	for _, sum := range sums {
		sorted = append(sorted, sum)
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	above, limit := total, 0.
	for n, sum := range sorted { // the n largest are reduced to the limit: limit = share·(n·limit + the others)
		if limit = share * above / (1 - share*float64(n)); sum <= limit || share*float64(n+1) >= 1 {
			break
		}
		above -= sum
	}
	for i := range weights {
		if sum := sums[group(i)]; sum > limit {
			weights[i] *= limit / sum
		}
	}
}

// Sessions returns the effective number of sessions of the records: how many of equal weight have as much information.
func Sessions(records []Record) int { return effective(records, trust(records)) }

func effective(records []Record, weights []float64) int {
	of := map[id.Session]float64{}
	for i := range records {
		of[records[i].Session] = weights[i]
	}
	sum, squares := 0., 0.
	for _, w := range of {
		sum, squares = sum+w, squares+w*w
	}
	if squares == 0 {
		return 0
	}
	return int(sum*sum/squares + .5)
}

// quantile returns the weighted quantile of values: the least value such that the share of weight up to it exceeds share.
func quantile(values, weights []float64, share float64) float64 {
	order, total := make([]int, len(values)), 0.
	for i, w := range weights {
		order[i] = i
		total += w
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	sum := 0.
	for _, i := range order {
		if sum += weights[i]; sum > share*total {
			return values[i]
		}
	}
	return values[order[len(order)-1]]
}
