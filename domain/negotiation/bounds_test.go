package negotiation_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// least is the hard floor by exact arithmetic: list × (1 − max discount) and cost × (1 + margin), each
// rounded up. Percentages outside of what they mean count as the nearest that does.
func least(p negotiation.Policy, s negotiation.Signals) int64 {
	up := func(minor int64, share money.Percent) int64 {
		product := new(big.Int).Mul(big.NewInt(minor), big.NewInt(int64(share)))
		quotient, rest := product.QuoRem(product, big.NewInt(1000), new(big.Int))
		return quotient.Int64() + int64(rest.Sign())
	}
	floor := up(s.List.Minor(), 1000-min(max(p.MaxDiscount, 0), 1000))
	if s.Cost != nil {
		floor = max(floor, up(s.Cost.Minor(), 1000+max(p.MinMargin, 0)))
	}
	return floor
}

func TestBoundKeepsOrderAndHardFloor(t *testing.T) {
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
	negotiable := p.Enabled && s.Negotiable && least(p, s) < s.List.Minor()
	mustHold(t, b.Fixed() == !negotiable, "fixed is %v with list %d, hard floor %d", b.Fixed(), list, least(p, s))
	mustHold(t, b.Fixed() || floor >= least(p, s), "floor %d under the hard floor %d", floor, least(p, s))
	for _, a := range []money.Amount{b.Floor(), b.Target(), b.Opening(), b.Hint()} {
		mustHold(t, a.Currency() == s.List.Currency(), "%v is in another currency", a)
	}
}

func TestHintIsAMultipleOfFiveOrTheListPrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := negotiation.Bound(anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals"))
		hint, step := b.Hint().Minor(), int64(5)
		for range b.List().Currency().Digits() {
			step *= 10
		}
		mustHold(t, hint == b.List().Minor() || hint%step == 0, "hint %s", b.Hint())
		mustHold(t, hint >= b.Floor().Minor() && hint <= b.List().Minor(), "hint %s, floor %s", b.Hint(), b.Floor())
		mustHold(t, hint < b.Floor().Minor()+step, "hint %s is more than one step above floor %s", b.Hint(), b.Floor())
	})
}

// From 100 units up, rejections end exactly at the hint: who looks for their end finds only the hint.
func TestFloorIsItsOwnHintForUsualPrices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := money.Of(rapid.Int64Range(100_00, 100_000_00).Draw(t, "list"), money.USD)
		b := negotiation.Bound(builtIn, negotiation.Signals{List: list, Negotiable: true, Quantity: 1, Stock: 20})
		mustHold(t, b.Hint() == b.Floor(), "list %s: hint %s, floor %s", list, b.Hint(), b.Floor())
	})
}

// Bounds with claims lie between those of a shop that is as much meaner, and as much more generous, as
// the share for unverified claims allows.
func TestClaimsMoveBoundsOnlyWithinTheirShare(t *testing.T) {
	t.Parallel()
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		share := min(max(p.UnverifiedShare, 0), money.Whole)
		silent := s
		silent.Claims = negotiation.Claims{}
		mean, generous := p, p
		mean.BaseDepth, generous.BaseDepth = p.BaseDepth-share, p.BaseDepth+share
		low, high := negotiation.Bound(generous, silent), negotiation.Bound(mean, silent)
		b := negotiation.Bound(p, s)
		for _, of := range []func(negotiation.Bounds) money.Amount{
			negotiation.Bounds.Floor, negotiation.Bounds.Target, negotiation.Bounds.Opening,
		} {
			mustHold(t, of(low).Minor() <= of(b).Minor() && of(b).Minor() <= of(high).Minor(),
				"%s is not between %s and %s", of(b), of(low), of(high))
		}
		if b != negotiation.Bound(p, silent) {
			moved++
		}
	})
	if moved == 0 {
		t.Error("no claim moved anything")
	}
}

