package negotiation_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestDecide_followsRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := tables().Draw(t, "table")
		if rapid.IntRange(0, 9).Draw(t, "asks only") > 0 {
			table = with(table, offersOn(table).Draw(t, "offer"))
		}
		checkAnswer(t, table, negotiation.Decide(table))
	})
}

// checkAnswer checks the rules that every answer must follow, whether it comes from the rules or an agent
// (features/PROTOCOL.md#negotiation).
func checkAnswer(t rapid.TB, table negotiation.Table, d negotiation.Decision) {
	t.Helper()
	list, counter := table.Bounds.List(), table.Progress.Counter
	least, most := table.Bounds.Floor().Minor(), list.Minor()
	if counter.IsPositive() {
		least, most = min(least, counter.Minor()), min(most, counter.Minor())
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
		checkRefusal(t, table, price)
		last := table.Progress.Rounds+1 >= table.Terms.RoundCap
		mustHold(t, d.Final || !last, "a counter at the round cap is not final")
	case negotiation.Rejected:
		checkRefusal(t, table, price)
		mustHold(t, d.Hint == table.Bounds.Hint(), "hint %s, want %s", d.Hint, table.Bounds.Hint())
	}
}

// checkRefusal checks the price of a counter or of a rejection.
func checkRefusal(t rapid.TB, table negotiation.Table, price money.Amount) {
	t.Helper()
	counter := table.Progress.Counter
	mustHold(t, table.Offer != nil && !committed(table), "refused an offer that it had to take")
	mustHold(t, price.Minor() > table.Offer.Minor(), "asked %s, at or under the offer %s", price, table.Offer)
	mustHold(t, !counter.IsPositive() || price.Minor() <= counter.Minor(), "asked %s after %s", price, counter)
	stays := counter.IsPositive() && (table.Progress.Rounds >= table.Terms.RoundCap || table.Terms.Firm ||
		table.Offer.Minor() <= table.Progress.BestOffer.Minor())
	mustHold(t, !stays || price == counter, "the price moved from %s to %s for nothing", counter, price)
}

func committed(table negotiation.Table) bool {
	return table.Progress.Counter.IsPositive() && table.Offer.Minor() >= table.Progress.Counter.Minor()
}

