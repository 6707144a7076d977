package negotiation_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

var (
	talksBegin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	seller     = id.New[id.Agent]([16]byte{3})
)

// off returns the policy of the examples with a limit of the discount.
func off(version int, most money.Percent) negotiation.Policy {
	p := patient
	p.Version, p.MaxDiscount = version, most
	return p
}

// hundred returns the signals of an item with a list price of 100.00 and an unknown cost.
func hundred() negotiation.Signals {
	return negotiation.Signals{
		List:       usd("100"),
		Negotiable: true,
		Quantity:   1,
		Stock:      10,
		CartValue:  usd("0"),
	}
}

// recording has the entries of a negotiation as the decision record keeps them.
type recording struct {
	policy  negotiation.Policy
	signals negotiation.Signals
	quote   *negotiation.Quote
	entries []negotiation.Entry
}

func record(n int, p negotiation.Policy, s negotiation.Signals) *recording {
	item := negotiation.Item{Quantity: s.Quantity}
	quote := id.New[id.Quote]([16]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	return &recording{
		policy:  p,
		signals: s,
		quote:   negotiation.Start(quote, id.Project{}, item, p, s, nil, talksBegin),
	}
}

// says answers an offer, with an agent's proposal if there is one.
func (r *recording) says(offer *money.Amount, propose func(negotiation.Table) negotiation.Decision) negotiation.Decision {
	t := r.quote.Table(r.policy.Terms(r.signals), offer)
	at := talksBegin.Add(time.Duration(len(r.entries)) * time.Minute)
	proposal := negotiation.Decide(t)
	if propose != nil {
		proposal = propose(t)
	}
	d := negotiation.Guard(t, proposal)
	r.quote.Record(t, d, at)
	e := negotiation.NewEntry(id.Decision{}, len(r.entries)+1, r.quote, t, r.signals, d, "", at)
	e.Agent = seller
	if propose != nil {
		e.Proposal = negotiation.Proposed(t, proposal)
	}
	r.entries = append(r.entries, e)
	return d
}

func (r *recording) offers(prices ...string) []negotiation.Entry {
	for _, p := range prices {
		r.says(offer(usd(p)), nil)
	}
	return r.entries
}

func replayed(p negotiation.Policy, all ...[]negotiation.Entry) negotiation.Replayed {
	r := negotiation.NewReplayer(seller, p, money.USD)
	for _, entries := range all {
		r.Add(entries, false)
	}
	return r.Report()
}

func TestReplayer_otherPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most              money.Percent // largest discount of the replayed policy; that of the recorded one is 20 %
		offers            []string
		before            string // the recorded deal's price
		certain           string
		possible, decided int
		identical         int
	}{
		"the same":                            {200, []string{"75", "79", "82"}, "82", "82", 1, 3, 3},
		"a deal that a harder policy defers":  {100, []string{"75", "79", "82"}, "82", "", 1, 3, 0},
		"a deal that comes earlier":           {400, []string{"75", "79", "82"}, "82", "75", 1, 3, 0},
		"an offer above a price named before": {400, []string{"62", "80"}, "", "68.82", 1, 2, 0},
		"who left is not called back":         {100, []string{"70"}, "", "", 0, 1, 0},
		"who left may stay for less":          {400, []string{"70"}, "", "", 1, 1, 0},
		"who left is where it was":            {200, []string{"70"}, "", "", 0, 1, 1},
	} {
		entries := record(1, off(1, 200), hundred()).offers(c.offers...)
		got := replayed(off(0, c.most), entries)
		for _, side := range []struct {
			what  string
			takes negotiation.Revenue
			want  string
		}{{"before", got.Before, c.before}, {"certain", got.Certain, c.certain}} {
			want, deals := usd("0"), 0
			if side.want != "" {
				want, deals = usd(side.want), 1
			}
			if side.takes.Deals != deals || side.takes.Revenue != want {
				t.Errorf("%s: %s %d deals of %v, want %d of %v", name, side.what, side.takes.Deals, side.takes.Revenue, deals, want)
			}
		}
		if got.Possible.Deals != c.possible || got.Decisions != c.decided || got.Identical != c.identical || got.Changed() != c.decided-c.identical {
			t.Errorf("%s: %+v", name, got)
		}
		if shown := len(got.Examples); (shown == 1) != (c.identical < c.decided) {
			t.Errorf("%s: %d examples", name, shown)
		}
	}
}

func TestReplayer_Add_deals(t *testing.T) {
	t.Parallel()
	known, three := hundred(), hundred()
	cost := usd("50")
	known.Cost, three.Quantity = &cost, 3
	deal := record(1, off(1, 200), known).offers("75", "79", "82")
	several := record(2, off(1, 200), three).offers("95")
	r := negotiation.NewReplayer(seller, off(1, 200), money.USD)
	r.Add(deal, true)
	r.Add(several, false)
	r.Add(nil, true)
	got := r.Report()
	want := negotiation.Revenue{
		Deals:   2,
		List:    usd("400"),
		Revenue: usd("367"),
		Costed:  1,
		Margin:  usd("32"),
	}
	if got.Before != want || got.Certain != want || got.Bought != 1 || got.Negotiations != 2 || got.Possible != want {
		t.Errorf("%+v", got)
	}
	if d := got.Before.Discount(); d != 82 { // (400 − 367) / 400
		t.Errorf("a discount of %v", d)
	}
}

