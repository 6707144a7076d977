package order_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/personalization"
)

// An order shows the text of the day on which it was placed, and only with prices that personal signals moved.
func TestOrder_Disclose(t *testing.T) {
	t.Parallel()
	moved := checkout.Line{
		Name:     "Tent",
		Personal: personalization.Use{Signals: personalization.ClaimedLoyalty},
	}
	bought := []checkout.Line{{Name: "Stove"}, moved}
	o := order.Order{
		Lines:   bought,
		Address: checkout.Address{Country: "US", State: "NY"},
	}
	if o.Disclosed() == nil || o.Disclosed().Disclosure != "" {
		t.Errorf("before: %+v", o.Disclosed())
	}
	rules := personalization.DefaultRules()
	o.Disclose(rules)
	_, text := rules.In("US-NY")
	got := o.Disclosed()
	if got == nil || got.Disclosure != text || got.Signals != personalization.ClaimedLoyalty {
		t.Fatalf("got %+v, want %q", got, text)
	}
	if o.Lines[0].Disclosed() != nil || o.Lines[1].Disclosed().Disclosure != text || bought[1].Disclosure != "" {
		t.Errorf("lines %+v, those of the checkout %+v", o.Lines, bought)
	}
	if none := (&order.Order{Lines: bought[:1]}); none.Disclosed() != nil {
		t.Errorf("without a moved price: %+v", none.Disclosed())
	}
}
