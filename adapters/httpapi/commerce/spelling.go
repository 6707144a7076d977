package commerce

import (
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Responses has the names of outcomes in ACP and the Management API (features/PROTOCOL.md#quotes).
var Responses = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// Occasions has the names of the answers that templates are for, in the Management API.
var Occasions = map[agent.Occasion]string{
	agent.OnAccept:  "accept",
	agent.OnCounter: "counter_offer",
	agent.OnFinal:   "final_offer",
	agent.OnUnmoved: "unmoved",
	agent.OnReject:  "reject",
}

// PaymentMethods has the names of payment methods in ACP and the Management API (features/PROTOCOL.md#checkout).
var PaymentMethods = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

// ValueOf returns the value that has a name in a table, and the zero value for "". The schema allows no other names.
func ValueOf[T comparable](word string, table map[T]string) (zero T) {
	for value, spelled := range table {
		if spelled == word {
			return value
		}
	}
	return zero
}
