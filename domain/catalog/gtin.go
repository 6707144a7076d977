package catalog

import "strings"

// ParseGTIN reads a Global Trade Item Number: a GTIN-8, UPC (12 digits), EAN or ISBN (13) or GTIN-14. The last digit is
// the check digit. Spaces and hyphens between the digits are dropped.
func ParseGTIN(text string) (string, bool) {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	switch len(digits) {
	case 8, 12, 13, 14:
	default:
		return "", false
	}
	sum := 0
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return "", false
		}
		weight := 3 // of every other digit, counted from the one before the check digit
		if (len(digits)-i)%2 == 1 {
			weight = 1
		}
		sum += weight * int(digits[i]-'0')
	}
	return digits, sum%10 == 0 && strings.Trim(digits, "0") != ""
}

const wrongGTIN = "must be a GTIN: 8, 12, 13 or 14 digits, of which the last is the correct check digit"
