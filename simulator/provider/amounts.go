package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// minorUnits parses PayPal's decimal text, which may have no more decimals than its currency.
func minorUnits(value, currency string) (int64, bool) {
	places := decimal.Places(strings.ToUpper(currency))
	whole, fraction, pointed := strings.Cut(value, ".")
	if whole == "" || pointed && fraction == "" || len(fraction) > places || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	return n, err == nil
}

// decimals formats minor units with all decimals of the currency.
func decimals(n int64, currency string) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	places := decimal.Places(strings.ToUpper(currency))
	digits := fmt.Sprintf("%0*d", places+1, n)
	if places == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}
