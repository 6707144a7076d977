package acp

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestDays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ from, to, want string }{
		{"2026-11-25", "2026-11-25", "25 November 2026"},
		{"2026-03-06", "2026-03-10", "6 to 10 March 2026"},
		{"2026-02-27", "2026-03-03", "27 February to 3 March 2026"},
		{"2026-12-30", "2027-01-04", "30 December 2026 to 4 January 2027"},
	} {
		from, _ := time.Parse(time.DateOnly, test.from)
		to, _ := time.Parse(time.DateOnly, test.to)
		if got := days(from, to); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// The receipt of digital items shows no shipping address.
func TestReceipt_digital(t *testing.T) {
	t.Parallel()
	for _, digital := range []bool{false, true} {
		usd := money.Of(10_00, money.USD)
		o := &order.Order{
			Subtotal: usd,
			Shipping: usd,
			Tax:      usd,
			Total:    usd,
			Savings:  usd,
			Address:  checkout.Address{Name: "Ada", Country: "US"},
		}
		o.Payment.Amount, o.Payment.Refunded = usd, money.Zero(money.USD)
		o.Lines = []checkout.Line{{Name: "Map", Quantity: 1, Unit: usd, Original: usd, Digital: digital}}
		view := toReceipt(&project.Project{}, &order.Case{Order: o})
		view.Buyer = true
		var page strings.Builder
		if err := receiptPage.Execute(&page, view); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Contains(page.String(), "Ships to"); shown == digital {
			t.Errorf("digital %v: the place is shown %v", digital, shown)
		}
	}
}
