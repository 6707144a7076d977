package negotiation_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/session"
)

// personalCase is a buyer about whom the shop has signals.
func personalCase(claims session.Claims, probed negotiation.Probed) negotiation.Signals {
	s := negotiation.Signals{
		List:       usd("100"),
		Negotiable: true,
		Quantity:   1,
		CartValue:  usd("0"),
		Stock:      10,
		Probed:     probed,
	}
	s.Identify(claims, personalization.Rules{}, "US")
	return s
}

func TestMovedAnswer(t *testing.T) {
	t.Parallel()
	weighs := patient
	weighs.Leanings.Flexible = 50
	fixed := patient
	fixed.Enabled = false
	gold := session.Claims{LoyaltyTier: "gold"}
	often := session.Claims{LoyaltyTier: "platinum", PurchaseHistory: 10} // 200 + 75 exceed the limit of 250 ...
	capped := patient
	capped.UnverifiedShare = 50 // ... and each of them alone exceeds this one
	for name, c := range map[string]struct {
		policy negotiation.Policy
		claims session.Claims
		probed negotiation.Probed
		offer  string // "": none
		want   string
	}{
		"nothing is known":            {patient, session.Claims{}, negotiation.Probed{}, "82", ""},
		"a claimed tier":              {patient, gold, negotiation.Probed{}, "82", "claimed_loyalty"},
		"a claimed tier, no offer":    {patient, gold, negotiation.Probed{}, "", "claimed_loyalty"},
		"an unknown tier":             {patient, session.Claims{LoyaltyTier: "ruby"}, negotiation.Probed{}, "82", ""},
		"claimed purchases":           {patient, session.Claims{PurchaseHistory: 1}, negotiation.Probed{}, "82", "claimed_purchases"},
		"both claims at the limit":    {capped, often, negotiation.Probed{}, "82", "claimed_loyalty,claimed_purchases"},
		"claims below the limit":      {patient, often, negotiation.Probed{}, "82", "claimed_loyalty,claimed_purchases"},
		"urgency without a weight":    {patient, session.Claims{Urgency: "flexible"}, negotiation.Probed{}, "82", ""},
		"urgency with a weight":       {weighs, session.Claims{Urgency: "flexible"}, negotiation.Probed{}, "82", "claimed_urgency"},
		"a verified member":           {patient, session.Claims{Member: session.Member{Tier: "gold"}}, negotiation.Probed{}, "82", "verified_loyalty"},
		"verified purchases":          {patient, session.Claims{Member: session.Member{Purchases: 5}}, negotiation.Probed{}, "82", "verified_purchases"},
		"a claim of what is verified": {patient, session.Claims{LoyaltyTier: "gold", Member: session.Member{Tier: "gold"}}, negotiation.Probed{}, "82", "verified_loyalty"},
		"sessions below the limit":    {patient, session.Claims{}, negotiation.Probed{Product: 19}, "82", ""},
		"sessions at the limit":       {patient, session.Claims{}, negotiation.Probed{Product: 20}, "82", "probing_limit"},
		"offers of this session":      {patient, session.Claims{}, negotiation.Probed{Session: 40, Product: 20}, "82", ""},
		"list price only":             {fixed, gold, negotiation.Probed{}, "82", ""},
		"accepted at list anyway":     {patient, session.Claims{}, negotiation.Probed{Product: 20}, "100", ""},
	} {
		p, s := c.policy, personalCase(c.claims, c.probed)
		q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, time.Time{})
		var made *money.Amount
		if c.offer != "" {
			made = offer(usd(c.offer))
		}
		table := q.Table(p.Terms(s), made)
		q.Personalize(negotiation.MovedAnswer(p, s, table), "US")
		got := q.Snapshot().Personal
		region := ""
		if c.want != "" {
			region = "US"
		}
		if got.Signals.String() != c.want || got.Region != region {
			t.Errorf("%s: %q in %q, want %q in %q", name, got.Signals, got.Region, c.want, region)
		}
	}
}

// A negotiation in which no personal signal is reported goes as it would without any, step by step.
func TestMovedAnswer_complete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, s := shopPolicies().Draw(t, "policy"), signals().Draw(t, "signals")
		s.Probed = negotiation.Probed{
			Session: rapid.IntRange(0, 50).Draw(t, "probed"),
			Product: rapid.IntRange(0, 50).Draw(t, "of a product"),
		}
		plain := s
		plain.Claims, plain.Member, plain.Probed.Product = negotiation.Claims{}, negotiation.Loyalty{}, 0
		start := func(s negotiation.Signals) *negotiation.Quote {
			return negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, time.Time{})
		}
		full, reduced := start(s), start(plain)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			made := offer(money.Of(rapid.Int64Range(1, s.List.Minor()).Draw(t, "offer"), s.List.Currency()))
			table, other := full.Table(p.Terms(s), made), reduced.Table(p.Terms(plain), made)
			one, two := negotiation.Decide(table), negotiation.Decide(other)
			full.Personalize(negotiation.MovedAnswer(p, s, table), "")
			if full.Snapshot().Personal.Signals.Any() {
				return
			}
			if one.Outcome() != two.Outcome() || *negotiation.PriceIn(one) != *negotiation.PriceIn(two) {
				t.Fatalf("offer %v: %+v, and without personal signals: %+v", made, one, two)
			}
			full.Record(table, one, time.Time{})
			reduced.Record(other, two, time.Time{})
		}
	})
}

