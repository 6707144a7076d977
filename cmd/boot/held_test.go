package boot_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// counted sets how many pieces of a product there are while a payment attempt may hold some of them.
func (m *market) counted(p *catalog.Product, quantity int) catalog.Shelf {
	m.t.Helper()
	levels, err := m.store.Inventory().Set(m.t.Context(), m.project.ID, []ports.StockSet{{SKU: p.SKU, Location: "main", Quantity: quantity}})
	m.must(err)
	return levels[0]
}

// attempted is a checkout of one piece whose payment nobody knows the outcome of.
func (m *market) attempted(p *catalog.Product, s step) *checkout.Checkout {
	m.t.Helper()
	c := m.checkout(p)
	m.provider.script(s)
	_, err := m.pay(c)
	m.refused(err, "payment_unresolved")
	return c
}

// The merchant counts the shelf while a payment is undecided. What is for sale afterwards is what was counted,
// less what was sold, whatever became of the payment.
func TestStockCountedDuringAnAttempt(t *testing.T) {
	for name, attempt := range map[string]struct {
		step   step
		status checkout.Status
		sold   int
	}{
		"never charged": {step{unseen: true}, checkout.Ready, 0},
		"paid":          {step{lost: true}, checkout.Completed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			onMarkets(t, func(m *market) {
				p := m.product(100_00, 5)
				c := m.attempted(p, attempt.step)
				if level := m.counted(p, 10); level.Quantity != 9 || level.Held != 1 || level.Count() != 10 {
					m.t.Errorf("counted %+v", level)
				}
				m.reconcile()
				m.expect(c, attempt.status, attempt.sold, p, 10-attempt.sold)
			})
		})
	}
}

// The merchant counts zero pieces while two payments are undecided. One payment succeeds, so one piece is oversold. The
// piece of the other payment is not for sale again: nothing was on the shelf.
func TestStockCountedBelowWhatAttemptsHold(t *testing.T) {
	onMarkets(t, func(m *market) {
		p := m.product(100_00, 5)
		m.attempted(p, step{lost: true})
		m.attempted(p, step{unseen: true})
		if level := m.counted(p, 0); level.Quantity != 0 || level.Held != 2 || level.Oversold != 2 {
			m.t.Errorf("counted %+v", level)
		}
		_, err := m.pay(m.checkout(p))
		m.refused(err, "out_of_stock")
		m.reconcile()
		if n := m.stock(p); n != 0 {
			m.t.Errorf("%d pieces are for sale, but none was counted", n)
		}
		levels, err := m.store.Inventory().Adjust(m.t.Context(), m.project.ID, []ports.StockMove{{SKU: p.SKU, Location: "main", Delta: 3}})
		m.must(err)
		if l := levels[0]; l.Quantity != 2 || l.Held != 0 || l.Oversold != 0 {
			m.t.Errorf("three pieces came in, one of them was oversold: %+v, want 2 for sale", l)
		}
	})
}

// A refund that was made at the provider's, and a dispute, of a charge whose answer was lost are not dropped: the
// provider is to repeat them, and once the payment is decided they are recorded.
func TestRefundMadeElsewhereDuringAnAttempt(t *testing.T) {
	onMarkets(t, func(m *market) {
		p := m.product(100_00, 5)
		c := m.attempted(p, step{lost: true})
		charge := "ch_" + checkout.AttemptKey(c.ID(), 1)
		ear := payments.Ear{
			Purchases: m.purchase,
			Refunds:   m.aftersales(&cashier{}),
			Undecided: m.store.Checkouts(),
		}
		refund := ports.PaymentNews{External: &order.ExternalRefund{
			Charge:   charge,
			Provider: "re_elsewhere",
			Amount:   money.Of(5_00, money.USD),
			Outcome:  order.Refunded{Provider: "re_elsewhere"},
			At:       m.clock.Now(),
		}}
		dispute := ports.PaymentNews{Dispute: &order.DisputeReport{
			Charge:    charge,
			Provider:  "du_1",
			Status:    order.DisputeOpen,
			Amount:    money.Of(50_00, money.USD),
			Withdrawn: money.Of(50_00, money.USD),
			Fee:       money.Of(0, money.USD),
			At:        m.clock.Now(),
		}}
		for _, news := range []ports.PaymentNews{refund, dispute} {
			m.refused(ear.Record(m.t.Context(), m.project.ID, news), "payment_undecided")
		}
		m.reconcile()
		for _, news := range []ports.PaymentNews{refund, dispute, refund} {
			m.must(ear.Record(m.t.Context(), m.project.ID, news))
		}
		if n := m.count("SELECT count(*) FROM payments WHERE refunded = 500 AND disputed = 5000"); n != 1 {
			m.t.Errorf("%d payments have both", n)
		}
		refund.External.Charge, refund.External.Provider = "ch_foreign", "re_foreign"
		m.must(ear.Record(m.t.Context(), m.project.ID, refund))
	})
}
