package boot_test

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

// What a finalize does when the provider, the process or the client lets go of it halfway: one order,
// one payment, and stock that adds up.

// longPause is longer than the reconciler waits before it asks for the first few times, and shorter than a
// lease.
const longPause = 10 * time.Second

// lapse moves the clock past the lease of an attempt.
func (m *market) lapse() { m.clock.advance(checkout.Lease + time.Millisecond) }

// lantern is a product with five pieces, and a checkout of one.
func (m *market) lantern() (*catalog.Product, *checkout.Checkout) {
	m.t.Helper()
	p := m.product(100_00, 5)
	return p, m.checkout(p)
}

func (m *market) expectKeys(what string, got []string, want ...string) {
	m.t.Helper()
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestLostAnswerThenTheSameFinalize(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{lost: true})
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

func TestLostAnswerThenTheReconciler(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{lost: true})
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

// The provider never saw the charge: everything is as before, and the next charge is another one.
func TestLostRequestThenTheReconciler(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{unseen: true})
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

func TestLostRequestFreesTheToken(t *testing.T) {
	onMarkets(t, func(m *market) {
		p := m.product(100_00, 5)
		d := m.agree(p)
		c, other := m.open(d), m.open(d)
		m.provider.script(step{unseen: true})
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

// Nobody gets an answer for a while. The attempt stays one, and is decided when the provider is back.
func TestReconcilerWithoutAnAnswerTriesAgain(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{lost: true})
		_, err := m.pay(c)
		m.refused(err, "payment_unresolved")
		m.purchase.Gateway = stubborn{m.provider}
		m.clock.advance(longPause)
		decided, err := m.runReconciler()
		m.refused(err, "payment_unresolved")
		if decided != 0 {
			m.t.Errorf("%d attempts decided without an answer", decided)
		}
		_, err = m.payWith(m.t.Context(), c, "tok_2") // another token's buyer has to know, too
		m.refused(err, "payment_unresolved")
		m.purchase.Gateway = m.provider
		m.reconcile()
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

func TestSecondFinalizeWaitsForTheFirst(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		refused := make(chan struct{})
		tell := sync.OnceFunc(func() { close(refused) })
		m.purchase.Checkouts = watched{m.purchase.Checkouts, func(err error) {
			if errors.Is(err, checkout.ErrProcessing) {
				tell()
			}
		}}
		var second id.Order
		var waiter sync.WaitGroup
		m.provider.script(step{before: func(context.Context) {
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

func TestPatienceIsOver(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.purchase.Patience = time.Nanosecond
		m.provider.script(step{before: func(context.Context) {
			_, err := m.pay(c)
			m.refused(err, "checkout_processing")
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

func TestClientHangsUpDuringTheCharge(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		ctx, hangUp := context.WithCancel(m.t.Context())
		m.provider.script(step{before: func(charging context.Context) {
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

// die ends the process, as far as the goroutine that pays is one.
func die(context.Context) { runtime.Goexit() }

// The process died while it charged. Two replicas and the buyer find the attempt at the same time, and
// one of them asks for it.
func TestLapsedAttemptIsResolvedOnce(t *testing.T) {
	t.Parallel()
	for name, death := range map[string]step{"died before the charge": {before: die}, "died after the charge": {after: die}} {
		t.Run(name, func(t *testing.T) {
			onMarkets(t, func(m *market) {
				p, c := m.lantern()
				m.crash(c, death)
				m.lapse()
				reconcile := func() error { _, err := m.runReconciler(); return err }
				pay := func() error { _, err := m.pay(c); return err }
				tasks := []func() error{reconcile, reconcile, pay}
				for _, err := range atOnce(len(tasks), func(i int) error { return tasks[i]() }) {
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

// A lease that has not lapsed is somebody's, whatever the reconciler thinks.
func TestAttemptInFlightIsLeftAlone(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{before: func(context.Context) {
			m.clock.advance(checkout.Lease - longPause - 2*time.Millisecond)
			if n := m.reconcile(); n != 0 {
				m.t.Errorf("%d attempts decided", n)
			}
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// So is one that its buyer has taken up again.
func TestAttemptTakenUpAgainIsLeftAlone(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{unseen: true}, step{before: func(context.Context) {
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

// A charge so slow that the reconciler has it voided: the provider refuses it when it comes.
func TestZombieAfterTheReconciler(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{before: func(context.Context) {
			m.lapse()
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

// Meanwhile the buyer has even paid anew. Both finalizes have that order.
func TestZombieAfterTheNextAttempt(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		var second id.Order
		m.provider.script(step{before: func(context.Context) {
			m.lapse()
			m.reconcile()
			second = m.mustPay(c)
		}})
		if first := m.mustPay(c); first != second {
			m.t.Errorf("two orders: %s, %s", first, second)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The charge was taken but its answer came after the reconciler had asked.
func TestLateAnswerOfAPaidAttempt(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.provider.script(step{after: func(context.Context) {
			m.lapse()
			m.reconcile()
			m.expect(c, checkout.Completed, 1, p, 4)
		}})
		m.mustPay(c)
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// Another token comes while a lapsed attempt of the first is undecided: that one is decided first.
func TestAnotherTokenOnALapsedAttempt(t *testing.T) {
	onMarkets(t, func(m *market) {
		for name, death := range map[string]step{"paid": {after: die}, "never charged": {before: die}} {
			p, c := m.lantern()
			before := m.orders()
			m.crash(c, death)
			m.lapse()
			result, err := m.payWith(m.t.Context(), c, "tok_2")
			if err != nil || orderOf(result) == nil {
				m.t.Errorf("%s: %+v, %v", name, result, err)
			}
			m.expect(c, checkout.Completed, before+1, p, 4)
		}
	})
}

// The reconciler had the attempt voided and died before it could say so. Then the buyer comes with the
// same token: the charge is repeated under the old key, which is void, and a new attempt is paid.
func TestVoidedAttemptIsPaidUnderANewKey(t *testing.T) {
	onMarkets(t, func(m *market) {
		p, c := m.lantern()
		m.crash(c, step{before: die})
		first := checkout.AttemptKey(c.ID(), 1)
		if _, err := m.provider.Resolve(ports.NewOutbound(m.t.Context()), ports.ChargeRequest{Charge: checkout.Charge{Key: first}}); err != nil {
			m.t.Fatal(err)
		}
		m.lapse()
		m.mustPay(c)
		charged, _ := m.provider.keys()
		m.expectKeys("charged", charged, first, first, checkout.AttemptKey(c.ID(), 2))
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}
