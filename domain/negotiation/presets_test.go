package negotiation_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestPresets(t *testing.T) {
	t.Parallel()
	presets := negotiation.Presets()
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
		check := fault.NewCheck()
		p.Policy.Check(check)
		if err := check.Err(); err != nil || p.Title == "" || p.Sentence == "" || !p.Policy.Enabled {
			t.Errorf("%s: %v, %+v", p.Name, err, p)
		}
	}
	if want := []string{"keep_margin", "balanced", "clear_stock"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("presets %v, want %v", names, want)
	}
	if !reflect.DeepEqual(presets[1].Policy, negotiation.Builtin()) {
		t.Errorf("balanced is not the built-in policy: %+v", presets[1].Policy)
	}
}

// For any product, buyer and settings, no preset goes below the shop's limits, and each one's prices are at or above
// those of the next.
func TestPresets_bounds(t *testing.T) {
	t.Parallel()
	r, presets := draw{rand.New(rand.NewPCG(26, 11))}, negotiation.Presets()
	lower := make([]int, len(presets))
	for range 50_000 {
		settings, s := project.DefaultSettings(), r.signals(money.USD)
		settings.MaxDiscount = money.Percent(r.between(0, 900))
		var above negotiation.Bounds
		for i, preset := range presets {
			b := negotiation.Bound(preset.Policy.Under(settings), s)
			list, floor := s.List.Minor(), b.Floor().Minor()
			if least := list - list/1000*int64(settings.MaxDiscount) - list%1000*int64(settings.MaxDiscount)/1000; floor < least {
				t.Fatalf("%s sells %v for %v; the shop gives at most %v", preset.Name, s.List, b.Floor(), settings.MaxDiscount)
			}
			if s.Cost != nil && s.Cost.Minor() <= list && floor < s.Cost.Minor() {
				t.Fatalf("%s sells for %v what cost %v", preset.Name, b.Floor(), *s.Cost)
			}
			if i > 0 {
				for _, pair := range [][2]money.Amount{{above.Floor(), b.Floor()}, {above.Target(), b.Target()}, {above.Opening(), b.Opening()}} {
					if pair[0].Minor() < pair[1].Minor() {
						t.Fatalf("%s has %+v, %s %+v of %+v", presets[i-1].Name, above, preset.Name, b, s)
					}
				}
				if b.Floor().Minor() < above.Floor().Minor() {
					lower[i]++
				}
			}
			above = b
		}
	}
	if lower[1] == 0 || lower[2] == 0 {
		t.Errorf("floors never differ: %v", lower)
	}
}
