package negotiation_test

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Decisions take less than a microsecond, so many more are tested than rapid's default.
func init() {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
}

var (
	jpy = mustCurrency("JPY")
	bhd = mustCurrency("BHD")
)

func mustCurrency(code string) money.Currency {
	c, err := money.ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

// usd parses dollars: usd("79.90").
func usd(text string) money.Amount {
	a, err := money.Parse(text, money.USD)
	if err != nil {
		panic(err)
	}
	return a
}

func offer(a money.Amount) *money.Amount { return &a }

func quoted(price string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Quoted{Price: usd(price), By: by}
}

func accepted(price string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Accepted{Price: usd(price), By: by}
}

func countered(price string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Countered{Price: usd(price), By: by}
}

func final(price string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Countered{
		Price: usd(price),
		Final: true,
		By:    by,
	}
}

// rejected returns a rejection with the current price and the hint.
func rejected(price, hint string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Rejected{
		Price: usd(price),
		Hint:  usd(hint),
		By:    by,
	}
}

// patient is the policy of the examples, in a project with default settings: at most 20 % off.
var patient = negotiationtest.Patient().Under(project.DefaultSettings())

// plainTerms are those of a buyer about whom nothing is known.
var plainTerms = patient.Terms(negotiation.Signals{
	List:     usd("100"),
	Quantity: 1,
	Stock:    20,
})

// shopPolicies generates policies that a merchant can set.
func shopPolicies() *rapid.Generator[negotiation.Policy] {
	return rapid.Custom(func(t *rapid.T) negotiation.Policy {
		p := negotiation.Builtin()
		if rapid.Bool().Draw(t, "of its own") {
			p = validPolicies().Draw(t, "policy")
		}
		settings := project.DefaultSettings()
		settings.MaxDiscount = money.Percent(rapid.IntRange(0, 900).Draw(t, "max discount"))
		settings.NegotiationEnabled = rapid.IntRange(0, 9).Draw(t, "enabled") > 0
		return p.Under(settings)
	})
}

// validPolicies generates policies that Check accepts.
func validPolicies() *rapid.Generator[negotiation.Policy] {
	return policies(func(low, high int) *rapid.Generator[money.Percent] {
		return rapid.Map(rapid.IntRange(low, high), func(n int) money.Percent { return money.Percent(n) })
	}, slices.Sort[[]money.Percent])
}

// anyPolicies also generates invalid values, because the invariants hold for any policy.
func anyPolicies() *rapid.Generator[negotiation.Policy] {
	hostile := rapid.Map(rapid.OneOf(rapid.IntRange(-3000, 4000), rapid.IntRange(-1<<40, 1<<40)),
		func(n int) money.Percent { return money.Percent(n) })
	return rapid.OneOf(shopPolicies(), policies(func(int, int) *rapid.Generator[money.Percent] { return hostile },
		func([]money.Percent) {}))
}

// policies draws each share within its limits, and sorts the steps that must not fall.
func policies(within func(low, high int) *rapid.Generator[money.Percent], arrange func([]money.Percent)) *rapid.Generator[negotiation.Policy] {
	return rapid.Custom(func(t *rapid.T) negotiation.Policy {
		share := func(name string, low, high int) money.Percent { return within(low, high).Draw(t, name) }
		p := negotiation.Policy{
			Version:         2,
			Enabled:         true,
			RoundCap:        rapid.IntRange(1, 20).Draw(t, "round cap"),
			MinMargin:       share("margin", 0, 10_000),
			MaxDiscount:     share("max discount", 0, 900),
			UnverifiedShare: share("unverified share", 0, 1000),
			Depth:           share("depth", 0, 1000),
			Anchor:          share("anchor", 0, 1000),
			Curve:           curves(within, arrange).Draw(t, "curve"),
			Bundles:         negotiation.Bundles{Share: share("bundle share", 0, 1000)},
			Probing:         negotiation.Probing{Session: rapid.IntRange(0, 100).Draw(t, "probing"), Product: rapid.IntRange(0, 100).Draw(t, "of a product")},
		}
		l := &p.Leanings
		for i := range l.Tiers {
			l.Tiers[i] = share("tier", -1000, 1000)
		}
		arrange(l.Tiers[:])
		for from := range rapid.IntRange(0, 3).Draw(t, "breaks") {
			l.Purchases = append(l.Purchases, negotiation.Break{From: 1 + 2*from, Lean: share("purchases", -1000, 1000)})
			l.Volume = append(l.Volume, negotiation.Break{From: 2 + 3*from, Lean: share("volume", -1000, 1000)})
		}
		l.Flexible, l.Scarce, l.Plenty = share("flexible", -1000, 1000), share("scarce", -1000, 1000), share("plenty", -1000, 1000)
		l.ScarceBelow, l.PlentyFrom = rapid.IntRange(0, 10).Draw(t, "scarce below"), rapid.IntRange(0, 100).Draw(t, "plenty from")
		l.Cart, l.CartTimes = share("cart", -1000, 1000), rapid.IntRange(0, 3).Draw(t, "cart times")
		l.Competitor, l.MatchCompetitor = share("competitor", -1000, 1000), rapid.Bool().Draw(t, "match")
		l.HighMargin, l.HighMarginFrom = share("high margin", -1000, 1000), share("high margin from", 0, 1000)
		if rapid.IntRange(0, 3).Draw(t, "segmented") == 0 {
			p.Segments = []negotiation.Segment{
				{Name: "tents", Category: "outdoor/tents", Curve: curves(within, arrange).Draw(t, "curve of tents")},
				{Name: "dear", PriceMin: 1000_00, Curve: curves(within, arrange).Draw(t, "curve of dear things")},
			}
		}
		return p
	})
}

func curves(within func(low, high int) *rapid.Generator[money.Percent], arrange func([]money.Percent)) *rapid.Generator[negotiation.Curve] {
	return rapid.Custom(func(t *rapid.T) (c negotiation.Curve) {
		c.Reach, c.Markup = within(1000, 2000).Draw(t, "reach"), within(1000, 2000).Draw(t, "markup")
		for i := range c.Give {
			c.Give[i], c.Take[i] = within(0, 1000).Draw(t, "give"), within(0, 1000).Draw(t, "take")
		}
		arrange(c.Give[:])
		arrange(c.Take[:])
		return c
	})
}

func currencies() *rapid.Generator[money.Currency] {
	return rapid.SampledFrom([]money.Currency{money.USD, jpy, bhd})
}

// prices generates prices below the limit: low, usual and near the limit.
func prices(c money.Currency) *rapid.Generator[money.Amount] {
	minor := rapid.OneOf(
		rapid.Int64Range(1, 100), rapid.Int64Range(100, 1_000_000),
		rapid.Int64Range(1, money.Limit-1), rapid.Int64Range(money.Limit-100, money.Limit-1))
	return rapid.Map(minor, func(n int64) money.Amount { return money.Of(n, c) })
}

func claims() *rapid.Generator[negotiation.Claims] {
	return rapid.Custom(func(t *rapid.T) negotiation.Claims {
		return negotiation.ClaimsOf(session.Claims{
			LoyaltyTier:     rapid.SampledFrom([]string{"", "bronze", "silver", "gold", "platinum"}).Draw(t, "tier"),
			PurchaseHistory: rapid.IntRange(-5, 2000).Draw(t, "purchases"),
			Urgency:         rapid.SampledFrom([]string{"", "flexible", "normal", "urgent"}).Draw(t, "urgency"),
		})
	})
}

func signals() *rapid.Generator[negotiation.Signals] {
	return rapid.Custom(func(t *rapid.T) negotiation.Signals {
		c := currencies().Draw(t, "currency")
		s := negotiation.Signals{List: prices(c).Draw(t, "list"), CartValue: prices(c).Draw(t, "cart")}
		if rapid.Bool().Draw(t, "cart at list") {
			s.CartAtList = prices(c).Draw(t, "at list")
		}
		s.Category = rapid.SampledFrom([]string{"", "outdoor", "outdoor/tents", "outdoor/tents/small", "outdoor/tentsx"}).Draw(t, "category")
		s.Negotiable = rapid.IntRange(0, 9).Draw(t, "negotiable") > 0
		if rapid.Bool().Draw(t, "cost known") {
			cost := money.Of(rapid.Int64Range(0, s.List.Minor()*5/4).Draw(t, "cost"), c)
			s.Cost = &cost
		}
		if rapid.Bool().Draw(t, "competitor known") {
			competitor := money.Of(rapid.OneOf(rapid.Int64Range(s.List.Minor()/2, s.List.Minor()*5/4), rapid.Int64Range(-1, 1)).Draw(t, "competitor"), c)
			s.Competitor = &competitor
		}
		return reconsider(s).Draw(t, "circumstances")
	})
}

// reconsider changes signals that may change during a negotiation without a change of the shop's rules.
func reconsider(s negotiation.Signals) *rapid.Generator[negotiation.Signals] {
	return rapid.Custom(func(t *rapid.T) negotiation.Signals {
		s.Quantity = rapid.IntRange(1, 1000).Draw(t, "quantity")
		s.Stock = rapid.IntRange(0, 2000).Draw(t, "stock")
		s.Claims = claims().Draw(t, "claims")
		s.Member = negotiation.MemberOf(session.Member{
			Tier:      rapid.SampledFrom([]string{"", "Bronze", "silver", "gold", "platinum", "founder"}).Draw(t, "known tier"),
			Purchases: rapid.IntRange(-5, 2000).Draw(t, "known purchases"),
		})
		return s
	})
}

// bounds generates bounds from Bound, and any others in their order.
func bounds(p negotiation.Policy) *rapid.Generator[negotiation.Bounds] {
	return rapid.Custom(func(t *rapid.T) negotiation.Bounds {
		if rapid.Bool().Draw(t, "computed") {
			return negotiation.Bound(p, signals().Draw(t, "signals"))
		}
		c := currencies().Draw(t, "currency")
		list := prices(c).Draw(t, "list")
		below := func(high money.Amount, name string) money.Amount {
			return money.Of(rapid.Int64Range(high.Minor()/10+1, max(high.Minor(), high.Minor()/10+1)).Draw(t, name), c)
		}
		opening := below(list, "opening")
		target := below(opening, "target")
		return negotiation.RehydrateBounds(list, opening, target, below(target, "floor"))
	})
}

// tables generates tables with any progress, including counters below the floor since the bounds were replaced.
func tables() *rapid.Generator[negotiation.Table] {
	return rapid.Custom(func(t *rapid.T) negotiation.Table {
		p := rapid.OneOf(anyPolicies(), validPolicies()).Draw(t, "policy")
		b := bounds(p).Draw(t, "bounds")
		terms := p.Terms(signals().Draw(t, "signals of the moment"))
		terms.RoundCap = rapid.OneOf(rapid.IntRange(-1, 12), rapid.Int()).Draw(t, "round cap of the moment")
		terms.Firm = rapid.IntRange(0, 7).Draw(t, "firm") == 0
		c := b.List().Currency()
		progress := negotiation.Progress{Moves: rapid.IntRange(0, 10).Draw(t, "moves")}
		if progress.Moves > 0 {
			progress.Rounds = rapid.IntRange(0, 5).Draw(t, "rounds")
			progress.BestOffer = money.Of(rapid.OneOf(rapid.Int64Range(1, b.List().Minor()), rapid.Int64Range(1, max(1, b.Floor().Minor())),
				rapid.Int64Range(b.Floor().Minor(), max(b.Floor().Minor(), b.Target().Minor()))).Draw(t, "best offer"), c)
		}
		if progress.Moves > 0 || rapid.Bool().Draw(t, "quoted") {
			progress.Counter = money.Of(rapid.Int64Range(b.Floor().Minor()/2+1, b.List().Minor()).Draw(t, "counter"), c)
		}
		return negotiation.Table{
			Terms:    terms,
			Bounds:   b,
			Progress: progress,
		}
	})
}

// offersOn generates offers, mostly around the prices at which the answer changes.
func offersOn(table negotiation.Table) *rapid.Generator[money.Amount] {
	c := table.Bounds.List().Currency()
	near := rapid.Custom(func(t *rapid.T) int64 {
		mark := rapid.SampledFrom([]money.Amount{
			table.Bounds.Floor(), table.Bounds.Target(), table.Bounds.Opening(), table.Bounds.List(),
			table.Progress.Counter, table.Progress.BestOffer,
		}).Draw(t, "mark")
		return mark.Minor() + rapid.Int64Range(-2, 2).Draw(t, "distance")
	})
	again := rapid.Just(table.Progress.BestOffer.Minor())
	between := rapid.Int64Range(table.Bounds.Floor().Minor(), table.Bounds.List().Minor())
	anywhere := rapid.OneOf(rapid.Int64Range(-10, 2*money.Limit), rapid.Int64())
	return rapid.Map(rapid.OneOf(near, between, again, anywhere), func(n int64) money.Amount { return money.Of(n, c) })
}

// with returns the table with an offer.
func with(t negotiation.Table, a money.Amount) negotiation.Table {
	t.Offer = &a
	return t
}

// class orders answers by how good they are for the buyer.
func class(d negotiation.Decision) int {
	switch d.(type) {
	case negotiation.Rejected:
		return 0
	case negotiation.Countered:
		return 1
	case negotiation.Accepted:
		return 2
	}
	return -1
}

func mustHold(t rapid.TB, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// The generated tables reach every rule often enough for the properties to mean something.
func TestDecide_generatedTables(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range 10_000 {
		table := tables().Example(seed)
		seen[negotiation.Decide(with(table, offersOn(table).Example(seed))).Rule().String()]++
	}
	for _, rule := range []negotiation.Rule{
		negotiation.ListOnly, negotiation.Commitment, negotiation.AtAsk, negotiation.Concession,
		negotiation.NoMovement, negotiation.FinalRound, negotiation.ProbingLimit, negotiation.BelowFloor,
	} {
		if seen[rule.String()] < 30 {
			t.Errorf("only %d of 10,000 generated tables are decided by %s", seen[rule.String()], rule)
		}
	}
}
