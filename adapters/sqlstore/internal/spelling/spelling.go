// Package spelling has the words that columns hold for values of closed domain types. Stored words never change: rows
// that exist have them. A word that is unknown is an error of its reader.
package spelling

import (
	"fmt"

	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Outcomes are the words of the column response.
var Outcomes = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// Verdict reads the columns response and rule.
func Verdict(response, word string) (o negotiation.Outcome, r negotiation.Rule, err error) {
	if o, err = outcome(response); err == nil {
		r, err = rule(word)
	}
	return o, r, err
}

// Methods are the words for payment methods.
var Methods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

// Method reads a payment method.
func Method(word string) (project.PaymentMethod, error) {
	for m, stored := range Methods {
		if stored == word {
			return m, nil
		}
	}
	return project.PaymentMethod{}, fmt.Errorf("sqlstore: unknown payment method %q", word)
}

// OptionalMethod reads "" as none: nobody has tried to pay the checkout, or the sandbox's key is void.
func OptionalMethod(word string) (project.PaymentMethod, error) {
	if word == "" {
		return project.PaymentMethod{}, nil
	}
	return Method(word)
}
