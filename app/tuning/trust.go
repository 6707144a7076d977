package tuning

import (
	"cmp"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Offers cost nothing, and orders cost money. A session that led to an order has full weight. A client's other sessions have
// full weight up to freeSessions, plus perOrder for each of its sessions with an order; if there are more, they share that
// weight. So a client with a thousand sessions and no order weighs as much as one session, and with one order as much as six.
const (
	freeSessions = 1
	perOrder     = 4
)

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
		if r.Client == "" || seen[r.Session] {
			continue
		}
		seen[r.Session] = true
		if clients[r.Client] == nil {
			clients[r.Client] = &sessionCount{}
		}
		if bought[r.Session] {
			clients[r.Client].orders++
		} else {
			clients[r.Client].free++
		}
	}
	all, most := make([]float64, len(records)), 0.
	for i := range records {
		r := &records[i]
		all[i] = 1
		if c := clients[r.Client]; c != nil && !bought[r.Session] {
			all[i] = min(1, (freeSessions+perOrder*c.orders)/c.free)
		}
		most = max(most, all[i])
	}
	for i := range all {
		all[i] /= most // only relative weights matter
	}
	return all
}

// Sessions returns the effective number of sessions of the records: how many of equal weight have as much information.
func Sessions(records []Record) int {
	of, weights := map[id.Session]float64{}, trust(records)
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
