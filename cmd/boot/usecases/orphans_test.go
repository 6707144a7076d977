package usecases

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// orphanedCharge returns an orphan: the provider charged an attempt that had been voided, and another attempt made the order.
func (m *shopFixture) orphanedCharge(charge string) *checkout.Orphan {
	m.t.Helper()
	_, c := m.productAndCheckout()
	m.provider.script(chargeStep{lostRequest: true})
	_, err := m.pay(c)
	m.refused(err, "payment_unresolved")
	_, err = m.payWith(m.t.Context(), c, "tok_2")
	m.must(err)
	m.must(m.purchase.RecordOutcome(m.t.Context(), m.project.ID, checkout.AttemptKey(c.ID(), 1), checkout.Paid{Provider: charge}))
	return m.findOrphan(charge)
}

func (m *shopFixture) findOrphan(charge string) *checkout.Orphan {
	m.t.Helper()
	list, _, err := m.store.Orphans().Orphans(m.t.Context(), m.project.ID, ports.OrphanFilter{Charge: charge}, ports.Page{Limit: 9})
	m.must(err)
	if len(list) != 1 {
		m.t.Fatalf("%d orphans of %s", len(list), charge)
	}
	return &list[0]
}

// owed returns what the ledger owes to buyers for orphaned charges.
func (m *shopFixture) owed() int64 {
	m.t.Helper()
	wallets, err := m.store.Ledger().Wallets(m.t.Context(), m.project.ID)
	m.must(err)
	return wallets[0].Orphaned.Minor()
}

// refundStatuses returns the refund statuses in payment.orphaned events, sorted.
func (m *shopFixture) refundStatuses() string {
	m.t.Helper()
	rows, err := m.inspector.Query("SELECT payload FROM outbox WHERE type = 'payment.orphaned'")
	m.must(err)
	defer rows.Close()
	var states []string
	for rows.Next() {
		var payload string
		m.must(rows.Scan(&payload))
		states = append(states, regexp.MustCompile(`"refund_status": ?"(\w+)"`).FindStringSubmatch(payload)[1])
	}
	m.must(rows.Err())
	slices.Sort(states)
	return strings.Join(states, " ")
}

// silentGateway is a gateway that gives no answer to refunds.
type silentGateway struct{ ports.Gateway }

func (silentGateway) Refund(ports.Outbound, ports.RefundRequest) (order.RefundOutcome, error) {
	return nil, errors.New("connection reset")
}

func (m *shopFixture) resolveOrphan(o *checkout.Orphan, succeeded bool, refund string) (*checkout.Orphan, error) {
	return m.purchase.ResolveOrphan(m.t.Context(), m.project.ID, purchase.OrphanResolution{
		Orphan:    o.ID,
		Succeeded: succeeded,
		Refund:    refund,
		Reason:    "Looked it up",
	})
}

// An operator resolves the refund of an orphaned charge as succeeded or failed. Then the project can be closed, and what the
// provider reports later is booked.
func TestResolveOrphan(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		one, two := m.orphanedCharge("ch_1"), m.orphanedCharge("ch_2")
		m.purchase.Gateway = silentGateway{m.provider}
		_, err := m.resolveOrphan(one, true, "re_1")
		m.refused(err, "refund_too_recent")
		_, _ = m.runOrphanRefunds()
		if o := m.findOrphan("ch_1"); o.Problem != "The provider's response was an error, or did not arrive." || o.Attempts != 1 {
			m.t.Errorf("after a failure: %+v", o)
		}
		m.clock.advance(checkout.OrphanDecidableAfter)
		settled, err := m.store.Projects().Settle(m.t.Context(), m.project.ID)
		if m.must(err); settled.Ready {
			m.t.Error("the project may be closed with an undecided refund")
		}
		owed := m.owed()
		_, err = m.resolveOrphan(one, true, strings.Repeat("x", 300))
		m.refused(err, "validation_error")
		if o, err := m.resolveOrphan(one, true, "re_1"); err != nil || o.State != checkout.OrphanRefunded || o.Problem != "" {
			m.t.Fatalf("%+v, %v", o, err)
		}
		if got := m.owed(); got != owed-one.Amount.Minor() {
			m.t.Errorf("%d are owed, before %d", got, owed)
		}
		_, err = m.resolveOrphan(one, true, "re_3")
		m.refused(err, "orphan_decided")
		_, err = m.resolveOrphan(two, true, "re_1")
		m.refused(err, "refund_taken")
		if o, err := m.resolveOrphan(two, false, ""); err != nil || o.State != checkout.OrphanFailed || o.Failure != checkout.FailedManually {
			m.t.Fatalf("%+v, %v", o, err)
		}
		if settled, err = m.store.Projects().Settle(m.t.Context(), m.project.ID); err != nil || !settled.Ready {
			m.t.Errorf("the project may not be closed: %+v, %v", settled, err)
		}
		m.must(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, two.ID, order.Refunded{Provider: "re_2"}))
		if o := m.findOrphan("ch_2"); o.State != checkout.OrphanRefunded || o.Refund != "re_2" || m.owed() != 0 {
			m.t.Errorf("made after all: %+v, %d are owed", o, m.owed())
		}
		if statuses := m.refundStatuses(); statuses != "failed pending pending succeeded succeeded" {
			m.t.Errorf("told %q", statuses)
		}
	})
}

