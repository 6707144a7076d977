package storetest

import (
	"cmp"
	"flag"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var March = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// recount counts a span the naive way.
func (p *Past) recount(from, to time.Time) ports.Span {
	in := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	s := ports.Span{SessionsBy: map[agentid.Protocol]int64{}}
	for _, b := range p.began {
		s.Sessions += yes(in(b.at))
		s.SessionsBy[agentid.Protocols[b.by.protocol]] += yes(in(b.at))
	}
	s.Protocols = p.traffic(in)
	for _, t := range p.firstSale {
		s.Buyers += yes(in(t))
	}
	for _, t := range p.Talks {
		if in(t.began) {
			t.count(&s.Figures)
		}
	}
	for _, o := range p.Placed {
		if in(o.at) {
			o.count(&s.Figures)
		}
	}
	for _, r := range p.given {
		if in(r.at) {
			s.Refunds++
			s.Refunded += r.amount
		}
	}
	return s
}

// traffic counts the traffic by protocol.
func (p *Past) traffic(in func(time.Time) bool) map[agentid.Protocol]analytics.Traffic {
	all := map[agentid.Protocol]analytics.Traffic{}
	for _, t := range p.Talks {
		by := all[agentid.Protocols[t.by.protocol]]
		by.Deals += yes(in(t.began) && t.dealAt > 0)
		all[agentid.Protocols[t.by.protocol]] = by
	}
	for _, o := range p.Placed {
		if in(o.at) {
			by := all[agentid.Protocols[o.by.protocol]]
			by.Orders, by.Gross = by.Orders+1, by.Gross+o.gross
			all[agentid.Protocols[o.by.protocol]] = by
		}
	}
	maps.DeleteFunc(all, func(_ agentid.Protocol, t analytics.Traffic) bool { return t == analytics.Traffic{} })
	return all
}

// Agents checks the traffic of the largest agents against a naive count.
func (p *Past) Agents(t *testing.T, s *Store, when string, from, to time.Time, most int) {
	t.Helper()
	in := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	type agent struct {
		profile  string
		verified bool
	}
	all := map[agent]*ports.AgentTraffic{}
	of := func(by pastAgent) *ports.AgentTraffic {
		name := agent{by.profile, by.verified}
		if all[name] == nil {
			all[name] = &ports.AgentTraffic{Profile: by.profile, Verified: by.verified}
		}
		return all[name]
	}
	for _, b := range p.began {
		of(b.by).Sessions += yes(in(b.at))
	}
	for _, talk := range p.Talks {
		of(talk.by).Deals += yes(in(talk.began) && talk.dealAt > 0)
	}
	for _, o := range p.Placed {
		if in(o.at) {
			of(o.by).Orders++
			of(o.by).Gross += o.gross
		}
	}
	var want []ports.AgentTraffic
	for _, a := range all {
		if a.Sessions+a.Deals+a.Orders > 0 {
			want = append(want, *a)
		}
	}
	slices.SortFunc(want, func(a, b ports.AgentTraffic) int {
		return cmp.Or(
			cmp.Compare(b.Orders, a.Orders), cmp.Compare(b.Deals, a.Deals), cmp.Compare(b.Sessions, a.Sessions),
			cmp.Compare(a.Profile, b.Profile), cmp.Compare(yes(a.Verified), yes(b.Verified)),
		)
	})
	want = want[:min(most, len(want))]
	got, err := s.Analytics().Agents(t.Context(), id.Stored[id.Project](p.project), from, to, most)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s, from %v to %v, %v:\n got %+v\nwant %+v", when, from, to, err, got, want)
	}
}

func (t pastNegotiation) count(f *analytics.Figures) {
	f.Negotiations++
	f.Offered += yes(t.offers > 0)
	f.Countered += yes(t.countered > 0)
	f.Rejected += yes(t.refused > 0)
	f.Deals += yes(t.dealAt > 0)
	f.Opened += yes(t.opened)
	f.Paid += yes(t.paid)
	f.Offers += int64(t.offers)
	f.Rules = counted(f.Rules)
	for rule, n := range t.rules {
		f.Rules[rule] += n
	}
	if t.dealAt > 0 {
		f.DealDiscount += (t.list - t.dealAt) * 1_000_000 / t.list
		f.DealDiscounts = counted(f.DealDiscounts)
		f.DealDiscounts[int((t.list-t.dealAt)*1000/t.list)]++
		if t.cost > 0 {
			f.DealKnown += t.dealAt * t.quantity
			f.DealCost += t.cost * t.quantity
		}
	}
}

func (o pastOrder) count(f *analytics.Figures) {
	f.Orders++
	f.Units += o.units
	f.List += o.list
	f.Goods += o.goods
	f.Gross += o.gross
	f.Known += o.known
	f.Cost += o.cost
	f.PaidDiscount += (o.list - o.goods) * 1_000_000 / o.list
	f.PaidDiscounts = counted(f.PaidDiscounts)
	f.PaidDiscounts[int((o.list-o.goods)*1000/o.list)]++
}

func counted[K comparable](m map[K]int64) map[K]int64 {
	if m == nil {
		m = map[K]int64{}
	}
	return m
}

