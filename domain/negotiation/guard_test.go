package negotiation_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// proposals generates anything that an agent may propose: negative, huge and foreign prices, answers that do not fit
// the request, no answer.
func proposals(table negotiation.Table) *rapid.Generator[negotiation.Decision] {
	return rapid.Custom(func(t *rapid.T) negotiation.Decision {
		price := offersOn(table).Draw(t, "proposed price")
		if rapid.IntRange(0, 4).Draw(t, "foreign") == 0 {
			price = money.Of(price.Minor(), rapid.SampledFrom([]money.Currency{{}, money.USD, jpy, bhd}).Draw(t, "currency"))
		}
		by := negotiation.AgentAnswer
		return rapid.SampledFrom([]negotiation.Decision{
			nil,
			negotiation.Quoted{Price: price, By: by},
			negotiation.Accepted{Price: price, By: by},
			negotiation.Countered{
				Price: price,
				Final: rapid.Bool().Draw(t, "final"),
				By:    by,
			},
			negotiation.Rejected{
				Price: price,
				Hint:  price,
				By:    by,
			},
			(*negotiation.Accepted)(nil),
			&negotiation.Countered{Price: price, By: by},
		}).Draw(t, "proposal")
	})
}

func TestGuard_passesDecisions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		if rapid.IntRange(0, 9).Draw(t, "asks only") > 0 {
			table = with(table, offersOn(table).Draw(t, "offer"))
		}
		d := negotiation.Decide(table)
		mustHold(t, negotiation.Guard(table, d) == d, "%+v became %+v", d, negotiation.Guard(table, d))
	})
}

func TestGuard_hostileProposals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		if rapid.IntRange(0, 4).Draw(t, "asks only") > 0 {
			table = with(table, offersOn(table).Draw(t, "offer"))
		}
		answer := negotiation.Guard(table, proposals(table).Draw(t, "what the agent says"))
		checkGuarded(t, table, answer)
		mustHold(t, negotiation.Guard(table, answer) == answer, "guarded twice, %+v became another", answer)
	})
}

// checkGuarded is checkAnswer, and also checks that no agent accepts less than the floor without a commitment or
// rejects an offer that is negotiable, and that only the rules make a counter final.
func checkGuarded(t rapid.TB, table negotiation.Table, d negotiation.Decision) {
	t.Helper()
	checkAnswer(t, table, d)
	floor := table.Bounds.Floor().Minor()
	mustHold(t, d != nil, "no answer at all")
	switch d := d.(type) {
	case negotiation.Accepted:
		mustHold(t, table.Offer.Minor() >= floor || committed(table), "took %s under the floor", table.Offer)
	case negotiation.Countered:
		last := table.Terms.Firm || table.Progress.Rounds+1 >= table.Terms.RoundCap
		mustHold(t, d.Final == last, "final: %v in round %d of %d", d.Final, table.Progress.Rounds, table.Terms.RoundCap)
	case negotiation.Rejected:
		mustHold(t, table.Offer.Minor() < floor || table.Bounds.Fixed(), "turned %s away", table.Offer)
	}
}

