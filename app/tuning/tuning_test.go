package tuning_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// propose calls Propose, which fails only if its context ends.
func propose(t *testing.T, known []tuning.Record, p negotiation.Policy) tuning.Proposal {
	t.Helper()
	proposal, err := tuning.Propose(t.Context(), known, p, tuning.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return proposal
}

// buyer makes offers by a formula of the test, not of the package.
type buyer struct {
	worth, first int64
	deadline     int
	next         func(b buyer, round int) int64
}

func firm(b buyer, _ int) int64 { return b.worth * 9 / 10 }

func timed(beta float64) func(buyer, int) int64 {
	return func(b buyer, round int) int64 {
		t := float64(round-1) / float64(b.deadline-1)
		return b.first + int64(math.Pow(t, 1/beta)*float64(b.worth-b.first))
	}
}

func amount(minor int64) money.Amount { return money.Of(minor, money.USD) }

// haggle runs a buyer's negotiation about an item at list 100.00. It returns the record and the price, which is zero without a
// deal.
func haggle(p negotiation.Policy, cost int64, b buyer) (entries []negotiation.Entry, price int64) {
	known := amount(cost)
	s := negotiation.Signals{
		List:       amount(100_00),
		Cost:       &known,
		Negotiable: true,
		Quantity:   1,
		Stock:      20,
		CartValue:  amount(0),
	}
	q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, noon)
	say := func(offer int64) negotiation.Decision {
		o := amount(offer)
		t := q.Table(p.Terms(s), &o)
		d := negotiation.Decide(t)
		entries = append(entries, negotiation.NewEntry(id.Decision{}, len(entries)+1, q, t, s, d, "", noon))
		q.Record(t, d, noon)
		return d
	}
	current := int64(100_00)
	for round := 1; round <= b.deadline; round++ {
		want := min(b.next(b, round), b.worth)
		d := say(min(want, current))
		if current = negotiation.PriceIn(d).Minor(); d.Outcome() == negotiation.OutcomeAccepted {
			return entries, current
		}
	}
	if current <= b.worth {
		say(current)
		return entries, current
	}
	return entries, 0
}

// crowd draws buyers: a fifth of them firm, the others timed.
func crowd(n int, seed uint64, mean float64) []buyer {
	random, all := rand.New(rand.NewPCG(seed, 1)), make([]buyer, n)
	manners := []func(buyer, int) int64{firm, timed(.3), timed(1), timed(3), timed(1)}
	for i := range all {
		worth := mean + .1*random.NormFloat64()
		all[i] = buyer{int64(worth * 10000), int64(worth * (.6 + .25*random.Float64()) * 10000), 3 + random.IntN(6), manners[i%5]}
	}
	return all
}

func records(t *testing.T, p negotiation.Policy, cost int64, buyers []buyer) (all []tuning.Record) {
	t.Helper()
	for _, b := range buyers {
		entries, price := haggle(p, cost, b)
		r, ok := tuning.FromEntries(entries, 6)
		if !ok {
			t.Fatalf("nothing is learnt of %+v", entries)
		}
		if got := int64(math.Round(r.Price * 10000)); got != price {
			t.Fatalf("a deal at %d is recorded at %d", price, got)
		}
		r.Session = session(sessions.Add(1))
		all = append(all, r)
	}
	return all
}

// sessions numbers the sessions of records.
var sessions atomic.Uint64

func margin(p negotiation.Policy, cost int64, buyers []buyer) (sum float64) {
	for _, b := range buyers {
		if _, price := haggle(p, cost, b); price > 0 {
			sum += float64(price-cost) / 10000
		}
	}
	return sum / float64(len(buyers))
}

func TestFit_manners(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 200
	proposal := propose(t, records(t, p, 50_00, crowd(1500, 1, .9)), p)
	want := map[tuning.Share]float64{{Manner: tuning.Firm}: .2, {Manner: tuning.Timed, Beta: .3}: .2, {Manner: tuning.Timed, Beta: 1}: .4, {Manner: tuning.Timed, Beta: 3}: .2}
	for _, s := range proposal.Buyers {
		if got := want[tuning.Share{Manner: s.Manner, Beta: s.Beta}]; math.Abs(s.Share-got) > .09 {
			t.Errorf("%s %.1f: %.3f, want about %.2f", s.Manner, s.Beta, s.Share, got)
		}
	}
}

