package market

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func countering(prices ...int64) func(int, int64) Answer {
	lowest := int64(10000)
	return func(round int, offer int64) Answer {
		if offer >= lowest {
			return Answer{Verdict: Accepted, Price: min(offer, item.List)}
		}
		lowest = prices[min(round, len(prices))-1]
		return Answer{Verdict: Countered, Price: lowest}
	}
}

// rejectingBelow rejects offers below the current price, which each round sets to the next of prices.
func rejectingBelow(prices ...int64) func(int, int64) Answer {
	lowest := int64(10000)
	return func(round int, offer int64) Answer {
		if offer >= lowest {
			return Answer{Verdict: Accepted, Price: min(offer, item.List)}
		}
		lowest = prices[min(round, len(prices))-1]
		return Answer{
			Verdict:      Rejected,
			Price:        7000,
			CurrentPrice: lowest,
		}
	}
}

// lastWord rejects the first offer with a final price, and sells at it.
func lastWord(price int64) func(int, int64) Answer {
	return func(round int, offer int64) Answer {
		if round > 1 && offer == price {
			return Answer{
				Verdict: Accepted,
				Price:   price,
				Over:    true,
			}
		}
		return Answer{
			Verdict:      Rejected,
			CurrentPrice: price,
			Over:         true,
		}
	}
}

func TestHaggle_acceptsCurrentPrice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tactic string
		answer func(int, int64) Answer
		offers []int64
		price  int64
		rounds int
	}{
		"at the aspiration, before it is offered": {"linear", countering(7650), []int64{6300, 6975, 7650}, 7650, 2},
		"under the aspiration":                    {"linear", countering(8000), []int64{6300, 6975, 7650, 8000}, 8000, 3},
		"at the deadline, at V":                   {"hardliner", countering(9000), []int64{8100, 8100, 8100, 8100, 8100, 9000}, 9000, 5},
		"never above V":                           {"hardliner", countering(9001), []int64{8100, 8100, 8100, 8100, 8100}, 0, 5},
		"any that it can pay, if impatient":       {"impatient", countering(8999), []int64{6300, 8999}, 8999, 1},
		"when it is final, at V": {"boulware", func(round int, offer int64) Answer {
			if offer == 8990 {
				return Answer{Verdict: Accepted, Price: offer}
			}
			return Answer{
				Verdict: Countered,
				Price:   8990,
				Over:    round == 2,
			}
		}, []int64{6300, 6327, 8990}, 8990, 2},
		"not when a final one is above V": {"linear", func(int, int64) Answer {
			return Answer{
				Verdict: Countered,
				Price:   9500,
				Over:    true,
			}
		}, []int64{6300}, 0, 1},
		"of an earlier round, after a rejection": {"hardliner", func(round int, offer int64) Answer {
			switch {
			case round == 1:
				return Answer{Verdict: Countered, Price: 8800}
			case offer == 8800:
				return Answer{Verdict: Accepted, Price: offer}
			}
			return Answer{Verdict: Rejected}
		}, []int64{8100, 8100, 8100, 8100, 8100, 8800}, 8800, 5},
		"that a rejection names, at the aspiration":       {"linear", rejectingBelow(8000), []int64{6300, 6975, 7650, 8000}, 8000, 3},
		"that a rejection names, at the deadline":         {"hardliner", rejectingBelow(9500, 9100, 8950), []int64{8100, 8100, 8100, 8100, 8100, 8950}, 8950, 5},
		"that a rejection names, never above V":           {"hardliner", rejectingBelow(9500, 9001), []int64{8100, 8100, 8100, 8100, 8100}, 0, 5},
		"that a rejection names, if impatient":            {"impatient", rejectingBelow(8999), []int64{6300, 8999}, 8999, 1},
		"that a rejection names as the last word":         {"boulware", lastWord(8990), []int64{6300, 8990}, 8990, 1},
		"not when a rejection's last word is too much":    {"boulware", lastWord(9001), []int64{6300}, 0, 1},
		"the list price, when a rejection is the last":    {"boulware", lastWord(0), []int64{6300}, 0, 1},
		"that a rejection names, when a prober's time is": {"prober", rejectingBelow(8400), []int64{6300, 7650, 8325, 8400}, 8400, 3},
	} {
		s := &script{answer: c.answer}
		out, _ := negotiate(t, s, c.tactic, Rules{})
		if !slices.Equal(s.offers, c.offers) || out.Price != c.price || out.Rounds != c.rounds || out.Broken != Kept {
			t.Errorf("%s: offers %d, price %d, %d rounds, broken %d", name, s.offers, out.Price, out.Rounds, out.Broken)
		}
	}
}

