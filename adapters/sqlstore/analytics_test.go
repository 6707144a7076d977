package sqlstore

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var march = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// recount counts a span the naive way.
func (p *past) recount(from, to time.Time) ports.Span {
	in := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	var s ports.Span
	for _, t := range p.began {
		s.Sessions += yes(in(t))
	}
	for _, t := range p.firstSale {
		s.Buyers += yes(in(t))
	}
	for _, t := range p.talks {
		if in(t.began) {
			t.count(&s.Figures)
		}
	}
	for _, o := range p.placed {
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

func (t pastTalk) count(f *analytics.Figures) {
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

// compare checks all figures of the spans between the bounds against the recount.
func (p *past) compare(t *testing.T, s *Store, when string, bounds ...time.Time) {
	t.Helper()
	spans, err := s.Analytics().Figures(t.Context(), id.Stored[id.Project](p.project), ports.Period{Bounds: bounds, Sessions: true, Products: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range spans {
		want := p.recount(bounds[i], bounds[i+1])
		outcomes := analytics.Outcomes{Negotiations: want.Negotiations, Offered: want.Offered, Deals: want.Deals}
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

// lost checks the lost deals near the floor against the recount.
func (p *past) lost(t *testing.T, s *Store, when string, from, to time.Time, near int64) {
	t.Helper()
	f := ports.LostFilter{From: from, To: to, Currency: "USD", Near: near}
	got, err := s.Analytics().Lost(t.Context(), id.Stored[id.Project](p.project), f, ports.Page{Limit: 1_000})
	if err != nil {
		t.Fatal(err)
	}
	var want ports.LostDeals
	for _, talk := range p.talks {
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
	if !slices.IsSortedFunc(got.Examples, newestLost) || int64(len(got.Examples)) != want.Count {
		t.Errorf("%s: %d examples, want %d, newest first", when, len(got.Examples), want.Count)
	}
	got.Examples = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

// Whatever is folded already, the figures are those of a naive count: also of periods that begin anywhere, and
// when half a session is folded.
func TestAnalyticsEqualARecount(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		project, other := storeProject(t, s, 1).ID, storeProject(t, s, 2).ID
		foreign := newPast(9, other, march, 3*24*time.Hour)
		for range 30 {
			foreign.visit()
		}
		foreign.store(t, s)
		p := newPast(1, project, march, 3*24*time.Hour)
		random := rand.New(rand.NewPCG(2, 2))
		for round := range 6 {
			for range 60 {
				p.visit()
			}
			later := p.cutBack(random)
			p.store(t, s)
			for more := round%2 == 0; more; {
				more = foldOnce(t, s)
			}
			p.putBack(later)
			p.store(t, s)
			if round%3 == 2 {
				foldOnce(t, s)
			}
			when := fmt.Sprintf("round %d", round)
			begin := march.Add(time.Duration(random.Int64N(int64(24 * time.Hour)))).Truncate(time.Millisecond)
			middle := begin.Add(time.Duration(random.Int64N(int64(24 * time.Hour)))).Truncate(time.Millisecond)
			p.compare(t, s, when, march, march.Add(24*time.Hour), march.Add(4*24*time.Hour))
			p.compare(t, s, when, begin, middle, middle.Add(7*time.Minute), middle.Add(25*time.Hour))
			p.lost(t, s, when, march, march.Add(4*24*time.Hour), random.Int64N(500))
			p.lost(t, s, when, begin, middle, 50)
		}
		foreign.compare(t, s, "the other project", march, march.Add(4*24*time.Hour))
	})
}

// cutBack takes some rows back that come later: ends of sessions, checkouts and orders.
func (p *past) cutBack(random *rand.Rand) [3][][]any {
	var later [3][][]any
	for i, rows := range []*[][]any{&p.decisions, &p.checkouts, &p.orders} {
		n := len(*rows) - random.IntN(len(*rows)/2+1)
		*rows, later[i] = (*rows)[:n:n], (*rows)[n:]
	}
	return later
}

func (p *past) putBack(later [3][][]any) {
	p.decisions, p.checkouts, p.orders = later[0], later[1], later[2]
}

func foldOnce(tb testing.TB, s *Store) bool {
	tb.Helper()
	more, err := s.Analytics().Fold(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return more
}

// A database from before there were analytics is folded from its records.
func TestAnalyticsForgetNothingPending(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		p := newPast(3, storeProject(t, s, 1).ID, march, time.Hour)
		for range 250 {
			p.visit()
		}
		p.store(t, s)
		for foldOnce(t, s) {
		}
		var left, slots int
		err := s.db.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
			if _, err := x.Get(t.Context(), &left, "SELECT count(*) FROM analytics_pending"); err != nil {
				return err
			}
			_, err := x.Get(t.Context(), &slots, "SELECT count(*) FROM analytics_slots")
			return err
		})
		if err != nil || left != 0 || slots < 4 {
			t.Errorf("%d records are left to fold, in %d slots (%v)", left, slots, err)
		}
	})
}

// pending is how many records of a project wait to be folded.
func pending(t *testing.T, s *Store, project id.Project) (n int) {
	t.Helper()
	err := s.db.InTx(t.Context(), project, func(x *db.Tx) error {
		_, err := x.Get(t.Context(), &n, "SELECT count(*) FROM analytics_pending WHERE project_id = $1", project.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What cannot be counted in one project keeps no other waiting.
func TestAFoldThatFailsIsOneProjects(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		broken, other := storeProject(t, s, 1).ID, storeProject(t, s, 2).ID
		if broken.String() > other.String() {
			broken, other = other, broken
		}
		pasts := []*past{newPast(4, broken, march, time.Minute), newPast(5, other, march, time.Minute)}
		for range 2 {
			foldOnce(t, s)
			for _, p := range pasts {
				p.visit()
				p.store(t, s)
			}
		}
		err := s.db.InTx(t.Context(), broken, func(x *db.Tx) error {
			_, err := x.Exec(t.Context(), "UPDATE analytics_slots SET figures = 'many' WHERE project_id = $1", broken.String())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if more, err := s.Analytics().Fold(t.Context()); more || err == nil || !strings.Contains(err.Error(), broken.String()) {
			t.Errorf("%v, %v", more, err)
		}
		if n := pending(t, s, broken); n == 0 {
			t.Error("what was not counted is forgotten")
		}
		if n := pending(t, s, other); n != 0 {
			t.Errorf("%d records of the other project are left to fold", n)
		}
	})
}

// A fold of long sessions takes few of them, down to one.
func TestAFoldReadsOnlySoMuch(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		project := storeProject(t, s, 1).ID
		p := newPast(5, project, march, time.Hour)
		for n, length := range []int{2, 1, readAtOnce - 3, 1, readAtOnce + 1} {
			p.ask(fmt.Sprintf("sess_%d", n), length)
		}
		p.store(t, s)
		for _, want := range []int{readAtOnce + 2, readAtOnce + 1, 0} {
			more := foldOnce(t, s)
			if left := pending(t, s, project); left != want || more != (want > 0) {
				t.Errorf("%d records are left to fold, want %d; more: %v", left, want, more)
			}
		}
		if full, err := s.Analytics().fold(t.Context(), project); full || err != nil { // somebody else was faster
			t.Errorf("%v, %v", full, err)
		}
	})
}

// The figures that count are those of -decisions 1000000.
var decisionsInPast = flag.Int("decisions", 5_000, "decisions in the benchmark of analytics")

// BenchmarkAnalytics asks for a month of a busy project.
func BenchmarkAnalytics(b *testing.B) {
	onEachEngine(b, func(b *testing.B, s *Store) {
		project := storeProject(b, s, 1).ID
		p := newPast(1, project, march, 30*24*time.Hour)
		began := time.Now()
		for stored := 0; stored < *decisionsInPast; stored += len(p.decisions) {
			p.store(b, s)
			for len(p.decisions) < 10_000 && stored+len(p.decisions) < *decisionsInPast {
				p.visit()
			}
		}
		p.store(b, s)
		b.Logf("%d negotiations, %d orders stored in %v", len(p.talks), len(p.placed), time.Since(began))
		began = time.Now()
		for foldOnce(b, s) {
		}
		b.Logf("folded in %v", time.Since(began))
		if _, err := s.db.WritePool().ExecContext(b.Context(), "ANALYZE"); err != nil && s.db.Dialect.OneTrip {
			b.Fatal(err)
		}
		days, err := analytics.Cut(march, march.AddDate(0, 0, 30), analytics.Day, time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		odd := slices.Clone(days)
		odd[0], odd[len(odd)-1] = odd[0].Add(7*time.Minute), odd[len(odd)-1].Add(-7*time.Minute)
		end := days[len(days)-1]
		for name, period := range map[string]ports.Period{
			"summary":          {Bounds: []time.Time{march.AddDate(0, 0, -30), march, end}, Sessions: true},
			"negotiations":     {Bounds: days},
			"sales":            {Bounds: days, Products: true},
			"unaligned_period": {Bounds: odd, Products: true},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Analytics().Figures(b.Context(), project, period); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("lost", func(b *testing.B) {
			for b.Loop() {
				f := ports.LostFilter{From: march, To: end, Currency: "USD", Near: 50}
				if _, err := s.Analytics().Lost(b.Context(), project, f, ports.Page{Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkNotedDecision stores sessions one by one, with the notes that their decisions are to be folded and
// without them.
func BenchmarkNotedDecision(b *testing.B) {
	for _, noted := range []bool{true, false} {
		b.Run(fmt.Sprintf("noted=%v", noted), func(b *testing.B) {
			onEachEngine(b, func(b *testing.B, s *Store) {
				p := newPast(1, storeProject(b, s, 1).ID, march, time.Hour)
				if !noted {
					drop := "DROP TRIGGER decisions_told"
					if s.db.Dialect.OneTrip {
						drop += " ON decisions"
					}
					if _, err := s.db.WritePool().ExecContext(b.Context(), drop); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					p.visit()
					p.store(b, s)
				}
			})
		})
	}
}
