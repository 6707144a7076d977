package commerce

import (
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Responses are the outcomes as ACP and the Management API name them (spec 2.11).
var Responses = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// Occasions are the answers that templates are for, as the Management API names them.
var Occasions = map[agent.Occasion]string{
	agent.OnAccept:  "accept",
	agent.OnCounter: "counter_offer",
	agent.OnFinal:   "final_offer",
	agent.OnUnmoved: "unmoved",
	agent.OnReject:  "reject",
}

// PaymentMethods are the payment methods as ACP and the Management API name them (spec 2.12).
var PaymentMethods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

// ValueOf is the value that a table has a word for; the zero value for "". The schema allows no other words.
func ValueOf[T comparable](word string, table map[T]string) (zero T) {
	for value, spelled := range table {
		if spelled == word {
			return value
		}
	}
	return zero
}
