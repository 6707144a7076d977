package usecases

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// These tests run many buyers at the same time, on real tables.

func cartItem(p *catalog.Product, quantity int) purchase.InitItem {
	return purchase.InitItem{
		Product:  p.ID,
		Variant:  p.Variants[0].ID,
		Quantity: quantity,
	}
}

// cart opens a checkout of items at list price, in its own session.
func (m *shopFixture) cart(items ...purchase.InitItem) *checkout.Checkout {
	m.t.Helper()
	c, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
		Session: m.openSession(),
		Items:   items,
		Address: shippingAddress,
	})
	m.must(err)
	return c
}

// countErrors counts errors by fault code, with "" for success. Other codes are test failures.
func (m *shopFixture) countErrors(errs []error, codes ...string) map[string]int {
	m.t.Helper()
	counts := map[string]int{}
	for _, err := range errs {
		if err == nil {
			counts[""]++
			continue
		}
		known := false
		for _, code := range codes {
			if fault.Is(err, code) {
				known = true
				counts[code]++
			}
		}
		if !known {
			m.t.Errorf("a buyer got %v", err)
		}
	}
	return counts
}

// 24 buyers pay for 7 pieces at once: 7 succeed and are charged, and the others get out_of_stock.
func TestFinalize_moreBuyersThanStock(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		const buyers, pieces = 24, 7
		p := m.product(100_00, pieces)
		checkouts := make([]*checkout.Checkout, buyers)
		for i := range checkouts {
			checkouts[i] = m.checkout(p)
		}
		counts := m.countErrors(concurrently(buyers, func(i int) error {
			_, err := m.pay(checkouts[i])
			return err
		}), "out_of_stock")
		if counts[""] != pieces || counts["out_of_stock"] != buyers-pieces {
			m.t.Errorf("%v, want %d orders", counts, pieces)
		}
		if orders, paid, left := m.orders(), m.provider.paid(), m.stock(p); orders != pieces || paid != pieces || left != 0 {
			m.t.Errorf("%d orders, %d payments, %d pieces left", orders, paid, left)
		}
	})
}

// Twelve concurrent finalizes of one checkout charge once and return the same order.
func TestFinalize_concurrentSameCheckout(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		var placed [12]id.Order
		m.countErrors(concurrently(len(placed), func(i int) error {
			result, err := m.pay(c)
			if err == nil && orderOf(result) != nil {
				placed[i] = orderOf(result).ID
			}
			return err
		}))
		for _, o := range placed {
			if o.IsZero() || o != placed[0] {
				m.t.Errorf("orders %v", placed)
				break
			}
		}
		charged, _ := m.provider.keys()
		m.expectKeys("charged", charged, checkout.AttemptKey(c.ID(), 1))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// Eight checkouts with the same token are paid at once: one succeeds, and the others get token_redeemed.
func TestFinalize_concurrentSameToken(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 50)
		d := m.agree(p)
		var checkouts [8]*checkout.Checkout
		for i := range checkouts {
			checkouts[i] = m.open(d)
		}
		counts := m.countErrors(concurrently(len(checkouts), func(i int) error {
			_, err := m.pay(checkouts[i])
			return err
		}), "token_redeemed")
		if counts[""] != 1 {
			m.t.Errorf("%v, want one order", counts)
		}
		if orders, paid, left := m.orders(), m.provider.paid(), m.stock(p); orders != 1 || paid != 1 || left != 49 {
			m.t.Errorf("%d orders, %d payments, %d pieces left", orders, paid, left)
		}
	})
}

// Half of the buyers list the two products in the opposite order, and every third is declined, so that stock is reserved and
// released in both orders at once. The database may roll back some transactions; no buyer gets an error.
func TestFinalize_cartsInOppositeOrder(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		const buyers, declined = 18, 6
		a, b := m.product(100_00, 100), m.product(50_00, 100)
		checkouts := make([]*checkout.Checkout, buyers)
		for i := range checkouts {
			if i%2 == 0 {
				checkouts[i] = m.cart(cartItem(a, 1), cartItem(b, 2))
			} else {
				checkouts[i] = m.cart(cartItem(b, 2), cartItem(a, 1))
			}
			if i%3 == 0 {
				m.provider.script(chargeStep{}, chargeStep{outcome: insufficientFunds}, chargeStep{})
			}
		}
		m.countErrors(concurrently(buyers, func(i int) error {
			_, err := m.pay(checkouts[i])
			return err
		}))
		const sold = buyers - declined
		if orders, paid := m.orders(), m.provider.paid(); orders != sold || paid != sold {
			m.t.Errorf("%d orders, %d payments; want %d", orders, paid, sold)
		}
		if left, other := m.stock(a), m.stock(b); left != 100-sold || other != 100-2*sold {
			m.t.Errorf("%d and %d pieces left after %d orders", left, other, sold)
		}
	})
}
