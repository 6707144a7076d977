package negotiation_test

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Decisions cost under a microsecond, so many more are tried than rapid would by itself.
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

// usd reads dollars: usd("79.90").
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
	return negotiation.Countered{Price: usd(price), Final: true, By: by}
}

func rejected(hint string, by negotiation.Rule) negotiation.Decision {
	return negotiation.Rejected{Hint: usd(hint), By: by}
}

var builtIn = negotiation.PolicyOf(project.DefaultSettings())

// shopPolicies are those that project settings can bring about.
func shopPolicies() *rapid.Generator[negotiation.Policy] {
	return rapid.Custom(func(t *rapid.T) negotiation.Policy {
		settings := project.DefaultSettings()
		settings.MaxDiscount = money.Percent(rapid.IntRange(0, 900).Draw(t, "max discount"))
		settings.NegotiationEnabled = rapid.IntRange(0, 9).Draw(t, "enabled") > 0
		return negotiation.PolicyOf(settings)
	})
}

// anyPolicies also have values that make no sense: the invariants hold whatever the policy says.
func anyPolicies() *rapid.Generator[negotiation.Policy] {
	share := rapid.Map(rapid.IntRange(-3000, 4000), func(n int) money.Percent { return money.Percent(n) })
	return rapid.OneOf(shopPolicies(), rapid.Custom(func(t *rapid.T) negotiation.Policy {
		return negotiation.Policy{
			Version: 2, Enabled: true,
			MinMargin: share.Draw(t, "margin"), MaxDiscount: share.Draw(t, "max discount"),
			UnverifiedShare: share.Draw(t, "unverified share"),
			RoundCap:        rapid.OneOf(rapid.IntRange(-1, 12), rapid.Int()).Draw(t, "round cap"),
			BaseDepth:       share.Draw(t, "base depth"), TargetShare: share.Draw(t, "target share"),
			OpeningShare: share.Draw(t, "opening share"), EndShare: share.Draw(t, "end share"),
		}
	}))
}

func currencies() *rapid.Generator[money.Currency] {
	return rapid.SampledFrom([]money.Currency{money.USD, jpy, bhd})
}

// prices lie anywhere below the limit, with cheap ones, usual ones and those near the limit alike.
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
		s.Negotiable = rapid.IntRange(0, 9).Draw(t, "negotiable") > 0
		if rapid.Bool().Draw(t, "cost known") {
			cost := money.Of(rapid.Int64Range(0, s.List.Minor()*5/4).Draw(t, "cost"), c)
			s.Cost = &cost
		}
		if rapid.Bool().Draw(t, "competitor known") {
			competitor := money.Of(rapid.Int64Range(s.List.Minor()/2, s.List.Minor()*5/4).Draw(t, "competitor"), c)
			s.Competitor = &competitor
		}
		return reconsider(s).Draw(t, "circumstances")
	})
}

// reconsider changes what may change under a buyer's eyes without a change of the shop's rules.
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

// bounds come from Bound, or lie anywhere in their order.
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

// tables have any progress, also counters that lie below the floor since the bounds were replaced.
func tables() *rapid.Generator[negotiation.Table] {
	return rapid.Custom(func(t *rapid.T) negotiation.Table {
		p := anyPolicies().Draw(t, "policy")
		b := bounds(p).Draw(t, "bounds")
		c := b.List().Currency()
		progress := negotiation.Progress{
			Rounds:    rapid.IntRange(0, 9).Draw(t, "rounds"),
			BestOffer: money.Of(rapid.Int64Range(0, b.List().Minor()).Draw(t, "best offer"), c),
		}
		progress.Moves = rapid.IntRange(0, progress.Rounds).Draw(t, "moves")
		if progress.Rounds > 0 || rapid.Bool().Draw(t, "quoted") {
			progress.Counter = money.Of(rapid.Int64Range(b.Floor().Minor()/2+1, b.List().Minor()).Draw(t, "counter"), c)
		}
		return negotiation.Table{Policy: p, Bounds: b, Progress: progress}
	})
}

// offersOn crowd around the prices where the answer changes.
func offersOn(table negotiation.Table) *rapid.Generator[money.Amount] {
	c := table.Bounds.List().Currency()
	near := rapid.Custom(func(t *rapid.T) int64 {
		mark := rapid.SampledFrom([]money.Amount{
			table.Bounds.Floor(), table.Bounds.Target(), table.Bounds.Opening(), table.Bounds.List(),
			table.Progress.Counter, table.Progress.BestOffer,
		}).Draw(t, "mark")
		return mark.Minor() + rapid.Int64Range(-2, 2).Draw(t, "distance")
	})
	between := rapid.Int64Range(table.Bounds.Floor().Minor(), table.Bounds.List().Minor())
	anywhere := rapid.OneOf(rapid.Int64Range(-10, 2*money.Limit), rapid.Int64())
	return rapid.Map(rapid.OneOf(near, between, anywhere), func(n int64) money.Amount { return money.Of(n, c) })
}

// with is the table with an offer on it.
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

func TestGeneratedTablesHaveAllKindsOfAnswers(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range 2000 {
		table := tables().Example(seed)
		seen[negotiation.Decide(with(table, offersOn(table).Example(seed))).Rule().String()]++
	}
	for _, rule := range []negotiation.Rule{
		negotiation.ListOnly, negotiation.Commitment, negotiation.AtAsk, negotiation.Concession,
		negotiation.NoMovement, negotiation.FinalRound, negotiation.BelowFloor,
	} {
		if seen[rule.String()] < 10 {
			t.Errorf("only %d of 2,000 generated tables are decided by %s", seen[rule.String()], rule)
		}
	}
}
