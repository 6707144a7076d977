package usecases

import (
	"context"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// pay finalizes a checkout with the payment token tok_1.
func (m *shopFixture) pay(c *checkout.Checkout) (purchase.Result, error) {
	return m.payWith(m.t.Context(), c, "tok_1")
}

func (m *shopFixture) payWith(ctx context.Context, c *checkout.Checkout, token string) (purchase.Result, error) {
	return m.purchase.Finalize(ports.NewOutbound(ctx), m.project, purchase.FinalizeRequest{
		Checkout: c.ID(),
		Method:   project.SharedPaymentToken,
		Token:    token,
		Email:    "ada@example.com",
	})
}

// mustPay pays a checkout and returns the order's id.
func (m *shopFixture) mustPay(c *checkout.Checkout) id.Order {
	m.t.Helper()
	result, err := m.pay(c)
	m.must(err)
	if orderOf(result) == nil {
		m.t.Fatalf("no order: %+v", result)
	}
	return orderOf(result).ID
}

// payAndCrash pays in a goroutine that a hook of the step ends, like a process that crashes.
func (m *shopFixture) payAndCrash(c *checkout.Checkout, s chargeStep) {
	m.provider.script(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := m.pay(c)
		m.t.Errorf("the process lived to answer %v", err)
	}()
	<-ended
}

// reconcile runs the reconciler after a pause and returns how many attempts it resolved.
func (m *shopFixture) reconcile() int {
	m.t.Helper()
	m.clock.advance(longPause) // because it retries unresolved attempts only after a pause
	decided, err := m.runReconciler()
	if err != nil {
		m.t.Error(err)
	}
	return decided
}

func (m *shopFixture) runReconciler() (decided int, err error) {
	return jobs.NewWorker(m.purchase.Reconciliation()).Once(m.t.Context())
}

// expect checks a checkout's status, the number of orders, that each was paid once, and the remaining stock of a product.
func (m *shopFixture) expect(c *checkout.Checkout, status checkout.Status, orders int, p *catalog.Product, left int) {
	m.t.Helper()
	stored, err := m.store.Checkouts().Get(m.t.Context(), m.project.ID, c.ID())
	m.must(err)
	if stored.Status() != status {
		m.t.Errorf("the checkout is %s, want %s", stored.Status(), status)
	}
	if n, paid := m.orders(), m.provider.paid(); n != orders || paid != orders {
		m.t.Errorf("%d orders, %d payments; want %d", n, paid, orders)
	}
	if n := m.stock(p); n != left {
		m.t.Errorf("%d pieces left, want %d", n, left)
	}
}

// resolveManually resolves an attempt as an operator does.
func resolveManually(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.ManualResolution) (purchase.Resolved, error) {
	if err := s.CheckResolution(ctx, p.ID, r); err != nil {
		return purchase.Resolved{}, err
	}
	return s.ResolveManually(ctx, p, r)
}

// orderOf returns the order of a result, or nil.
func orderOf(r purchase.Result) *order.Order {
	p, _ := r.(purchase.Placed)
	return p.Order
}
