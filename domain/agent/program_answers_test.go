package agent_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// quoteOf returns a new negotiation at a list price, with the target at 9/10 and the floor at 6/10 of it.
func quoteOf(list int64, c money.Currency) agent.QuoteInput {
	of := func(minor int64) money.Amount { return money.Of(minor, c) }
	return agent.QuoteInput{
		Table: negotiation.Table{
			Terms:  negotiation.Terms{RoundCap: 3},
			Bounds: negotiation.RehydrateBounds(of(list), of(list-list/20), of(list*9/10), of(list*6/10)),
		},
		Product: agent.Product{Quantity: 1},
	}
}

func dollars(cents int64) money.Amount { return money.Of(cents, money.USD) }

// at returns a negotiation at 100.00 with an offer; 0 is none.
func at(cents int64) agent.QuoteInput {
	in := quoteOf(100_00, money.USD)
	if offer := dollars(cents); cents > 0 {
		in.Table.Offer = &offer
	}
	return in
}

const own = "agent_answer"

func TestQuoteInput_answers(t *testing.T) {
	t.Parallel()
	last := at(70_00)
	last.Table.Progress = negotiation.Progress{Rounds: 2, Counter: dollars(90_00)}
	by := negotiation.AgentAnswer
	for name, c := range map[string]struct {
		got  agent.QuoteAnswer
		want negotiation.Decision
	}{
		"an offer is accepted":            {at(70_00).Accept(), negotiation.Accepted{Price: dollars(70_00), By: by}},
		"at most at list":                 {at(170_00).Accept(), negotiation.Accepted{Price: dollars(100_00), By: by}},
		"no offer is no deal":             {at(0).Accept(), negotiation.Decide(at(0).Table)},
		"a price is asked for":            {at(70_00).Counter(dollars(80_00)), negotiation.Countered{Price: dollars(80_00), By: by}},
		"a price answers a question":      {at(0).Counter(dollars(80_00)), negotiation.Quoted{Price: dollars(80_00), By: by}},
		"an offer of the price is enough": {at(80_00).Counter(dollars(80_00)), negotiation.Accepted{Price: dollars(80_00), By: by}},
		"an offer above it too":           {at(80_01).Counter(dollars(80_00)), negotiation.Accepted{Price: dollars(80_01), By: by}},
		"the last round's is final": {last.Counter(dollars(80_00)), negotiation.Countered{
			Price: dollars(80_00),
			Final: true,
			By:    by,
		}},
		"the house decides by the rules":    {at(70_00).House(), negotiation.Decide(at(70_00).Table)},
		"a price of elsewhere stays a plea": {at(70_00).Counter(money.Of(1, jpy)), negotiation.Countered{Price: money.Of(1, jpy), By: by}},
	} {
		if c.got.Decision != c.want || c.got.Decision.Rule() != c.want.Rule() {
			t.Errorf("%s: %#v, want %#v", name, c.got.Decision, c.want)
		}
	}
	if by.String() != own {
		t.Errorf("the record calls it %s", by)
	}
	if a := at(70_00).Accept().Say("Yours.").Because("Fair."); a.Message != "Yours." || a.Reasoning != "Fair." || a.Decision == nil {
		t.Errorf("%+v", a)
	}
}

// Guard leaves answers within the band unchanged, so that the agent's texts are sent with them.
func TestQuoteInput_answersPassGuard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := at(rapid.Int64Range(60_00, 120_00).Draw(t, "offer"))
		in.Table.Progress.Rounds = rapid.IntRange(0, 2).Draw(t, "rounds")
		if in.Table.Progress.Rounds > 0 {
			in.Table.Progress.Counter = dollars(rapid.Int64Range(60_00, 95_00).Draw(t, "counter"))
		}
		price := dollars(rapid.Int64Range(60_00, in.CurrentPrice().Minor()).Draw(t, "price"))
		if in.Offers(in.CurrentPrice()) {
			return // it is committed to
		}
		for _, a := range []agent.QuoteAnswer{in.Accept(), in.Counter(price), in.House()} {
			if got := negotiation.Guard(in.Table, a.Decision); got != a.Decision {
				t.Fatalf("%#v became %#v", a.Decision, got)
			}
		}
	})
}

