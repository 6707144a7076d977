package usecases

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// resolveHookGateway calls beforeAnswer in each Resolve.
type resolveHookGateway struct {
	ports.Gateway
	beforeAnswer func(ports.ChargeRequest)
}

func (r resolveHookGateway) Resolve(ctx ports.Outbound, request ports.ChargeRequest) (checkout.Outcome, error) {
	r.beforeAnswer(request)
	return r.Gateway.Resolve(ports.NewOutbound(ctx), request)
}

func (m *shopFixture) refundOrphans() {
	m.t.Helper()
	_, err := m.runOrphanRefunds()
	m.must(err)
}

// runOrphanRefunds runs the worker that refunds orphaned charges once. The outcome may stay unknown.
func (m *shopFixture) runOrphanRefunds() (int, error) {
	return jobs.NewWorker(m.purchase.OrphanRefunds()).Once(m.t.Context())
}

// codeOf returns the code of a fault.
func codeOf(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	return f.Code
}

// unresolvedCheckout returns a checkout with an attempt that the provider never resolves, old enough for an operator to decide.
func (m *shopFixture) unresolvedCheckout(p *catalog.Product) *checkout.Checkout {
	m.t.Helper()
	c := m.checkout(p)
	m.provider.script(chargeStep{lostRequest: true})
	m.purchase.Gateway = unansweringProvider{m.provider}
	_, err := m.pay(c)
	m.refused(err, "payment_unresolved")
	m.clock.advance(checkout.DecidableAfter)
	return c
}

func (m *shopFixture) resolvePayment(c *checkout.Checkout, charged bool, charge string) (purchase.Resolved, error) {
	return resolveManually(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.ManualResolution{
		Checkout: c.ID(),
		Charged:  charged,
		Charge:   charge,
		Reason:   "Looked it up",
	})
}

// An operator resolves an attempt as charged or not charged. Order, ledger and stock are as if the provider had answered.
func TestResolveManually_payment(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		if resolved, err := m.resolvePayment(c, false, ""); err != nil || resolved.Order != nil || resolved.Attempt != 1 {
			m.t.Fatalf("%+v, %v", resolved, err)
		}
		m.expect(c, checkout.Ready, 0, p, 5)
		_, err := m.resolvePayment(c, true, "ch_1")
		m.refused(err, "payment_decided")

		c = m.unresolvedCheckout(p)
		resolved, err := m.resolvePayment(c, true, "ch_1")
		if err != nil || resolved.Order == nil || resolved.Order.Payment.Provider != "ch_1" || resolved.Amount != c.Total() {
			m.t.Fatalf("%+v, %v", resolved, err)
		}
		if n := m.stock(p); n != 4 {
			m.t.Errorf("%d pieces left", n)
		}
		if announced := m.count("SELECT count(*) FROM outbox WHERE type = 'order.completed'"); announced != 1 {
			m.t.Errorf("%d orders announced", announced)
		}
		m.expectBalancedLedger(&fakeRefundGateway{})

		_, err = m.resolvePayment(m.unresolvedCheckout(p), true, "ch_1")
		m.refused(err, "charge_taken")
		if resolved, err := m.resolvePayment(m.unresolvedCheckout(p), true, ""); err != nil || resolved.Order == nil { // the sandbox needs no id
			m.t.Errorf("%+v, %v", resolved, err)
		}
		m.refused(m.purchase.Decidable(m.t.Context(), m.project.ID, c.ID(), 1), "payment_decided")
	})
}

// An operator can resolve an attempt only if it is 10 minutes old, the provider was asked about it, and no process is asking
// now.
func TestResolveManually_paymentRefused(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		m.clock.advance(-time.Millisecond)
		_, err := m.resolvePayment(c, false, "")
		m.refused(err, "payment_too_recent")
		m.clock.advance(time.Millisecond)
		_, err = resolveManually(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.ManualResolution{
			Checkout: c.ID(),
			Attempt:  2,
			Reason:   "x",
		})
		m.refused(err, "attempt_stale")
		_, err = resolveManually(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.ManualResolution{Checkout: c.ID()})
		m.refused(err, "validation_error")

		crashed := m.checkout(p)
		m.payAndCrash(crashed, chargeStep{after: func(context.Context) { runtime.Goexit() }})
		m.clock.advance(checkout.DecidableAfter)
		_, err = m.resolvePayment(crashed, false, "")
		m.refused(err, "payment_not_asked")

		m.purchase.Gateway = resolveHookGateway{unansweringProvider{m.provider}, func(r ports.ChargeRequest) {
			_, err := resolveManually(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.ManualResolution{Checkout: r.Checkout, Reason: "x"})
			m.refused(err, "payment_in_progress")
		}}
		m.clock.advance(longPause)
		_, _ = m.runReconciler()
		if n := m.orders(); n != 0 {
			m.t.Errorf("%d orders", n)
		}
	})
}

