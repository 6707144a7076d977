package decimal

import "math/big"

// currencyDecimals lists the ISO 4217 currencies that do not have two decimals.
var currencyDecimals = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
	"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// Places returns the number of decimals of an ISO 4217 currency.
func Places(currency string) int {
	if places, known := currencyDecimals[currency]; known {
		return places
	}
	return 2
}

// Percent returns percent % of d, rounded up to places decimals (0 to 4).
func (d Decimal) Percent(percent Decimal, places int) Decimal {
	scaled := new(big.Int).Mul(big.NewInt(d.n), big.NewInt(percent.n))
	step := stepOf(places)
	divisor := big.NewInt(100 * unit * step)
	quotient, remainder := new(big.Int).QuoRem(scaled, divisor, new(big.Int))
	if remainder.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return Decimal{quotient.Int64()}.Times(step)
}

// Down truncates d to places decimals, towards zero.
func (d Decimal) Down(places int) Decimal {
	step := stepOf(places)
	return Decimal{d.n / step * step}
}

// MultipleOf reports whether d is a whole multiple of e.
func (d Decimal) MultipleOf(e Decimal) bool { return e.n != 0 && d.n%e.n == 0 }

// stepOf returns the smallest amount of places decimals, in ten-thousandths.
func stepOf(places int) int64 {
	step := int64(unit)
	for range places {
		step /= 10
	}
	return step
}

// Step returns the largest of 1, 2 and 5 × 10ⁿ that is at most d ÷ parts, and at least 0.0001.
func (d Decimal) Step(parts int64) Decimal {
	step := Decimal{1}
	for next := (Decimal{10}); next.n <= d.n/parts; next.n *= 10 {
		step = next
	}
	for _, n := range []int64{5, 2} {
		if step.n*n <= d.n/parts {
			return step.Times(n)
		}
	}
	return step
}

// Up rounds d, which is not negative, up to a multiple of step.
func (d Decimal) Up(step Decimal) Decimal {
	if rest := d.n % step.n; rest != 0 {
		return Decimal{d.n - rest + step.n}
	}
	return d
}
