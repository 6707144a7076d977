package usecases

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

// These tests make invalid, late and repeated payments, on real tables.

var insufficientFunds = checkout.Declined{Code: "insufficient_funds", Message: "The account has insufficient funds."}

// After MaxDeclines declines the checkout is canceled and charges nothing more.
func TestFinalize_tooManyDeclines(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		for n := 1; n <= checkout.MaxDeclines; n++ {
			m.provider.script(chargeStep{outcome: insufficientFunds})
			result, err := m.pay(c)
			m.must(err)
			want := purchase.Declined{
				Outcome:  insufficientFunds,
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

// A final decline cancels the checkout at once. The agreed price can still be paid in another checkout.
func TestFinalize_finalDecline(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 5)
		d := m.agree(p)
		c, other := m.open(d), m.open(d)
		m.provider.script(chargeStep{outcome: checkout.Declined{Code: "stolen_card", Final: true}})
		result, err := m.pay(c)
		m.must(err)
		if d, ok := result.(purchase.Declined); !ok || d.Status != checkout.Canceled {
			m.t.Errorf("%+v", result)
		}
		m.expect(c, checkout.Canceled, 0, p, 5)
		m.mustPay(other) // the agreed price is still valid
		m.expect(other, checkout.Completed, 1, p, 4)
	})
}

// After a decline the checkout can be paid with another payment token.
func TestFinalize_declinedThenPaid(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{outcome: insufficientFunds})
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

// An expired checkout is not charged, and expires for good.
func TestFinalize_checkoutExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.clock.advance(checkout.Validity - time.Millisecond)
		m.provider.script(chargeStep{outcome: insufficientFunds})
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

// A charge that began before the checkout expired is valid, however late its outcome is known.
func TestFinalize_expiresDuringCharge(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.clock.advance(checkout.Validity - time.Millisecond)
		m.provider.script(chargeStep{lostAnswer: true, before: func(context.Context) { m.clock.advance(time.Minute) }})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// If the product is sold out, the buyer is not charged and the field is named. After a restock the checkout can be paid.
func TestFinalize_outOfStock(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 1)
		first, c := m.checkout(p), m.checkout(p)
		m.mustPay(first)
		_, err := m.pay(c)
		m.refused(err, "out_of_stock")
		if field := faultField(err); field != "items.0.quantity" {
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

// If one product of a cart is short, no stock of the others is reserved.
func TestFinalize_partlyOutOfStock(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		plenty, scarce := m.product(100_00, 9), m.product(50_00, 1)
		c := m.cart(cartItem(plenty, 3), cartItem(scarce, 2))
		_, err := m.pay(c)
		m.refused(err, "out_of_stock")
		if field := faultField(err); field != "items.1.quantity" {
			m.t.Errorf("it names %q", field)
		}
		m.expect(c, checkout.Ready, 0, plenty, 9)
		m.expect(c, checkout.Ready, 0, scarce, 1)
	})
}

func TestFinalize_unknownCheckoutOrOption(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
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
		if field := faultField(err); field != "shipping_option" {
			m.t.Errorf("it names %q", field)
		}
		m.expect(c, checkout.Ready, 0, p, 5)
	})
}

// A checkout token expires with its quote, after 15 minutes.
func TestPrepareInit_tokenExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		d := m.agree(m.product(100_00, 5))
		m.clock.advance(14 * time.Minute)
		m.open(d)
		m.clock.advance(2 * time.Minute)
		_, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
			Session:   d.session,
			TokenHash: id.Hash(d.token),
			Address:   shippingAddress,
		})
		m.refused(err, "token_expired")
		if field := faultField(err); field != "checkout_token" {
			m.t.Errorf("it names %q", field)
		}
	})
}

// A checkout token is valid for one order.
func TestPrepareInit_tokenRedeemed(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		d := m.agree(m.product(100_00, 5))
		m.mustPay(m.open(d))
		_, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
			Session:   d.session,
			TokenHash: id.Hash(d.token),
			Address:   shippingAddress,
		})
		m.refused(err, "token_redeemed")
	})
}