func TestHaggle_listPriceAtMost(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(_ int, offer int64) Answer {
		if offer >= item.List {
			return Answer{Verdict: Accepted, Price: item.List}
		}
		return Answer{Verdict: Rejected}
	}}
	rich := Buyer{
		Worth:    12000,
		First:    7200,
		Deadline: 3,
	}
	for _, tactic := range Tactics() {
		s.offers = nil
		r := Rules{
			Seller: s,
			Item:   item,
			Firm:   usual.Firm,
		}
		if out := r.Haggle(0, rich, tactic, rand.New(rand.NewPCG(1, 2))); out.Price != item.List || slices.Max(s.offers) > item.List {
			t.Errorf("%s offers %d and pays %d", tactic.Name, s.offers, out.Price)
		}
	}
}

func TestHaggle_heedsHint(t *testing.T) {
	t.Parallel()
	hinting := func(hint int64) func(int, int64) Answer {
		return func(_ int, offer int64) Answer {
			if offer < hint {
				return Answer{Verdict: Rejected, Price: hint}
			}
			return Answer{Verdict: Countered, Price: 9800}
		}
	}
	for hint, want := range map[int64][]int64{
		8000: {6300, 8000, 8000, 8325, 9000}, 9000: {6300, 9000, 9000, 9000, 9000}, 9001: {6300},
	} {
		s := &script{answer: hinting(hint)}
		if negotiate(t, s, "linear", Rules{Heed: true}); !slices.Equal(s.offers, want) {
			t.Errorf("hint %d: offers %d", hint, s.offers)
		}
	}
}

func TestHaggle_currentPriceBelowHint(t *testing.T) {
	t.Parallel()
	for stands, want := range map[int64][]int64{8999: {6300, 8999}, 9001: {6300}} {
		s := &script{answer: func(_ int, offer int64) Answer {
			if offer >= stands {
				return Answer{Verdict: Accepted, Price: offer}
			}
			return Answer{
				Verdict:      Rejected,
				Price:        9500,
				CurrentPrice: stands,
			}
		}}
		if negotiate(t, s, "linear", Rules{Heed: true}); !slices.Equal(s.offers, want) {
			t.Errorf("%d stands: offers %d", stands, s.offers)
		}
	}
}

// Each of these sellers breaks one promise, and Haggle reports which.
func TestPromise_broken(t *testing.T) {
	t.Parallel()
	const floor = 6000
	sell := func(prices ...Answer) func(int, int64) Answer {
		return func(round int, _ int64) Answer { return prices[min(round, len(prices))-1] }
	}
	counter := func(price int64) Answer { return Answer{Verdict: Countered, Price: price} }
	stands := func(price int64) Answer {
		return Answer{
			Verdict:      Rejected,
			Price:        7000,
			CurrentPrice: price,
		}
	}
	for _, c := range []struct {
		want   Promise
		answer func(int, int64) Answer
	}{
		{AboveTheOffer, sell(Answer{Verdict: Accepted, Price: 6301})},
		{AboveList, sell(counter(10001))},
		{UnderTheFloor, sell(counter(floor - 1))},
		{RisingCounter, sell(counter(9500), counter(9501))},
		{CounterUnderTheOffer, sell(counter(6300))},
		{ChangingHint, sell(Answer{Verdict: Rejected, Price: 7000}, Answer{Verdict: Rejected, Price: 7100})},
		{BrokenCommitment, sell(counter(6900))},
		{AboveList, sell(stands(10001))},
		{UnderTheFloor, sell(stands(floor - 1))},
		{RisingCounter, sell(stands(9500), stands(9501))},
		{RisingCounter, sell(counter(9500), stands(9501))},
		{RisingCounter, sell(stands(9500), counter(9501))},
		{CounterUnderTheOffer, sell(stands(6300))},
		{BrokenCommitment, sell(stands(6900))},
		{ChangingHint, sell(stands(9500), Answer{
			Verdict:      Rejected,
			Price:        7100,
			CurrentPrice: 9500,
		})},
	} {
		out, _ := negotiate(t, &script{answer: c.answer}, "linear", Rules{Floor: floor})
		if out.Broken != c.want || out.Price != 0 {
			t.Errorf("%s: found %d, price %d", c.want, out.Broken, out.Price)
		}
	}
}