// What the shop's systems know counts in full, whatever share claims have; who only says what is known gains
// nothing by it; and a member's prices are never above a stranger's.
func TestMembersNeedNotBeBelieved(t *testing.T) {
	t.Parallel()
	helped := 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := anyPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		stranger, silent, echo := s, s, s
		stranger.Member, silent.Claims = negotiation.Standing{}, negotiation.Claims{}
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
			List: s.List, Cost: s.Cost, Competitor: s.Competitor, Negotiable: s.Negotiable, Quantity: s.Quantity,
			CartValue: s.CartValue, Stock: s.Stock,
		}) {
			helped++
		}
	})
	if helped == 0 {
		t.Error("no membership moved anything")
	}
}

func TestNonsenseInClaimsMeansNothing(t *testing.T) {
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

func TestClaimsAreReadWithoutRegardToCaseAndSpace(t *testing.T) {
	t.Parallel()
	plain := negotiation.ClaimsOf(session.Claims{LoyaltyTier: "gold", PurchaseHistory: 7, Urgency: "flexible"})
	if spaced := negotiation.ClaimsOf(session.Claims{LoyaltyTier: " GOLD ", PurchaseHistory: 7, Urgency: "Flexible\n"}); spaced != plain {
		t.Errorf("%+v, want %+v", spaced, plain)
	}
	if (plain == negotiation.Claims{}) {
		t.Error("good claims mean nothing")
	}
}

func TestBoundByExample(t *testing.T) {
	t.Parallel()
	usual := negotiation.Signals{List: usd("100"), Negotiable: true, Quantity: 1, Stock: 20}
	change := func(f func(*negotiation.Signals)) negotiation.Signals {
		s := usual
		f(&s)
		return s
	}
	for name, c := range map[string]struct {
		signals                negotiation.Signals
		opening, target, floor string
	}{
		"usual":             {usual, "97.60", "94.00", "90.00"},
		"ten pieces":        {change(func(s *negotiation.Signals) { s.Quantity = 10 }), "97.00", "92.50", "85.00"},
		"the last piece":    {change(func(s *negotiation.Signals) { s.Stock = 1 }), "98.60", "96.50", "95.00"},
		"a lot in stock":    {change(func(s *negotiation.Signals) { s.Stock = 50 }), "97.20", "93.00", "90.00"},
		"a full cart":       {change(func(s *negotiation.Signals) { s.CartValue = usd("200") }), "97.40", "93.50", "90.00"},
		"cheaper elsewhere": {change(func(s *negotiation.Signals) { s.Competitor = offer(usd("91")) }), "97.20", "91.00", "90.00"},
		"cost and margin":   {change(func(s *negotiation.Signals) { s.Cost = offer(usd("86")) }), "99.36", "98.38", "97.50"},
		"cost too near":     {change(func(s *negotiation.Signals) { s.Cost = offer(usd("91")) }), "100.00", "100.00", "100.00"},
		"not negotiable":    {change(func(s *negotiation.Signals) { s.Negotiable = false }), "100.00", "100.00", "100.00"},
	} {
		b := negotiation.Bound(builtIn, c.signals)
		if b.Opening() != usd(c.opening) || b.Target() != usd(c.target) || b.Floor() != usd(c.floor) {
			t.Errorf("%s: opening %s, target %s, floor %s; want %s, %s, %s",
				name, b.Opening(), b.Target(), b.Floor(), c.opening, c.target, c.floor)
		}
	}
}

// How deep the floor lies, in tenths of a percent of the 200.00 between list price and hard floor, shows
// in the opening price: a fifth of the way.
func TestWhatEverySignalIsWorth(t *testing.T) {
	t.Parallel()
	const usual, gold = 600, 150
	claim := func(tier string, purchases int, urgency string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) {
			s.Claims = negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier, PurchaseHistory: purchases, Urgency: urgency})
		}
	}
	pieces := func(n int) func(*negotiation.Signals) { return func(s *negotiation.Signals) { s.Quantity = n } }
	stock := func(n int) func(*negotiation.Signals) { return func(s *negotiation.Signals) { s.Stock = n } }
	value := func(text string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.CartValue = usd(text) }
	}
	elsewhere := func(text string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.Competitor = offer(usd(text)) }
	}
	for i, c := range []struct {
		given func(*negotiation.Signals)
		depth int64
	}{
		{pieces(1), usual}, {pieces(2), usual + 50}, {pieces(4), usual + 50}, {pieces(5), usual + 100}, {pieces(9), usual + 100},
		{pieces(10), usual + 150}, {stock(3), usual - 250}, {stock(4), usual}, {stock(49), usual}, {stock(50), usual + 100},
		{value("1999.99"), usual}, {value("2000"), usual + 50}, {elsewhere("1000"), usual}, {elsewhere("999.99"), usual + 100},
		{claim("", 0, ""), usual}, {claim("bronze", 0, ""), usual + 50}, {claim("silver", 0, ""), usual + 100},
		{claim("gold", 0, ""), usual + gold}, {claim("platinum", 0, ""), usual + 200}, {claim("", 1, ""), usual + 25},
		{claim("", 4, ""), usual + 25}, {claim("", 5, ""), usual + 50}, {claim("", 9, ""), usual + 50}, {claim("", 10, ""), usual + 75},
		{claim("", 0, "flexible"), usual + 50}, {claim("", 0, "normal"), usual}, {claim("", 0, "urgent"), usual - 50},
		{claim("gold", 5, "flexible"), usual + gold + 100}, {claim("platinum", 10, "flexible"), usual + 250},
	} {
		s := negotiation.Signals{List: usd("1000"), Negotiable: true, Quantity: 1, Stock: 20}
		c.given(&s)
		if got, want := negotiation.Bound(builtIn, s).Opening(), money.Of(1000_00-c.depth*4, money.USD); got != want {
			t.Errorf("signal %d: opening price %s, want %s", i, got, want)
		}
	}
}

