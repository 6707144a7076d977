package buyer_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func limits(opening, reservation int64, patience int) buyer.Limits {
	return buyer.Limits{
		Opening:     decimal.FromInt(opening),
		Reservation: decimal.FromInt(reservation),
		Patience:    patience,
	}
}

// offers returns a strategy's offers to a merchant whose counters do not depend on them.
func offers(t *testing.T, name string, l buyer.Limits, counters ...string) []string {
	t.Helper()
	strategy, err := buyer.StrategyNamed(name, l)
	if err != nil {
		t.Fatal(err)
	}
	now := buyer.Situation{List: decimal.FromInt(100), Places: 2}
	var made []string
	for n := range 10 {
		move := strategy.Next(now)
		if move.Action != buyer.MakeOffer {
			return append(made, map[buyer.Action]string{buyer.TakeCounter: "take", buyer.WalkAway: "walk"}[move.Action])
		}
		made = append(made, move.Price.String())
		now.Offers = append(now.Offers, move.Price)
		now.Counters = append(now.Counters, decimal.MustParse(counters[min(n, len(counters)-1)]))
	}
	return made
}

func TestStrategyNamed_formulas(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name     string
		limits   buyer.Limits
		counters []string
		want     []string
	}{
		"hardliner never moves":         {"hardliner", limits(60, 90, 3), []string{"95"}, []string{"60", "60", "60", "walk"}},
		"hardliner ends within limit":   {"hardliner", limits(60, 90, 3), []string{"89"}, []string{"60", "60", "60", "take"}},
		"linear goes in equal steps":    {"linear", limits(60, 90, 4), []string{"95"}, []string{"60", "70", "80", "90", "walk"}},
		"linear takes what it'd offer":  {"linear", limits(60, 90, 4), []string{"75"}, []string{"60", "70", "take"}},
		"conceder halves the gap":       {"conceder", limits(60, 92, 4), []string{"95"}, []string{"60", "76", "84", "88", "walk"}},
		"boulware waits":                {"boulware", limits(60, 87, 4), []string{"95"}, []string{"60", "61", "68", "87", "walk"}},
		"tit for tat mirrors":           {"tit for tat", limits(60, 90, 5), []string{"97", "95", "95"}, []string{"60", "63", "65", "65", "65", "walk"}},
		"tit for tat stops at reserve":  {"tit for tat", limits(60, 62, 3), []string{"90", "80"}, []string{"60", "62", "62", "walk"}},
		"nobody opens above its limits": {"hardliner", limits(95, 90, 1), []string{"99"}, []string{"90", "walk"}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := offers(t, c.name, c.limits, c.counters...); !reflect.DeepEqual(got, c.want) {
				t.Errorf("offers %v, want %v", got, c.want)
			}
		})
	}
}

func TestStrategies_rejected(t *testing.T) {
	t.Parallel()
	rejected := buyer.Situation{
		List:     decimal.FromInt(100),
		Places:   2,
		Offers:   []decimal.Decimal{decimal.FromInt(60)},
		Rejected: true,
		Hint:     decimal.FromInt(80),
	}
	for _, make := range buyer.Strategies {
		if move := make(limits(60, 90, 5)).Next(rejected); move.Action != buyer.MakeOffer || move.Price.Less(rejected.Hint) {
			t.Errorf("%s: %+v, want an offer at the hint or above", make(limits(60, 90, 5)).Name(), move)
		}
		if move := make(limits(60, 79, 5)).Next(rejected); move.Action != buyer.WalkAway {
			t.Errorf("%s: %+v, want to walk away from a hint above the reservation price", make(limits(60, 79, 5)).Name(), move)
		}
	}
}

// The merchant's price still holds after a rejection. A buyer takes it if the next offer would be no lower.
func TestStrategies_priceAfterRejection(t *testing.T) {
	t.Parallel()
	for _, make := range buyer.Strategies {
		for stands, c := range map[int64]struct {
			reservation int64
			hint        int64
			want        buyer.Action
		}{
			85: {90, 86, buyer.TakeCounter}, // the next offer would be at least the hint
			78: {79, 80, buyer.TakeCounter}, // the hint exceeds the reservation price, the merchant's price does not
			80: {79, 80, buyer.WalkAway},
			89: {90, 80, buyer.MakeOffer},
		} {
			now := buyer.Situation{
				List:     decimal.FromInt(100),
				Places:   2,
				Rejected: true,
				Hint:     decimal.FromInt(c.hint),
				Offers:   []decimal.Decimal{decimal.FromInt(60)},
				Counters: []decimal.Decimal{decimal.FromInt(100), decimal.FromInt(stands)},
			}
			if move := make(limits(60, c.reservation, 9)).Next(now); move.Action != c.want {
				t.Errorf("%s, %d stands: %+v, want %d", make(limits(60, 90, 9)).Name(), stands, move, c.want)
			}
		}
	}
}

func TestTitForTat_rejection(t *testing.T) {
	t.Parallel()
	now := buyer.Situation{
		List:     decimal.FromInt(100),
		Places:   2,
		Rejected: true,
		Offers:   []decimal.Decimal{decimal.FromInt(60)},
	}
	for stands, want := range map[int64]int64{100: 63, 92: 68} {
		now.Counters = []decimal.Decimal{decimal.FromInt(stands)}
		if move := buyer.TitForTat(limits(60, 90, 5)).Next(now); move.Price != decimal.FromInt(want) {
			t.Errorf("%d stands: offers %s, want %d", stands, move.Price, want)
		}
	}
}

func TestStrategies_finalCounter(t *testing.T) {
	t.Parallel()
	final := buyer.Situation{
		List:     decimal.FromInt(100),
		Places:   2,
		Final:    true,
		Offers:   []decimal.Decimal{decimal.FromInt(60)},
		Counters: []decimal.Decimal{decimal.FromInt(85)},
	}
	for _, make := range buyer.Strategies {
		if move := make(limits(60, 85, 9)).Next(final); move.Action != buyer.TakeCounter {
			t.Errorf("%s: %+v", make(limits(60, 85, 9)).Name(), move)
		}
		if move := make(limits(60, 84, 9)).Next(final); move.Action != buyer.WalkAway {
			t.Errorf("%s: %+v", make(limits(60, 84, 9)).Name(), move)
		}
	}
}

// Offers never fall and never exceed the list price, and every negotiation ends.
func TestRandomStrategy_offersRise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		strategy := buyer.RandomStrategy(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		list := decimal.FromInt(rapid.Int64Range(1, 1_000_000).Draw(t, "cents")).Over(100)
		now := buyer.Situation{List: list, Places: 2}
		for n := 0; ; n++ {
			move := strategy.Next(now)
			if again := strategy.Next(now); again != move {
				t.Fatalf("%s moves %+v and then %+v", strategy.Name(), move, again)
			}
			if move.Action != buyer.MakeOffer {
				return
			}
			if n > 8 {
				t.Fatalf("%s never ends", strategy.Name())
			}
			if list.Less(move.Price) || n > 0 && move.Price.Less(now.Offers[n-1]) {
				t.Fatalf("%s offers %s after %v, list %s", strategy.Name(), move.Price, now.Offers, list)
			}
			now.Offers = append(now.Offers, move.Price)
			if now.Rejected = rapid.Bool().Draw(t, "rejected"); !now.Rejected {
				counter := move.Price.Plus(list.Minus(move.Price).Over(2)).Plus(decimal.FromInt(1).Over(100))
				now.Counters = append(now.Counters, counter)
			} else if rapid.Bool().Draw(t, "named") {
				now.Counters = append(now.Counters, list)
			}
		}
	})
}
