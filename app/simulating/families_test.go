package simulating

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func familiesOf(buyers int) FamilyConfig {
	return FamilyConfig{
		Seed:     1,
		Buyers:   buyers,
		Families: market.Families(),
		Settings: market.Settings(),
		SellerOf: SellersOf(negotiation.Builtin()),
	}
}

func TestPlayFamilies(t *testing.T) {
	t.Parallel()
	c := familiesOf(100)
	r, err := PlayFamilies(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != len(c.Families)*len(c.Settings) || len(r.Families) != len(c.Families) || len(r.Settings) != len(c.Settings) {
		t.Fatalf("%d cells, %d families, %d settings", len(r.Cells), len(r.Families), len(r.Settings))
	}
	for _, cell := range r.Cells {
		if cell.Broken > 0 || cell.OfPosted.Value <= 0 || cell.OfOptimum.Value > 1.000001 || cell.DealRate <= 0 {
			t.Errorf("%s in %s: %+v", cell.Family, cell.Setting, cell)
		}
		if cell.OfPosted.Value < r.Worst.OfPosted.Value {
			t.Errorf("%s in %s is worse than the worst", cell.Family, cell.Setting)
		}
	}
	again, err := PlayFamilies(t.Context(), c)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("the same seed gives another result: %v", err)
	}
}

// With the built-in policy, buyers who know of other sessions pay about as much as plain buyers.
func TestPlayFamilies_informed(t *testing.T) {
	t.Parallel()
	r, err := PlayFamilies(t.Context(), familiesOf(100))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range r.Informed {
		names = append(names, i.Family)
		if i.Buyers == 0 || i.Pays.Value < .97 || i.Pays.Value > 1.03 || i.Pays.Error <= 0 {
			t.Errorf("%+v", i)
		}
	}
	if !reflect.DeepEqual(names, []string{"cross-session", "returning", "coalition"}) {
		t.Errorf("informed families are %q", names)
	}
}

func TestPlayFamilies_refusals(t *testing.T) {
	t.Parallel()
	few, none, canceled := familiesOf(9), familiesOf(100), familiesOf(100)
	none.Families = nil
	for name, c := range map[string]FamilyConfig{"few buyers": few, "no family": none} {
		if _, err := PlayFamilies(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PlayFamilies(ctx, canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func BenchmarkPlayFamilies(b *testing.B) {
	c := familiesOf(10)
	for b.Loop() {
		if _, err := PlayFamilies(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