func TestGuard_examples(t *testing.T) {
	t.Parallel()
	table := negotiation.Table{
		Terms: plainTerms, Bounds: negotiation.RehydrateBounds(usd("100"), usd("100"), usd("92.50"), usd("80")),
		Progress: negotiation.Progress{
			Rounds:    1,
			Moves:     1,
			BestOffer: usd("81"),
			Counter:   usd("89.91"),
		},
	}
	yen := money.Of(92, jpy)
	by := negotiation.AgentAnswer
	for name, c := range map[string]struct {
		offer     *money.Amount
		says, got negotiation.Decision
	}{
		"takes what is fair": {offer(usd("82")), accepted("1", by),
			accepted("82", by)},
		"takes too little": {offer(usd("60")), accepted("60", by),
			rejected("89.91", "80", negotiation.BelowFloor)},
		"turns a good offer away": {offer(usd("92")), rejected("99", "80", by),
			accepted("92", negotiation.Commitment)},
		"turns an offer away": {offer(usd("89")), rejected("99", "80", by),
			countered("89.91", by)},
		"names a price for it": {offer(usd("85")), rejected("88", "80", by),
			countered("88", by)},
		"turns one away at a price": {offer(usd("79")), rejected("60", "1", by),
			rejected("89.91", "80", negotiation.BelowFloor)},
		"breaks its word": {offer(usd("89.91")), countered("99", by),
			accepted("89.91", negotiation.Commitment)},
		"counters in between": {offer(usd("82")), countered("83", by),
			countered("83", by)},
		"counters under the offer": {offer(usd("82")), countered("81", by),
			countered("82.01", by)},
		"counters over its last": {offer(usd("82")), countered("98", by),
			countered("89.91", by)},
		"counters in yen": {offer(usd("82")), negotiation.Countered{Price: yen, By: by},
			countered("89.91", by)},
		"claims it is the last word": {offer(usd("82")), final("85", by),
			countered("85", by)},
		"gives way for nothing": {offer(usd("81")), countered("83", by),
			countered("89.91", by)},
		"says nothing": {offer(usd("82")), nil,
			countered("86.60", negotiation.Concession)},
		"quotes under the floor": {nil, quoted("1", by),
			quoted("89.91", negotiation.NoOffer)},
		"quotes over its counter": {nil, quoted("99", by),
			quoted("89.91", by)},
		"accepts no offer at all": {nil, accepted("95", by),
			quoted("89.91", negotiation.NoOffer)},
	} {
		on := table
		on.Offer = c.offer
		if got := negotiation.Guard(on, c.says); got != c.got {
			t.Errorf("an agent that %s: %+v, want %+v", name, got, c.got)
		}
	}
}

// After the last round, and for a prober, there is one price, whatever the agent proposes.
func TestGuard_lastRoundAndProber(t *testing.T) {
	t.Parallel()
	for name, firm := range map[string]bool{"a prober": true, "after the last round": false} {
		table := negotiation.Table{
			Terms: plainTerms, Bounds: negotiation.RehydrateBounds(usd("100"), usd("100"), usd("92.50"), usd("80")),
			Progress: negotiation.Progress{
				Rounds:    6,
				Moves:     1,
				BestOffer: usd("81"),
				Counter:   usd("89.91"),
			},
		}
		rule := negotiation.FinalRound
		if table.Terms.Firm = firm; firm {
			table.Progress.Rounds, rule = 1, negotiation.ProbingLimit
		}
		by := negotiation.AgentAnswer
		for _, c := range []struct {
			offer     *money.Amount
			says, got negotiation.Decision
		}{
			{nil, quoted("85", by), quoted("89.91", negotiation.NoOffer)},
			{offer(usd("82")), nil, final("89.91", rule)},
			{offer(usd("79")), nil, rejected("89.91", "80", map[bool]negotiation.Rule{
				false: negotiation.BelowFloor, true: negotiation.ProbingLimit,
			}[rule == negotiation.ProbingLimit])},
			{offer(usd("92.50")), nil, accepted("92.50", negotiation.Commitment)},
		} {
			on := table
			on.Offer = c.offer
			if got := negotiation.Guard(on, c.says); got != c.got {
				t.Errorf("%s: %+v, want %+v", name, got, c.got)
			}
		}
		if got := *negotiation.PriceIn(negotiation.Guard(with(table, usd("82")), countered("85", by))); got != usd("89.91") {
			t.Errorf("%s gets a counter of %s", name, got)
		}
	}
}

func FuzzGuard(f *testing.F) {
	f.Add(int64(99_99), int64(89_99), int64(96_39), int64(91_00), 1, 6, int64(92_00), uint8(2), int64(1), false)
	f.Add(int64(money.Limit-2), int64(1), int64(0), int64(0), 0, 0, int64(1<<62), uint8(3), int64(-1<<63), true)
	f.Fuzz(func(t *testing.T, list, floor, counter, best int64, rounds, roundCap int, a int64, kind uint8, price int64, foreign bool) {
		table := with(tableOf(list, list, list, floor, counter, best, rounds, rounds, roundCap, 350), money.Of(a, money.USD))
		says := money.Of(price, money.USD)
		if foreign {
			says = money.Of(price, bhd)
		}
		checkGuarded(t, table, negotiation.Guard(table, []negotiation.Decision{
			nil, negotiation.Quoted{Price: says}, negotiation.Accepted{Price: says},
			negotiation.Countered{Price: says}, negotiation.Countered{Price: says, Final: true}, negotiation.Rejected{Price: says, Hint: says},
		}[int(kind)%6]))
	})
}
