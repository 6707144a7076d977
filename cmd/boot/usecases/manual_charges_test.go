package usecases

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// chargeKeyGateway is a gateway that looks up the idempotency keys of charges.
type chargeKeyGateway struct {
	ports.Gateway
	keys map[string]string
}

func (g chargeKeyGateway) ChargeKey(_ ports.Outbound, _ id.Project, _ project.PaymentRoute, charge string) (string, error) {
	key, found := g.keys[charge]
	switch {
	case charge == "ch_unanswered":
		return "", errNoAnswer
	case !found:
		return "", fault.Missing("charge")
	}
	return key, nil
}

// An operator enters the charge of another unresolved payment, of another project with the same account, or an unknown one. That
// is refused at once, and nothing is recorded.
func TestResolveManually_chargeOfAnotherPayment(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 9)
		one, other := m.unresolvedCheckout(p), m.unresolvedCheckout(p)
		m.purchase.Gateway = chargeKeyGateway{m.provider, map[string]string{
			"ch_one":      checkout.AttemptKey(one.ID(), 1),
			"ch_other":    checkout.AttemptKey(other.ID(), 1),
			"ch_foreign":  checkout.AttemptKey(id.New[id.Checkout]([16]byte{9}), 1),
			"ch_by_phone": "",
		}}
		for charge, code := range map[string]string{
			"ch_other": "charge_of_another_payment", "ch_foreign": "charge_of_another_payment", "ch_none": "validation_error",
		} {
			_, err := m.resolvePayment(one, true, charge)
			m.refused(err, code)
		}
		m.expect(one, checkout.Processing, 0, p, 7)
		for charge, c := range map[string]*checkout.Checkout{"ch_one": one, "ch_by_phone": other, "ch_unanswered": m.unresolvedCheckout(p)} {
			if _, err := m.resolvePayment(c, true, charge); err != nil {
				m.t.Errorf("%s: %v", charge, err)
			}
		}
	})
}

// An operator entered the charge of another unresolved payment while the provider gave no answer. The reconciler then retries
// that other payment after growing pauses, records the problem, and leaves it to an operator.
func TestResolveManually_chargeAlreadyUsed(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 9)
		wrong, paid := m.unresolvedCheckout(p), m.unresolvedCheckout(p)
		_, err := m.resolvePayment(wrong, true, "ch_paid")
		m.must(err)
		key := checkout.AttemptKey(paid.ID(), 1)
		m.provider.once(key, checkout.Paid{Provider: "ch_paid"})
		m.purchase.Gateway = m.provider
		before := m.reload(paid).Snapshot()
		m.clock.advance(longPause)
		_, _ = m.runReconciler()
		after := m.reload(paid).Snapshot()
		if after.Unresolved != before.Unresolved+1 || after.Problem != "The provider charged the payment, but another order has that charge." {
			m.t.Errorf("asked %d times, before %d; problem %q", after.Unresolved, before.Unresolved, after.Problem)
		}
		m.must(m.purchase.RecordOutcome(m.t.Context(), m.project.ID, key, checkout.Paid{Provider: "ch_paid"}))
		_, err = m.resolvePayment(paid, false, "")
		m.must(err)
		m.must(m.purchase.RecordOutcome(m.t.Context(), m.project.ID, key, checkout.Paid{Provider: "ch_paid"}))
		if n := m.count("SELECT count(*) FROM orphan_charges"); n != 0 || m.orders() != 1 {
			m.t.Errorf("%d orphans, %d orders", n, m.orders())
		}
	})
}

func (m *shopFixture) reload(c *checkout.Checkout) *checkout.Checkout {
	m.t.Helper()
	found, err := m.store.Checkouts().Get(m.t.Context(), m.project.ID, c.ID())
	m.must(err)
	return found
}
