package marketreport

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

func families(t *testing.T) *Families {
	t.Helper()
	c := simulating.FamilyConfig{
		Seed:     1,
		Buyers:   50,
		Families: market.Families(),
		Settings: market.Settings()[:3],
		SellerOf: func(s market.Setting) simulating.FloorSeller {
			h := fakeSeller{.8}
			return simulating.FloorSeller{Seller: h, Floor: h.secrets(s.Item()).Floor}
		},
	}
	r, err := simulating.PlayFamilies(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return &Families{
		Report:   r,
		Settings: c.Settings,
		Policy:   "<split>",
		Seed:     1,
		Buyers:   c.Buyers,
		Visitors: 3000,
	}
}

func TestWriteFamilies(t *testing.T) {
	t.Parallel()
	f := families(t)
	left := *f.Report
	left.Families = left.Families[1:] // one was not left out
	for name, c := range map[string]struct {
		left    *simulating.FamilyReport
		headers int
	}{
		"not left out": {nil, 0},
		"left out":     {&left, 6},
	} {
		f.LeftOut, f.Parts = c.left, c.left
		var page strings.Builder
		if err := WriteFamilies(&page, f); err != nil {
			t.Fatal(err)
		}
		counts, _ := elements(t, page.String())
		if families := len(f.Report.Families); counts["svg"] != 2 || counts["table"] != 4 || counts["th"] != 3+8+5+c.headers+4+3+3+2*families {
			t.Errorf("%s: %v", name, counts)
		}
		if found := fetched.FindString(page.String()) + notANumber.FindString(page.String()); found != "" {
			t.Errorf("%s: the page has %q", name, found)
		}
		for _, want := range []string{"&lt;split&gt;", "for 3,000 visitors", f.Report.Worst.Family + " buyers in the setting " + f.Report.Worst.Setting} {
			if !strings.Contains(page.String(), want) {
				t.Errorf("%s: %q is not on the page", name, want)
			}
		}
	}
}

// The money of a month is the margin per buyer times the visitors, by hand for one cell.
func TestFamilies_month(t *testing.T) {
	t.Parallel()
	s := market.Settings()[1]
	f := Families{
		Report: &simulating.FamilyReport{Cells: []simulating.FamilyCell{
			{
				Setting:  s.Name,
				OfPosted: market.Ratio{Value: 1.25, Error: .1},
				Margin:   250,
				Posted:   200,
			},
			{
				Setting:  s.Name,
				OfPosted: market.Ratio{Value: .5, Error: .1},
				Margin:   50,
				Posted:   100,
			},
			{Setting: "another", Margin: 1e6, Posted: 1},
		}},
		Visitors: 1000,
	}
	got := f.month(s)
	if got.Policy != "$1,500" || got.Posted != "$1,500" || got.Difference != "+$0" || got.Spread != "$294" { // 1.96 · .1 · (200 + 100) cents · 500 visitors
		t.Errorf("%+v", got)
	}
}