// The provider reports twice that a succeeded refund of an orphaned charge failed after all. An operator then enters another
// refund.
func TestOrphanRefunds_failedAfterSuccess(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		o := m.orphanedCharge("ch_1")
		m.refundOrphans()
		if got := m.owed(); got != 0 {
			m.t.Fatalf("%d are owed", got)
		}
		for range 2 {
			m.must(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, o.ID, order.RefundFailed{Code: "lost_or_stolen_card"}))
		}
		m.must(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, o.ID, order.Refunded{Provider: "re_" + o.ID})) // late
		back := m.findOrphan("ch_1")
		if back.State != checkout.OrphanFailed || back.Failure != "lost_or_stolen_card" || m.owed() != o.Amount.Minor() {
			m.t.Errorf("%+v, %d are owed", back, m.owed())
		}
		if statuses := m.refundStatuses(); statuses != "failed pending succeeded" {
			m.t.Errorf("told %q", statuses)
		}
		_, err := m.resolveOrphan(o, true, "re_"+o.ID)
		m.refused(err, "refund_taken")
		if given, err := m.resolveOrphan(o, true, "re_other"); err != nil || given.State != checkout.OrphanRefunded || m.owed() != 0 {
			m.t.Errorf("%+v, %v, %d are owed", given, err, m.owed())
		}
		m.refused(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, "orphan-unknown", order.RefundFailed{}), "orphan_not_found")
	})
}

// The id of a refund that failed after it had succeeded cannot be used to resolve another refund, neither of an orphaned charge
// nor of an order.
func TestResolveOrphan_usedRefund(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		one, two, three := m.orphanedCharge("ch_1"), m.orphanedCharge("ch_2"), m.orphanedCharge("ch_3")
		m.purchase.Gateway = silentGateway{m.provider}
		_, _ = m.runOrphanRefunds()
		m.clock.advance(checkout.OrphanDecidableAfter)
		fails := func(refund string) {
			m.must(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, one.ID, order.RefundFailed{Code: "lost_card", Provider: refund}))
		}
		for _, refund := range []string{"re_1", "re_2"} {
			_, err := m.resolveOrphan(one, true, refund)
			m.must(err)
			fails(refund)
		}
		for _, o := range []*checkout.Orphan{one, two} {
			_, err := m.resolveOrphan(o, true, "re_1")
			m.refused(err, "refund_taken")
		}
		_, err := m.resolveOrphan(one, true, "re_3")
		m.must(err)
		_, err = m.resolveOrphan(two, true, "") // the sandbox needs no id
		m.must(err)
		_, err = m.resolveOrphan(three, true, "re_4")
		m.must(err)
		if n := m.owed(); n != 0 {
			m.t.Errorf("%d are owed", n)
		}

		service := m.aftersales(&fakeRefundGateway{unanswered: 100, refunded: map[string]int64{}})
		o, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, m.mustPay(m.checkout(m.product(2000, 5))))
		m.must(err)
		r, err := refundNow(ports.NewOutbound(m.t.Context()), service, m.project.ID, aftersales.RefundRequest{Payment: o.Payment.ID})
		m.must(err)
		m.clock.advance(order.RefundDecidableAfter)
		m.must(m.purchase.RecordOrphanRefund(m.t.Context(), m.project.ID, three.ID, order.RefundFailed{Code: "lost_card", Provider: "re_4"}))
		for _, taken := range []string{"re_1", "re_3", "re_4"} { // refunds of orphans one and three: replaced, current, and failed
			_, err = service.ResolveManually(m.t.Context(), m.project.ID, aftersales.ManualResolution{
				Refund:    r.ID,
				Succeeded: true,
				Provider:  taken,
				Reason:    "Looked it up",
			})
			m.refused(err, "refund_taken")
		}
	})
}