func TestDisabledNegotiationSellsAtListOnly(t *testing.T) {
	t.Parallel()
	settings := project.DefaultSettings()
	settings.NegotiationEnabled = false
	b := negotiation.Bound(negotiation.PolicyOf(settings), negotiation.Signals{List: usd("100"), Negotiable: true, Quantity: 1})
	if !b.Fixed() || b.Opening() != usd("100") || b.Hint() != usd("100") {
		t.Errorf("fixed %v, opening %s, hint %s", b.Fixed(), b.Opening(), b.Hint())
	}
}

func FuzzBound(f *testing.F) {
	f.Add(int64(100_00), int64(80_00), int64(91_00), int64(200), int64(100), 3, 40, int64(50), true)
	f.Add(int64(money.Limit-1), int64(money.Limit-1), int64(1), int64(900), int64(0), 1000, 0, int64(-999), false)
	f.Add(int64(5), int64(0), int64(0), int64(200), int64(1000), 1, 1, int64(-5000), true)
	f.Fuzz(func(t *testing.T, list, cost, competitor, discount, margin int64, quantity, stock int, depth int64, known bool) {
		p := builtIn
		p.MaxDiscount, p.MinMargin = money.Percent(discount), money.Percent(margin%1_000_000)
		p.BaseDepth = money.Percent(depth % 1_000_000)
		s := negotiation.Signals{
			List: money.Of(list&(1<<39-1)+1, money.USD), Negotiable: true, Quantity: quantity, Stock: stock,
		}
		if known {
			s.Cost, s.Competitor = offer(money.Of(cost&(1<<39-1), money.USD)), offer(money.Of(competitor&(1<<39-1), money.USD))
		}
		checkBounds(t, p, s, negotiation.Bound(p, s))
	})
}

func BenchmarkBound(b *testing.B) {
	s := negotiation.Signals{
		List: usd("129.90"), Cost: offer(usd("61")), Competitor: offer(usd("118")), Negotiable: true, Quantity: 3,
		CartValue: usd("300"), Stock: 25, Claims: negotiation.ClaimsOf(session.Claims{LoyaltyTier: "gold", PurchaseHistory: 4}),
	}
	b.ReportAllocs()
	for b.Loop() {
		negotiation.Bound(builtIn, s)
	}
}
