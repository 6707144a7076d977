package negotiation_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestDecideKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		if rapid.IntRange(0, 9).Draw(t, "asks only") > 0 {
			table = with(table, offersOn(table).Draw(t, "offer"))
		}
		checkAnswer(t, table, negotiation.Decide(table))
	})
}

// checkAnswer holds an answer, whoever gave it, to what every answer must keep (decisions 9).
func checkAnswer(t rapid.TB, table negotiation.Table, d negotiation.Decision) {
	t.Helper()
	list, counter := table.Bounds.List(), table.Progress.Counter
	least, most := table.Bounds.Floor().Minor(), list.Minor()
	if counter.IsPositive() {
		least, most = min(least, counter.Minor()), min(most, counter.Minor())
	}
	if d, ok := d.(negotiation.Rejected); ok {
		mustHold(t, table.Offer != nil && !committed(table), "rejected an offer that it had to take")
		mustHold(t, d.Hint == table.Bounds.Hint(), "hint %s, want %s", d.Hint, table.Bounds.Hint())
		return
	}
	price := *negotiation.PriceIn(d)
	mustHold(t, price.Currency() == list.Currency(), "price in %q", price.Currency().Code())
	mustHold(t, price.Minor() >= least && price.Minor() <= list.Minor(), "price %s outside %d to %s", price, least, list)
	switch d := d.(type) {
	case negotiation.Quoted:
		mustHold(t, table.Offer == nil, "quoted a price to an offer")
		mustHold(t, price.Minor() <= most, "quoted %s over an earlier %s", price, counter)
	case negotiation.Accepted:
		mustHold(t, table.Offer != nil && price.Minor() == min(table.Offer.Minor(), list.Minor()), "accepted %s", price)
	case negotiation.Countered:
		mustHold(t, table.Offer != nil && !committed(table), "countered an offer that it had to take")
		mustHold(t, price.Minor() > table.Offer.Minor(), "countered %s at or under the offer %s", price, table.Offer)
		mustHold(t, price.Minor() <= most, "countered %s over an earlier %s", price, counter)
		last := table.Progress.Rounds+1 >= table.Policy.RoundCap
		mustHold(t, d.Final || !last, "a counter at the round cap is not final")
		stays := counter.IsPositive() && (table.Progress.Rounds >= table.Policy.RoundCap ||
			table.Offer.Minor() <= table.Progress.BestOffer.Minor())
		mustHold(t, !stays || price == counter, "a counter moved from %s to %s for nothing", counter, price)
	}
}

func committed(table negotiation.Table) bool {
	return table.Progress.Counter.IsPositive() && table.Offer.Minor() >= table.Progress.Counter.Minor()
}

func TestOfferThatMeetsACounterIsAlwaysAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Filter(func(t negotiation.Table) bool { return t.Progress.Counter.IsPositive() }).Draw(t, "table")
		counter := table.Progress.Counter
		met := money.Of(counter.Minor()+rapid.Int64Range(0, money.Limit).Draw(t, "more"), counter.Currency())
		d, ok := negotiation.Decide(with(table, met)).(negotiation.Accepted)
		mustHold(t, ok, "the counter %s is not kept", counter)
		mustHold(t, d.Price.Minor() == min(met.Minor(), table.Bounds.List().Minor()), "accepted at %s", d.Price)
	})
}

func TestBetterOfferNeverGetsAWorseAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		a, b := offersOn(table).Draw(t, "one offer"), offersOn(table).Draw(t, "another")
		if a.Minor() > b.Minor() {
			a, b = b, a
		}
		checkMonotone(t, negotiation.Decide(with(table, a)), negotiation.Decide(with(table, b)))
	})
}

func checkMonotone(t rapid.TB, worse, better negotiation.Decision) {
	t.Helper()
	mustHold(t, class(worse) <= class(better), "%v for the worse offer, %v for the better", worse, better)
	x, ok := worse.(negotiation.Countered)
	y, too := better.(negotiation.Countered)
	mustHold(t, !ok || !too || y.Price.Minor() <= x.Price.Minor(), "countered %s, but %s to the better offer", x.Price, y.Price)
}

