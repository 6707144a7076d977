package usecases

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// In these tests the provider, the process or the client fails in the middle of a finalize. There must be one order, one payment,
// and correct stock.

// longPause is longer than the reconciler's first pauses between attempts, and shorter than a lease.
const longPause = 10 * time.Second

// expireLease moves the clock past the lease of an attempt.
func (m *shopFixture) expireLease() { m.clock.advance(checkout.Lease + time.Millisecond) }

// productAndCheckout creates a product with five pieces and a checkout of one.
func (m *shopFixture) productAndCheckout() (*catalog.Product, *checkout.Checkout) {
	m.t.Helper()
	p := m.product(100_00, 5)
	return p, m.checkout(p)
}

func (m *shopFixture) expectKeys(what string, got []string, want ...string) {
	m.t.Helper()
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// The provider charges but its answer is lost. The next finalize repeats the charge under the same key and makes the order.
func TestFinalize_lostAnswerRetried(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostAnswer: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		o := m.mustPay(c)
		if again := m.mustPay(c); again != o {
			m.t.Errorf("the third finalize has another order: %s, %s", o, again)
		}
		key := checkout.AttemptKey(c.ID(), 1)
		charged, asked := m.provider.keys()
		m.expectKeys("charged", charged, key, key) // the provider repeats its answer
		m.expectKeys("asked about", asked)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The provider charges but its answer is lost. The reconciler resolves the attempt and makes the order.
func TestReconciliation_lostAnswer(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostAnswer: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		if n := m.reconcile(); n != 1 {
			m.t.Errorf("%d attempts decided, want 1", n)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
		m.mustPay(c)
		charged, asked := m.provider.keys()
		m.expectKeys("charged", charged, checkout.AttemptKey(c.ID(), 1))
		m.expectKeys("asked about", asked, checkout.AttemptKey(c.ID(), 1))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The charge never reached the provider. The reconciler voids the attempt, and the next attempt has another key.
func TestReconciliation_lostRequest(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostRequest: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		if n := m.stock(p); n != 4 {
			m.t.Errorf("%d pieces left while nobody knows, want 4", n)
		}
		m.reconcile()
		m.expect(c, checkout.Ready, 0, p, 5)
		m.mustPay(c)
		charged, _ := m.provider.keys()
		m.expectKeys("charged", charged, checkout.AttemptKey(c.ID(), 1), checkout.AttemptKey(c.ID(), 2))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// While an attempt is unresolved, its checkout token is reserved. When the attempt is voided, another checkout can use the token.
func TestReconciliation_lostRequestFreesToken(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 5)
		d := m.agree(p)
		c, other := m.open(d), m.open(d)
		m.provider.script(chargeStep{lostRequest: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		_, err = m.pay(other)
		m.refused(err, "token_redeemed")
		m.reconcile()
		m.mustPay(other)
		_, err = m.pay(c)
		m.refused(err, "token_redeemed")
		m.expect(c, checkout.Ready, 1, p, 4)
	})
}

// While the provider does not answer, the attempt stays unresolved. It is resolved when the provider is back.
func TestReconciliation_noAnswer(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostAnswer: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.purchase.Gateway = unansweringProvider{m.provider}
		m.clock.advance(longPause)
		decided, err := m.runReconciler()
		m.refused(err, "payment_unresolved")
		if decided != 0 {
			m.t.Errorf("%d attempts decided without an answer", decided)
		}
		_, err = m.payWith(m.t.Context(), c, "tok_2") // an attempt with another payment token is refused too
		m.refused(err, "payment_unresolved")
		m.purchase.Gateway = m.provider
		m.reconcile()
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// A second finalize during a charge waits for the first one and returns its order.
func TestFinalize_waitsForAttemptInFlight(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		refused := make(chan struct{})
		signal := sync.OnceFunc(func() { close(refused) })
		m.purchase.Checkouts = watchedCheckouts{m.purchase.Checkouts, func(err error) {
			if errors.Is(err, checkout.ErrProcessing) {
				signal()
			}
		}}
		var second id.Order
		var waiter sync.WaitGroup
		m.provider.script(chargeStep{before: func(context.Context) {
			waiter.Go(func() {
				if result, err := m.pay(c); err != nil || orderOf(result) == nil {
					m.t.Errorf("the second: %+v, %v", result, err)
				} else {
					second = orderOf(result).ID
				}
			})
			<-refused
		}})
		first := m.mustPay(c)
		waiter.Wait()
		if first != second {
			m.t.Errorf("two orders: %s, %s", first, second)
		}
		charged, _ := m.provider.keys()
		m.expectKeys("charged", charged, checkout.AttemptKey(c.ID(), 1))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// A second finalize that waits longer than Patience returns checkout_processing.
func TestFinalize_patienceExceeded(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.purchase.Patience = time.Nanosecond
		m.provider.script(chargeStep{before: func(context.Context) {
			_, err := m.pay(c)
			m.refused(err, "checkout_processing")
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// If the client disconnects during the charge, the charge continues with a deadline of its own and makes the order.
func TestFinalize_clientDisconnects(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		ctx, hangUp := context.WithCancel(m.t.Context())
		m.provider.script(chargeStep{before: func(charging context.Context) {
			hangUp()
			if charging.Err() != nil {
				m.t.Errorf("the charge ended with the client: %v", charging.Err())
			}
			if _, bounded := charging.Deadline(); !bounded {
				m.t.Error("the charge may take for ever")
			}
		}})
		if result, err := m.payWith(ctx, c, "tok_1"); err != nil || orderOf(result) == nil {
			m.t.Errorf("%+v, %v", result, err)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// endProcess ends the goroutine that pays, as a crash would end its process.
func endProcess(context.Context) { runtime.Goexit() }

// The process died during the charge. Two reconcilers and the buyer find the lapsed attempt at the same time, and one of them
// resolves it.
func TestReconciliation_lapsedAttemptResolvedOnce(t *testing.T) {
	t.Parallel()
	for name, death := range map[string]chargeStep{"died before the charge": {before: endProcess}, "died after the charge": {after: endProcess}} {
		t.Run(name, func(t *testing.T) {
			forEachEngine(t, func(m *shopFixture) {
				p, c := m.productAndCheckout()
				m.payAndCrash(c, death)
				m.expireLease()
				reconcile := func() error { _, err := m.runReconciler(); return err }
				pay := func() error { _, err := m.pay(c); return err }
				tasks := []func() error{reconcile, reconcile, pay}
				for _, err := range concurrently(len(tasks), func(i int) error { return tasks[i]() }) {
					if err != nil {
						m.t.Error(err)
					}
				}
				charged, asked := m.provider.keys()
				notFirst := func(key string) bool { return key != checkout.AttemptKey(c.ID(), 1) }
				if again := slices.DeleteFunc(slices.Concat(charged[1:], asked), notFirst); len(again) != 1 {
					m.t.Errorf("asked %d times what became of the attempt: charged %q, asked %q", len(again), charged, asked)
				}
				m.expect(c, checkout.Completed, 1, p, 4)
			})
		})
	}
}

// The reconciler leaves an attempt alone until its lease has expired.
func TestReconciliation_leaseNotExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{before: func(context.Context) {
			m.clock.advance(checkout.Lease - longPause - 2*time.Millisecond)
			if n := m.reconcile(); n != 0 {
				m.t.Errorf("%d attempts decided", n)
			}
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The reconciler leaves an attempt alone that its buyer has retried.
func TestReconciliation_attemptRetriedByBuyer(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{lostRequest: true}, chargeStep{before: func(context.Context) {
			if n := m.reconcile(); n != 0 {
				m.t.Errorf("%d attempts decided", n)
			}
		}})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.mustPay(c)
		charged, asked := m.provider.keys()
		m.expectKeys("charged", charged, checkout.AttemptKey(c.ID(), 1), checkout.AttemptKey(c.ID(), 1))
		m.expectKeys("asked about", asked)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// A charge is so slow that the reconciler voids the attempt. The provider then refuses the charge.
func TestFinalize_slowChargeVoided(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{before: func(context.Context) {
			m.expireLease()
			m.reconcile()
			m.expect(c, checkout.Ready, 0, p, 5)
		}})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.expect(c, checkout.Ready, 0, p, 5)
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// A charge is so slow that the attempt is voided and the buyer has paid in another attempt. Both finalizes return that order.
func TestFinalize_slowChargeAfterNextAttempt(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		var second id.Order
		m.provider.script(chargeStep{before: func(context.Context) {
			m.expireLease()
			m.reconcile()
			second = m.mustPay(c)
		}})
		if first := m.mustPay(c); first != second {
			m.t.Errorf("two orders: %s, %s", first, second)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The provider's answer arrives after the reconciler has resolved the attempt as paid.
func TestFinalize_answerAfterReconciliation(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.provider.script(chargeStep{after: func(context.Context) {
			m.expireLease()
			m.reconcile()
			m.expect(c, checkout.Completed, 1, p, 4)
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// A finalize with another payment token first resolves the lapsed attempt of the first token.
func TestFinalize_otherTokenOnLapsedAttempt(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		for name, death := range map[string]chargeStep{"paid": {after: endProcess}, "never charged": {before: endProcess}} {
			p, c := m.productAndCheckout()
			before := m.orders()
			m.payAndCrash(c, death)
			m.expireLease()
			result, err := m.payWith(m.t.Context(), c, "tok_2")
			if err != nil || orderOf(result) == nil {
				m.t.Errorf("%s: %+v, %v", name, result, err)
			}
			m.expect(c, checkout.Completed, before+1, p, 4)
		}
	})
}

// The reconciler voided the attempt at the provider and died before it recorded that. The buyer retries with the same token: the
// charge under the old key is refused, and a new attempt is paid.
func TestFinalize_voidedAttemptNewKey(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p, c := m.productAndCheckout()
		m.payAndCrash(c, chargeStep{before: endProcess})
		first := checkout.AttemptKey(c.ID(), 1)
		if _, err := m.provider.Resolve(ports.NewOutbound(m.t.Context()), ports.ChargeRequest{Charge: checkout.Charge{Key: first}}); err != nil {
			m.t.Fatal(err)
		}
		m.expireLease()
		m.mustPay(c)
		charged, _ := m.provider.keys()
		m.expectKeys("charged", charged, first, first, checkout.AttemptKey(c.ID(), 2))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}
