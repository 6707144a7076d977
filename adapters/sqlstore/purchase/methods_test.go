package purchase_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports"
)

// Reading a row with an unknown payment method fails, instead of returning it without one.
func TestOrders_unknownPaymentMethod(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SoldOnce(t, s)
		orders, _, err := s.Orders().Orders(t.Context(), sale.Project(), ports.OrderFilter{}, ports.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Change(t, s, `UPDATE payments SET method = 'card'`)
		storetest.Change(t, s, `UPDATE checkouts SET payment = '{"method":"card"}'`)
		for name, read := range map[string]func() error{
			"a checkout": func() error {
				_, err := s.Checkouts().Get(t.Context(), sale.Project(), orders[0].Checkout)
				return err
			},
			"an order": func() error {
				_, err := s.Orders().ByID(t.Context(), sale.Project(), orders[0].ID)
				return err
			},
			"a payment": func() error {
				_, err := s.Payments().PaymentByID(t.Context(), sale.Project(), orders[0].Payment.ID)
				return err
			},
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), `project.PaymentMethod "card": unknown word`) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