// The property above with every offer there is, on one range of prices.
func TestEveryOfferInTurn(t *testing.T) {
	t.Parallel()
	b := negotiation.Bound(builtIn, negotiation.Signals{List: usd("20"), Negotiable: true, Quantity: 1, Stock: 20})
	for _, progress := range []negotiation.Progress{
		{}, {Counter: usd("19.52")}, {Rounds: 2, Moves: 1, Counter: usd("19.30"), BestOffer: usd("18.20")},
		{Rounds: 6, Moves: 4, Counter: usd("19"), BestOffer: usd("18.50")},
	} {
		table := negotiation.Table{Policy: builtIn, Bounds: b, Progress: progress}
		before := negotiation.Decide(with(table, usd("0")))
		for minor := int64(1); minor <= 21_00; minor++ {
			answer := negotiation.Decide(with(table, money.Of(minor, money.USD)))
			checkAnswer(t, with(table, money.Of(minor, money.USD)), answer)
			checkMonotone(t, before, answer)
			before = answer
		}
	}
}

func TestDecideByExample(t *testing.T) {
	t.Parallel()
	b := negotiation.RehydrateBounds(usd("100"), usd("97.60"), usd("94"), usd("90"))
	fixed := negotiation.RehydrateBounds(usd("100"), usd("100"), usd("100"), usd("100"))
	fresh := negotiation.Progress{}
	begun := negotiation.Progress{Rounds: 1, Moves: 1, BestOffer: usd("91"), Counter: usd("96.40")}
	late := negotiation.Progress{Rounds: 5, Moves: 5, BestOffer: usd("91"), Counter: usd("95")}
	four := negotiation.Progress{Rounds: 4, Moves: 4, BestOffer: usd("91"), Counter: usd("95")}
	over := negotiation.Progress{Rounds: 6, Moves: 5, BestOffer: usd("91"), Counter: usd("94.50")}
	for name, c := range map[string]struct {
		bounds   negotiation.Bounds
		progress negotiation.Progress
		offer    *money.Amount
		want     negotiation.Decision
	}{
		"asks for the price":             {b, fresh, nil, quoted("97.60", negotiation.NoOffer)},
		"asks again":                     {b, begun, nil, quoted("96.40", negotiation.NoOffer)},
		"asks for a fixed price":         {fixed, fresh, nil, quoted("100", negotiation.ListOnly)},
		"asks for one fixed meanwhile":   {fixed, begun, nil, quoted("96.40", negotiation.ListOnly)},
		"offers less than a fixed price": {fixed, fresh, offer(usd("99.99")), rejected("100", negotiation.ListOnly)},
		"offers a fixed price":           {fixed, fresh, offer(usd("100")), accepted("100", negotiation.AtAsk)},
		"offers under the floor":         {b, fresh, offer(usd("89.99")), rejected("90", negotiation.BelowFloor)},
		"offers less than nothing":       {b, begun, offer(usd("-5")), rejected("90", negotiation.BelowFloor)},
		"offers the floor":               {b, fresh, offer(usd("90")), countered("96.40", negotiation.Concession)},
		"offers just under the target":   {b, fresh, offer(usd("93.99")), countered("96.40", negotiation.Concession)},
		"offers the target":              {b, fresh, offer(usd("94")), accepted("94", negotiation.AtAsk)},
		"offers more than list":          {b, fresh, offer(usd("120")), accepted("100", negotiation.AtAsk)},
		"does not move":                  {b, begun, offer(usd("91")), countered("96.40", negotiation.NoMovement)},
		"moves a little":                 {b, begun, offer(usd("91.10")), countered("95.57", negotiation.Concession)},
		"moves as far as we might":       {b, begun, offer(usd("93.50")), countered("93.90", negotiation.Concession)},
		"takes the counter":              {b, begun, offer(usd("96.40")), accepted("96.40", negotiation.Commitment)},
		"offers the ask of four moves":   {b, four, offer(usd("92.34")), accepted("92.34", negotiation.AtAsk)},
		"offers a cent less than that":   {b, four, offer(usd("92.33")), countered("93.67", negotiation.Concession)},
		"gets the last counter":          {b, late, offer(usd("91.20")), final("93.80", negotiation.Concession)},
		"goes on after the last":         {b, over, offer(usd("91.30")), final("94.50", negotiation.FinalRound)},
	} {
		got := negotiation.Decide(negotiation.Table{Policy: builtIn, Bounds: c.bounds, Progress: c.progress, Offer: c.offer})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// tableOf makes a table of raw numbers, with its bounds in order and below money.Limit.
func tableOf(list, opening, target, floor, counter, best int64, rounds, moves, roundCap int, endShare int64) negotiation.Table {
	below := func(n, high int64) int64 { return 1 + int64(uint64(n)%uint64(high)) }
	list = below(list, money.Limit-1)
	opening = below(opening, list)
	target = below(target, opening)
	floor = below(floor, target)
	p := builtIn
	p.RoundCap, p.EndShare = roundCap, money.Percent(endShare)
	progress := negotiation.Progress{Rounds: rounds & 15, BestOffer: money.Of(max(best, 0), money.USD)}
	progress.Moves = min(moves&15, progress.Rounds)
	if counter != 0 {
		progress.Counter = money.Of(below(counter, list), money.USD)
	}
	in := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	return negotiation.Table{
		Policy: p, Bounds: negotiation.RehydrateBounds(in(list), in(opening), in(target), in(floor)), Progress: progress,
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(int64(99_99), int64(97_59), int64(93_99), int64(89_99), int64(96_39), int64(91_00), 1, 1, 6, int64(350), int64(91_10), int64(93_50))
	f.Add(int64(money.Limit-2), int64(money.Limit-2), int64(money.Limit-2), int64(1), int64(0), int64(1), 15, 15, 1<<62, int64(-1), int64(2), int64(1<<62))
	f.Add(int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), 0, 0, -1<<63, int64(5000), int64(0), int64(-1<<63))
	f.Fuzz(func(t *testing.T, list, opening, target, floor, counter, best int64,
		rounds, moves, roundCap int, endShare, a, b int64,
	) {
		table := tableOf(list, opening, target, floor, counter, best, rounds, moves, roundCap, endShare)
		one, other := with(table, money.Of(min(a, b), money.USD)), with(table, money.Of(max(a, b), money.USD))
		checkAnswer(t, one, negotiation.Decide(one))
		checkAnswer(t, other, negotiation.Decide(other))
		checkMonotone(t, negotiation.Decide(one), negotiation.Decide(other))
	})
}

func TestDecideAllocatesNothingButItsAnswer(t *testing.T) {
	b := negotiation.RehydrateBounds(usd("100"), usd("97.60"), usd("94"), usd("90"))
	for _, a := range []*money.Amount{nil, offer(usd("80")), offer(usd("91")), offer(usd("95"))} {
		table := negotiation.Table{Policy: builtIn, Bounds: b, Offer: a}
		if n := testing.AllocsPerRun(100, func() { negotiation.Decide(table) }); n > 1 {
			t.Errorf("%v allocations for the offer %v", n, a)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	bounds := negotiation.RehydrateBounds(usd("100"), usd("97.60"), usd("94"), usd("90"))
	table := negotiation.Table{Policy: builtIn, Bounds: bounds, Offer: offer(usd("91.20")), Progress: negotiation.Progress{
		Rounds: 1, Moves: 1, BestOffer: usd("91"), Counter: usd("96.40"),
	}}
	b.ReportAllocs()
	for b.Loop() {
		negotiation.Decide(table)
	}
}
