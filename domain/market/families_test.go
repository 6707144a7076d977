package market

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
)

func TestFamilies(t *testing.T) {
	t.Parallel()
	all := Families()
	if len(all) < 25 {
		t.Errorf("there are %d families, want at least 25", len(all))
	}
	names, parts := map[string]bool{}, map[string]int{}
	for _, f := range all {
		if names[f.Name] {
			t.Errorf("two families are named %s", f.Name)
		}
		names[f.Name] = true
		for _, part := range []string{"bidding " + f.Parts.Bidding, "acceptance " + f.Parts.Acceptance, "patience " + f.Parts.Patience, "memory " + f.Parts.Memory} {
			parts[part]++
		}
		if f.Parts.Bidding == "" || f.Parts.Acceptance == "" || f.Parts.Patience == "" || f.Parts.Memory == "" {
			t.Errorf("%s lacks a part: %+v", f.Name, f.Parts)
		}
	}
	if len(parts) < 20 {
		t.Errorf("the families have %d parts, want at least 20: %v", len(parts), parts)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	all := Settings()
	if len(all) < 12 {
		t.Errorf("there are %d settings, want at least 12", len(all))
	}
	has := map[string]bool{}
	for _, s := range all {
		has["cheap"] = has["cheap"] || s.List >= 8_00 && s.List <= 40_00
		has["expensive"] = has["expensive"] || s.List >= 1_000_00
		has["low cost"] = has["low cost"] || s.Cost <= .30
		has["high cost"] = has["high cost"] || s.Cost >= .85
		has["small discount"] = has["small discount"] || s.MaxDiscount == 10*money.Percent(10)
		has["large discount"] = has["large discount"] || s.MaxDiscount == 35*money.Percent(10)
		has["several pieces"] = has["several pieces"] || s.Quantity > 1
		if has[s.Name] {
			t.Errorf("two settings are named %s", s.Name)
		}
		has[s.Name] = true
	}
	for _, want := range []string{"cheap", "expensive", "low cost", "high cost", "small discount", "large discount", "several pieces"} {
		if !has[want] {
			t.Errorf("no setting has: %s", want)
		}
	}
}

// The buyer of the package's example, by the formulas: against a seller that rejects everything, and one that counters.
func TestFamilies_offers(t *testing.T) {
	t.Parallel()
	falling := countering(9500, 9000, 8600, 8600, 8600)
	for _, c := range []struct {
		family string
		answer func(int, int64) Answer
		offers []int64
	}{
		{"last-minute", rejecting, []int64{6300, 6300, 6300, 6374, 9000}},
		{"eager", rejecting, []int64{6300, 8819, 8908, 8961, 9000}},
		{"exponential", rejecting, []int64{6570, 6780, 7154, 7818, 9000}},
		{"proportional", rejecting, []int64{6300, 6570, 6840, 7110, 7380}},
		{"proportional", falling, []int64{6300, 6632, 7000, 7326, 7596, 8600}},
		{"averaging", falling, []int64{6300, 6632, 7369, 8569, 8600}},
		{"target", rejecting, []int64{6300, 6975, 7650, 8280, 8280}},
		{"target", falling, []int64{6300, 6975, 7650, 8280, 8280}},
		{"stubborn", rejecting, []int64{6300, 6975, 7650, 8325, 8550}},
		{"expecting", countering(8950), []int64{6300, 6975, 8950}},
		{"assistant", rejecting, []int64{6300, 7650, 8325, 8662, 9000}},
		{"agreeable", falling, []int64{6300, 6975, 9000}},
		{"discounting", countering(8800), []int64{6300, 6327, 8800}},
		{"learning", rejecting, []int64{6300, 6300, 7650, 8325, 9000}},
		{"candid", rejecting, []int64{9000, 9000, 9000, 9000, 9000}},
		{"one-shot", rejecting, []int64{6300}},
		{"one-shot", countering(8999), []int64{6300, 8999}},
	} {
		s := &script{answer: c.answer}
		negotiate(t, s, c.family, Rules{})
		if !slices.Equal(s.offers, c.offers) {
			t.Errorf("%s offers %d, want %d", c.family, s.offers, c.offers)
		}
	}
}

// A buyer who would pay less than its V, because of a target or of another shop, is compared with posted prices by what it would pay.
func TestRules_Haggle_effectiveWorth(t *testing.T) {
	t.Parallel()
	for family, most := range map[string]int64{"target": 8280, "stubborn": 8550, "linear": 9000} {
		out, _ := negotiate(t, &script{answer: rejecting}, family, Rules{})
		if out.Worth != most {
			t.Errorf("the worth of a %s buyer is %d, want %d", family, out.Worth, most)
		}
	}
}

// stepped is a seller whose price falls to a lower one with each offer of at least 8000, in every session alike.
type stepped struct{ sessions *int }

func (s stepped) Open(Item) Negotiation {
	*s.sessions++
	n, current := 0, int64(10000)
	return &script{answer: func(_ int, offer int64) Answer {
		if offer >= current {
			return Answer{Verdict: Accepted, Price: offer}
		}
		if offer >= 8000 {
			n++
		}
		current = []int64{9400, 8900, 8500}[min(n, 2)]
		return Answer{Verdict: Countered, Price: max(current, offer+1)}
	}}
}

func TestRules_learnBefore(t *testing.T) {
	t.Parallel()
	for family, before := range map[string]int{"returning": 1, "coalition": 8, "linear": 0} {
		sessions := 0
		r := Rules{Seller: stepped{&sessions}, Item: item}
		out := r.Haggle(0, buyer, named(t, family), rand.New(rand.NewPCG(1, 2)))
		if sessions != before+1 || out.Price == 0 {
			t.Errorf("%s: %d sessions, want %d; pays %d", family, sessions, before+1, out.Price)
		}
	}
}