// The provider reports a charge after an operator resolved the attempt as not charged. The charge is refunded under its own key.
func TestResolveManually_paymentChargedAfterAll(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		_, err := m.resolvePayment(c, false, "")
		m.must(err)
		key := checkout.AttemptKey(c.ID(), 1)
		m.must(m.purchase.RecordOutcome(m.t.Context(), m.project.ID, key, checkout.Paid{Provider: "ch_late"}))
		m.purchase.Gateway = m.provider
		m.refundOrphans()
		if refunds := m.provider.refunds; len(refunds) != 1 || refunds[0].Charge != "ch_late" || refunds[0].Amount != c.Total() {
			m.t.Errorf("given back %+v", refunds)
		}
		m.expect(c, checkout.Ready, 0, p, 5)
		_, err = m.resolvePayment(m.unresolvedCheckout(p), true, "ch_late")
		m.refused(err, "charge_orphaned")
	})
}

// The provider reports another charge id for the attempt than the operator entered. Nothing is refunded before an operator has
// decided.
func TestResolveManually_paymentOtherChargeID(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		decided := func(ports.ChargeRequest) {
			m.clock.advance(checkout.Lease) // as if this replica had been paused
			_, err := m.resolvePayment(c, true, "ch_typed")
			m.must(err)
		}
		m.purchase.Gateway = resolveHookGateway{m.provider, decided}
		m.provider.once(checkout.AttemptKey(c.ID(), 1), checkout.Paid{Provider: "ch_real"})
		m.clock.advance(longPause)
		_, err := m.runReconciler()
		m.must(err)
		m.purchase.Gateway = m.provider
		m.refundOrphans()
		if n := m.count("SELECT count(*) FROM orphan_charges WHERE status = 'failed' AND failure = 'second_charge_of_attempt'"); n != 1 || len(m.provider.refunds) > 0 {
			m.t.Errorf("%d for a person to see to, %+v given back", n, m.provider.refunds)
		}
		m.expect(c, checkout.Completed, 1, p, 4)
	})
}

// The reconciler gets the answer while operators resolve the attempt in different ways. Only one of them wins.
func TestResolveManually_paymentRaces(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		m.provider.once(checkout.AttemptKey(c.ID(), 1), checkout.Paid{Provider: "ch_1"})
		m.purchase.Gateway = m.provider
		m.clock.advance(longPause)
		won := 0
		for i, err := range concurrently(5, func(i int) error {
			if i == 4 {
				_, err := m.runReconciler()
				return err
			}
			_, err := m.resolvePayment(c, i%2 == 0, map[bool]string{true: "ch_1"}[i%2 == 0])
			return err
		}) {
			switch {
			case i == 4:
			case err == nil:
				won++
			default:
				if code := codeOf(err); code != "payment_decided" && code != "payment_in_progress" {
					m.t.Errorf("person %d: %v", i, err)
				}
			}
		}
		orders, orphans := m.orders(), m.count("SELECT count(*) FROM orphan_charges")
		if won > 1 || orders+orphans > 1 || orders == 1 && m.stock(p) != 4 || orders == 0 && m.stock(p) != 5 {
			m.t.Errorf("%d people won; %d orders, %d orphans, %d pieces left", won, orders, orphans, m.stock(p))
		}
	})
}

// Of two operators who resolve an attempt at the same time, the second waits for the row lock and is refused.
func TestResolveManually_paymentLock(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		c := m.unresolvedCheckout(p)
		second := make(chan error, 1)
		var begun atomic.Bool
		locked := func() {
			if !begun.CompareAndSwap(false, true) {
				return
			}
			go func() {
				_, err := m.resolvePayment(c, true, "ch_1")
				second <- err
			}()
			for m.postgres() && len(second) == 0 && m.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 0 {
				runtime.Gosched() // until the second waits for the lock or has returned
			}
		}
		m.purchase.Checkouts = lockHookCheckouts{m.purchase.Checkouts, locked}
		_, err := m.resolvePayment(c, false, "")
		m.must(err)
		m.refused(<-second, "payment_decided")
		m.expect(c, checkout.Ready, 0, p, 5)
	})
}

func (m *shopFixture) postgres() bool { return fmt.Sprintf("%T", m.inspector.Driver()) == "*pq.Driver" }

// lockHookCheckouts calls locked whenever a checkout's row was locked.
type lockHookCheckouts struct {
	ports.Checkouts
	locked func()
}

func (l lockHookCheckouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return l.Checkouts.InTx(ctx, p, func(tx ports.Purchase) error { return work(lockHookTx{tx, l.locked}) })
}

