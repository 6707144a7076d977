package negotiation_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// The shop changes after a counter of 91.02 over a floor of 80.00. The buyer comes back on the same quote or a new
// one, before the counter expires and after it.
func TestQuote_Resume_shopChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change               func(*negotiation.Policy, *negotiation.Signals)
		floor, inTime, later string
		laterFloor           string // "": the same
	}{
		"nothing": {func(*negotiation.Policy, *negotiation.Signals) {}, "80.00", "91.02", "91.02", ""},
		"claims, stock and cart": {func(_ *negotiation.Policy, s *negotiation.Signals) {
			s.Claims, s.Stock, s.CartValue = negotiation.ClaimsOf(session.Claims{LoyaltyTier: "platinum"}), 900, usd("500")
		}, "80.00", "91.02", "91.02", ""},
		"a more generous policy": {func(p *negotiation.Policy, _ *negotiation.Signals) { p.MaxDiscount = 500 },
			"80.00", "91.02", "91.02", "50.00"},
		"less depth": {func(p *negotiation.Policy, _ *negotiation.Signals) { p.Depth = 200 },
			"80.00", "91.02", "99.80", "96.00"},
		"a lower cost": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.Cost = offer(usd("20")) },
			"80.00", "91.02", "91.02", ""},
		"a meaner policy": {func(p *negotiation.Policy, _ *negotiation.Signals) { p.MaxDiscount = 50 },
			"96.00", "91.02", "99.80", ""},
		"a higher cost": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.Cost = offer(usd("85")) },
			"95.00", "91.02", "99.75", ""},
		"a cost that leaves nothing": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.Cost = offer(usd("89")) },
			"100.00", "91.02", "100.00", ""},
		"a higher list price": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.List = usd("200") },
			"160.00", "91.02", "198.00", ""},
		"a lower list price": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.List = usd("80") },
			"64.00", "80.00", "79.20", ""},
		"not negotiable any more": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.Negotiable = false },
			"100.00", "91.02", "100.00", ""},
		"another currency": {func(_ *negotiation.Policy, s *negotiation.Signals) { s.List = money.Of(100_000, bhd) },
			"80.000", "99.000", "99.000", ""},
	} {
		q := start(nil, noon)
		say(q, offer(usd("82")), noon)
		p, s := patient, usual
		c.change(&p, &s)
		resume := func(at time.Time) *negotiation.Quote {
			resumed := negotiation.Rehydrate(q.Snapshot())
			if err := resumed.Resume(p, s, at); err != nil {
				t.Fatal(err)
			}
			return resumed
		}
		again := func(at time.Time) *negotiation.Quote {
			return negotiation.Start(q.Snapshot().ID, shop, item, p, s, q, at)
		}
		late := noon.Add(negotiation.Validity)
		laterFloor := cmp.Or(c.laterFloor, c.floor)
		for when, r := range map[string]struct {
			q           *negotiation.Quote
			want, floor string
		}{
			"resumed":              {resume(late.Add(-1)), c.inTime, c.floor},
			"resumed too late":     {resume(late), c.later, laterFloor},
			"quoted anew":          {again(late.Add(-1)), c.inTime, c.floor},
			"quoted anew too late": {again(late), c.later, laterFloor},
		} {
			got := negotiation.Decide(r.q.Table(p.Terms(s), nil)).(negotiation.Quoted).Price
			if got.String() != r.want || r.q.Snapshot().Bounds.Floor().String() != r.floor {
				t.Errorf("%s, %s: %s over %s, want %s over %s", name, when, got, r.q.Snapshot().Bounds.Floor(), r.want, r.floor)
			}
		}
	}
}

// A counter that a higher cost has overtaken is kept for its fifteen minutes. Price inquiries, lower offers and new
// quotes do not extend it.
func TestQuote_overtakenCounterExpires(t *testing.T) {
	t.Parallel()
	q := start(nil, noon)
	say(q, offer(usd("82")), noon)
	costly := usual
	costly.Cost = offer(usd("85"))
	for minute := 5; minute < 15; minute += 5 {
		at := noon.Add(time.Duration(minute) * time.Minute)
		if err := q.Resume(patient, costly, at); err != nil {
			t.Fatal(err)
		}
		say(q, nil, at)
		q = negotiation.Start(q.Snapshot().ID, shop, item, patient, costly, q, at)
		say(q, offer(usd("84")), at)
		if end := q.Snapshot().ValidUntil; !end.Equal(noon.Add(negotiation.Validity)) {
			t.Fatalf("after %d minutes the price stands until %s", minute, end)
		}
		taken := negotiation.Rehydrate(q.Snapshot())
		if d := say(taken, offer(usd("91.02")), at); d.Outcome() != negotiation.OutcomeAccepted {
			t.Fatalf("after %d minutes the counter got %s", minute, d.Outcome())
		}
	}
	late := noon.Add(negotiation.Validity)
	q = negotiation.Start(q.Snapshot().ID, shop, item, patient, costly, q, late)
	if d := say(q, offer(usd("91.02")), late); d.Outcome() != negotiation.OutcomeRejected {
		t.Errorf("when its time is over, the counter gets %s", d.Outcome())
	}
}

// A counter that is accepted in its last second can be bought for as long as any deal. The price is not agreed a second
// time.
func TestQuote_overtakenCounterSoldOnce(t *testing.T) {
	t.Parallel()
	q := start(nil, noon)
	say(q, offer(usd("82")), noon)
	costly := usual
	costly.Cost = offer(usd("85"))
	last := noon.Add(negotiation.Validity - time.Second)
	if err := q.Resume(patient, costly, last); err != nil {
		t.Fatal(err)
	}
	if d := say(q, offer(usd("91.02")), last); d.Outcome() != negotiation.OutcomeAccepted {
		t.Fatalf("the counter gets %s", d.Outcome())
	}
	end := last.Add(negotiation.Validity)
	if early, late := q.Redeemable(visit, end.Add(-1)), q.Redeemable(visit, end); early != nil || !fault.Is(late, "token_expired") {
		t.Errorf("before its end the token is %v, then %v", early, late)
	}
	for _, at := range []time.Time{last, end.Add(-1), end} {
		again := negotiation.Start(q.Snapshot().ID, shop, item, patient, costly, q, at)
		if d := say(again, offer(usd("91.02")), at); d.Outcome() != negotiation.OutcomeRejected {
			t.Errorf("%s after the deal the price gets %s", at.Sub(last), d.Outcome())
		}
	}
}

// Only the shop's rules determine which prices are negotiable, so that rounding in a narrow range cannot make a price
// fixed or negotiable when the buyer's claims change.
func TestQuote_Resume_claimsAndFixedPrice(t *testing.T) {
	t.Parallel()
	thin := negotiation.Signals{
		List:       usd("0.06"),
		Negotiable: true,
		Quantity:   1,
		Stock:      1,
	}
	q := negotiation.Start(start(nil, noon).Snapshot().ID, shop, item, patient, thin, nil, noon)
	before := q.Snapshot().Bounds
	thin.Claims = negotiation.ClaimsOf(session.Claims{LoyaltyTier: "platinum", PurchaseHistory: 20})
	thin.Quantity, thin.Stock = 10, 500
	if err := q.Resume(patient, thin, noon); err != nil || q.Snapshot().Bounds != before {
		t.Errorf("bounds %+v became %+v (%v)", before, q.Snapshot().Bounds, err)
	}
}
