package purchase_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/money"
)

// A row with a payment method that nobody knows is not read, rather than read without one.
func TestFromRow_unknownPaymentMethod(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func() error{
		"a checkout": func() error {
			_, err := purchase.FromCheckoutRow(purchase.CheckoutRow{
				Currency: "USD", Lines: "[]", Address: "{}", Options: "[]", Taken: "[]", Payment: `{"method":"card"}`,
			})
			return err
		},
		"a payment": func() error {
			_, err := purchase.FromPaymentRow(purchase.PaymentRow{Method: "card"}, money.USD)
			return err
		},
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), `unknown payment method "card"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
