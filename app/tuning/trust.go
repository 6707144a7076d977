package tuning

import (
	"cmp"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Talk is free, and orders are paid for. A session that led to an order counts in full. The others of a client count in
// full too, as long as they come to no more than freeTalk and perOrder for each of the client's sessions with an order;
// beyond that each counts so much less. So one client that haggles a thousand times and buys nothing tells as much as one
// session, and it takes an order to have five say something.
const (
	freeTalk = 1
	perOrder = 4
)

// trust is how much each record counts, 1 at most and for at least one of them. Where no client is known, each session
// is one of its own.
func trust(records []Record) []float64 {
	bought := map[id.Session]bool{}
	for i := range records {
		bought[records[i].Session] = bought[records[i].Session] || records[i].Bought
	}
	type talk struct{ free, orders float64 }
	clients, seen := map[string]*talk{}, map[id.Session]bool{}
	for i := range records {
		r := &records[i]
		if r.Client == "" || seen[r.Session] {
			continue
		}
		seen[r.Session] = true
		if clients[r.Client] == nil {
			clients[r.Client] = &talk{}
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
			all[i] = min(1, (freeTalk+perOrder*c.orders)/c.free)
		}
		most = max(most, all[i])
	}
	for i := range all {
		all[i] /= most // what counts is how much more one does than another
	}
	return all
}

// Sessions is how many sessions of equal weight would tell as much as those that the records are of.
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

// quantile is the least of the values that such a share of the weight does not exceed.
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
