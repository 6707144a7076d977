package money_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/money"
)

// edgy generates numbers around zero and the limits of int64.
func edgy() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3), rapid.Int64Min(math.MaxInt64-3), rapid.Int64Max(math.MinInt64+3),
		rapid.Int64Range(-money.Limit, money.Limit))
}

// agrees reports whether a result is exact, or ErrOverflow if the exact one does not fit.
func agrees(got int64, err error, exact *big.Int) bool {
	if !exact.IsInt64() {
		return errors.Is(err, money.ErrOverflow)
	}
	return err == nil && exact.Int64() == got
}

// Add, Sub and Mul are exact or report an overflow.
func TestAmount_exactOrOverflow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, y := edgy().Draw(t, "x"), edgy().Draw(t, "y")
		a, b := money.Of(x, money.USD), money.Of(y, money.USD)
		sum, err := a.Add(b)
		if !agrees(sum.Minor(), err, new(big.Int).Add(big.NewInt(x), big.NewInt(y))) {
			t.Fatalf("%d + %d = %d, %v", x, y, sum.Minor(), err)
		}
		difference, err := a.Sub(b)
		if !agrees(difference.Minor(), err, new(big.Int).Sub(big.NewInt(x), big.NewInt(y))) {
			t.Fatalf("%d - %d = %d, %v", x, y, difference.Minor(), err)
		}
		product, err := a.Mul(y)
		if !agrees(product.Minor(), err, new(big.Int).Mul(big.NewInt(x), big.NewInt(y))) {
			t.Fatalf("%d × %d = %d, %v", x, y, product.Minor(), err)
		}
	})
}

func TestMulAtItsEdges(t *testing.T) {
	t.Parallel()
	edges := []int64{math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, math.MaxInt64}
	for _, x := range edges {
		for _, y := range edges {
			product, err := money.Of(x, money.USD).Mul(y)
			if !agrees(product.Minor(), err, new(big.Int).Mul(big.NewInt(x), big.NewInt(y))) {
				t.Errorf("%d × %d = %d, %v", x, y, product.Minor(), err)
			}
		}
	}
}

func TestAmount_signs(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{-1, 0, 1} {
		a := money.Of(n, money.USD)
		if a.IsNegative() != (n < 0) || a.IsZero() != (n == 0) || a.IsPositive() != (n > 0) {
			t.Errorf("%d: negative %v, zero %v, positive %v", n, a.IsNegative(), a.IsZero(), a.IsPositive())
		}
	}
}

func TestMulDiv_exactRoundedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, numerator := edgy().Draw(t, "n"), edgy().Draw(t, "numerator")
		denominator := rapid.OneOf(rapid.Int64Range(1, 10), rapid.Int64Min(1), rapid.Int64Min(math.MaxInt64-3)).Draw(t, "denominator")
		rounding := rapid.SampledFrom([]money.Rounding{money.Down, money.Up, money.HalfUp}).Draw(t, "rounding")
		checkMulDiv(t, n, numerator, denominator, rounding)
	})
}

func TestMulDivAtItsEdges(t *testing.T) {
	t.Parallel()
	const mersenne = 31 * 8191 // × 145295143558111 is 2^65 − 1, whose half rounds up to 2^64
	for _, r := range []money.Rounding{money.Down, money.Up, money.HalfUp} {
		checkMulDiv(t, mersenne, 145295143558111, 2, r)
		checkMulDiv(t, math.MaxInt64, math.MaxInt64, math.MaxInt64, r)
		checkMulDiv(t, math.MinInt64, 1, 1, r)
		checkMulDiv(t, math.MinInt64, -1, 1, r)
		checkMulDiv(t, math.MinInt64, 1, 2, r)
		checkMulDiv(t, math.MaxInt64, 3, 2, r)
	}
	for _, denominator := range []int64{0, -1, math.MinInt64} {
		if _, err := money.MulDiv(1, 1, denominator, money.Down); !errors.Is(err, money.ErrOverflow) {
			t.Errorf("divided by %d: %v", denominator, err)
		}
	}
}

