package simulating

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func smallSearch() RobustConfig {
	return RobustConfig{
		FamilyConfig: FamilyConfig{
			Seed:     1,
			Buyers:   20,
			Families: market.Families()[:8],
			Settings: market.Settings()[:3],
		},
		Policy: negotiation.Builtin(),
		Random: 4,
		Steps:  3,
		Tail:   .2,
	}
}

func TestChooseCurve(t *testing.T) {
	t.Parallel()
	c := smallSearch()
	r, err := ChooseCurve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + c.Random + c.Steps*(4+len(r.LeftOut)); r.Tried != want || r.Worst < 0 {
		t.Errorf("tried %d, worst %v; want %d tried", r.Tried, r.Worst, want)
	}
	if len(r.LeftOut) == 0 || r.Parts.Mean.Value <= 0 || r.Parts.Worst.OfPosted.Value > r.Parts.Mean.Value {
		t.Errorf("%d parts are left out: %+v", len(r.LeftOut), r.Parts)
	}
	if len(r.Alone.Families) != len(c.Families) || len(r.Alone.Cells) != len(c.Families)*len(c.Settings) || r.Alone.Mean.Value <= 0 {
		t.Errorf("left out alone: %+v", r.Alone)
	}
	again, err := ChooseCurve(t.Context(), c)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("the same seed gives another result: %v", err)
	}
}

// The search works with one family, which cannot be left out.
func TestChooseCurve_oneFamily(t *testing.T) {
	t.Parallel()
	c := smallSearch()
	c.Families = c.Families[:1]
	r, err := ChooseCurve(t.Context(), c)
	if err != nil || len(r.LeftOut) != 0 || len(r.Parts.Families) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestChooseCurve_refusals(t *testing.T) {
	t.Parallel()
	none, tail, canceled := smallSearch(), smallSearch(), smallSearch()
	none.Random, tail.Tail = 0, 0
	for name, c := range map[string]RobustConfig{"no random policy": none, "no tail": tail} {
		if _, err := ChooseCurve(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ChooseCurve(ctx, canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Two families in two settings: cells are by setting, then by family.
func TestRobust_best(t *testing.T) {
	t.Parallel()
	r := robust{RobustConfig: RobustConfig{FamilyConfig: FamilyConfig{Families: market.Families()[:2]}, Tail: .5}}
	for version, earns := range [][]float64{
		{1.5, 1.0, 1.0, 1.0}, // regrets 0 .2 .2 .4: half of .2 and half of .3
		{1.3, 1.2, 1.1, 1.1}, // .2 0 .1 .3: .15 and .25
		{1.0, 1.0, 1.2, 1.4}, // .5 .2 0 0: .175 and .35
	} {
		r.tried = append(r.tried, candidate{negotiation.Policy{Version: version + 1}, earns})
	}
	for name, c := range map[string]struct {
		left    string
		version int
		worst   float64
	}{
		"all":                      {"", 2, .2},
		"without the first family": {r.Families[0].Name, 3, .15},
	} {
		chosen, worst := r.best(func(f market.Tactic) bool { return f.Name != c.left })
		if chosen.Version != c.version || worst < c.worst-1e-9 || worst > c.worst+1e-9 {
			t.Errorf("%s: chose %d with %v, want %d with %v", name, chosen.Version, worst, c.version, c.worst)
		}
	}
}

func TestRobust_changed_risingSteps(t *testing.T) {
	t.Parallel()
	r := newRobust(t.Context(), smallSearch())
	c := r.anyCurve()
	for range 200 {
		c = r.changed(c, 300)
		for _, steps := range [][negotiation.Steps]money.Percent{c.Give, c.Take} {
			if !slices.IsSorted(steps[:]) || steps[0] < 0 || steps[7] > money.Whole {
				t.Fatalf("steps %v", steps)
			}
		}
		for i := 1; i < negotiation.Steps; i++ {
			if c.Give[i] < min(c.Give[i-1]+token, money.Whole) {
				t.Fatalf("give %v", c.Give)
			}
		}
		if c.Reach < money.Whole || c.Reach > 2*money.Whole || c.Markup < money.Whole || c.Markup > 2*money.Whole {
			t.Fatalf("reach %v, markup %v", c.Reach, c.Markup)
		}
	}
}

// Every family is left out with some part, but never most families at once.
func TestLeftOutParts(t *testing.T) {
	t.Parallel()
	families := market.Families()
	left := map[string]bool{}
	for _, p := range leftOutParts(families) {
		count := 0
		for _, f := range families {
			if !p.without(f) {
				count++
				left[f.Name] = true
			}
		}
		if count == 0 || 2*count > len(families) {
			t.Errorf("%s leaves %d families out", p.name, count)
		}
	}
	if len(left) != len(families) {
		t.Errorf("%d of %d families are left out", len(left), len(families))
	}
}
