package stripe

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AmountRules = (*Provider)(nil)

// CanCharge reports whether Stripe can express an amount. The minimum amount of a charge depends on the account's
// settlement currency, so Stripe checks it.
func (p *Provider) CanCharge(_ project.PaymentRoute, a money.Amount) bool {
	_, ok := toUnits(a)
	return ok
}

// ChargeForm returns "" for the id of a payment intent, which identifies a charge, and otherwise what the id must be.
func (p *Provider) ChargeForm(_ project.PaymentRoute, named string) string {
	if strings.HasPrefix(named, "pi_") {
		return ""
	}
	return "must be the id of the payment intent, which begins with pi_"
}

// otherDigits are the decimals of currencies for which Stripe's smallest unit differs from that of ISO 4217: ariary have no decimals, krónur
// and shillings are "zero-decimal", but "you must pass in amounts with two decimals". Source: docs.stripe.com/currencies,
// zero-decimal currencies and special cases, read November 2026.
var otherDigits = map[string]int{"ISK": 2, "UGX": 2, "MGA": 0}

func digits(c money.Currency) int {
	if n, ok := otherDigits[c.Code()]; ok {
		return n
	}
	return c.Digits()
}

// toUnits converts an amount to Stripe's smallest units, or returns false if Stripe does not accept its fraction. For currencies with
// three decimals, "API calls require the least-significant (last) digit to be 0" (docs.stripe.com/currencies).
func toUnits(a money.Amount) (int64, bool) {
	n, ours, theirs := a.Minor(), a.Currency().Digits(), digits(a.Currency())
	for ; ours < theirs; ours++ {
		n *= 10
	}
	for ; ours > theirs; ours-- {
		if n%10 != 0 {
			return 0, false
		}
		n /= 10
	}
	return n, theirs < 3 && n > 0 || n > 0 && n%10 == 0
}

// fromUnits converts Stripe's smallest units to an amount.
func fromUnits(n int64, code string) (money.Amount, error) {
	c, err := money.ParseCurrency(strings.ToUpper(code))
	if err != nil {
		return money.Amount{}, err
	}
	ours, theirs := c.Digits(), digits(c)
	for ; theirs < ours; theirs++ {
		n *= 10
	}
	for ; theirs > ours; theirs-- {
		n /= 10
	}
	return money.Of(n, c), nil
}
