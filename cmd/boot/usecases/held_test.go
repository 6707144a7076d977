package usecases

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// setStock sets the counted stock of a product while payment attempts may hold pieces.
func (m *shopFixture) setStock(p *catalog.Product, quantity int) catalog.Shelf {
	m.t.Helper()
	levels, err := m.store.Inventory().Set(m.t.Context(), m.project.ID, []ports.StockSet{{SKU: p.SKU, Location: "main", Quantity: quantity}})
	m.must(err)
	return levels[0]
}

// unresolvedAttempt returns a checkout of one piece whose payment attempt has an unknown outcome.
func (m *shopFixture) unresolvedAttempt(p *catalog.Product, s chargeStep) *checkout.Checkout {
	m.t.Helper()
	c := m.checkout(p)
	m.provider.script(s)
	_, err := m.pay(c)
	m.refused(err, "payment_unresolved")
	return c
}

// The merchant sets the stock while a payment is unresolved. Afterwards the count less the sold pieces is for sale, whether the
// payment succeeds or not.
func TestInventory_Set_duringAttempt(t *testing.T) {
	for name, attempt := range map[string]struct {
		step   chargeStep
		status checkout.Status
		sold   int
	}{
		"never charged": {chargeStep{lostRequest: true}, checkout.Ready, 0},
		"paid":          {chargeStep{lostAnswer: true}, checkout.Completed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			forEachEngine(t, func(m *shopFixture) {
				p := m.product(100_00, 5)
				c := m.unresolvedAttempt(p, attempt.step)
				if level := m.setStock(p, 10); level.Quantity != 9 || level.Held != 1 || level.Count() != 10 {
					m.t.Errorf("counted %+v", level)
				}
				m.reconcile()
				m.expect(c, attempt.status, attempt.sold, p, 10-attempt.sold)
			})
		})
	}
}

// The merchant sets the stock to zero while two payments are unresolved. One payment succeeds, so one piece is oversold. The
// piece that the other payment held is not for sale again, because the count was zero.
func TestInventory_Set_belowHeld(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 5)
		m.unresolvedAttempt(p, chargeStep{lostAnswer: true})
		m.unresolvedAttempt(p, chargeStep{lostRequest: true})
		if level := m.setStock(p, 0); level.Quantity != 0 || level.Held != 2 || level.Oversold != 2 {
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

// Webhooks about a refund at the provider and about a dispute of a charge whose response was lost are refused, so that the
// provider repeats them. Once the payment is resolved they are recorded.
func TestRecord_externalRefundDuringAttempt(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 5)
		c := m.unresolvedAttempt(p, chargeStep{lostAnswer: true})
		charge := "ch_" + checkout.AttemptKey(c.ID(), 1)
		webhooks := payments.WebhookHandler{
			Purchases: m.purchase,
			Refunds:   m.aftersales(&fakeRefundGateway{}),
			Undecided: m.store.Checkouts(),
		}
		refund := ports.PaymentEvent{External: &order.ExternalRefund{
			Charge:   charge,
			Provider: "re_elsewhere",
			Amount:   money.Of(5_00, money.USD),
			Outcome:  order.Refunded{Provider: "re_elsewhere"},
			At:       m.clock.Now(),
		}}
		dispute := ports.PaymentEvent{Dispute: &order.DisputeReport{
			Charge:    charge,
			Provider:  "du_1",
			Status:    order.DisputeOpen,
			Amount:    money.Of(50_00, money.USD),
			Withdrawn: money.Of(50_00, money.USD),
			Fee:       money.Of(0, money.USD),
			At:        m.clock.Now(),
		}}
		for _, report := range []ports.PaymentEvent{refund, dispute} {
			m.refused(webhooks.Record(m.t.Context(), m.project.ID, report), "payment_undecided")
		}
		m.reconcile()
		for _, report := range []ports.PaymentEvent{refund, dispute, refund} {
			m.must(webhooks.Record(m.t.Context(), m.project.ID, report))
		}
		if n := m.count("SELECT count(*) FROM payments WHERE refunded = 500 AND disputed = 5000"); n != 1 {
			m.t.Errorf("%d payments have both", n)
		}
		refund.External.Charge, refund.External.Provider = "ch_foreign", "re_foreign"
		m.must(webhooks.Record(m.t.Context(), m.project.ID, refund))
	})
}
