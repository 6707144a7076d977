package paypal

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AmountRules = (*Provider)(nil)

// CanCharge reports whether PayPal supports the currency and can express the amount.
func (p *Provider) CanCharge(_ project.PaymentRoute, a money.Amount) bool {
	_, problem := toAmount(a)
	return problem == ""
}

// Source: developer.paypal.com/api/rest/reference/currency-codes, where HUF, JPY and TWD have the note "does not support
// decimals". Read November 2026.
var (
	supportedCurrencies = strings.Fields("AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD")
	noDecimals          = []string{"HUF", "JPY", "TWD"} // no decimals at PayPal, other than in ISO 4217
)

type amount struct {
	Currency string `json:"currency_code"`
	Value    string `json:"value"`
}

// toAmount converts an amount for PayPal, or returns the code of the problem.
func toAmount(a money.Amount) (amount, string) {
	code, text := a.Currency().Code(), a.String()
	if !slices.Contains(supportedCurrencies, code) {
		return amount{}, "currency_not_supported"
	}
	if slices.Contains(noDecimals, code) {
		units, fraction, _ := strings.Cut(text, ".")
		if strings.Trim(fraction, "0") != "" {
			return amount{}, "amount_invalid"
		}
		text = units
	}
	if !a.IsPositive() {
		return amount{}, "amount_invalid"
	}
	return amount{code, text}, ""
}

func (a amount) read() (money.Amount, error) {
	currency, err := money.ParseCurrency(a.Currency)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Parse(a.Value, currency)
}

// equals reports whether both amounts are the same.
func (a amount) equals(m money.Amount) bool {
	read, err := a.read()
	return err == nil && read == m
}
