package boot_test

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

// What gives money back when its provider or its process lets go of it halfway: one refund, by one key,
// and a ledger that holds what was kept.

// cashier is a provider's way of refunds: it answers the first so many times with nothing.
type cashier struct {
	ports.Gateway
	mu     sync.Mutex
	silent int
	gave   map[string]int64 // by key
	calls  int
}

func (c *cashier) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.gave[r.Key] = r.Amount.Minor()
	if c.calls <= c.silent {
		return nil, errors.New("the answer is lost")
	}
	return order.Refunded{Provider: "re_" + r.Key}, nil
}

// aftersales is one process of the shop after the sale.
func (m *market) aftersales(c *cashier) *aftersales.Service {
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

func (m *market) executeRefunds(c *cashier) (decided int, err error) {
	return jobs.NewWorker(m.aftersales(c).Refunding()).Once(m.t.Context())
}

// balanced checks that the ledger's funds are what was taken less what the cashier gave.
func (m *market) balanced(c *cashier) {
	m.t.Helper()
	var gave int64
	for _, amount := range c.gave {
		gave += amount
	}
	kept := m.count("SELECT coalesce(sum(amount), 0) FROM payments") - int(gave)
	held := m.count(`
SELECT coalesce(sum(CASE WHEN debit LIKE 'funds:%' THEN amount ELSE 0 END - CASE WHEN credit LIKE 'funds:%' THEN amount ELSE 0 END), 0)
FROM ledger_postings`)
	if held != kept {
		m.t.Errorf("the ledger holds %d, kept are %d", held, kept)
	}
	if told, refunds := m.count("SELECT count(*) FROM outbox WHERE type = 'order.refunded'"), len(c.gave); told != refunds {
		m.t.Errorf("%d refunds, %d announced", refunds, told)
	}
}

func TestCanceledOrderIsGivenBackOnce(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		o := m.mustPay(c)
		till := &cashier{silent: 2, gave: map[string]int64{}}
		service := m.aftersales(till)
		won := 0
		for _, err := range atOnce(8, func(int) error {
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
		for range 3 { // as several processes, until it is decided
			m.clock.advance(order.RefundLease)
			atOnce(4, func(int) error { _, err := m.executeRefunds(till); return err })
		}
		if till.calls != 3 || len(till.gave) != 1 {
			m.t.Errorf("%d calls gave %v", till.calls, till.gave)
		}
		m.balanced(till)
	})
}

// The process dies after its promise: another one keeps it.
func TestPromisedRefundIsKeptByAnotherProcess(t *testing.T) {
	onMarkets(t, func(m *market) {
		_, c := m.lantern()
		o := m.mustPay(c)
		till := &cashier{gave: map[string]int64{}}
		paid, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, o)
		m.must(err)
		refund := aftersales.RefundRequest{Payment: paid.Payment.ID}
		promised, err := m.aftersales(till).RequestRefund(m.t.Context(), m.project.ID, refund)
		m.must(err)
		_, err = m.aftersales(till).RequestRefund(m.t.Context(), m.project.ID, refund)
		m.refused(err, "payment_refunded")
		m.clock.advance(order.RefundLease)
		if decided, err := m.executeRefunds(till); decided != 1 || err != nil {
			m.t.Errorf("%d decided, %v", decided, err)
		}
		if _, given := till.gave[promised.ID.String()]; !given {
			m.t.Errorf("gave %v", till.gave)
		}
		m.balanced(till)
	})
}
