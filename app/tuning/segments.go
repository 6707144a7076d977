package tuning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// learnt is the prefix of the names of learned segments.
const learnt = "learnt: "

// bands are cost ranges, in tenths of a percent of list, that may get curves of their own, because a thin margin leaves less room
// for discounts.
var bands = []negotiation.Segment{
	{
		Name:     learnt + "cost under 55 %",
		CostFrom: 1,
		CostTo:   550,
	},
	{
		Name:     learnt + "cost 55 to 75 %",
		CostFrom: 550,
		CostTo:   750,
	},
	{Name: learnt + "cost 75 % and more", CostFrom: 750},
}

// priceBands are the bounds of list prices, in minor units. They are fixed, so that a segment stays the same from night to night.
var priceBands = []int64{0, 20_00, 100_00, 500_00, 2000_00}

// several is the quantity from which a negotiation is about several pieces.
const several = 2

// mostTried bounds the parts that one proposal tries, because each makes it harder to be certain of any.
const mostTried = 8

// candidates returns the segments to learn curves for: categories, price bands by quantity within each or, without categories, in
// the shop, and cost bands. Only those with enough sessions, the largest ones, are tried; none that covers nearly all of the whole.
func (l *learner) candidates() []negotiation.Segment {
	type candidate struct {
		negotiation.Segment
		sessions int
	}
	var all []candidate
	whole := l.train.sessions()
	for _, g := range l.partition() {
		one := negotiation.Policy{Segments: []negotiation.Segment{g}}
		n := l.train.sessionsIn(func(s negotiation.Signals) bool { return one.SegmentOf(s) == 0 })
		if n >= Fewest/2 && n <= whole*9/10 {
			all = append(all, candidate{g, n})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.sessions, a.sessions) })
	all = all[:min(len(all), mostTried)]
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(detail(a.Segment), detail(b.Segment)) })
	tried := make([]negotiation.Segment, len(all))
	for i, c := range all {
		tried[i] = c.Segment
	}
	return tried
}

// partition returns every segment that has a record.
func (l *learner) partition() []negotiation.Segment {
	found := map[negotiation.Segment]bool{}
	for i := range l.train.records {
		s := l.train.records[i].Signals
		category := topOf(s.Category)
		if category != "" {
			found[negotiation.Segment{Name: learnt + category, Category: category}] = true
		}
		found[bandOf(category, s)] = true
	}
	all := slices.Clone(bands)
	for g := range found {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b negotiation.Segment) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// topOf returns the first part of a category's path.
func topOf(category string) string {
	top, _, _ := strings.Cut(category, "/")
	return top
}

// bandOf returns the segment of an item's category, price band and quantity.
func bandOf(category string, s negotiation.Signals) negotiation.Segment {
	g, pieces := negotiation.Segment{Category: category, QuantityMax: several}, "one piece"
	if s.Quantity >= several {
		g.QuantityMin, g.QuantityMax, pieces = several, 0, "several pieces"
	}
	for i, from := range priceBands {
		if s.List.Minor() >= from {
			if g.PriceMin, g.PriceMax = from, 0; i+1 < len(priceBands) {
				g.PriceMax = priceBands[i+1]
			}
		}
	}
	g.Name = fmt.Sprintf("%s%s price band %d, %s", learnt, category, 1+slices.Index(priceBands, g.PriceMin), pieces)
	return g
}

// detail orders segments from coarse to fine. In a policy the fine ones come first, because the first that matches counts.
func detail(g negotiation.Segment) int {
	switch {
	case g.CostFrom > 0 || g.CostTo > 0:
		return 0
	case g.QuantityMin == 0 && g.QuantityMax == 0:
		return 1
	}
	return 2
}

// with returns the policy with a learned segment, which keeps its curve if it has one and else begins with the present one of its
// items, and its index. The index is −1 if there is no room.
func (l *learner) with(g negotiation.Segment) (negotiation.Policy, int) {
	p := l.policy
	named := func(of negotiation.Segment) bool { return of.Name == g.Name }
	if at := slices.IndexFunc(p.Segments, named); at >= 0 {
		return p, at
	}
	if len(p.Segments) >= negotiation.MostSegments {
		return p, -1
	}
	at := 0 // after the merchant's own
	for i := range p.Segments {
		if !strings.HasPrefix(p.Segments[i].Name, learnt) {
			at = i + 1
		}
	}
	for at < len(p.Segments) && detail(p.Segments[at]) > detail(g) {
		at++
	}
	one := negotiation.Policy{Segments: []negotiation.Segment{g}}
	g.Curve = p.Curve
	for i := range l.train.records {
		if s := l.train.records[i].Signals; one.SegmentOf(s) == 0 && p.SegmentOf(s) >= at || one.SegmentOf(s) == 0 && p.SegmentOf(s) < 0 {
			g.Curve = p.Terms(s).Curve
			break
		}
	}
	p.Segments = slices.Insert(slices.Clone(p.Segments), at, g)
	return p, at
}
