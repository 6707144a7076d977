package pricepath_test

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// dollars writes amounts as a console in English does.
func dollars(a money.Amount) string {
	return symbol(a) + grouped(a.String())
}

func grouped(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

func symbol(a money.Amount) string {
	switch a.Currency().Code() {
	case "USD":
		return "$"
	case "JPY":
		return "¥"
	}
	return a.Currency().Code() + "\u00a0"
}

// plain is a jacket of 169.00 that costs 77.74, for a buyer of whom nothing is known.
var plain = jacket()

func jacket() negotiation.Signals {
	cost := money.Of(77_74, money.USD)
	return negotiation.Signals{
		List:       money.Of(169_00, money.USD),
		Cost:       &cost,
		CartValue:  money.Zero(money.USD),
		Quantity:   1,
		Stock:      20,
		Negotiable: true,
	}
}