type lockHookTx struct {
	ports.Purchase
	locked func()
}

func (t lockHookTx) Lock(ctx context.Context, of id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, now, err := t.Purchase.Lock(ctx, of)
	t.locked()
	return c, now, err
}

func (t lockHookTx) LockWithStock(
	ctx context.Context, of id.Checkout, needs []catalog.Need, payers []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, levels, now, err := t.Purchase.LockWithStock(ctx, of, needs, payers)
	t.locked()
	return c, levels, now, err
}

// An operator resolves a refund as succeeded or failed. Later reports of the provider are booked.
func TestResolveManually_refund(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(2000, 5)
		gateway := &fakeRefundGateway{unanswered: 100, refunded: map[string]int64{}}
		service := m.aftersales(gateway)
		promise := func() *order.Refund {
			o, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, m.mustPay(m.checkout(p)))
			m.must(err)
			r, err := refundNow(ports.NewOutbound(m.t.Context()), service, m.project.ID, aftersales.RefundRequest{Payment: o.Payment.ID})
			m.must(err)
			return r
		}
		resolve := func(r *order.Refund, succeeded bool, provider string) (*order.Refund, error) {
			return service.ResolveManually(m.t.Context(), m.project.ID, aftersales.ManualResolution{
				Refund:    r.ID,
				Succeeded: succeeded,
				Provider:  provider,
				Reason:    "Looked it up",
			})
		}
		first, second := promise(), promise()
		_, err := resolve(first, true, "re_1")
		m.refused(err, "refund_too_recent")
		m.refused(service.Decidable(m.t.Context(), m.project.ID, first.ID), "refund_too_recent")
		m.clock.advance(order.RefundDecidableAfter)
		_, err = service.ResolveManually(m.t.Context(), m.project.ID, aftersales.ManualResolution{Refund: first.ID})
		m.refused(err, "validation_error")
		if r, err := resolve(first, true, "re_1"); err != nil || r.Status != order.RefundSucceeded || r.Provider != "re_1" {
			m.t.Fatalf("%+v, %v", r, err)
		}
		_, err = resolve(first, false, "")
		m.refused(err, "refund_decided")
		_, err = resolve(second, true, "re_1")
		m.refused(err, "refund_taken")
		if r, err := resolve(second, false, ""); err != nil || r.Status != order.RefundIsFailed || r.Failure != order.FailedManually {
			m.t.Fatalf("%+v, %v", r, err)
		}
		m.must(service.RecordRefund(m.t.Context(), m.project.ID, second.ID.String(), order.Refunded{Provider: "re_2"}))
		if r, err := m.store.Orders().RefundByID(m.t.Context(), m.project.ID, second.ID); err != nil || r.Status != order.RefundSucceeded {
			m.t.Errorf("a success that the provider reports later: %+v, %v", r, err)
		}
		m.expectBalancedLedger(gateway)
		m.must(service.RecordRefund(m.t.Context(), m.project.ID, first.ID.String(), order.RefundFailed{Code: "lost_or_stolen_card"}))
		delete(gateway.refunded, first.ID.String())
		if held := m.count("SELECT count(*) FROM ledger_transactions WHERE kind = 'refund_reversal'"); held != 1 {
			m.t.Errorf("%d reversals booked", held)
		}
	})
}

// To resolve a refund of a real provider as succeeded, the operator must enter its id. The sandbox has no ids to look up.
func TestResolveManually_refundID(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		service := m.aftersales(&fakeRefundGateway{unanswered: 100, refunded: map[string]int64{}})
		for _, gateway := range []string{"stripe", "sandbox"} {
			o, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, m.mustPay(m.checkout(m.product(2000, 5))))
			m.must(err)
			r, err := refundNow(ports.NewOutbound(m.t.Context()), service, m.project.ID, aftersales.RefundRequest{Payment: o.Payment.ID})
			m.must(err)
			m.clock.advance(order.RefundDecidableAfter)
			_, err = m.inspector.Exec("UPDATE payments SET gateway = $1 WHERE id = $2", gateway, o.Payment.ID.String())
			m.must(err)
			_, err = service.ResolveManually(m.t.Context(), m.project.ID, aftersales.ManualResolution{
				Refund:    r.ID,
				Succeeded: true,
				Reason:    "x",
			})
			if gateway == "stripe" {
				m.refused(err, "validation_error")
			} else {
				m.must(err)
			}
		}
	})
}

// refundNow requests and executes a refund.
func refundNow(ctx ports.Outbound, s *aftersales.Service, project id.Project, r aftersales.RefundRequest) (*order.Refund, error) {
	promised, err := s.RequestRefund(ctx, project, r)
	if err != nil {
		return nil, err
	}
	return s.ExecuteRefund(ctx, project, promised.ID)
}
