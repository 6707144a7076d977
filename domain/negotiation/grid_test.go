package negotiation_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// stepOf is the largest of 1, 2 and 5 × 10ⁿ minor units that is at most a part of the list price, found the long way.
func stepOf(list, parts int64) int64 {
	largest := int64(1)
	for power := int64(1); power <= money.Limit; power *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if n*power*parts <= list {
				largest = n * power
			}
		}
	}
	return largest
}

// validHint reports whether hint is a possible hint: a price of the grid of 2.5 % or 5 %, the list price, or a price
// with no grid price between it and the list price.
func validHint(list, hint int64) bool {
	step := stepOf(list, 40)
	return hint%step == 0 || hint%stepOf(list, 20) == 0 || (hint/step+1)*step >= list
}

// costBinds reports whether the cost keeps the floor up, and not the limit of the discount.
func costBinds(p negotiation.Policy, s negotiation.Signals) bool {
	free := s
	free.Cost = nil
	return least(p, s) > least(p, free)
}

// onGrid is the least price that can be given where it must be at least so much: where the cost binds, the next on the
// grid of 5 %. Where the discount's limit does, any price under list can.
func onGrid(p negotiation.Policy, s negotiation.Signals, minor int64) int64 {
	step := stepOf(s.List.Minor(), 20)
	if minor >= s.List.Minor() || !costBinds(p, s) {
		return minor
	}
	return (minor + step - 1) / step * step
}

func TestGrid_examples(t *testing.T) {
	t.Parallel()
	in := func(c money.Currency, text string) money.Amount {
		a, err := money.Parse(text, c)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		currency         money.Currency
		list, cost       string
		off              money.Percent
		floor, hint      string
		fixed, costBinds bool
	}{
		{currency: money.USD, list: "12.00", off: 200, floor: "9.60", hint: "9.60"},       // 0.20
		{currency: money.USD, list: "100.00", off: 200, floor: "80.00", hint: "80.00"},    // 2
		{currency: money.USD, list: "1000.00", off: 200, floor: "800.00", hint: "800.00"}, // 20
		{currency: money.USD, list: "137.77", off: 200, floor: "112.00", hint: "112.00"},  // 2; 110.22 raised
		{currency: money.USD, list: "18.40", off: 200, floor: "14.80", hint: "14.80"},     // 0.20; 14.72
		{currency: money.USD, list: "46.00", off: 200, floor: "37.00", hint: "37.00"},     // 1; 36.80
		{currency: money.USD, list: "999.99", off: 200, floor: "800.00", hint: "800.00"},  // 20; 800.00 of 799.992
		{currency: money.USD, list: "0.80", off: 200, floor: "0.64", hint: "0.64"},        // 0.02
		{currency: money.USD, list: "0.06", off: 200, floor: "0.05", hint: "0.05"},        // 0.01
		{currency: money.USD, list: "0.03", off: 200, floor: "0.03", hint: "0.03", fixed: true},
		{currency: money.USD, list: "0.03", off: 500, floor: "0.02", hint: "0.02"},
		{currency: money.USD, list: "0.01", off: 900, floor: "0.01", hint: "0.01", fixed: true},
		{currency: money.USD, list: "9999999999.99", off: 200, floor: "8000000000.00", hint: "8000000000.00"}, // 200,000,000
		{currency: jpy, list: "3", off: 500, floor: "2", hint: "2"},
		{currency: jpy, list: "1980", off: 200, floor: "1600", hint: "1600"},       // 20; 1584
		{currency: jpy, list: "128000", off: 200, floor: "104000", hint: "104000"}, // 2,000; 102,400
		{currency: bhd, list: "12.345", off: 200, floor: "10.000", hint: "10.000"}, // 0.200; 9.876
		{currency: bhd, list: "0.500", off: 200, floor: "0.400", hint: "0.400"},    // 0.010
		// The cost with its margin of a tenth binds: 5 %.
		{currency: money.USD, list: "2000", cost: "1703", off: 200, floor: "1900", hint: "1900", costBinds: true}, // 100; 1873.30
		{currency: money.USD, list: "100", cost: "83", off: 200, floor: "95", hint: "95", costBinds: true},        // 5; 91.30
		{currency: money.USD, list: "12", cost: "9.50", off: 200, floor: "10.50", hint: "10.50", costBinds: true}, // 0.50; 10.45
		{currency: jpy, list: "1980", cost: "1600", off: 200, floor: "1800", hint: "1800", costBinds: true},       // 50; 1760
		{currency: bhd, list: "12.345", cost: "9.5", off: 200, floor: "10.500", hint: "10.500", costBinds: true},  // 0.500; 10.45
		{currency: money.USD, list: "100", cost: "88", off: 200, floor: "100", hint: "100", fixed: true, costBinds: true},
		{currency: money.USD, list: "100", cost: "500", off: 200, floor: "100", hint: "100", fixed: true, costBinds: true},
		// A limit of the discount under one step is no secret: the floor is raised by smaller steps.
		{currency: money.USD, list: "100", off: 15, floor: "99.00", hint: "99.00"},
		{currency: money.USD, list: "99.99", off: 1, floor: "99.90", hint: "99.90"},
		{currency: money.USD, list: "100", off: 0, floor: "100", hint: "100", fixed: true},
	} {
		p := patient
		p.MaxDiscount = c.off
		s := negotiation.Signals{
			List:       in(c.currency, c.list),
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
		}
		if c.cost != "" {
			cost := in(c.currency, c.cost)
			s.Cost = &cost
		}
		b := negotiation.Bound(p, s)
		if b.Floor() != in(c.currency, c.floor) || b.Hint() != in(c.currency, c.hint) || b.Fixed() != c.fixed || costBinds(p, s) != c.costBinds {
			t.Errorf("%s %s, cost %q, %s off: floor %s, hint %s, fixed %t; want %s, %s, %t",
				c.list, c.currency.Code(), c.cost, c.off, b.Floor(), b.Hint(), b.Fixed(), c.floor, c.hint, c.fixed)
		}
	}
}