func yes(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// Compare checks all figures of the spans between the bounds against the recount.
func (p *Past) Compare(t *testing.T, s *Store, when string, bounds ...time.Time) {
	t.Helper()
	spans, err := s.Analytics().Figures(t.Context(), id.Stored[id.Project](p.project), ports.Period{
		Bounds:    bounds,
		Protocols: true,
		Products:  true,
	})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.Analytics().Figures(t.Context(), id.Stored[id.Project](p.project), ports.Period{Bounds: bounds, Sessions: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range spans {
		want := p.recount(bounds[i], bounds[i+1])
		if plain[i].Sessions != want.Sessions {
			t.Errorf("%s, %v: %d sessions, want %d", when, bounds[i], plain[i].Sessions, want.Sessions)
		}
		if !maps.Equal(got.Protocols, want.Protocols) {
			t.Errorf("%s, %v: by protocols %v, want %v", when, bounds[i], got.Protocols, want.Protocols)
		}
		for protocol := range want.SessionsBy {
			if got.SessionsBy[protocol] != want.SessionsBy[protocol] {
				t.Errorf("%s, %v: %d sessions by %v, want %d", when, bounds[i], got.SessionsBy[protocol], protocol, want.SessionsBy[protocol])
			}
		}
		got.Protocols, want.Protocols, got.SessionsBy, want.SessionsBy = nil, nil, nil, nil
		outcomes := analytics.Outcomes{
			Negotiations: want.Negotiations,
			Offered:      want.Offered,
			Deals:        want.Deals,
		}
		if want.Negotiations > 0 && (got.Policies["agent_one/1"] != outcomes || len(got.Policies) != 1 || got.Handlers["builtin"] != outcomes) {
			t.Errorf("%s, %v: the policy's version has %+v, want %+v", when, bounds[i], got.Policies, outcomes)
		}
		units := int64(0)
		for _, sold := range got.Products {
			units += sold.Units
		}
		if units != want.Units {
			t.Errorf("%s, %v: products have %d units of %d", when, bounds[i], units, want.Units)
		}
		got.Policies, got.Handlers, got.Products = nil, nil, nil
		for _, m := range []*map[string]int64{&got.Rules, &want.Rules} {
			*m = none(*m)
		}
		for _, m := range []*map[int]int64{&got.DealDiscounts, &want.DealDiscounts, &got.PaidDiscounts, &want.PaidDiscounts} {
			*m = none(*m)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s, from %v to %v:\n got %+v\nwant %+v", when, bounds[i], bounds[i+1], got, want)
		}
	}
}

// none is nil for an empty map.
func none[K comparable](m map[K]int64) map[K]int64 {
	if len(m) == 0 {
		return nil
	}
	return m
}

// Lost checks the lost deals near the floor against the recount.
func (p *Past) Lost(t *testing.T, s *Store, when string, from, to time.Time, near int64) {
	t.Helper()
	f := ports.LostFilter{
		From:     from,
		To:       to,
		Currency: "USD",
		Near:     near,
	}
	got, err := s.Analytics().Lost(t.Context(), id.Stored[id.Project](p.project), f, ports.Page{Limit: 1_000})
	if err != nil {
		t.Fatal(err)
	}
	var want ports.LostDeals
	for _, talk := range p.Talks {
		if talk.began.Before(from) || !talk.began.Before(to) || talk.dealAt > 0 || talk.offers == 0 || talk.best*1000 < talk.floor*(1000-near) {
			continue
		}
		want.Count++
		want.AboveFloor += yes(talk.best >= talk.floor)
		want.Offered += talk.best * talk.quantity
		want.List += talk.list * talk.quantity
		at := slices.IndexFunc(got.Examples, func(l analytics.Lost) bool {
			return l.Item.Session.String() == talk.session && l.Item.Product.String() == talk.product
		})
		if at < 0 {
			t.Errorf("%s: the lost deal %+v is not shown", when, talk)
		} else if l := got.Examples[at]; l.Best != talk.best || l.Standing != talk.stands || l.Floor != talk.floor || !l.Last.Equal(talk.last) {
			t.Errorf("%s: the lost deal %+v is shown as %+v", when, talk, l)
		}
	}
	if !slices.IsSortedFunc(got.Examples, analyticsstore.NewestLost) || int64(len(got.Examples)) != want.Count {
		t.Errorf("%s: %d examples, want %d, newest first", when, len(got.Examples), want.Count)
	}
	got.Examples = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

// CutBack removes some later rows again: ends of sessions, checkouts and orders.
func (p *Past) CutBack(random *rand.Rand) [3][][]any {
	var later [3][][]any
	for i, rows := range []*[][]any{&p.Decisions, &p.checkouts, &p.orders} {
		n := len(*rows) - random.IntN(len(*rows)/2+1)
		*rows, later[i] = (*rows)[:n:n], (*rows)[n:]
	}
	return later
}

func (p *Past) PutBack(later [3][][]any) {
	p.Decisions, p.checkouts, p.orders = later[0], later[1], later[2]
}

// Only is the part of the history whose rows were removed again.
func (p *Past) Only(later [3][][]any) *Past {
	return &Past{
		project:   p.project,
		Decisions: later[0],
		checkouts: later[1],
		orders:    later[2],
	}
}

// Records takes all decisions, checkouts and orders into a history of their own.
func (p *Past) Records() *Past {
	all := [3][][]any{p.Decisions, p.checkouts, p.orders}
	p.PutBack([3][][]any{})
	return p.Only(all)
}

// The figures that count are those of -decisions 1000000.
var DecisionsInPast = flag.Int("decisions", 5_000, "decisions in the benchmark of analytics")
