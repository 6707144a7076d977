package negotiation_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// least is the hard floor by exact arithmetic: list × (1 − max discount) and cost × (1 + margin), each rounded up, and
// at least 1. Percentages outside their range count as the nearest valid one.
func least(p negotiation.Policy, s negotiation.Signals) int64 {
	up := func(minor int64, share money.Percent) int64 {
		product := new(big.Int).Mul(big.NewInt(minor), big.NewInt(int64(share)))
		quotient, rest := product.QuoRem(product, big.NewInt(1000), new(big.Int))
		if !quotient.IsInt64() {
			return math.MaxInt64 - 1
		}
		return quotient.Int64() + int64(rest.Sign())
	}
	floor := up(s.List.Minor(), 1000-min(max(p.MaxDiscount, 0), 1000))
	if s.Cost != nil {
		floor = max(floor, up(s.Cost.Minor(), 1000+max(p.MinMargin, 0)))
	}
	return max(floor, 1)
}

func TestBound_orderAndHardFloor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		checkBounds(t, p, s, negotiation.Bound(p, s))
	})
}

func checkBounds(t rapid.TB, p negotiation.Policy, s negotiation.Signals, b negotiation.Bounds) {
	t.Helper()
	floor, target, opening, list := b.Floor().Minor(), b.Target().Minor(), b.Opening().Minor(), b.List().Minor()
	mustHold(t, floor <= target && target <= opening && opening <= list, "out of order: %d %d %d %d", floor, target, opening, list)
	mustHold(t, b.List() == s.List, "the list price became %v", b.List())
	negotiable := p.Enabled && s.Negotiable && onGrid(p, s, least(p, s)) < s.List.Minor()
	mustHold(t, b.Fixed() == !negotiable, "fixed is %v with list %d, hard floor %d", b.Fixed(), list, least(p, s))
	mustHold(t, b.Fixed() || floor >= least(p, s), "floor %d under the hard floor %d", floor, least(p, s))
	for _, a := range []money.Amount{b.Floor(), b.Target(), b.Opening(), b.Hint()} {
		mustHold(t, a.Currency() == s.List.Currency(), "%v is in another currency", a)
	}
}

// With claims, bounds and curve lie between those of two shops whose concessions are smaller or larger by the share for
// unverified claims.
func TestBound_claimsWithinShare(t *testing.T) {
	t.Parallel()
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		share := min(max(p.UnverifiedShare, 0), money.Whole)
		silent := s
		silent.Claims, silent.CartAtList = negotiation.Claims{}, money.Amount{}
		low, high := negotiation.Bound(shifted(p, share), silent), negotiation.Bound(shifted(p, -share), silent)
		b := negotiation.Bound(p, s)
		for _, of := range []func(negotiation.Bounds) money.Amount{
			negotiation.Bounds.Floor, negotiation.Bounds.Target, negotiation.Bounds.Opening,
		} {
			mustHold(t, of(low).Minor() <= of(b).Minor() && of(b).Minor() <= of(high).Minor(),
				"%s is not between %s and %s", of(b), of(low), of(high))
		}
		by := p.Terms(s).Lean - p.Terms(silent).Lean
		mustHold(t, -share <= by && by <= share, "claims lean by %s, their share is %s", by, share)
		if b != negotiation.Bound(p, silent) {
			moved++
		}
	})
	if moved == 0 {
		t.Error("no claim moved anything")
	}
}

// shifted returns a policy whose concessions are all larger by the same share.
func shifted(p negotiation.Policy, by money.Percent) negotiation.Policy {
	p.Depth, p.Anchor = p.Depth+by, p.Anchor+by
	p.Curve.Take[0] += by
	p.Segments = slices.Clone(p.Segments)
	for i := range p.Segments {
		p.Segments[i].Curve.Take[0] += by
	}
	return p
}

