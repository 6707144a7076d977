package spelling_test

import (
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// spelled wants values to be stored as words, and no other words to be read.
func spelled[T comparable](t *testing.T, words map[T]string, unknown ...string) {
	t.Helper()
	text, known := spelling.For(reflect.TypeFor[T]())
	if !known {
		t.Fatalf("%s is not stored", reflect.TypeFor[T]())
	}
	for value, word := range words {
		var read T
		if err := text.Read(word, &read); err != nil || read != value || text.Write(&value) != word || text.Word(value) != word {
			t.Errorf("%v is stored as %q, and %q read as %v, %v", value, text.Write(&value), word, read, err)
		}
	}
	for _, word := range unknown {
		var read T
		if err := text.Read(word, &read); err == nil {
			t.Errorf("%q is read as %v", word, read)
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	outcomes := map[negotiation.Outcome]string{
		negotiation.OutcomeQuoted:    "quote",
		negotiation.OutcomeAccepted:  "accept",
		negotiation.OutcomeCountered: "counter_offer",
		negotiation.OutcomeRejected:  "reject",
	}
	if len(outcomes) != len(negotiation.Outcomes()) {
		t.Errorf("outcomes are %v", negotiation.Outcomes())
	}
	spelled(t, outcomes, "", "accepted", "Accept")
	occasions := map[agent.Occasion]string{
		agent.OnAccept:  "accept",
		agent.OnCounter: "counter_offer",
		agent.OnFinal:   "final_offer",
		agent.OnUnmoved: "unmoved",
		agent.OnReject:  "reject",
	}
	if len(occasions) != len(agent.Occasions) {
		t.Errorf("occasions are %v", agent.Occasions)
	}
	spelled(t, occasions, "", "quote", "accepted")
	rules := map[negotiation.Rule]string{}
	for _, r := range negotiation.Rules() {
		rules[r] = r.String()
	}
	spelled(t, rules, "", "luck")
	methods := map[project.PaymentMethod]string{{}: "", project.SharedPaymentToken: "psp_spt", project.BillingAgreement: "wallet_ba"}
	if len(methods) != len(project.PaymentMethods)+1 {
		t.Errorf("payment methods are %v", project.PaymentMethods)
	}
	spelled(t, methods, "card", "PSP_SPT", "shared_payment_token")
	spelled(t, map[order.Status]string{order.Confirmed: "confirmed", order.GivenBack: "refunded", order.Canceled: "canceled", {}: ""})
}
