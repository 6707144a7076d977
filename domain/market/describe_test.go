package market

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestPopulationsNamed_described(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		names           string
		mean, deviation float64 // of V, as a share of list
	}{
		"normal:.88:.12:c55":            {"normal:0.88:0.12-c55", .88, .12},
		"normal:0.880:.12:c55.0":        {"normal:0.88:0.12-c55", .88, .12},
		"uniform:.6:1.2:c40":            {"uniform:0.6:1.2-c40", .9, .6 / math.Sqrt(12)},
		"lognormal:.9:.2:c12.5":         {"lognormal:0.9:0.2-c12.5", .9 * math.Exp(.02), .9 * math.Exp(.02) * math.Sqrt(math.Exp(.04)-1)},
		"two:.75:.05:1.05:.05:.5:c50":   {"two:0.75:0.05:1.05:0.05:0.5-c50", .9, math.Hypot(.15, .05)},
		"two:.75:.05:1.05:.05:.25:c120": {"two:0.75:0.05:1.05:0.05:0.25-c120", .975, math.Hypot(.3*math.Sqrt(.1875), .05)},
		"normal:.88:.12":                {"normal:0.88:0.12-c50 normal:0.88:0.12-c65", .88, .12},
	} {
		found, err := PopulationsNamed(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var names []string
		for _, p := range found {
			names = append(names, p.Name())
		}
		if strings.Join(names, " ") != want.names {
			t.Errorf("%s: %q, want %q", text, names, want.names)
		}
		worths := make([]float64, 0, draws)
		for _, b := range buyersOf(found[0]) {
			worths = append(worths, float64(b.Worth)/1e6)
		}
		mean, deviation := moment(worths)
		near(t, text+" mean", mean, want.mean, 5*want.deviation/math.Sqrt(draws))
		near(t, text+" deviation", deviation, want.deviation, .01*want.deviation)
	}
}

// Two spellings of the same numbers describe the same buyers.
func TestDescribe_equalNumbers(t *testing.T) {
	t.Parallel()
	one, err := Describe("normal:.88:.12:c55")
	if err != nil {
		t.Fatal(err)
	}
	other, err := Describe("normal:0.88:0.120:c55")
	if err != nil || !slices.Equal(buyersOf(one[0]), buyersOf(other[0])) {
		t.Errorf("%v: other buyers", err)
	}
}

func TestPopulationsNamed_invalid(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"normal:.88:c55": "2 numbers: MEAN:DEVIATION", "normal:.88:x:c55": `"x" is no share`, "pareto:1:2:c55": "no description", "normal:.88:.1:c": "c0 to c200",
		"normal:.88:.1:c201": "c0 to c200", "normal:.88:.1:cNaN": "c0 to c200", "normal:NaN:.1:c55": `"NaN" is no share`, "uniform:.9:.8:c50": "no such buyers: LOW:HIGH",
		"normal:0:.1:c50": "no such buyers", "two:.7:.1:.9:.1:1.5:c50": "no such buyers", "normal:1e9:.1:c5": "is no share", ":c50": "no description",
		"lognormal:.9:4:c50": "no such buyers", "normal:-1:.1:c50": "is no share", "two:.7:.1:.9:.1:c50": "5 numbers", "somebody": "uniform:LOW:HIGH",
	} {
		if found, err := PopulationsNamed(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v; want %s", text, found, err, says)
		}
	}
}
