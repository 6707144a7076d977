package negotiation_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// recordedSession generates the record of a negotiation with its policy.
func recordedSession(t *rapid.T) *recording {
	r := record(1, shopPolicies().Draw(t, "policy"), signals().Draw(t, "signals"))
	for range rapid.IntRange(1, 6).Draw(t, "offers") {
		table := r.quote.Table(r.policy.Terms(r.signals), nil)
		if rapid.IntRange(0, 5).Draw(t, "question") == 0 {
			r.says(nil, nil)
			continue
		}
		made := offersOn(table).Draw(t, "offer")
		if !made.IsPositive() {
			continue
		}
		if _, agreed := r.says(&made, nil).(negotiation.Accepted); agreed {
			break
		}
	}
	return r
}

// The facts of each entry are those that the next entry of the record and further decisions on the same table show.
func TestEntry_Account(t *testing.T) {
	t.Parallel()
	moved, met, accepts := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		haggled := recordedSession(r)
		for i := range haggled.entries {
			e := &haggled.entries[i]
			a := e.Account(&haggled.policy)
			mustHold(r, a.Stated != nil, "%+v is not decided again", e)
			mustHold(r, a.Current.Minor()-a.Down.Minor() == min(e.Price.Minor(), a.Current.Minor()), "%+v: %+v", e, a)
			if e.Before.Counter.IsPositive() {
				mustHold(r, a.Current == e.Before.Counter, "%+v: %+v", e, a)
			}
			if e.Offer == nil {
				continue
			}
			table := negotiation.Table{
				Terms:    haggled.policy.Terms(e.Signals),
				Bounds:   e.Bounds,
				Progress: e.Before,
			}
			at := func(minor int64) bool {
				_, ok := negotiation.Decide(with(table, money.Of(minor, e.Bounds.List().Currency()))).(negotiation.Accepted)
				return ok
			}
			least := a.Stated.LeastAccepted.Minor()
			mustHold(r, at(least) && (least == 1 || !at(least-1)), "%+v: %d is not the least that is accepted", e, least)
			accepts++
			if i+1 < len(haggled.entries) {
				mustHold(r, a.Stated.Moved == (haggled.entries[i+1].Before.Moves > e.Before.Moves), "%+v: %+v", e, a.Stated)
			}
			if a.Stated.Moved {
				moved++
				mustHold(r, e.Offer.Minor() >= a.LeastMove.Minor(), "%+v: %+v", e, a)
			}
			if rule := e.Rule; rule != negotiation.Concession && rule != negotiation.BelowFloor || !a.Stated.Moved || a.Stated.Last {
				continue
			}
			// The price of a move is the one that the policy states, unless it is bound by an earlier one or by the offer.
			stated := a.Stated.Step.Minor()
			if a.Stated.Met {
				met++
				stated, _ = money.MulDiv(e.Offer.Minor(), int64(a.Stated.Markup), int64(money.Whole), money.Up)
			}
			want := min(a.Current.Minor(), max(stated, e.Bounds.Floor().Minor()))
			if e.Outcome == negotiation.OutcomeCountered {
				want = max(want, e.Offer.Minor()+1)
			}
			mustHold(r, e.Price.Minor() == want, "%+v: the policy states %d: %+v", e, want, a.Stated)
		}
	})
	if moved < 500 || met < 50 || accepts < 1000 {
		t.Errorf("only %d moves, %d first offers that are met, %d offers", moved, met, accepts)
	}
}

// Nothing is said about a policy that is not known, is another version, or gives another answer.
func TestEntry_Account_unknownPolicy(t *testing.T) {
	t.Parallel()
	entries := record(1, off(1, 200), hundred()).offers("75", "79")
	harder := off(1, 200)
	harder.Curve.Reach = money.Whole
	other := off(2, 200)
	for name, p := range map[string]*negotiation.Policy{"unknown": nil, "another version": &other, "another answer": &harder} {
		if a := entries[0].Account(p); a.Stated != nil || a.Current != usd("100") || a.Down != usd("16.75") {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// The answers are those whose deals a replay reports.
func TestAnswers(t *testing.T) {
	t.Parallel()
	entries := record(1, off(1, 200), hundred()).offers("75", "79", "82")
	soft := off(0, 400)
	got := negotiation.Answers(id.Agent{}, soft, entries)
	if len(got) != 3 || got[0] != accepted("75", negotiation.AtAsk) || got[1] != nil || got[2] != nil {
		t.Errorf("%v", got)
	}
	got = negotiation.Answers(seller, off(1, 200), entries)
	for i, e := range entries {
		if *negotiation.PriceIn(got[i]) != *e.Price || got[i].Rule() != e.Rule {
			t.Errorf("%d: %v is recorded as %v", i, got[i], e)
		}
	}
}
