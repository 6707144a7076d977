// Package money defines exact amounts: int64 minor units of an ISO 4217 currency, never a float. It does not convert
// currencies.
//
// Amounts come in as decimal text and go out as decimal text. Arithmetic checks overflow and
// currency and returns new values. Only Share and MulDiv round, in a given direction.
package money

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// Limit is above every amount that crosses a boundary: amounts are below 10^12 minor units
// (features/PROTOCOL.md#values).
const Limit = 1_000_000_000_000

var (
	ErrSyntax       = errors.New("is not a decimal number")
	ErrTooPrecise   = errors.New("has more decimals than the currency")
	ErrOutOfRange   = errors.New("is too large")
	ErrMismatch     = errors.New("money: currencies differ")
	ErrOverflow     = errors.New("money: overflow")
	ErrUnknownMoney = errors.New("is not an ISO 4217 currency")
)

// Amount is a number of minor units in one currency. The zero Amount has no currency and equals
// only itself.
type Amount struct {
	minor    int64
	currency Currency
}

// Of returns an amount in minor units: Of(4990, USD) is 49.90 USD.
func Of(minor int64, c Currency) Amount { return Amount{minor, c} }

// Zero returns 0 in a currency.
func Zero(c Currency) Amount { return Amount{0, c} }

func (a Amount) Minor() int64       { return a.minor }
func (a Amount) Currency() Currency { return a.currency }
func (a Amount) IsZero() bool       { return a.minor == 0 }
func (a Amount) IsNegative() bool   { return a.minor < 0 }
func (a Amount) IsPositive() bool   { return a.minor > 0 }

// Parse reads a JSON number's digits as an amount of the currency. "49.9", "49.90" and "4.99e1" are
// the same 4990 minor units of USD; trailing zeros beyond the currency's decimals are allowed.
// It refuses text that is no number (ErrSyntax), more decimals than the currency has
// (ErrTooPrecise) and amounts of Limit or more (ErrOutOfRange).
func Parse(text string, c Currency) (Amount, error) {
	minor, err := ParseDecimal(text, c.Digits())
	if err != nil {
		return Amount{}, err
	}
	return Amount{minor, c}, nil
}

// ParseDecimal parses decimal text as an integer scaled by 10^digits: ("12.5", 1) is 125. It is exact, with the errors
// and the limit of Parse.
func ParseDecimal(text string, digits int) (int64, error) {
	mantissa, exponent, err := splitExponent(text)
	if err != nil {
		return 0, err
	}
	negative := strings.HasPrefix(mantissa, "-")
	whole, fraction, dotted := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	if whole == "" || (dotted && fraction == "") || !allDigits(whole) || !allDigits(fraction) {
		return 0, ErrSyntax
	}
	significant := strings.TrimLeft(whole+fraction, "0")
	scale := exponent - len(fraction) + digits // value = significant × 10^scale minor units
	for scale < 0 && strings.HasSuffix(significant, "0") {
		significant, scale = significant[:len(significant)-1], scale+1
	}
	switch {
	case significant == "":
		return 0, nil
	case scale < 0:
		return 0, ErrTooPrecise
	case scale > 12 || len(significant)+scale > 12:
		return 0, ErrOutOfRange
	}
	n, err := strconv.ParseInt(significant+strings.Repeat("0", scale), 10, 64)
	if err != nil {
		return 0, ErrSyntax
	}
	if negative {
		n = -n
	}
	return n, nil
}

// splitExponent separates "4.99e1" into "4.99" and 1. It clamps exponents beyond ±10^9: no text has enough digits to
// compensate for them, so the result (out of range, too precise) stays correct.
func splitExponent(text string) (mantissa string, exponent int, err error) {
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, nil
	}
	digits := text[i+1:]
	sign := 1
	if strings.HasPrefix(digits, "-") {
		sign = -1
	}
	digits = strings.TrimLeft(digits, "+-")
	if digits == "" || !allDigits(digits) || len(text)-i-1-len(digits) > 1 {
		return "", 0, ErrSyntax
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1e9 {
		n = 1e9
	}
	return text[:i], sign * n, nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String is the amount as decimal text with all of the currency's decimals: "49.90", "-0.05", "500".
func (a Amount) String() string { return FormatDecimal(a.minor, a.currency.Digits()) }

// FormatDecimal writes an integer scaled by 10^digits as decimal text: (125, 1) is "12.5".
func FormatDecimal(n int64, digits int) string {
	var buf [32]byte
	return string(AppendDecimal(buf[:0], n, digits))
}

// AppendDecimal appends what FormatDecimal returns.
func AppendDecimal(to []byte, n int64, digits int) []byte {
	magnitude := uint64(n)
	if n < 0 {
		to = append(to, '-')
		magnitude = -magnitude
	}
	var buf [20]byte
	text := strconv.AppendUint(buf[:0], magnitude, 10)
	whole := max(len(text)-digits, 0)
	if whole == 0 {
		to = append(to, '0')
	}
	to = append(to, text[:whole]...)
	if digits > 0 {
		to = append(to, '.')
	}
	for range digits - len(text) {
		to = append(to, '0')
	}
	return append(to, text[whole:]...)
}

// Add is a + b.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, ErrMismatch
	}
	sum := a.minor + b.minor
	if (sum > a.minor) != (b.minor > 0) {
		return Amount{}, ErrOverflow
	}
	return Amount{sum, a.currency}, nil
}

// Sub is a − b.
func (a Amount) Sub(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, ErrMismatch
	}
	difference := a.minor - b.minor
	if (difference < a.minor) != (b.minor > 0) {
		return Amount{}, ErrOverflow
	}
	return Amount{difference, a.currency}, nil
}

// Mul is a × n.
func (a Amount) Mul(n int64) (Amount, error) {
	if n == 0 || a.minor == 0 {
		return Amount{0, a.currency}, nil
	}
	product := a.minor * n
	if product/n != a.minor || (a.minor == -1<<63 && n == -1) {
		return Amount{}, ErrOverflow
	}
	return Amount{product, a.currency}, nil
}

// Rounding is the direction in which fractions of a minor unit are rounded.
type Rounding uint8

const (
	Down   Rounding = iota // toward zero: for what a merchant gives
	Up                     // away from zero: for what a merchant must get
	HalfUp                 // to the nearest, halves away from zero: for tax
)

// Share is a × numerator / denominator, exact in between, rounded once. The denominator is positive.
func (a Amount) Share(numerator, denominator int64, r Rounding) (Amount, error) {
	n, err := MulDiv(a.minor, numerator, denominator, r)
	return Amount{n, a.currency}, err
}

// MulDiv is n × numerator / denominator with a 128-bit product, rounded once.
func MulDiv(n, numerator, denominator int64, r Rounding) (int64, error) {
	if denominator <= 0 {
		return 0, ErrOverflow
	}
	negative := (n < 0) != (numerator < 0)
	hi, lo := bits.Mul64(magnitude(n), magnitude(numerator))
	if hi >= uint64(denominator) {
		return 0, ErrOverflow
	}
	quotient, rest := bits.Div64(hi, lo, uint64(denominator))
	away := uint64(0)
	if rest > 0 && (r == Up || r == HalfUp && rest >= uint64(denominator)-rest) {
		away = 1
	}
	switch {
	case negative && quotient <= 1<<63-away:
		return -int64(quotient + away), nil
	case !negative && quotient <= 1<<63-1-away:
		return int64(quotient + away), nil
	}
	return 0, ErrOverflow
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
