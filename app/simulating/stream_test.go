package simulating

import (
	"math"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.5f, want %.5f ± %.5f", what, got, want, tolerance)
	}
}

const draws = 200_000

func buyersOf(p market.Population) []market.Buyer {
	random, buyers := newStream(1, p.Name()), make([]market.Buyer, draws)
	for i := range buyers {
		random.start(i)
		buyers[i] = p.Draw(random.Rand, market.UsualHabits(), 1_000_000)
	}
	return buyers
}

// The numbers of neighbouring buyers, and of buyers of the same number in two populations, are uncorrelated.
func TestStream_independent(t *testing.T) {
	t.Parallel()
	here, there := buyersOf(market.Populations()[0]), buyersOf(market.Populations()[1])
	var neighbours, twins, own float64
	for i := range draws - 1 {
		x := float64(here[i].Worth)/1e6 - .925
		neighbours += x * (float64(here[i+1].Worth)/1e6 - .925)
		twins += x * (float64(there[i].Worth)/1e6 - .925)
		own += x * (float64(here[i].First)/float64(here[i].Worth) - .725)
	}
	variance := .45 * .45 / 12
	near(t, "correlation of neighbours", neighbours/draws/variance, 0, 5/math.Sqrt(draws))
	near(t, "correlation between populations", twins/draws/variance, 0, 5/math.Sqrt(draws))
	near(t, "covariance of V and first offer", own/draws/variance, 0, 5/math.Sqrt(draws))
}

func TestRun_habits(t *testing.T) {
	t.Parallel()
	c := config(1000)
	c.Habits = market.Habits{
		Shortest:     2,
		Longest:      2,
		LowestFirst:  .5,
		HighestFirst: .5,
		Firm:         .8,
	}
	c.Populations, c.Tactics, c.Apart = c.Populations[:1], c.Tactics[3:4], c.Apart[1:2]
	offers := 0
	c.Each = func(e Ended) {
		offers = max(offers, e.Rounds)
		if e.Deadline != 2 || e.First != (e.Worth+1)/2 {
			t.Errorf("%+v", e)
		}
	}
	r := simulated(t, c)
	path := r.Paths[0]
	if offers != 2 || path.Deadline != 2 {
		t.Errorf("%d offers, %+v", offers, path)
	}
	near(t, "firm", path.Steps[0].Offer/path.Worth, .8, .0001)
}
