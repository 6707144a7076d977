package marketreport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// The sentences contain the report's figures.
func TestReport_words(t *testing.T) {
	t.Parallel()
	r := simulated(t, config(1000))
	said := strings.Join(report{r}.words(), "\n")
	most := r.Strategies[0]
	for _, s := range r.Strategies[:5] {
		if s.Margin > most.Margin {
			most = s
		}
	}
	for _, want := range []string{
		"earned " + percent(r.Summary.OfPosted.Value) + " of the margin", "the worst was " + lower(populationName(r.Summary.WorstIn)) + ", at " + percent(r.Summary.Worst.Value),
		"This policy earned " + percent(r.Summary.OfOptimum.Value) + " of it, and " + percent(r.Summary.OfWithin.Value),
		fmt.Sprintf("Of 100 buyers, %.0f bought", 100*r.Summary.DealRate), "highest for the kind “" + kind(most.Strategy) + "”, " + percent(most.Margin),
		"of 10 populations", "by 2.0 %.", "violated no invariant",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	if strings.Contains(said, "%!") {
		t.Error(said)
	}
}

func TestReport_wordsOnProbing(t *testing.T) {
	t.Parallel()
	for difference, want := range map[float64]string{.01: "paid 1.00 % of the list price more", -.02: "paid 2.00 % of the list price less", .001: "paid about as much as"} {
		r := report{&simulating.Report{Prober: &simulating.Comparison{
			Buyers:     9,
			BothBought: 5,
			Difference: simulating.Ratio{Value: difference, Error: .001},
		}}}
		if said := r.wordsOnProbing(); !strings.Contains(said, want) {
			t.Errorf("%g: %s", difference, said)
		}
	}
	if said := (report{&simulating.Report{}}).wordsOnProbing(); said != "" {
		t.Error(said)
	}
}

func TestReport_words_oddRuns(t *testing.T) {
	t.Parallel()
	one := config(100)
	one.Populations, one.Tactics, one.Apart, one.Secrets = one.Populations[:1], one.Tactics[3:4], nil, nil
	poor := config(50)
	poor.Populations = []market.Population{{Worths: market.Uniform(.05, .10), Cost: .5}}
	bad := config(500)
	bad.Seller = cheat{fakeSeller{.8}}
	for want, c := range map[string]simulating.Config{
		"With mixed, wide margin, this policy": one, "The margin per buyer of the kind “never moves”": one, "Nobody bought": poor, "violated an invariant": bad,
	} {
		if said := strings.Join(report{simulated(t, c)}.words(), "\n"); !strings.Contains(said, want) || notANumber.MatchString(said) || strings.Contains(said, "%!") {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
}

// Broken promises, missing answers and the cross-session prober appear in tables, sentences and the page.
func TestReport_everyFormat(t *testing.T) {
	t.Parallel()
	cheating, leaving := config(500), config(100)
	cheating.Seller, leaving.Seller = cheat{fakeSeller{.8}}, silent{fakeSeller{.8}}
	for want, c := range map[string]simulating.Config{
		"VIOLATED: " + market.AboveTheOffer.String(): cheating,
		"NO RESPONSE":                        leaving,
		"The cross-session prober bought in": config(500),
	} {
		r := simulated(t, c)
		var text strings.Builder
		if err := Write(&text, r); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("%v: %q is not in\n%s", err, want, text.String())
		}
		_, page := written(t, r)
		if broken := strings.Contains(page, market.AboveTheOffer.String()); broken == r.OK() {
			t.Errorf("%s: broken promises on the page: %v", want, broken)
		}
	}
	if said := strings.Join(report{simulated(t, config(2000))}.words(), "\n"); !strings.Contains(said, "learned the hint in a first session") {
		t.Error(said)
	}
}