// stripeRefundGateway sends refunds to an account of the simulated Stripe.
type stripeRefundGateway struct {
	ports.Gateway
	at adaptertest.Payments
}

func (g stripeRefundGateway) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	return g.at.Refund(ctx, g.at.Account, r)
}

// fakeIntegrations is a store with one integration and a vault that seals nothing.
type fakeIntegrations struct {
	ports.IntegrationsInUse
	ports.Vault
	i *integration.Integration
}

func (c fakeIntegrations) ByWebhook(context.Context, id.Webhook) (*integration.Integration, error) {
	return c.i, nil
}
func (fakeIntegrations) Seal(plain []byte, _ string) []byte           { return plain }
func (fakeIntegrations) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

// Stripe reports by webhook that a succeeded refund of an orphaned charge failed after all.
func TestOrphanRefunds_failedAfterSuccessAtStripe(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		l := startProvider(m.t)
		p := stripeAt(m.t, l)
		r := chargeRequest(p.Method, l.Post(m.t, "/lookalike/tokens", map[string]any{
			"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "uses": 1,
		}))
		_, same := m.productAndCheckout()
		r.Charge.Amount = same.Total()
		outcome, err := p.Charge(ports.NewOutbound(m.t.Context()), p.Account, r)
		m.must(err)
		o := m.orphanedCharge(outcome.(checkout.Paid).Provider)
		if o.Amount != r.Charge.Amount {
			m.t.Fatalf("orphaned are %s of %s", o.Amount, r.Charge.Amount)
		}

		handled := make(chan error, 16)
		var webhooks payments.WebhookHandler
		hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = webhooks.Handle(ports.NewOutbound(r.Context()), id.Webhook{}, ports.Call{
					Payload: body,
					Header:  r.Header.Get,
					Now:     l.clock.Now(),
				})
			}
			handled <- err
		}))
		defer hooks.Close()
		type registering interface {
			RegisterWebhook(ports.Outbound, ports.PaymentAccount, string) (remote, secret string, err error)
			ports.WebhookReader
		}
		stripe := p.PaymentProvider.(registering)
		_, secret, err := stripe.RegisterWebhook(ports.NewOutbound(m.t.Context()), p.Account, hooks.URL)
		m.must(err)
		in := fakeIntegrations{i: &integration.Integration{Project: m.project.ID, Type: integration.Stripe}}
		in.i.Sealed = integration.Seal(in.i.ID, integration.Credentials{Key: p.Account.Key, Signing: secret}, in.Seal)
		webhooks = payments.WebhookHandler{
			InUse:     in,
			Vault:     in,
			Readers:   map[string]ports.WebhookReader{"stripe": stripe},
			Purchases: m.purchase,
		}

		ctx, stop := context.WithCancel(m.t.Context())
		sending := make(chan error)
		go func() { sending <- l.Run(ctx) }()
		defer func() { stop(); <-sending }()

		m.purchase.Gateway = stripeRefundGateway{m.provider, p}
		m.refundOrphans()
		given := m.findOrphan(o.Charge)
		if given.State != checkout.OrphanRefunded || given.Refund == "" {
			m.t.Fatalf("%+v", given)
		}
		l.Post(m.t, "/lookalike/refunds/fail", map[string]any{"refund": given.Refund, "reason": "lost_or_stolen_card"})
		for m.findOrphan(o.Charge).State == checkout.OrphanRefunded {
			select {
			case err := <-handled:
				m.must(err)
			case <-time.After(20 * time.Second):
				m.t.Fatal("the failure is not recorded")
			}
		}
		back := m.findOrphan(o.Charge)
		if back.State != checkout.OrphanFailed || back.Failure != "lost_or_stolen_card" || m.owed() != o.Amount.Minor() {
			m.t.Errorf("%+v, %d are owed", back, m.owed())
		}
		if statuses := m.refundStatuses(); statuses != "failed pending succeeded" {
			m.t.Errorf("told %q", statuses)
		}
	})
}
