package commerce

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestResponses_everyOutcome(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, o := range negotiation.Outcomes() {
		if seen[Responses[o]] {
			t.Errorf("%s has no word of its own: %q", o, Responses[o])
		}
		seen[Responses[o]] = true
	}
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	for _, o := range negotiation.Outcomes() {
		if got := ValueOf(Responses[o], Responses); got != o {
			t.Errorf("%q is read as %s", Responses[o], got)
		}
	}
	if got := ValueOf("", Responses); got != (negotiation.Outcome{}) {
		t.Errorf("no word is read as %s", got)
	}
}

func TestOccasions_everyOccasion(t *testing.T) {
	t.Parallel()
	for _, o := range agent.Occasions {
		if got := ValueOf(Occasions[o], Occasions); Occasions[o] == "" || got != o {
			t.Errorf("%s is %q, which is read as %s", o, Occasions[o], got)
		}
	}
}

func TestPaymentMethods_everyMethod(t *testing.T) {
	t.Parallel()
	for _, m := range project.PaymentMethods {
		if got := ValueOf(PaymentMethods[m], PaymentMethods); PaymentMethods[m] == "" || got != m {
			t.Errorf("%s is %q, which is read as %s", m, PaymentMethods[m], got)
		}
	}
	if got := ValueOf("psp", PaymentMethods); !got.IsZero() {
		t.Errorf("an unknown word is read as %s", got)
	}
}
