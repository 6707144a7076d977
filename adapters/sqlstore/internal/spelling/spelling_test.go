package spelling_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
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
	spelled(t, map[order.Status]string{order.Confirmed: "confirmed", order.StatusRefunded: "refunded", order.Canceled: "canceled", {}: ""})
}

// Of closed types an unknown word is an error, never a zero value.
func TestFor_unknownWord(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{
		reflect.TypeFor[checkout.Status](), reflect.TypeFor[checkout.OrphanState](), reflect.TypeFor[order.Status](),
		reflect.TypeFor[order.PaymentStatus](), reflect.TypeFor[order.FulfillmentStatus](), reflect.TypeFor[order.ReturnStatus](),
		reflect.TypeFor[order.RefundStatus](), reflect.TypeFor[order.RefundOrigin](), reflect.TypeFor[order.DisputeStatus](),
		reflect.TypeFor[ledger.Kind](), reflect.TypeFor[project.Status](), reflect.TypeFor[syncrun.Status](),
		reflect.TypeFor[negotiation.State](), reflect.TypeFor[negotiation.Rule](), reflect.TypeFor[negotiation.Outcome](),
		reflect.TypeFor[integration.Status](), reflect.TypeFor[integration.HookStatus](), reflect.TypeFor[integration.WebhookStatus](),
		reflect.TypeFor[integration.LogStatus](), reflect.TypeFor[integration.Type](), reflect.TypeFor[account.Plan](),
		reflect.TypeFor[account.Environment](), reflect.TypeFor[agent.Status](), reflect.TypeFor[agent.Kind](),
		reflect.TypeFor[agent.Origin](), reflect.TypeFor[agent.Occasion](), reflect.TypeFor[catalog.Status](), reflect.TypeFor[catalog.InventoryPolicy](),
		reflect.TypeFor[event.Status](), reflect.TypeFor[event.DeliveryStatus](), reflect.TypeFor[project.PaymentMethod](),
		reflect.TypeFor[money.Currency](),
	} {
		text, known := spelling.For(of)
		if !known {
			t.Errorf("%s is not stored", of)
			continue
		}
		read := reflect.New(of)
		if err := text.Read("unheard of", read.Interface()); err == nil || !strings.Contains(err.Error(), "unheard of") {
			t.Errorf("%s is read as %v, %v", of, read.Elem(), err)
		}
	}
}
