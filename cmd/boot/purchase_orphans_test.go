package boot_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// A webhook reports money for an attempt that was voided, twice, after another one has made the order. The
// money is given back once, and the order stays.
func TestMoneyForAnAttemptGivenUpIsGivenBack(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{unseen: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		if result, err := m.payWith(m.t.Context(), c, "tok_2"); err != nil || orderOf(result) == nil {
			m.t.Fatalf("%+v, %v", result, err)
		}
		key := checkout.AttemptKey(c.ID(), 1)
		for _, err := range atOnce(4, func(int) error {
			return m.purchase.Heard(m.t.Context(), m.project.ID, key, checkout.Paid{Provider: "ch_late"})
		}) {
			m.must(err)
		}
		for range 2 {
			m.refundOrphans()
		}
		if refunds := m.provider.refunds; len(refunds) != 1 || refunds[0].Charge != "ch_late" || refunds[0].Amount != c.Total() {
			m.t.Errorf("given back %+v, want %s of ch_late", refunds, c.Total())
		}
		var told int
		m.must(m.inspector.QueryRow("SELECT count(*) FROM outbox WHERE type = 'payment.orphaned'").Scan(&told))
		if told != 2 {
			m.t.Errorf("payment.orphaned was told %d times, want when it was found and when it was given back", told)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}