// A deal that is possible and not certain counts at the final price of the policy.
func TestReplayer_possibleDeals(t *testing.T) {
	t.Parallel()
	known, cost := hundred(), usd("50")
	known.Cost, known.Quantity = &cost, 2
	deferred := record(1, off(1, 200), known).offers("75", "79", "82")
	left := record(2, off(1, 200), known).offers("70")
	for name, c := range map[string]struct {
		most money.Percent
		want negotiation.Revenue
	}{
		"a harder policy": {100, negotiation.Revenue{
			Deals:   1,
			List:    usd("200"),
			Revenue: usd("183.20"),
			Costed:  1,
			Margin:  usd("83.20"),
		}},
		"a softer one": {400, negotiation.Revenue{
			Deals:   2,
			List:    usd("400"),
			Revenue: usd("305.40"),
			Costed:  2,
			Margin:  usd("105.40"),
		}},
		"the one in force": {200, negotiation.Revenue{
			Deals:   1,
			List:    usd("200"),
			Revenue: usd("164"),
			Costed:  1,
			Margin:  usd("64"),
		}},
	} {
		if got := replayed(off(0, c.most), deferred, left); got.Possible != c.want {
			t.Errorf("%s: %+v, want %+v", name, got.Possible, c.want)
		}
	}
}

func TestReplayer_Add_otherCurrency(t *testing.T) {
	t.Parallel()
	r := negotiation.NewReplayer(seller, off(1, 200), jpy)
	r.Add(record(1, off(1, 200), hundred()).offers("95"), false)
	if got := r.Report(); got.Skipped != 1 || got.Negotiations != 0 || got.Decisions != 0 {
		t.Errorf("%+v", got)
	}
}

// The replay continues after a deal if the buyer had that deal in the record too.
func TestReplayer_continuesAfterDeal(t *testing.T) {
	t.Parallel()
	p, s := off(1, 200), hundred()
	first := record(1, p, s)
	first.offers("95")
	second := record(2, p, s)
	second.quote = negotiation.Start(id.New[id.Quote]([16]byte{2}), id.Project{}, negotiation.Item{Quantity: 1}, p, s, first.quote, talksBegin.Add(time.Hour))
	second.offers("60")
	second.entries[0].At = talksBegin.Add(time.Hour)
	entries := append(first.entries, second.entries...)
	p.Version = 0
	if got := replayed(p, entries); got.Decisions != 2 || got.Identical != 2 || got.Certain.Deals != 1 {
		t.Errorf("%+v", got)
	}
}

// tenThousand returns negotiations of random buyers under a policy. Every third is answered by an agent of the
// merchant.
func tenThousand(p negotiation.Policy, agents bool) [][]negotiation.Entry {
	random := rand.New(rand.NewPCG(7, 8))
	all := make([][]negotiation.Entry, 10_000)
	for n := range all {
		s := hundred()
		s.List, s.Quantity, s.Stock = money.Of(500+random.Int64N(100_000), money.USD), 1+random.IntN(12), random.IntN(80)
		if cost := money.Of(s.List.Minor()*random.Int64N(90)/100, money.USD); cost.IsPositive() {
			s.Cost = &cost
		}
		var propose func(negotiation.Table) negotiation.Decision
		if agents && n%3 == 0 {
			propose = func(t negotiation.Table) negotiation.Decision { return anyProposal(random, t) }
		}
		r := record(n, p, s)
		share := 55 + random.Int64N(40)
		for range 1 + random.IntN(7) {
			asked := offer(money.Of(max(1, s.List.Minor()*share/100), money.USD))
			if random.IntN(6) == 0 {
				asked = nil
			}
			if _, agreed := r.says(asked, propose).(negotiation.Accepted); agreed {
				break
			}
			share += random.Int64N(9)
		}
		all[n] = r.entries
	}
	return all
}

func anyProposal(random *rand.Rand, t negotiation.Table) negotiation.Decision {
	price := money.Of(random.Int64N(2*t.Bounds.List().Minor()), money.USD)
	switch random.IntN(5) {
	case 0:
		return negotiation.Accepted{Price: price, By: negotiation.AgentAnswer}
	case 1:
		return negotiation.Rejected{Price: price, By: negotiation.AgentAnswer}
	case 2:
		return negotiation.Quoted{Price: price, By: negotiation.AgentAnswer}
	case 3:
		return nil
	}
	return negotiation.Countered{Price: price, By: negotiation.AgentAnswer}
}

// Under the same policy, a replay reproduces every decision.
func TestReplayer_samePolicy(t *testing.T) {
	t.Parallel()
	all := tenThousand(off(3, 200), true)
	got := replayed(off(3, 200), all...)
	if got.Negotiations != 10_000 || got.Decisions < 20_000 || got.Identical != got.Decisions || len(got.Examples) != 0 {
		t.Errorf("%d negotiations, %d of %d decisions, %v", got.Negotiations, got.Identical, got.Decisions, got.Examples)
	}
	if got.Before != got.Certain || got.Before.Deals < 1_000 {
		t.Errorf("before %+v, after %+v", got.Before, got.Certain)
	}
}

