package payload

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/project"
)

func TestPaymentMethods_everyMethod(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, m := range project.PaymentMethods {
		if seen[paymentMethods[m]] {
			t.Errorf("%s has no word of its own: %q", m, paymentMethods[m])
		}
		seen[paymentMethods[m]] = true
	}
}
