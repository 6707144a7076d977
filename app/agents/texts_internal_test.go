package agents

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
)

func dollars(t testing.TB, text string) money.Amount {
	t.Helper()
	a, err := money.Parse(text, money.USD)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The buyer sees the list price 1,200.00, the offer 900.00, the price 1,099.50 and two pieces. The floor is 960.00.
func TestFit_visibleNumbers(t *testing.T) {
	t.Parallel()
	seen := []money.Amount{dollars(t, "1200"), dollars(t, "900"), dollars(t, "1099.50")}
	for text, want := range map[string]bool{
		"": true, "We are glad that you like it.": true, "One of our best, and it is yours.": true, "A tent for tenting.": true,
		"$1,099.50 for each of the 2.": true, "1099.5": true, "1.099,50 €": true, "1 099,50": true, "1\u202f099,50": true, "1’099.50": true,
		"1'099.50": true, "USD1099.50.": true, "From 1200 down to 1099.50, not 900!": true, "1200.00/900.00": true, "01200": true,
		"1,200, 900 or 1,099.50 for 2": true, "2 1099.50": true, "1,200.": true, "(1200)": true,

		"We could go down to 960.": false, "960.00": false, "$960": false, "nine hundred sixty": false, "Sixty more.": false,
		"20% off": false, "109950": false, "1099.51": false, "10.9950": false, "１０９９.５": false, "９６０": false, "٩٦٠": false,
		"Ⅸ": false, "96\u200b0": false, "9\u03016\u03010": false, "9 6 0": false, "1200 960": false, "960, 1200": false, "1200.960": false,
		"1200-960": false, "x960y": false, "9.6e2": false, "0x3c0": false, "m²": false, "3 left": false, "1099.50.00": false, "0": false,
	} {
		if got := fit(text, 2, seen...); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFit_otherCurrencies(t *testing.T) {
	t.Parallel()
	yen, _ := money.ParseCurrency("JPY")
	dinar, _ := money.ParseCurrency("BHD")
	for text, want := range map[string]bool{"¥5,000": true, "5000": true, "1.25": true, "1,250": true, "1250": false, "50": false, "125": false} {
		if got := fit(text, 1, money.Of(5000, yen), money.Of(1250, dinar)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A text with a secret number between any two other texts does not pass.
func FuzzFit(f *testing.F) {
	f.Add("from 1,200 down to ", " or so")
	f.Add("1 ", ",00")
	f.Add("", "")
	list := dollars(f, "1200")
	f.Fuzz(func(t *testing.T, before, after string) {
		if fit(before+" floor: 961.37; "+after, 2, list) {
			t.Errorf("%q, %q", before, after)
		}
	})
}