// A member's data counts in full, whatever share of claims the policy believes. A buyer who claims only what the shop
// knows gains nothing. A member's prices are never above a stranger's.
func TestBound_members(t *testing.T) {
	t.Parallel()
	helped := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		p.Leanings = patient.Leanings
		stranger, silent, echo := s, s, s
		stranger.Member, silent.Claims = negotiation.Loyalty{}, negotiation.Claims{}
		echo.Claims = negotiation.Claims{Tier: s.Member.Tier, Purchases: s.Member.Purchases}
		member := negotiation.Bound(p, s)
		for _, of := range []func(negotiation.Bounds) money.Amount{
			negotiation.Bounds.Floor, negotiation.Bounds.Target, negotiation.Bounds.Opening,
		} {
			mustHold(t, of(member).Minor() <= of(negotiation.Bound(p, stranger)).Minor(), "a member's price is above a stranger's")
		}
		mustHold(t, negotiation.Bound(p, echo) == negotiation.Bound(p, silent), "saying what is known moves prices")
		p.UnverifiedShare = 0
		if negotiation.Bound(p, silent) != negotiation.Bound(p, negotiation.Signals{
			List:       s.List,
			Cost:       s.Cost,
			Competitor: s.Competitor,
			Negotiable: s.Negotiable,
			Quantity:   s.Quantity,
			CartValue:  s.CartValue,
			Stock:      s.Stock,
			Category:   s.Category,
		}) {
			helped++
		}
	})
	if helped == 0 {
		t.Error("no membership moved anything")
	}
}

func TestClaimsOf_unknownValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := session.Claims{
			LoyaltyTier:     rapid.StringMatching(`[a-z"{};'%\x00-\x1f]{0,6}x`).Draw(t, "tier"),
			PurchaseHistory: rapid.IntMax(0).Draw(t, "purchases"),
			Urgency:         rapid.StringMatching(`.{0,20}!`).Draw(t, "urgency"),
			Location:        rapid.String().Draw(t, "location"),
		}
		mustHold(t, negotiation.ClaimsOf(said) == negotiation.Claims{}, "%+v means something", said)
	})
}

func TestClaimsOf_caseAndSpace(t *testing.T) {
	t.Parallel()
	plain := negotiation.ClaimsOf(session.Claims{
		LoyaltyTier:     "gold",
		PurchaseHistory: 7,
		Urgency:         "flexible",
	})
	if spaced := negotiation.ClaimsOf(session.Claims{
		LoyaltyTier:     " GOLD ",
		PurchaseHistory: 7,
		Urgency:         "Flexible\n",
	}); spaced != plain {
		t.Errorf("%+v, want %+v", spaced, plain)
	}
	if (plain == negotiation.Claims{}) {
		t.Error("good claims mean nothing")
	}
}

func TestBound_examples(t *testing.T) {
	t.Parallel()
	usual := negotiation.Signals{
		List:       usd("100"),
		Cost:       offer(usd("50")),
		Negotiable: true,
		Quantity:   1,
		Stock:      20,
	}
	change := func(f func(*negotiation.Signals)) negotiation.Signals {
		s := usual
		f(&s)
		return s
	}
	member := func(tier string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.Member = negotiation.MemberOf(session.Member{Tier: tier}) }
	}
	for name, c := range map[string]struct {
		signals                negotiation.Signals
		opening, target, floor string
	}{
		"nothing is known":     {usual, "100.00", "92.50", "80.00"},
		"a known gold member":  {change(member("gold")), "94.00", "86.50", "80.00"},
		"a known platinum one": {change(member("platinum")), "92.00", "84.50", "80.00"},
		"ten pieces":           {change(func(s *negotiation.Signals) { s.Quantity = 10 }), "97.00", "89.50", "80.00"},
		// R = 20.00, D = 0.75: 85.00, raised to 86.00; target 100.00 − 14.00·0.125.
		"the last piece":      {change(func(s *negotiation.Signals) { s.Stock = 1 }), "100.00", "98.25", "86.00"},
		"a lot in stock":      {change(func(s *negotiation.Signals) { s.Stock = 50 }), "98.00", "90.50", "80.00"},
		"a full cart":         {change(func(s *negotiation.Signals) { s.CartValue = usd("200") }), "99.00", "91.50", "80.00"},
		"cheaper elsewhere":   {change(func(s *negotiation.Signals) { s.Competitor = offer(usd("91")) }), "98.00", "90.50", "80.00"},
		"a lot cheaper":       {change(func(s *negotiation.Signals) { s.Competitor = offer(usd("85")) }), "98.00", "85.00", "80.00"},
		"cheaper than we can": {change(func(s *negotiation.Signals) { s.Competitor = offer(usd("0")) }), "98.00", "80.00", "80.00"},
		"not cheaper":         {change(func(s *negotiation.Signals) { s.Competitor = offer(usd("100")) }), "100.00", "92.50", "80.00"},
		// 78.00·1.1 = 85.80, up to a multiple of 5.00; 95.70 leaves none under the list price.
		"cost and margin":  {change(func(s *negotiation.Signals) { s.Cost = offer(usd("78")) }), "100.00", "96.25", "90.00"},
		"a thin range":     {change(func(s *negotiation.Signals) { s.Cost = offer(usd("87")) }), "100.00", "100.00", "100.00"},
		"cost too near":    {change(func(s *negotiation.Signals) { s.Cost = offer(usd("91")) }), "100.00", "100.00", "100.00"},
		"cost above list":  {change(func(s *negotiation.Signals) { s.Cost = offer(usd("910")) }), "100.00", "100.00", "100.00"},
		"cost unknown":     {change(func(s *negotiation.Signals) { s.Cost = nil }), "100.00", "92.50", "80.00"},
		"not negotiable":   {change(func(s *negotiation.Signals) { s.Negotiable = false }), "100.00", "100.00", "100.00"},
		"a cent":           {change(func(s *negotiation.Signals) { s.List, s.Cost = usd("0.01"), nil }), "0.01", "0.01", "0.01"},
		"a few cents":      {change(func(s *negotiation.Signals) { s.List, s.Cost = usd("0.06"), nil }), "0.06", "0.06", "0.05"},
		"a price of fives": {change(func(s *negotiation.Signals) { s.List, s.Cost = usd("10.00"), nil }), "10.00", "9.25", "8.00"},
	} {
		b := negotiation.Bound(patient, c.signals)
		if b.Opening() != usd(c.opening) || b.Target() != usd(c.target) || b.Floor() != usd(c.floor) {
			t.Errorf("%s: opening %s, target %s, floor %s; want %s, %s, %s",
				name, b.Opening(), b.Target(), b.Floor(), c.opening, c.target, c.floor)
		}
	}
}