// The proposal for a curve that earns little earns more from other buyers of the same kind, about as much as it predicts, and is
// the same for the same records.
func TestPropose_poorCurve(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 200
	p.Curve.Markup, p.Curve.Give, p.Curve.Take = 1300, [8]money.Percent{0, 20, 40, 60, 80, 100, 100, 100}, [8]money.Percent{}
	known := records(t, p, 50_00, crowd(1200, 1, .88))
	proposal := propose(t, known, p)
	others := crowd(20000, 2, .88)
	before, after := margin(p, 50_00, others), margin(proposal.Policy, 50_00, others)
	if !proposal.Better() || after < before*1.1 {
		t.Errorf("it earned %.4f, and earns %.4f by %+v", before, after, proposal)
	}
	if math.Abs(proposal.Before.Margin-before) > .05 || math.Abs(proposal.After.Margin-after) > .05 {
		t.Errorf("it foresaw %.4f and %.4f; they are %.4f and %.4f", proposal.Before.Margin, proposal.After.Margin, before, after)
	}
	again := propose(t, known, p)
	if again.Policy.Curve != proposal.Policy.Curve || again.Gain != proposal.Gain {
		t.Error("the same records give another proposal")
	}
}

// A category whose buyers would pay less gets a curve of its own, and so does not worsen that of the others.
func TestPropose_segments(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 300
	known := append(records(t, p, 50_00, crowd(800, 1, .80)), records(t, p, 50_00, crowd(800, 2, 1.02))...)
	for i := range known {
		known[i].Signals.Category = []string{"clearance/tents", "stoves"}[i/800]
	}
	proposal := propose(t, known, p)
	if !proposal.Better() {
		t.Fatalf("no proposal: %+v", proposal.Tried)
	}
	names := map[string]bool{}
	for _, tried := range proposal.Tried {
		names[tried.Segment] = true
		if tried.Kept && (tried.Gain.Low <= 0 || tried.Loss != nil) {
			t.Errorf("kept without being certain: %+v", tried)
		}
	}
	if !names["learnt: clearance"] || !names["learnt: stoves"] || len(proposal.Policy.Segments) == 0 {
		t.Errorf("tried %v, segments %+v", names, proposal.Policy.Segments)
	}
	for _, g := range proposal.Policy.Segments {
		if g.Category != "clearance" && g.Category != "stoves" {
			t.Errorf("%+v", g)
		}
	}
}

func TestPropose_canceled(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := tuning.Propose(ctx, records(t, p, 50_00, crowd(300, 1, .9)), p, tuning.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FromEntries reads long negotiations too, because results count them all, but Fit cannot use them.
func TestExplicable_longNegotiation(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 200
	for deadline, explicable := range map[int]bool{12: true, 13: false, 40: false} {
		entries, price := haggle(p, 50_00, buyer{
			worth:    70_00,
			first:    50_00,
			deadline: deadline,
			next:     timed(1),
		})
		r, ok := tuning.FromEntries(entries, 6)
		if !ok || r.Explicable() != explicable || price > 0 || r.End != tuning.Walked || len(r.Rounds) != deadline {
			t.Errorf("%d offers: %+v, %t", deadline, r, ok)
		}
	}
}

func TestFromEntries_nothingToLearn(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	if _, ok := tuning.FromEntries(nil, 6); ok {
		t.Error("something is learnt of nothing")
	}
	s := negotiation.Signals{
		List:       amount(100_00),
		Negotiable: false,
		Quantity:   1,
	}
	q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, noon)
	offer := amount(80_00)
	table := q.Table(p.Terms(s), &offer)
	e := negotiation.NewEntry(id.Decision{}, 1, q, table, s, negotiation.Decide(table), "", noon)
	if _, ok := tuning.FromEntries([]negotiation.Entry{e}, 6); ok {
		t.Error("something is learnt of what has a fixed price")
	}
	asked := q.Table(p.Terms(s), nil)
	e = negotiation.NewEntry(id.Decision{}, 1, q, asked, s, negotiation.Decide(asked), "", noon)
	if _, ok := tuning.FromEntries([]negotiation.Entry{e}, 6); ok {
		t.Error("something is learnt of a question")
	}
}
