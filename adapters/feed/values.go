package feed

import (
	"errors"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// amount reads digits as money; what is wrong with them goes to check.
func amount(digits, field string, currency money.Currency, check fault.Check) money.Amount {
	a, err := money.Parse(digits, currency)
	if err != nil {
		check.That(false, field, err.Error())
	}
	return a
}

// whole reads digits as a whole number.
func whole(digits, field string, check fault.Check) int {
	return decimal(digits, 0, field, "must be a whole number", check)
}

// stock reads digits as a quantity.
func stock(digits, field string, check fault.Check) int {
	n := whole(digits, field, check)
	check.That(n >= 0 && n <= catalog.MaxStock, field, "must be between 0 and 1,000,000,000")
	return n
}

// decimal reads digits as an integer scaled by 10^places.
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
