package feed

import (
	"errors"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// amount parses digits as money and reports problems to check.
func amount(digits, field string, currency money.Currency, check fault.Check) money.Amount {
	a, err := money.Parse(digits, currency)
	if err != nil {
		check.That(false, field, err.Error())
	}
	return a
}

// price parses a cell as money. It refuses an exponent, because spreadsheets produce those from SKUs and dates.
func price(text, field string, currency money.Currency, check fault.Check) money.Amount {
	if strings.ContainsAny(text, "eE") {
		check.That(false, field, noDecimal(text, currency))
		return money.Amount{}
	}
	a, err := money.Parse(text, currency)
	switch {
	case errors.Is(err, money.ErrSyntax):
		check.That(false, field, noDecimal(text, currency))
	case err != nil:
		check.That(false, field, err.Error())
	}
	return a
}

// noDecimal returns the message for a text that is not a decimal number, with the correct spelling if that is clear.
func noDecimal(text string, currency money.Currency) string {
	const message = "is not a decimal number"
	if plain, ok := plainDecimal(text); ok {
		if a, err := money.Parse(plain, currency); err == nil && a.IsPositive() {
			return message + "; write " + a.String()
		}
	}
	return message
}

// plainDecimal returns "1234.5" for "$1,234.5", "1.234,5 €", "1 234,5" and "1.2345e3". A single separator before three
// digits separates thousands.
func plainDecimal(text string) (plain string, ok bool) {
	if strings.HasPrefix(text, "-") {
		return "", false
	}
	text = strings.TrimSpace(strings.TrimFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) }))
	if strings.ContainsAny(text, "eE") {
		return text, strings.Trim(text, "0123456789.eE+-") == ""
	}
	text = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, text)
	if strings.Trim(text, "0123456789.,") != "" {
		return "", false
	}
	last := strings.LastIndexAny(text, ".,")
	if last == len(text)-1 {
		return "", false
	}
	if last < 0 {
		return text, true
	}
	whole, fraction := text[:last], text[last+1:]
	thousands := len(fraction) == 3 && !strings.HasPrefix(whole, "0") && strings.Count(text, text[last:last+1]) == strings.Count(text, ".")+strings.Count(text, ",")
	if strings.Contains(whole, text[last:last+1]) && !thousands {
		return "", false
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	if thousands {
		return whole + fraction, true
	}
	return whole + "." + fraction, true
}

// whole parses digits as a whole number.
func whole(digits, field string, check fault.Check) int {
	n, err := money.ParseDecimal(digits, 0)
	switch {
	case errors.Is(err, money.ErrSyntax), errors.Is(err, money.ErrTooPrecise):
		check.That(false, field, "is not a whole number")
	case err != nil:
		check.That(false, field, err.Error())
	}
	return int(n)
}

// stock parses digits as a quantity.
func stock(digits, field string, check fault.Check) int {
	n := whole(digits, field, check)
	check.That(n >= 0 && n <= catalog.MaxStock, field, "must be between 0 and 1,000,000,000")
	return n
}

// decimal parses digits as an integer scaled by 10^places.
func decimal(digits string, places int, field, tooPrecise string, check fault.Check) int {
	n, err := money.ParseDecimal(digits, places)
	switch {
	case errors.Is(err, money.ErrTooPrecise):
		check.That(false, field, tooPrecise)
	case err != nil:
		check.That(false, field, err.Error())
	}
	return int(n)
}
