package management

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestEveryOutcomeHasAWord(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, o := range negotiation.Outcomes() {
		if seen[responses[o]] {
			t.Errorf("%s has no word of its own: %q", o, responses[o])
		}
		seen[responses[o]] = true
	}
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	for _, o := range negotiation.Outcomes() {
		if got := valueOf(responses[o], responses); got != o {
			t.Errorf("%q is read as %s", responses[o], got)
		}
	}
	if got := valueOf("", responses); got != (negotiation.Outcome{}) {
		t.Errorf("no word is read as %s", got)
	}
}

func TestEveryPaymentMethodHasAWord(t *testing.T) {
	t.Parallel()
	for _, m := range project.PaymentMethods {
		if got := valueOf(paymentMethods[m], paymentMethods); paymentMethods[m] == "" || got != m {
			t.Errorf("%s is %q, which is read as %s", m, paymentMethods[m], got)
		}
	}
	if got := valueOf("psp", paymentMethods); !got.IsZero() {
		t.Errorf("an unknown word is read as %s", got)
	}
}
