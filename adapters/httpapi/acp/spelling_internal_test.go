package acp

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestEveryOutcomeHasAWord(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, o := range negotiation.Outcomes() {
		if seen[statuses[o]] {
			t.Errorf("%s has no word of its own: %q", o, statuses[o])
		}
		seen[statuses[o]] = true
	}
}

func TestEveryPaymentMethodHasAWord(t *testing.T) {
	t.Parallel()
	for _, m := range project.PaymentMethods {
		if got := fromAPIMethod(paymentMethods[m]); paymentMethods[m] == "" || got != m {
			t.Errorf("%s is %q, which is read as %s", m, paymentMethods[m], got)
		}
	}
	if got := fromAPIMethod("psp"); !got.IsZero() {
		t.Errorf("an unknown word is read as %s", got)
	}
}