func checkMulDiv(t rapid.TB, n, numerator, denominator int64, r money.Rounding) {
	t.Helper()
	product := new(big.Int).Mul(big.NewInt(n), big.NewInt(numerator))
	quotient, rest := new(big.Int).QuoRem(product, big.NewInt(denominator), new(big.Int))
	half := rest.Abs(rest).Lsh(rest, 1).Cmp(big.NewInt(denominator))
	if rest.Sign() != 0 && (r == money.Up || r == money.HalfUp && half >= 0) {
		quotient.Add(quotient, big.NewInt(int64(product.Sign())))
	}
	if got, err := money.MulDiv(n, numerator, denominator, r); !agrees(got, err, quotient) {
		t.Errorf("%d × %d / %d, rounding %d: %d, %v; want %s", n, numerator, denominator, r, got, err, quotient)
	}
}

func TestAmount_Add_otherCurrency(t *testing.T) {
	t.Parallel()
	a, b := money.Of(1, money.USD), money.Of(1, jpy)
	_, add := a.Add(b)
	_, sub := a.Sub(b)
	_, nothing := a.Add(money.Amount{})
	for _, err := range []error{add, sub, nothing} {
		if !errors.Is(err, money.ErrMismatch) {
			t.Errorf("got %v", err)
		}
	}
}

func TestShareRounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minor          int64
		down, up, half int64
	}{{0, 0, 0, 0}, {4, 0, 1, 0}, {5, 0, 1, 1}, {6, 0, 1, 1}, {10, 1, 1, 1}, {15, 1, 2, 2}, {-5, 0, -1, -1}, {-14, -1, -2, -1}} {
		for r, want := range map[money.Rounding]int64{money.Down: c.down, money.Up: c.up, money.HalfUp: c.half} {
			if got, err := money.Of(c.minor, money.USD).Share(1, 10, r); err != nil || got != money.Of(want, money.USD) {
				t.Errorf("a tenth of %d, rounding %d: %d, %v; want %d", c.minor, r, got.Minor(), err, want)
			}
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for p, want := range map[money.Percent]string{125: "12.5%", 120: "12%", 0: "0%", 5: "0.5%", -15: "-1.5%", 1000: "100%"} {
		if p.String() != want || p.Decimal()+"%" != want {
			t.Errorf("%d is written %q, want %q", p, p, want)
		}
	}
	if got, err := money.Percent(125).Of(money.Of(999, money.USD), money.Up); err != nil || got.Minor() != 125 {
		t.Errorf("12.5%% of 9.99, rounded up: %s, %v", got, err)
	}
}

// A discount is never overstated: the whole price less the discount is not below the actual price.
func TestOff_neverOverstates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole, part := rapid.Int64Range(1, money.Limit).Draw(t, "whole"), rapid.Int64Range(0, 2*money.Limit).Draw(t, "part")
		off := int64(money.Off(money.Of(whole, money.USD), money.Of(part, money.USD)))
		if part >= whole && off != 0 {
			t.Fatalf("%d is %d off %d", part, off, whole)
		}
		left := func(off int64) *big.Int { return new(big.Int).Mul(big.NewInt(whole), big.NewInt(1000-off)) }
		asked := new(big.Int).Mul(big.NewInt(min(part, whole)), big.NewInt(1000))
		if left(off).Cmp(asked) < 0 || left(off+1).Cmp(asked) >= 0 && part < whole {
			t.Fatalf("%d is said to be %d per mille off %d", part, off, whole)
		}
	})
}

func TestOffNothing(t *testing.T) {
	t.Parallel()
	if off := money.Off(money.Zero(money.USD), money.Of(-5, money.USD)); off != 0 {
		t.Errorf("%s off nothing", off)
	}
}