func TestSignals_Identify_off(t *testing.T) {
	t.Parallel()
	rules := personalization.Rules{Regions: []personalization.Region{{Region: "US-NY", Mode: personalization.Off}}}
	said := session.Claims{
		LoyaltyTier:     "gold",
		PurchaseHistory: 3,
		Urgency:         "flexible",
		Member:          session.Member{Tier: "gold", Purchases: 3},
	}
	for location, want := range map[string]struct {
		region string
		counts bool
	}{
		"New York, USA": {"US-NY", false},
		"US-CA":         {"US-CA", true},
		"":              {"US", true},
		"the moon":      {"US", true},
	} {
		said.Location = location
		var s negotiation.Signals
		region := s.Identify(said, rules, "US")
		if counts := s.Claims != (negotiation.Claims{}) && s.Member != (negotiation.Loyalty{}); region != want.region || counts != want.counts {
			t.Errorf("%q: in %q, signals count: %v; want %q, %v", location, region, counts, want.region, want.counts)
		}
	}
}

func TestQuote_Personalized(t *testing.T) {
	t.Parallel()
	one, other := id.New[id.Variant]([16]byte{1}), id.New[id.Variant]([16]byte{2})
	use := personalization.Use{Signals: personalization.ClaimedLoyalty, Region: "US"}
	q := negotiation.Rehydrate(negotiation.Snapshot{
		Item:       negotiation.Item{Variant: one},
		FinalPrice: usd("90"),
		Personal:   use,
	})
	for name, c := range map[string]struct {
		variant id.Variant
		charged string
		want    personalization.Use
	}{
		"at the agreed price":    {one, "90", use},
		"at a lower list price":  {one, "80", personalization.Use{}},
		"the bundle's other one": {other, "90", personalization.Use{}},
	} {
		if got := q.Personalized(c.variant, usd(c.charged)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func BenchmarkMovedAnswer(b *testing.B) {
	p := negotiation.Builtin()
	for name, claims := range map[string]session.Claims{"unknown": {}, "gold": {LoyaltyTier: "gold"}} {
		b.Run(name, func(b *testing.B) {
			s := personalCase(claims, negotiation.Probed{})
			q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, time.Time{})
			table := q.Table(p.Terms(s), offer(usd("82")))
			b.ReportAllocs()
			for b.Loop() {
				negotiation.MovedAnswer(p, s, table)
			}
		})
	}
}

func TestMovedByAgent_unknownTier(t *testing.T) {
	t.Parallel()
	q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, patient, hundred(), nil, time.Time{})
	table := q.Table(patient.Terms(hundred()), offer(usd("90")))
	said := session.Claims{LoyaltyTier: "founder", Member: session.Member{Tier: "vip"}}
	if got := negotiation.MovedByAgent(said, table).String(); got != "claimed_loyalty,verified_loyalty" {
		t.Errorf("used %q", got)
	}
}

// Agents see no claims where these do not count, not even those that the policy does not know.
func TestGiven(t *testing.T) {
	t.Parallel()
	off := personalization.Rules{Regions: []personalization.Region{{Region: "US-NY", Mode: personalization.Off}}}
	for location, counted := range map[string]bool{"New York, USA": false, "US-CA": true} {
		s := &session.Session{Claims: session.Claims{
			LoyaltyTier: "founder",
			Location:    location,
			Member:      session.Member{Tier: "vip"},
		}}
		given := negotiation.Given(s, off, "US")
		if got := given.Claims != (session.Claims{}); got != counted || s.Claims.LoyaltyTier != "founder" {
			t.Errorf("%s: %+v", location, given.Claims)
		}
	}
	if negotiation.Given(nil, off, "US") != nil {
		t.Error("a session came from nowhere")
	}
}

// Several signals can move a price together that none of them moves alone, because prices are whole cents.
func TestMovedBounds_together(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 50
	s := hundred()
	s.List = usd("4.11")
	s.Claims = negotiation.ClaimsOf(session.Claims{LoyaltyTier: "bronze", PurchaseHistory: 10})
	s.Member = negotiation.MemberOf(session.Member{Purchases: 1})
	plain := s
	plain.Claims, plain.Member = negotiation.Claims{}, negotiation.Loyalty{}
	if negotiation.Bound(p, s) == negotiation.Bound(p, plain) {
		t.Fatal("they move nothing")
	}
	q := negotiation.Start(id.Quote{}, id.Project{}, negotiation.Item{Quantity: 1}, p, s, nil, time.Time{})
	if got := q.Snapshot().Personal.Signals; !got.Any() {
		t.Error("no signal is named")
	}
}
