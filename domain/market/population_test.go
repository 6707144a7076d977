package market

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const draws = 200_000

var usual = UsualHabits()

func buyersOf(p Population) []Buyer {
	random, buyers := rand.New(rand.NewPCG(1, uint64(len(p.Name())))), make([]Buyer, draws)
	for i := range buyers {
		buyers[i] = p.Draw(random, usual, 1_000_000)
	}
	return buyers
}

func moment(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.5f, want %.5f ± %.5f", what, got, want, tolerance)
	}
}

// Tolerances are five standard errors of 200,000 draws.
func TestPopulations_moments(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ mean, deviation float64 }{
		"uniform": {.925, .45 / math.Sqrt(12)}, "normal-90": {.90, .10}, "normal-95": {.95, .15}, "normal-85": {.85, .08},
		"lognormal": {math.Log(.90), .20}, // of the logarithm
	} {
		both, err := PopulationsNamed(name)
		if err != nil || len(both) != 2 || both[0].Cost != .50 || both[1].Cost != .65 {
			t.Fatalf("%s: %v, %v", name, both, err)
		}
		worths := make([]float64, 0, draws)
		for _, b := range buyersOf(both[0]) {
			worth := float64(b.Worth) / 1e6
			if name == "lognormal" {
				worth = math.Log(worth)
			}
			worths = append(worths, worth)
		}
		mean, deviation := moment(worths)
		near(t, name+" mean", mean, want.mean, 5*want.deviation/math.Sqrt(draws))
		near(t, name+" deviation", deviation, want.deviation, 5*want.deviation/math.Sqrt(2*draws))
	}
}

func TestPopulation_deadlinesAndFirstOffers(t *testing.T) {
	t.Parallel()
	var deadlines [9]int
	firsts := make([]float64, 0, draws)
	for _, b := range buyersOf(Populations()[0]) {
		deadlines[b.Deadline]++
		firsts = append(firsts, float64(b.First)/float64(b.Worth))
	}
	for d := usual.Shortest; d <= usual.Longest; d++ {
		near(t, "share of a deadline", float64(deadlines[d])/draws, 1.0/6, .005)
	}
	mean, deviation := moment(firsts)
	near(t, "first offer", mean, .725, .001)
	near(t, "its deviation", deviation, .25/math.Sqrt(12), .001)
	if slices.Min(firsts) < .5999 || slices.Max(firsts) > .8501 {
		t.Errorf("from %f to %f", slices.Min(firsts), slices.Max(firsts))
	}
}

func TestPopulationNames(t *testing.T) {
	t.Parallel()
	want := []string{"uniform-c50", "uniform-c65", "normal-90-c50", "normal-90-c65", "normal-95-c50", "normal-95-c65",
		"normal-85-c50", "normal-85-c65", "lognormal-c50", "lognormal-c65"}
	if names := listed(Populations(), Population.Name); names != strings.Join(want, ", ") {
		t.Errorf("%v", names)
	}
	if one, err := PopulationsNamed("normal-90-c65"); err != nil || len(one) != 1 || one[0].Title() != "N(0.90, 0.10), cost 0.65" {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := PopulationsNamed("nobody"); err == nil {
		t.Error("nobody is a population")
	}
}
