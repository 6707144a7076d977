package boot_test

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// What buyers do wrong, too late, or too often, on real tables.

var poor = checkout.Declined{Code: "insufficient_funds", Message: "The account has insufficient funds."}

func TestDeclinesEndTheCheckout(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		for n := 1; n <= checkout.MaxDeclines; n++ {
			m.provider.script(step{outcome: poor})
			result, err := m.pay(c)
			m.must(err)
			want := purchase.Declined{
				Outcome:  poor,
				Checkout: c.ID(),
				Status:   checkout.Pending,
				Revision: 1,
				Total:    c.Total(),
			}
			if n == checkout.MaxDeclines {
				want.Status = checkout.Canceled
			}
			if result != want {
				m.t.Errorf("decline %d: %+v, want %+v", n, result, want)
			}
			m.expect(c, want.Status, 0, p, 5)
		}
		_, err := m.pay(c)
		m.refused(err, "checkout_canceled")
		if charged, _ := m.provider.keys(); len(charged) != checkout.MaxDeclines {
			m.t.Errorf("charged %q", charged)
		}
	})
}

func TestFinalDeclineEndsTheCheckout(t *testing.T) {
	onMarkets(t, func(m *market) {
		p := m.product(100_00, 5)
		d := m.agree(p)
		c, other := m.open(d), m.open(d)
		m.provider.script(step{outcome: checkout.Declined{Code: "stolen_card", Final: true}})
		result, err := m.pay(c)
		m.must(err)
		if d, ok := result.(purchase.Declined); !ok || d.Status != checkout.Canceled {
			m.t.Errorf("%+v", result)
		}
		m.expect(c, checkout.Canceled, 0, p, 5)
		m.mustPay(other) // the agreed price is not lost with the card
		m.expect(other, checkout.Completed, 1, p, 4)
	})
}

func TestDeclinedThenPaid(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{outcome: poor})
		_, err := m.pay(c)
		m.must(err)
		result, err := m.payWith(m.t.Context(), c, "tok_2")
		m.must(err)
		if orderOf(result) == nil || orderOf(result).Payment.Status() != order.Succeeded {
			m.t.Errorf("%+v", result)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

func TestExpiredCheckout(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.clock.advance(checkout.Validity - time.Millisecond)
		m.provider.script(step{outcome: poor})
		if _, err := m.pay(c); err != nil {
			m.t.Errorf("a moment before its end: %v", err)
		}
		m.clock.advance(time.Minute)
		for range 2 {
			_, err := m.pay(c)
			m.refused(err, "checkout_expired")
			m.expect(c, checkout.Expired, 0, p, 5)
		}
	})
}

// A charge that began in time is good, however late its outcome.
func TestCheckoutPaidAcrossItsEnd(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.clock.advance(checkout.Validity - time.Millisecond)
		m.provider.script(step{lost: true, before: func(context.Context) { m.clock.advance(time.Minute) }})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

func TestOutOfStock(t *testing.T) {
	onMarkets(t, func(m *market) {
		p := m.product(100_00, 1)
		first, c := m.checkout(p), m.checkout(p)
		m.mustPay(first)
		_, err := m.pay(c)
		m.refused(err, "out_of_stock")
		if field := detail(err); field != "items.0.quantity" {
			m.t.Errorf("it names %q", field)
		}
		if charged, _ := m.provider.keys(); len(charged) != 1 {
			m.t.Errorf("charged %q", charged)
		}
		m.expect(c, checkout.Ready, 1, p, 0)
		_, err = m.catalogs.SetStock(m.t.Context(), m.project, []ports.StockSet{{SKU: p.SKU, Quantity: 3}})
		m.must(err)
		m.mustPay(c)
		m.expect(c, checkout.Completed, 2, p, 2)
	})
}

// Too little of one thing takes nothing of the other.
func TestOutOfStockTakesNothing(t *testing.T) {
	onMarkets(t, func(m *market) {
		plenty, scarce := m.product(100_00, 9), m.product(50_00, 1)
		c := m.cart(item(plenty, 3), item(scarce, 2))
		_, err := m.pay(c)
		m.refused(err, "out_of_stock")
		if field := detail(err); field != "items.1.quantity" {
			m.t.Errorf("it names %q", field)
		}
		m.expect(c, checkout.Ready, 0, plenty, 9)
		m.expect(c, checkout.Ready, 0, scarce, 1)
	})
}

func TestUnknownCheckoutAndOption(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		_, err := m.purchase.Finalize(ports.NewOutbound(m.t.Context()), m.project, purchase.FinalizeRequest{
			Checkout: id.New[id.Checkout]([16]byte{}),
			Method:   project.SharedPaymentToken,
			Token:    "tok_1",
		})
		m.refused(err, "checkout_not_found")
		_, err = m.purchase.Finalize(ports.NewOutbound(m.t.Context()), m.project, purchase.FinalizeRequest{
			Checkout: c.ID(),
			Method:   project.SharedPaymentToken,
			Token:    "tok_1",
			Option:   "pigeon",
		})
		m.refused(err, "validation_error")
		if field := detail(err); field != "shipping_option" {
			m.t.Errorf("it names %q", field)
		}
		m.expect(c, checkout.Ready, 0, p, 5)
	})
}

func TestTokenExpiresWithItsQuote(t *testing.T) {
	onMarkets(t, func(m *market) {
		d := m.agree(m.product(100_00, 5))
		m.clock.advance(14 * time.Minute)
		m.open(d)
		m.clock.advance(2 * time.Minute)
		_, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
			Session:   d.session,
			TokenHash: id.Hash(d.token),
			Address:   home,
		})
		m.refused(err, "token_expired")
		if field := detail(err); field != "checkout_token" {
			m.t.Errorf("it names %q", field)
		}
	})
}

func TestTokenIsGoodForOneOrder(t *testing.T) {
	onMarkets(t, func(m *market) {
		d := m.agree(m.product(100_00, 5))
		m.mustPay(m.open(d))
		_, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
			Session:   d.session,
			TokenHash: id.Hash(d.token),
			Address:   home,
		})
		m.refused(err, "token_redeemed")
	})
}
