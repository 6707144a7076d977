package acp

import (
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// statuses are the outcomes as ACP names them (spec 2.11).
var statuses = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// paymentMethods are the payment methods as ACP names them (spec 2.12).
var paymentMethods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

// fromAPIMethod is the zero method for a word that is none; the schema allows no such word.
func fromAPIMethod(word string) project.PaymentMethod {
	for method, spelled := range paymentMethods {
		if spelled == word {
			return method
		}
	}
	return project.PaymentMethod{}
}