func TestQuoteInput_prices(t *testing.T) {
	t.Parallel()
	in := at(70_00)
	if in.List() != dollars(100_00) || in.Target() != dollars(90_00) || in.Floor() != dollars(60_00) || in.CurrentPrice() != dollars(95_00) {
		t.Errorf("%s %s %s %s", in.List(), in.Target(), in.Floor(), in.CurrentPrice())
	}
	in.Table.Progress.Counter = dollars(85_00)
	if in.CurrentPrice() != dollars(85_00) {
		t.Errorf("it stands by %s", in.CurrentPrice())
	}
	if !in.Offers(dollars(70_00)) || in.Offers(dollars(70_01)) || in.Offers(money.Of(1, jpy)) || at(0).Offers(dollars(0)) {
		t.Error("an offer is not what it is")
	}
}

func TestPastOfASession(t *testing.T) {
	t.Parallel()
	if past, err := (agent.Scene{}).Past(t.Context()); past != nil || err != nil {
		t.Errorf("%v, %v", past, err)
	}
	bad := errors.New("no store")
	scene := agent.Scene{History: func(context.Context) ([]negotiation.Entry, error) { return []negotiation.Entry{{Seq: 7}}, bad }}
	if past, err := scene.Past(t.Context()); len(past) != 1 || past[0].Seq != 7 || err != bad {
		t.Errorf("%v, %v", past, err)
	}
}

// All returns every candidate. Only filters them and leaves the input unchanged.
func TestSearchInput_Only(t *testing.T) {
	t.Parallel()
	in := agent.SearchInput{Candidates: catalog.Found{Total: 9, Hits: []catalog.Hit{{Score: 900}, {Score: 500, InStock: true}, {Score: 100, InStock: true}}}}
	if got := in.All(); !reflect.DeepEqual(got.Found, in.Candidates) {
		t.Errorf("%+v", got)
	}
	got := in.Only(func(h catalog.Hit) bool { return h.InStock }).Found
	if got.Total != 9 || len(got.Hits) != 2 || got.Hits[0].Score != 500 || got.Hits[1].Score != 100 {
		t.Errorf("%+v", got)
	}
	if in.Candidates.Hits[0].Score != 900 || in.Candidates.Hits[2].Score != 100 {
		t.Errorf("the candidates were changed: %+v", in.Candidates.Hits)
	}
}

func TestPercentOff_Halfway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want money.Amount }{
		{agent.PercentOff(dollars(19_99), 15), dollars(17_00)}, {agent.PercentOff(dollars(19_99), 0), dollars(19_99)},
		{agent.PercentOff(dollars(19_99), 100), dollars(0)}, {agent.PercentOff(dollars(19_99), 101), dollars(0)},
		{agent.PercentOff(dollars(19_99), -1), dollars(19_99)}, {agent.PercentOff(dollars(money.Limit-1), 50), dollars(money.Limit / 2)},
		{agent.PercentOff(money.Of(999, jpy), 10), money.Of(900, jpy)}, {agent.PercentOff(money.Of(1_001, bhd), 10), money.Of(901, bhd)},
		{agent.Halfway(dollars(100_00), dollars(85_01)), dollars(92_51)}, {agent.Halfway(dollars(85_01), dollars(100_00)), dollars(92_50)},
		{agent.Halfway(dollars(5), dollars(5)), dollars(5)}, {agent.Halfway(money.Of(101, jpy), money.Of(100, jpy)), money.Of(101, jpy)},
		{agent.Halfway(dollars(5), money.Of(3, jpy)), dollars(5)}, {agent.Halfway(dollars(math.MinInt64), dollars(1)), dollars(math.MinInt64)},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