func TestDecide_offerMeetsCounter(t *testing.T) {
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

// A better offer never gets a worse answer.
func TestDecide_monotone(t *testing.T) {
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
	mustHold(t, class(worse) <= class(better), "%+v for the worse offer, %+v for the better", worse, better)
}

// TestDecide_monotone with every possible offer, on a few ranges of prices. On the widest range, first offers are
// accepted because they lie near the counter that they would get.
func TestDecide_monotoneEveryOffer(t *testing.T) {
	t.Parallel()
	for discount := money.Percent(100); discount <= 900; discount += 100 {
		p := patient
		p.MaxDiscount = discount
		s := negotiation.Signals{
			List:       usd("20"),
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
		}
		b := negotiation.Bound(p, s)
		between := func(share int64) money.Amount {
			return money.Of(b.Floor().Minor()+(b.List().Minor()-b.Floor().Minor())*share/10, money.USD)
		}
		for _, progress := range []negotiation.Progress{
			{}, {Counter: between(9)}, {Rounds: 2, Moves: 1, Counter: between(7), BestOffer: between(2)},
			{Rounds: 0, Moves: 3, Counter: between(5), BestOffer: between(-1)}, {Rounds: 6, Moves: 4, Counter: between(4), BestOffer: between(3)},
		} {
			checkEveryOffer(t, negotiation.Table{
				Terms:    p.Terms(s),
				Bounds:   b,
				Progress: progress,
			})
		}
	}
}

func checkEveryOffer(t *testing.T, table negotiation.Table) {
	t.Helper()
	before := negotiation.Decide(with(table, usd("0")))
	for minor := int64(1); minor <= table.Bounds.List().Minor()+1; minor++ {
		on := with(table, money.Of(minor, table.Bounds.List().Currency()))
		answer := negotiation.Decide(on)
		checkAnswer(t, on, answer)
		checkMonotone(t, before, answer)
		before = answer
	}
}

// Rounding rejects no better offer, even for cheap products and extreme curves, where a minor unit is a large share
// of the price.
func TestDecide_monotoneRounding(t *testing.T) {
	t.Parallel()
	for _, markup := range []money.Percent{1000, 1001, 1050, 1110, 1333, 1999, 2000} {
		for _, take := range []money.Percent{0, 1, 100, 375, 500, 999, 1000} {
			for _, reach := range []money.Percent{0, 1000, 1500} {
				terms := negotiation.Terms{RoundCap: 6, Curve: negotiation.Curve{Reach: reach, Markup: markup}}
				terms.Curve.Take[0], terms.Curve.Give[0] = take, 700
				in := func(minor int64) money.Amount { return money.Of(minor, jpy) }
				checkEveryOffer(t, negotiation.Table{Terms: terms, Bounds: negotiation.RehydrateBounds(in(999), in(990), in(980), in(101))})
				checkEveryOffer(t, negotiation.Table{Terms: terms, Bounds: negotiation.RehydrateBounds(in(30), in(30), in(30), in(3))})
			}
		}
	}
}

func TestDecide_examples(t *testing.T) {
	t.Parallel()
	b := negotiation.RehydrateBounds(usd("100"), usd("100"), usd("92.50"), usd("80"))
	fixed := negotiation.RehydrateBounds(usd("100"), usd("100"), usd("100"), usd("100"))
	deep := negotiation.RehydrateBounds(usd("100"), usd("100"), usd("90"), usd("50"))
	fresh := negotiation.Progress{}
	begun := negotiation.Progress{
		Rounds:    1,
		Moves:     1,
		BestOffer: usd("81"),
		Counter:   usd("89.91"),
	}
	low := negotiation.Progress{
		Moves:     1,
		BestOffer: usd("75"),
		Counter:   usd("83.25"),
	}
	twice := negotiation.Progress{
		Moves:     2,
		BestOffer: usd("79"),
		Counter:   usd("83.25"),
	}
	late := negotiation.Progress{
		Rounds:    5,
		Moves:     4,
		BestOffer: usd("81"),
		Counter:   usd("84"),
	}
	over := negotiation.Progress{
		Rounds:    6,
		Moves:     5,
		BestOffer: usd("81"),
		Counter:   usd("83"),
	}
	kept := negotiation.Progress{
		Rounds:    1,
		Moves:     1,
		BestOffer: usd("70"),
		Counter:   usd("78"),
	}
	long := negotiation.Progress{
		Rounds:    2,
		Moves:     1000,
		BestOffer: usd("81"),
		Counter:   usd("84"),
	}
	for name, c := range map[string]struct {
		bounds   negotiation.Bounds
		progress negotiation.Progress
		offer    *money.Amount
		want     negotiation.Decision
	}{
		"asks for the price":             {b, fresh, nil, quoted("100", negotiation.NoOffer)},
		"asks again":                     {b, begun, nil, quoted("89.91", negotiation.NoOffer)},
		"asks for a fixed price":         {fixed, fresh, nil, quoted("100", negotiation.ListOnly)},
		"asks for one fixed meanwhile":   {fixed, begun, nil, quoted("89.91", negotiation.ListOnly)},
		"offers less than a fixed price": {fixed, fresh, offer(usd("99.99")), rejected("100", "100", negotiation.ListOnly)},
		"less, it was fixed meanwhile":   {fixed, begun, offer(usd("85")), rejected("89.91", "100", negotiation.ListOnly)},
		"offers a fixed price":           {fixed, fresh, offer(usd("100")), accepted("100", negotiation.AtAsk)},
		"offers a cent":                  {b, fresh, offer(usd("0.01")), rejected("100", "80", negotiation.BelowFloor)},
		"offers absurdly little":         {b, fresh, offer(usd("39.99")), rejected("100", "80", negotiation.BelowFloor)},
		"offers half of what is allowed": {b, fresh, offer(usd("40")), rejected("93.80", "80", negotiation.BelowFloor)},
		"goes on from a cent to 75":      {b, negotiation.Progress{Rounds: 1}, offer(usd("75")), rejected("93.80", "80", negotiation.BelowFloor)},
		"goes on from six cents to 82":   {b, negotiation.Progress{Rounds: 6, Counter: usd("100")}, offer(usd("82")), final("100", negotiation.FinalRound)},
		"offers nothing":                 {b, fresh, offer(usd("0")), rejected("100", "80", negotiation.BelowFloor)},
		"offers less than nothing":       {b, begun, offer(usd("-5")), rejected("89.91", "80", negotiation.BelowFloor)},
		"offers far too little":          {b, fresh, offer(usd("72.06")), rejected("93.80", "80", negotiation.BelowFloor)},
		"offers what reaches the floor":  {b, fresh, offer(usd("72.07")), rejected("80.00", "80", negotiation.BelowFloor)},
		"first offers 75":                {b, fresh, offer(usd("75")), rejected("83.25", "80", negotiation.BelowFloor)},
		"goes on to 79":                  {b, low, offer(usd("79")), rejected("83.25", "80", negotiation.BelowFloor)},
		"goes on to 81.21":               {b, twice, offer(usd("81.21")), countered("83.25", negotiation.Concession)},
		"goes on to 81.22":               {b, twice, offer(usd("81.22")), accepted("81.22", negotiation.AtAsk)},
		"goes on to 82":                  {b, twice, offer(usd("82")), accepted("82", negotiation.AtAsk)},
		"goes back":                      {b, low, offer(usd("74")), rejected("83.25", "80", negotiation.BelowFloor)},
		"offers the floor":               {b, fresh, offer(usd("80")), countered("88.80", negotiation.Concession)},
		"offers just under the target":   {b, fresh, offer(usd("92.49")), countered("100", negotiation.Concession)},
		"offers the target":              {b, fresh, offer(usd("92.50")), accepted("92.50", negotiation.AtAsk)},
		"offers more than list":          {b, fresh, offer(usd("120")), accepted("100", negotiation.AtAsk)},
		"does not move":                  {b, begun, offer(usd("81")), countered("89.91", negotiation.NoMovement)},
		"moves a little":                 {b, begun, offer(usd("82")), countered("86.60", negotiation.Concession)},
		"moves by pennies":               {b, begun, offer(usd("81.99")), countered("89.91", negotiation.NoMovement)},
		"moves almost to the ask":        {b, begun, offer(usd("83.29")), countered("86.60", negotiation.Concession)},
		"moves to the ask":               {b, begun, offer(usd("83.30")), accepted("83.30", negotiation.AtAsk)},
		"takes the counter":              {b, begun, offer(usd("89.91")), accepted("89.91", negotiation.Commitment)},
		"moves for the thousandth time":  {b, long, offer(usd("81.01")), accepted("81.01", negotiation.AtAsk)},
		"is near enough at the end":      {b, late, offer(usd("81.10")), accepted("81.10", negotiation.AtAsk)},
		"goes on after the last":         {b, over, offer(usd("82")), final("83", negotiation.FinalRound)},
		"comes to the target at the end": {b, negotiation.Progress{
			Rounds:    6,
			Moves:     1,
			BestOffer: usd("81"),
			Counter:   usd("95"),
		},
			offer(usd("92.50")), accepted("92.50", negotiation.AtAsk)},
		"is below the floor at the end": {b, over, offer(usd("79")), rejected("83", "80", negotiation.BelowFloor)},
		// The floor has risen above the counter, which is still valid.
		"moves under an older promise": {b, kept, offer(usd("71")), rejected("78", "80", negotiation.BelowFloor)},
		"takes an older promise":       {b, kept, offer(usd("78.50")), accepted("78.50", negotiation.Commitment)},
		// o = o·1.11 − (o·1.11 − 50)·0.375 at 61.224…
		"is near its own counter": {deep, fresh, offer(usd("61.23")), accepted("61.23", negotiation.AtAsk)},
		"is not so near":          {deep, fresh, offer(usd("61.22")), countered("67.96", negotiation.Concession)},
		"is a cent further away":  {deep, fresh, offer(usd("61.21")), countered("67.95", negotiation.Concession)},
	} {
		got := negotiation.Decide(negotiation.Table{
			Terms:    plainTerms,
			Bounds:   c.bounds,
			Progress: c.progress,
			Offer:    c.offer,
		})
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// The last counter that the round cap allows is final, and the one before it is not.
func TestDecide_finalAtRoundCap(t *testing.T) {
	t.Parallel()
	terms := plainTerms
	terms.Curve.Take = [negotiation.Steps]money.Percent{}
	b := negotiation.RehydrateBounds(usd("100"), usd("100"), usd("92.50"), usd("80"))
	for rounds, want := range map[int]negotiation.Decision{
		4: countered("83", negotiation.Concession), 5: final("83", negotiation.Concession), 6: final("90", negotiation.FinalRound),
		7: final("90", negotiation.FinalRound),
	} {
		progress := negotiation.Progress{
			Rounds:    rounds,
			Moves:     3,
			BestOffer: usd("80"),
			Counter:   usd("90"),
		}
		terms.Curve.Give[3] = 850
		if got := negotiation.Decide(with(negotiation.Table{
			Terms:    terms,
			Bounds:   b,
			Progress: progress,
		}, usd("81"))); got != want {
			t.Errorf("after %d counters: %+v, want %+v", rounds, got, want)
		}
	}
}

// tableOf makes a table from raw numbers, with ordered bounds below money.Limit.
func tableOf(list, opening, target, floor, counter, best int64, rounds, moves, roundCap int, share int64) negotiation.Table {
	below := func(n, high int64) int64 { return 1 + int64(uint64(n)%uint64(high)) }
	list = below(list, money.Limit-1)
	opening = below(opening, list)
	target = below(target, opening)
	floor = below(floor, target)
	terms := plainTerms
	step := moves & (negotiation.Steps - 1)
	terms.RoundCap, terms.Lean = roundCap, money.Percent(share>>32)
	terms.Curve.Give[step], terms.Curve.Take[step] = money.Percent(share), money.Percent(-share)
	terms.Curve.Reach, terms.Curve.Markup = money.Percent(share%4096), money.Percent((share>>8)%4096)
	progress := negotiation.Progress{Rounds: rounds & 15, Moves: moves & 15}
	if progress.Moves > 0 {
		progress.BestOffer = money.Of(max(best, 0), money.USD)
	}
	if counter != 0 {
		progress.Counter = money.Of(below(counter, list), money.USD)
	}
	in := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	return negotiation.Table{
		Terms:    terms,
		Bounds:   negotiation.RehydrateBounds(in(list), in(opening), in(target), in(floor)),
		Progress: progress,
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(int64(99_99), int64(97_59), int64(93_99), int64(89_99), int64(96_39), int64(91_00), 1, 1, 6, int64(350), int64(91_10), int64(93_50))
	f.Add(int64(money.Limit-2), int64(money.Limit-2), int64(money.Limit-2), int64(1), int64(0), int64(1), 15, 15, 1<<62, int64(-1), int64(2), int64(1<<62))
	f.Add(int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), 0, 0, -1<<63, int64(5000), int64(0), int64(-1<<63))
	f.Fuzz(func(t *testing.T, list, opening, target, floor, counter, best int64,
		rounds, moves, roundCap int, share, a, b int64,
	) {
		table := tableOf(list, opening, target, floor, counter, best, rounds, moves, roundCap, share)
		one, other := with(table, money.Of(min(a, b), money.USD)), with(table, money.Of(max(a, b), money.USD))
		checkAnswer(t, one, negotiation.Decide(one))
		checkAnswer(t, other, negotiation.Decide(other))
		checkMonotone(t, negotiation.Decide(one), negotiation.Decide(other))
	})
}

func TestDecide_allocations(t *testing.T) {
	b := negotiation.RehydrateBounds(usd("100"), usd("97.60"), usd("94"), usd("90"))
	for _, a := range []*money.Amount{nil, offer(usd("80")), offer(usd("91")), offer(usd("95"))} {
		table := negotiation.Table{
			Terms:  plainTerms,
			Bounds: b,
			Offer:  a,
		}
		if n := testing.AllocsPerRun(100, func() { negotiation.Decide(table) }); n > 1 {
			t.Errorf("%v allocations for the offer %v", n, a)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	bounds := negotiation.RehydrateBounds(usd("100"), usd("97.60"), usd("94"), usd("90"))
	table := negotiation.Table{
		Terms:  plainTerms,
		Bounds: bounds,
		Offer:  offer(usd("91.20")),
		Progress: negotiation.Progress{
			Rounds:    1,
			Moves:     1,
			BestOffer: usd("91"),
			Counter:   usd("96.40"),
		},
	}
	b.ReportAllocs()
	for b.Loop() {
		negotiation.Decide(table)
	}
}
