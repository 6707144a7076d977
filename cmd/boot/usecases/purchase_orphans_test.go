package usecases

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// Webhooks report a charge of a voided attempt several times, after another attempt has made the order. The charge is refunded
// once, and the order stays.
func TestOrphanRefunds_voidedAttempt(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostRequest: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		if result, err := m.payWith(m.t.Context(), c, "tok_2"); err != nil || orderOf(result) == nil {
			m.t.Fatalf("%+v, %v", result, err)
		}
		key := checkout.AttemptKey(c.ID(), 1)
		for _, err := range concurrently(4, func(int) error {
			return m.purchase.RecordOutcome(m.t.Context(), m.project.ID, key, checkout.Paid{Provider: "ch_late"})
		}) {
			m.must(err)
		}
		for range 2 {
			m.refundOrphans()
		}
		if refunds := m.provider.refunds; len(refunds) != 1 || refunds[0].Charge != "ch_late" || refunds[0].Amount != c.Total() {
			m.t.Errorf("given back %+v, want %s of ch_late", refunds, c.Total())
		}
		var announced int
		m.must(m.inspector.QueryRow("SELECT count(*) FROM outbox WHERE type = 'payment.orphaned'").Scan(&announced))
		if announced != 2 {
			m.t.Errorf("payment.orphaned was told %d times, want when it was found and when it was given back", announced)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}