// Depth and Anchor, which the built-in policy leaves at the ends of their ranges.
func TestBound_depthAndAnchor(t *testing.T) {
	t.Parallel()
	p := patient
	p.Depth, p.Anchor = 500, 100
	s := negotiation.Signals{
		List:       usd("1000"),
		Negotiable: true,
		Quantity:   1,
		Stock:      20,
	}
	for name, c := range map[string]struct {
		tier                   string
		opening, target, floor string
	}{ // R = 200.00
		"stranger": {"", "990.00", "962.50", "900.00"},
		"silver":   {"silver", "958.00", "919.50", "860.00"},   // D = 0.7, and 0.3 and 0.575 of 140.00
		"platinum": {"platinum", "910.00", "860.50", "820.00"}, // D = 0.9, and 0.5 and 0.775 of 180.00
	} {
		s.Member = negotiation.MemberOf(session.Member{Tier: c.tier})
		b := negotiation.Bound(p, s)
		if b.Opening() != usd(c.opening) || b.Target() != usd(c.target) || b.Floor() != usd(c.floor) {
			t.Errorf("%s: %s, %s, %s; want %+v", name, b.Opening(), b.Target(), b.Floor(), c)
		}
	}
}

func FuzzBound(f *testing.F) {
	f.Add(int64(100_00), int64(80_00), int64(91_00), int64(200), int64(100), 3, 40, int64(50), true)
	f.Add(int64(money.Limit-1), int64(money.Limit-1), int64(1), int64(900), int64(0), 1000, 0, int64(-999), false)
	f.Add(int64(5), int64(0), int64(0), int64(200), int64(1000), 1, 1, int64(-5000), true)
	f.Fuzz(func(t *testing.T, list, cost, competitor, discount, margin int64, quantity, stock int, depth int64, known bool) {
		p := patient
		p.MaxDiscount, p.MinMargin = money.Percent(discount), money.Percent(margin%1_000_000)
		p.Depth, p.Anchor = money.Percent(depth), money.Percent(-depth)
		s := negotiation.Signals{
			List:       money.Of(list&(1<<39-1)+1, money.USD),
			Negotiable: true,
			Quantity:   quantity,
			Stock:      stock,
		}
		if known {
			s.Cost, s.Competitor = offer(money.Of(cost&(1<<39-1), money.USD)), offer(money.Of(competitor&(1<<39-1), money.USD))
		}
		checkBounds(t, p, s, negotiation.Bound(p, s))
	})
}

func BenchmarkBound(b *testing.B) {
	s := negotiation.Signals{
		List:       usd("129.90"),
		Cost:       offer(usd("61")),
		Competitor: offer(usd("118")),
		Negotiable: true,
		Quantity:   3,
		CartValue:  usd("300"),
		Stock:      25,
		Claims:     negotiation.ClaimsOf(session.Claims{LoyaltyTier: "gold", PurchaseHistory: 4}),
	}
	b.ReportAllocs()
	for b.Loop() {
		negotiation.Bound(patient, s)
	}
}
