// Package decimal is an exact decimal number for prices and percentages, with at most four decimals and without floats.
// It knows how many decimals a currency has, but a Decimal has no currency.
package decimal

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	digits = 4
	unit   = 10_000 // 1.0 in ten-thousandths
)

// ErrNotDecimal means that a text is not a plain decimal number of at most four decimals.
var ErrNotDecimal = errors.New("not a plain decimal number")

// Decimal is an exact number in ten-thousandths. Equal numbers are ==, even if they were written differently (49.9 and
// 49.90).
type Decimal struct{ n int64 }

// FromInt returns n. It panics if n is out of range (beyond 9·10^14).
func FromInt(n int64) Decimal { return Decimal{n}.Times(unit) }

// Parse parses "-12.5", "49.90" or "7". It refuses exponents, because the contract writes numbers as digits.
func Parse(text string) (Decimal, error) {
	rest, negative := strings.CutPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(rest, ".")
	if !allDigits(whole) || pointed && !allDigits(fraction) {
		return Decimal{}, fmt.Errorf("%w: %.40q", ErrNotDecimal, text)
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return Decimal{}, fmt.Errorf("%w: %.40q has more than %d decimals", ErrNotDecimal, text, digits)
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return Decimal{}, fmt.Errorf("%w: %.40q is too large", ErrNotDecimal, text)
	}
	if negative {
		n = -n
	}
	return Decimal{n}, nil
}

// MustParse is Parse for literals. It panics on an error.
func MustParse(text string) Decimal {
	d, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return d
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// UnmarshalJSON accepts JSON numbers but no strings. null leaves d unchanged.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// MarshalJSON writes no more digits than needed.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// String writes no more digits than needed: "49.9".
func (d Decimal) String() string {
	text := d.Fixed(digits)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// Fixed writes places decimals (0 to 4) and truncates the rest: "49.90" for 2.
func (d Decimal) Fixed(places int) string {
	sign, n := "", uint64(d.n)
	if d.n < 0 {
		sign, n = "-", -uint64(d.n)
	}
	fraction := fmt.Sprintf("%04d", n%unit)[:places]
	if places > 0 {
		fraction = "." + fraction
	}
	return sign + strconv.FormatUint(n/unit, 10) + fraction
}

// Plus returns d + e.
func (d Decimal) Plus(e Decimal) Decimal {
	sum := d.n + e.n
	if (sum > d.n) != (e.n > 0) {
		panic("decimal: overflow")
	}
	return Decimal{sum}
}

// Minus returns d - e.
func (d Decimal) Minus(e Decimal) Decimal { return d.Plus(Decimal{-e.n}) }

// Times returns d × count.
func (d Decimal) Times(count int64) Decimal {
	if d.n == 0 || count == 0 {
		return Decimal{}
	}
	product := d.n * count
	if product/count != d.n || count == -1 && d.n == math.MinInt64 {
		panic("decimal: overflow")
	}
	return Decimal{product}
}

// Over returns d ÷ count, truncated towards zero.
func (d Decimal) Over(count int64) Decimal { return Decimal{d.n / count} }

// Whole returns the integer part.
func (d Decimal) Whole() int64 { return d.n / unit }

// Cmp returns -1, 0 or +1 if d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	switch {
	case d.n < e.n:
		return -1
	case d.n > e.n:
		return 1
	}
	return 0
}

// Less reports whether d < e.
func (d Decimal) Less(e Decimal) bool { return d.n < e.n }

// Sign returns -1, 0 or +1.
func (d Decimal) Sign() int { return d.Cmp(Decimal{}) }

// Ratio returns d as a share of whole. It is for statistics only; no price is computed from it.
func (d Decimal) Ratio(whole Decimal) float64 { return float64(d.n) / float64(whole.n) }
