package usecases

import (
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// These tests interrupt refunds at the provider and in the process. There must be one refund under one key, and the ledger
// must hold what was not refunded.

// fakeRefundGateway is a gateway for refunds that gives no answer to the first unanswered calls.
type fakeRefundGateway struct {
	ports.Gateway
	mu         sync.Mutex
	unanswered int
	refunded   map[string]int64 // by key
	calls      int
}

func (c *fakeRefundGateway) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.refunded[r.Key] = r.Amount.Minor()
	if c.calls <= c.unanswered {
		return nil, errors.New("the answer is lost")
	}
	return order.Refunded{Provider: "re_" + r.Key}, nil
}

// aftersales returns the aftersales service of one process of the shop.
func (m *shopFixture) aftersales(c *fakeRefundGateway) *aftersales.Service {
	return &aftersales.Service{
		Stores: &ports.Stores{
			Orders:    m.store.Orders(),
			Payments:  m.store.Payments(),
			Refunds:   m.store.Orders(),
			Inventory: m.store.Inventory(),
			Index:     search.New(search.Options{}),
		},
		Due:     m.store.DueRefunds(),
		Gateway: c,
		Clock:   m.clock,
		Entropy: system.Entropy{},
		Log:     slog.New(slog.DiscardHandler),
	}
}

func (m *shopFixture) executeRefunds(c *fakeRefundGateway) (decided int, err error) {
	return jobs.NewWorker(m.aftersales(c).Refunding()).Once(m.t.Context())
}

// expectBalancedLedger checks that the ledger's funds are the payments less the gateway's refunds, and that each refund was
// announced.
func (m *shopFixture) expectBalancedLedger(c *fakeRefundGateway) {
	m.t.Helper()
	var gave int64
	for _, amount := range c.refunded {
		gave += amount
	}
	kept := m.count("SELECT coalesce(sum(amount), 0) FROM payments") - int(gave)
	held := m.count(`
SELECT coalesce(sum(CASE WHEN debit LIKE 'funds:%' THEN amount ELSE 0 END - CASE WHEN credit LIKE 'funds:%' THEN amount ELSE 0 END), 0)
FROM ledger_postings`)
	if held != kept {
		m.t.Errorf("the ledger holds %d, kept are %d", held, kept)
	}
	if announced, refunds := m.count("SELECT count(*) FROM outbox WHERE type = 'order.refunded'"), len(c.refunded); announced != refunds {
		m.t.Errorf("%d refunds, %d announced", refunds, announced)
	}
}

// Eight callers cancel an order at once. One succeeds, and several processes refund the money once, under one key.
func TestCancel_refundedOnce(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		o := m.mustPay(c)
		gateway := &fakeRefundGateway{unanswered: 2, refunded: map[string]int64{}}
		service := m.aftersales(gateway)
		won := 0
		for _, err := range concurrently(8, func(int) error {
			_, refund, err := service.Cancel(m.t.Context(), m.project.ID, o, "")
			if err != nil {
				return err
			}
			_, err = service.ExecuteRefund(ports.NewOutbound(m.t.Context()), m.project.ID, refund)
			return err
		}) {
			if err == nil {
				won++
				continue
			}
			m.refused(err, "order_canceled")
		}
		if won != 1 || m.stock(p) != 5 {
			m.t.Errorf("%d canceled it, %d pieces are there", won, m.stock(p))
		}
		for range 3 { // several processes, until the outcome is known
			m.clock.advance(order.RefundLease)
			concurrently(4, func(int) error { _, err := m.executeRefunds(gateway); return err })
		}
		if gateway.calls != 3 || len(gateway.refunded) != 1 {
			m.t.Errorf("%d calls gave %v", gateway.calls, gateway.refunded)
		}
		m.expectBalancedLedger(gateway)
	})
}

// A process dies after it has recorded the refund. Another process executes it.
func TestRequestRefund_executedByAnotherProcess(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		_, c := m.productAndCheckout()
		o := m.mustPay(c)
		gateway := &fakeRefundGateway{refunded: map[string]int64{}}
		paid, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, o)
		m.must(err)
		refund := aftersales.RefundRequest{Payment: paid.Payment.ID}
		promised, err := m.aftersales(gateway).RequestRefund(m.t.Context(), m.project.ID, refund)
		m.must(err)
		_, err = m.aftersales(gateway).RequestRefund(m.t.Context(), m.project.ID, refund)
		m.refused(err, "payment_refunded")
		m.clock.advance(order.RefundLease)
		if decided, err := m.executeRefunds(gateway); decided != 1 || err != nil {
			m.t.Errorf("%d decided, %v", decided, err)
		}
		if _, given := gateway.refunded[promised.ID.String()]; !given {
			m.t.Errorf("gave %v", gateway.refunded)
		}
		m.expectBalancedLedger(gateway)
	})
}