// The hint lies on the grid, or is the list price or one between that and the grid. Where the cost binds it is always on
// its grid. No offer at it is rejected, and every one below is.
func TestBounds_Hint_onGrid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		b := negotiation.Bound(p, s)
		list, floor, hint := b.List().Minor(), b.Floor().Minor(), b.Hint().Minor()
		mustHold(t, validHint(list, hint), "hint %s at list %s", b.Hint(), b.List())
		mustHold(t, hint == floor && hint <= list, "hint %s, floor %s, list %s", b.Hint(), b.Floor(), b.List())
		full := p.Depth >= money.Whole && p.Terms(s).Lean >= 0
		mustHold(t, b.Fixed() || !full || !costBinds(p, s) || hint%stepOf(list, 20) == 0, "hint %s tells more of the cost %s than the grid", b.Hint(), s.Cost)
	})
}

// Offers at the hint and at the floor are never rejected, whatever the earlier offers.
func TestDecide_offerAtHint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		at := with(table, rapid.SampledFrom([]money.Amount{table.Bounds.Hint(), table.Bounds.Floor()}).Draw(t, "offer"))
		_, rejected := negotiation.Decide(at).(negotiation.Rejected)
		mustHold(t, !rejected, "%s is rejected with the hint %s", at.Offer, table.Bounds.Hint())
	})
}

// Where the cost determines the floor, answers reveal only the grid step that the cost lies in: for any two costs in
// one step, of which the lower one determines the floor too, the same offers get the same answers.
func TestDecide_costHiddenByGrid(t *testing.T) {
	t.Parallel()
	pairs := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := shopPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		p.Segments = nil // their curves may be chosen by cost, as the merchant likes
		p.Probing = negotiation.Probing{}
		s.Negotiable = true
		cost := money.Of(rapid.Int64Range(s.List.Minor()*6/10, s.List.Minor()).Draw(t, "cost"), s.List.Currency())
		other := s
		s.Cost = &cost
		near := money.Of(max(0, cost.Minor()+rapid.Int64Range(-s.List.Minor()/15, s.List.Minor()/15).Draw(t, "apart")), s.List.Currency())
		other.Cost = &near
		step := stepOf(s.List.Minor(), 20)
		cell := func(s negotiation.Signals) int64 { return min((least(p, s)+step-1)/step, (s.List.Minor()+step-1)/step) }
		if !costBinds(p, s) || !costBinds(p, other) || cell(s) != cell(other) {
			return
		}
		pairs++
		a := negotiation.Start(start(nil, noon).Snapshot().ID, shop, item, p, s, nil, noon)
		b := negotiation.Start(start(nil, noon).Snapshot().ID, shop, item, p, other, nil, noon)
		for range rapid.IntRange(1, 6).Draw(t, "offers") {
			one := a.Table(p.Terms(s), nil)
			one.Offer = offer(offersOn(one).Draw(t, "offer"))
			two := b.Table(p.Terms(other), one.Offer)
			mustHold(t, negotiation.Decide(one) == negotiation.Decide(two), "%+v at a cost of %s, %+v at %s",
				negotiation.Decide(one), cost, negotiation.Decide(two), near)
			a.Record(one, negotiation.Decide(one), noon)
			b.Record(two, negotiation.Decide(two), noon)
		}
	})
	if pairs < 50 {
		t.Errorf("only %d pairs of costs lay in one step", pairs)
	}
}
