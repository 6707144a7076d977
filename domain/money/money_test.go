package money_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
)

var (
	jpy = mustCurrency("JPY")
	bhd = mustCurrency("BHD")
)

func mustCurrency(code string) money.Currency {
	c, err := money.ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

func TestParseByExample(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 12_000)
	for _, c := range []struct {
		text     string
		currency money.Currency
		minor    int64
		err      error
	}{
		{"49.9", money.USD, 4990, nil}, {"49.90", money.USD, 4990, nil}, {"49.9000", money.USD, 4990, nil},
		{"4.99e1", money.USD, 4990, nil}, {"499E-1", money.USD, 4990, nil}, {"0.499e+2", money.USD, 4990, nil},
		{"19.99", money.USD, 1999, nil}, {"0", money.USD, 0, nil}, {"-0", money.USD, 0, nil}, {"-0.05", money.USD, -5, nil},
		{"500", jpy, 500, nil}, {"500.0", jpy, 500, nil}, {"5e2", jpy, 500, nil}, {"0.5", jpy, 0, money.ErrTooPrecise},
		{"1.234", bhd, 1234, nil}, {"1.2345", bhd, 0, money.ErrTooPrecise}, {"1.234", money.USD, 0, money.ErrTooPrecise},
		{"9999999999.99", money.USD, money.Limit - 1, nil}, {"10000000000", money.USD, 0, money.ErrOutOfRange},
		{"-9999999999.99", money.USD, 1 - money.Limit, nil}, {"999999999999", jpy, money.Limit - 1, nil},
		{"1000000000000", jpy, 0, money.ErrOutOfRange}, {"999999999.999", bhd, money.Limit - 1, nil},
		{"1e400", money.USD, 0, money.ErrOutOfRange}, {"-1e400", money.USD, 0, money.ErrOutOfRange},
		{"1e-400", money.USD, 0, money.ErrTooPrecise}, {"0e999999", money.USD, 0, nil}, {"0e-999999", money.USD, 0, nil},
		{"1e99999999999999999999", money.USD, 0, money.ErrOutOfRange}, {"1e-99999999999999999999", money.USD, 0, money.ErrTooPrecise},
		{"0." + zeros + "1e12001", money.USD, 100, nil}, {"1" + zeros + "e-12000", money.USD, 100, nil},
		{"1" + zeros, money.USD, 0, money.ErrOutOfRange}, {zeros + "7", money.USD, 700, nil},
		{"", money.USD, 0, money.ErrSyntax}, {"-", money.USD, 0, money.ErrSyntax}, {"+1", money.USD, 0, money.ErrSyntax},
		{"--1", money.USD, 0, money.ErrSyntax}, {".5", money.USD, 0, money.ErrSyntax}, {"5.", money.USD, 0, money.ErrSyntax},
		{"1.2.3", money.USD, 0, money.ErrSyntax}, {"1e", money.USD, 0, money.ErrSyntax}, {"1e+-2", money.USD, 0, money.ErrSyntax},
		{"1e2e3", money.USD, 0, money.ErrSyntax}, {"1e1.5", money.USD, 0, money.ErrSyntax}, {"e5", money.USD, 0, money.ErrSyntax},
		{"NaN", money.USD, 0, money.ErrSyntax}, {"Infinity", money.USD, 0, money.ErrSyntax}, {"0x10", money.USD, 0, money.ErrSyntax},
		{"1,000", money.USD, 0, money.ErrSyntax}, {"1_000", money.USD, 0, money.ErrSyntax}, {" 1", money.USD, 0, money.ErrSyntax},
		{"١", money.USD, 0, money.ErrSyntax}, {"1 ", money.USD, 0, money.ErrSyntax}, {"$1", money.USD, 0, money.ErrSyntax},
	} {
		got, err := money.Parse(c.text, c.currency)
		if !errors.Is(err, c.err) || err == nil && got != money.Of(c.minor, c.currency) {
			t.Errorf("Parse(%.40q, %s) = %s, %v; want %d, %v", c.text, c.currency.Code(), got, err, c.minor, c.err)
		}
	}
}

func TestParse_readsString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]money.Currency{money.USD, jpy, bhd}).Draw(t, "currency")
		a := money.Of(rapid.Int64Range(1-money.Limit, money.Limit-1).Draw(t, "minor"), c)
		got, err := money.Parse(a.String(), c)
		if err != nil || got != a {
			t.Fatalf("%q is read as %s (%v)", a, got, err)
		}
	})
}

// FuzzParse compares the result with math/big for any text: the same value, or the right error.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"49.9", "-0.05", "1e400", "1e-400", "0e999999", "4.99e1", "5.", "1e+2", "9999999999.99", "00.10"} {
		f.Add(text, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, digits uint8) {
		digits %= 5
		got, err := money.ParseDecimal(text, int(digits))
		if errors.Is(err, money.ErrSyntax) || tooBigForBig(text) {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number, but was read as %d (%v)", text, got, err)
		}
		scale := new(big.Rat).SetInt64(int64(math.Pow10(int(digits))))
		exact.Mul(exact, scale)
		inRange := new(big.Rat).Abs(exact).Cmp(new(big.Rat).SetInt64(money.Limit)) < 0
		switch {
		case err == nil && exact.Cmp(new(big.Rat).SetInt64(got)) != 0:
			t.Fatalf("%q with %d digits is %s, not %d", text, digits, exact, got)
		case err == nil && !inRange, errors.Is(err, money.ErrOutOfRange) && inRange, errors.Is(err, money.ErrTooPrecise) && exact.IsInt():
			t.Fatalf("%q with %d digits is %s: %d, %v", text, digits, exact, got, err)
		}
		if back, ok := new(big.Rat).SetString(money.FormatDecimal(got, int(digits))); err == nil && (!ok || back.Mul(back, scale).Cmp(exact) != 0) {
			t.Fatalf("%q is written %q", text, money.FormatDecimal(got, int(digits)))
		}
	})
}

// tooBigForBig keeps math/big from computing astronomic powers.
func tooBigForBig(text string) bool {
	i := strings.IndexAny(text, "eE")
	return i >= 0 && len(text)-i > 5
}

func TestAmount_String(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]money.Amount{
		"0.00": money.Zero(money.USD), "0.05": money.Of(5, money.USD), "-0.05": money.Of(-5, money.USD),
		"12.30": money.Of(1230, money.USD), "0": money.Zero(jpy), "-7": money.Of(-7, jpy), "0.007": money.Of(7, bhd),
		"-92233720368547758.08": money.Of(math.MinInt64, money.USD), "92233720368547758.07": money.Of(math.MaxInt64, money.USD),
	} {
		if a.String() != want {
			t.Errorf("%q, want %q", a, want)
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for code, digits := range map[string]int{"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "BHD": 3, "TND": 3} {
		if c, err := money.ParseCurrency(code); err != nil || c.Code() != code || c.Digits() != digits {
			t.Errorf("%s: %+v, %v", code, c, err)
		}
	}
	for _, code := range []string{"", "usd", "US", "USDX", "XXX", "XAU", "BTC", " USD"} {
		if _, err := money.ParseCurrency(code); !errors.Is(err, money.ErrUnknownMoney) {
			t.Errorf("%q: %v", code, err)
		}
	}
	if c, _ := money.ParseCurrency("USD"); c != money.USD {
		t.Error("two kinds of dollars")
	}
}