// The record is in one currency. An agent's proposal in another one counted as the highest price allowed, and does so
// again.
func TestReplayer_proposalInOtherCurrency(t *testing.T) {
	t.Parallel()
	fifty, by := money.Of(50, jpy), negotiation.AgentAnswer
	for name, proposal := range map[string]negotiation.Decision{
		"counter": negotiation.Countered{Price: fifty, By: by},
		"accept":  negotiation.Accepted{Price: fifty, By: by},
		"reject": negotiation.Rejected{
			Price: fifty,
			Hint:  fifty,
			By:    by,
		},
		"no such":   negotiation.Countered{Price: money.Of(90_00, money.Currency{}), By: by},
		"the quote": negotiation.Quoted{Price: fifty, By: by},
	} {
		r := record(1, off(3, 200), hundred())
		says := func(negotiation.Table) negotiation.Decision { return proposal }
		r.says(nil, says)
		r.says(offer(usd("82")), says)
		r.says(offer(usd("84")), says)
		for _, e := range r.entries {
			if e.Proposal.Currency() != money.USD {
				t.Errorf("%s: %s on record", name, e.Proposal)
			}
		}
		if got := replayed(off(3, 200), r.entries); got.Changed() != 0 {
			t.Errorf("%s: %+v", name, got.Examples)
		}
	}
}

// A version with the same content is simulated and has the same result, because the rules decide in both cases.
func TestReplayer_equalPolicy(t *testing.T) {
	t.Parallel()
	got := replayed(off(4, 200), tenThousand(off(3, 200), false)...)
	if got.Identical != got.Decisions || got.Certain.Deals != got.Before.Deals {
		t.Errorf("%d of %d, %+v and %+v", got.Identical, got.Decisions, got.Before, got.Certain)
	}
}

func TestReplayer_forgedRecord(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(*negotiation.Entry){
		"the price":   func(e *negotiation.Entry) { e.Price = offer(usd("81")) },
		"no price":    func(e *negotiation.Entry) { e.Price = nil },
		"the outcome": func(e *negotiation.Entry) { e.Outcome = negotiation.OutcomeAccepted },
		"the rule":    func(e *negotiation.Entry) { e.Rule = negotiation.Commitment },
		"the offer":   func(e *negotiation.Entry) { e.Offer = offer(usd("99")) },
		"the bounds": func(e *negotiation.Entry) {
			e.Bounds = negotiation.RehydrateBounds(usd("100"), usd("100"), usd("90"), usd("70"))
		},
		"the progress": func(e *negotiation.Entry) { e.Before.Counter = usd("75") },
	} {
		entries := record(1, off(1, 200), hundred()).offers("75", "79", "80")
		forge(&entries[1])
		got := replayed(off(1, 200), entries)
		if got.Changed() != 1 || len(got.Examples) != 1 || !reflect.DeepEqual(got.Examples[0].Entry, entries[1]) || got.Examples[0].Answer == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Each agent numbers its versions separately.
func TestReplayer_versionsPerAgent(t *testing.T) {
	t.Parallel()
	entries := record(1, off(1, 200), hundred()).offers("75", "79", "82")
	other := id.New[id.Agent]([16]byte{4})
	for _, of := range []id.Agent{seller, other} {
		r := negotiation.NewReplayer(of, off(1, 100), money.USD)
		r.Add(entries, false)
		again := of == seller // from the recorded bounds, which are the old policy's
		if got := r.Report(); (got.Certain.Deals == 1) != again {
			t.Errorf("%v: %+v", of, got)
		}
	}
}

func TestReplayer_monotone(t *testing.T) {
	t.Parallel()
	all := tenThousand(off(3, 200), false)
	for _, most := range []money.Percent{0, 50, 100, 300, 500} {
		got := replayed(off(0, most), all...)
		if got.Certain.Deals > got.Possible.Deals || len(got.Examples) != negotiation.MostExamples {
			t.Errorf("%v: %d certain and %d possible deals, %d examples", most, got.Certain.Deals, got.Possible.Deals, len(got.Examples))
		}
	}
	none, most := replayed(off(0, 0), all...), replayed(off(0, 500), all...)
	if none.Certain.Deals >= most.Certain.Deals || none.Certain.Discount() != 0 || most.Certain.Discount() <= 0 {
		t.Errorf("%+v, %+v", none.Certain, most.Certain)
	}
}

func BenchmarkReplayOf10000(b *testing.B) {
	all := tenThousand(off(3, 200), false)
	for _, p := range []negotiation.Policy{off(3, 200), off(4, 300)} {
		b.Run(map[bool]string{true: "same", false: "other"}[p.Version == 3], func(b *testing.B) {
			for b.Loop() {
				if got := replayed(p, all...); got.Negotiations != len(all) {
					b.Fatal(got)
				}
			}
		})
	}
}
