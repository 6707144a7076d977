package market

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// script is a seller of one negotiation. It answers with a function of the round and the offer, and records offers.
type script struct {
	answer func(round int, offer int64) Answer
	offers []int64
}

func (s *script) Open(Item) Negotiation { return s }

func (s *script) Offer(price int64) Answer {
	s.offers = append(s.offers, price)
	return s.answer(len(s.offers), price)
}

func rejecting(int, int64) Answer { return Answer{Verdict: Rejected} }

// item and buyer are from the package's example.
var (
	item  = Item{List: 10000, Cost: 5000}
	buyer = Buyer{
		Worth:    9000,
		First:    6300,
		Deadline: 5,
	}
)

func named(t *testing.T, name string) Tactic {
	t.Helper()
	found, err := TacticsNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// negotiate lets the buyer negotiate, and returns its estimates of the floor too.
func negotiate(t *testing.T, s *script, tactic string, r Rules) (Outcome, []int64) {
	t.Helper()
	var estimates []int64
	r.Seller, r.Item, r.Firm = s, item, usual.Firm
	r.Watch = func(_, _ int, s Step) { estimates = append(estimates, s.Estimate) }
	return r.Haggle(0, buyer, named(t, tactic), rand.New(rand.NewPCG(1, 2))), estimates
}

func TestTactic_offers(t *testing.T) {
	t.Parallel()
	for tactic, want := range map[string][]int64{
		"boulware":    {6300, 6327, 6568, 7335, 9000},
		"linear":      {6300, 6975, 7650, 8325, 9000},
		"conceder":    {6300, 8001, 8443, 8753, 9000},
		"hardliner":   {8100, 8100, 8100, 8100, 8100},
		"tit-for-tat": {6300, 6570, 6840, 7110, 7380},
		"anchorer":    {4500, 5625, 6750, 7875, 9000},
		"prober":      {6300, 7650, 8325, 8663, 9000},
		"impatient":   {6300, 9000},
		"splitter":    {6300, 8150, 9000, 9000, 9000},
	} {
		s := &script{answer: rejecting}
		out, _ := negotiate(t, s, tactic, Rules{})
		if !slices.Equal(s.offers, want) || out.Price != 0 || out.Rounds != len(want) {
			t.Errorf("%s offers %d in %d rounds and pays %d; want %d", tactic, s.offers, out.Rounds, out.Price, want)
		}
	}
}

func TestTitForTat_counters(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(round int, _ int64) Answer {
		return Answer{Verdict: Countered, Price: []int64{9900, 9700, 9650, 9650, 9600}[round-1]}
	}}
	if negotiate(t, s, "tit-for-tat", Rules{}); !slices.Equal(s.offers, []int64{6300, 6400, 6600, 6650, 6650}) {
		t.Errorf("offers %d", s.offers)
	}
}

func TestTitForTat_rejections(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(round int, _ int64) Answer {
		return Answer{Verdict: Rejected, CurrentPrice: []int64{9900, 9900, 0, 9600, 9600}[round-1]}
	}}
	if negotiate(t, s, "tit-for-tat", Rules{}); !slices.Equal(s.offers, []int64{6300, 6400, 6670, 6940, 7240}) {
		t.Errorf("offers %d", s.offers)
	}
}

func TestProbe_findsFloor(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(_ int, offer int64) Answer {
		if offer < 8000 {
			return Answer{Verdict: Rejected, Price: 8200}
		}
		return Answer{Verdict: Countered, Price: 9500}
	}}
	out, estimates := negotiate(t, s, "prober", Rules{Heed: true})
	if !slices.Equal(s.offers, []int64{6300, 7650, 8325, 7988, 8325}) || !slices.Equal(estimates, []int64{7650, 8325, 7987, 8156, 8156}) || out.Price != 0 {
		t.Errorf("offers %d, estimates %d, pays %d", s.offers, estimates, out.Price)
	}
}

// The first offer is made in a session of its own.
func TestScout_hint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []Answer
		offers  []int64
		price   int64
	}{
		"met at the hint": {[]Answer{{Verdict: Rejected, Price: 8000, CurrentPrice: 10000}, {Verdict: Countered, Price: 8000}, {Verdict: Accepted, Price: 8000}},
			[]int64{1, 7208, 8000}, 8000},
		"met by the price that stands": {[]Answer{{Verdict: Rejected, Price: 8000}, {Verdict: Rejected, Price: 8000, CurrentPrice: 8001}, {Verdict: Rejected, Price: 8000, CurrentPrice: 8001}, {Verdict: Accepted, Price: 8001}},
			[]int64{1, 7208, 8000, 8001}, 8001},
		"not met": {[]Answer{{Verdict: Rejected, Price: 8000}, {Verdict: Rejected, Price: 8000, CurrentPrice: 9900}},
			[]int64{1, 7208, 8000, 8500, 9000}, 0},
		"a hint that is too high": {[]Answer{{Verdict: Rejected, Price: 9500}}, []int64{1, 8559, 9000, 9000, 9000}, 0},
		"no hint":                 {[]Answer{{Verdict: Countered, Price: 9900}}, []int64{1, 6300, 7200, 8100, 9000}, 0},
		"sold for a cent":         {[]Answer{{Verdict: Accepted, Price: 1}}, []int64{1}, 0},
	} {
		s := &script{answer: func(round int, offer int64) Answer { return c.answers[min(round, len(c.answers))-1] }}
		out, _ := negotiate(t, s, "cross-session", Rules{})
		if !slices.Equal(s.offers, c.offers) || out.Price != c.price {
			t.Errorf("%s: offers %d and pays %d; want %+v", name, s.offers, out.Price, c)
		}
	}
}

func TestTactic_randomWithinRange(t *testing.T) {
	t.Parallel()
	random, seen := rand.New(rand.NewPCG(3, 4)), map[int64]bool{}
	for range 2000 {
		s := &script{answer: rejecting}
		r := Rules{
			Seller: s,
			Item:   item,
			Firm:   usual.Firm,
		}
		r.Haggle(0, buyer, named(t, "random"), random)
		for _, offer := range s.offers {
			seen[offer] = true
			if offer < buyer.First || offer > buyer.Worth {
				t.Fatalf("offers %d", offer)
			}
		}
	}
	if len(seen) < 2000 { // of 2,701
		t.Errorf("only %d different offers in 10,000", len(seen))
	}
}

func TestTacticsNamed(t *testing.T) {
	t.Parallel()
	if _, err := TacticsNamed("linear", "nobody"); err == nil {
		t.Error("nobody is a strategy")
	}
	if len(Measured()) != 5 || len(Others()) != 6 {
		t.Errorf("%d and %d of %d", len(Measured()), len(Others()), len(Tactics()))
	}
}
