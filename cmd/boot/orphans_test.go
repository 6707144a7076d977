package boot_test

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

// orphaned is money that the provider took for an attempt that was given up, before another one made an order.
func (m *market) orphaned(charge string) *checkout.Orphan {
	m.t.Helper()
	_, c := m.lantern()
	m.provider.script(step{unseen: true})
	_, err := m.pay(c)
	m.refused(err, "payment_unresolved")
	_, err = m.payWith(m.t.Context(), c, "tok_2")
	m.must(err)
	m.must(m.purchase.Heard(m.t.Context(), m.project.ID, checkout.AttemptKey(c.ID(), 1), checkout.Paid{Provider: charge}))
	return m.theOrphan(charge)
}

func (m *market) theOrphan(charge string) *checkout.Orphan {
	m.t.Helper()
	list, _, err := m.store.Orphans().Orphans(m.t.Context(), m.project.ID, ports.OrphanFilter{Charge: charge}, ports.Page{Limit: 9})
	m.must(err)
	if len(list) != 1 {
		m.t.Fatalf("%d orphans of %s", len(list), charge)
	}
	return &list[0]
}

// owed is what the books owe to buyers of orphaned charges.
func (m *market) owed() int64 {
	m.t.Helper()
	wallets, err := m.store.Ledger().Wallets(m.t.Context(), m.project.ID)
	m.must(err)
	return wallets[0].Orphaned.Minor()
}

// told are the refund states that payment.orphaned told, in alphabetical order.
func (m *market) told() string {
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

// silent is a provider that answers no refund.
type silent struct{ ports.Gateway }

func (silent) Refund(ports.Outbound, ports.RefundRequest) (order.RefundOutcome, error) {
	return nil, errors.New("connection reset")
}

func (m *market) decideOrphan(o *checkout.Orphan, succeeded bool, refund string) (*checkout.Orphan, error) {
	return m.purchase.ResolveOrphan(m.t.Context(), m.project.ID, purchase.OrphanResolution{
		Orphan:    o.ID,
		Succeeded: succeeded,
		Refund:    refund,
		Reason:    "Looked it up",
	})
}

// A person decides the refund of an orphaned charge either way. The project can be closed, and what the provider reports
// later is booked.
func TestResolveOrphan(t *testing.T) {
	onMarkets(t, func(m *market) {
		one, two := m.orphaned("ch_1"), m.orphaned("ch_2")
		m.purchase.Gateway = silent{m.provider}
		_, err := m.decideOrphan(one, true, "re_1")
		m.refused(err, "refund_too_recent")
		_, _ = m.tryOrphans()
		if o := m.theOrphan("ch_1"); o.Problem != "The provider's answer was an error, or did not arrive." || o.Attempts != 1 {
			m.t.Errorf("after a failure: %+v", o)
		}
		m.clock.advance(checkout.OrphanDecidableAfter)
		settled, err := m.store.Projects().Settle(m.t.Context(), m.project.ID)
		if m.must(err); settled.Ready {
			m.t.Error("the project may be closed with an undecided refund")
		}
		owed := m.owed()
		_, err = m.decideOrphan(one, true, strings.Repeat("x", 300))
		m.refused(err, "validation_error")
		if o, err := m.decideOrphan(one, true, "re_1"); err != nil || o.State != checkout.OrphanRefunded || o.Problem != "" {
			m.t.Fatalf("%+v, %v", o, err)
		}
		if got := m.owed(); got != owed-one.Amount.Minor() {
			m.t.Errorf("%d are owed, before %d", got, owed)
		}
		_, err = m.decideOrphan(one, true, "re_3")
		m.refused(err, "orphan_decided")
		_, err = m.decideOrphan(two, true, "re_1")
		m.refused(err, "refund_taken")
		if o, err := m.decideOrphan(two, false, ""); err != nil || o.State != checkout.OrphanFailed || o.Failure != checkout.FailedManually {
			m.t.Fatalf("%+v, %v", o, err)
		}
		if settled, err = m.store.Projects().Settle(m.t.Context(), m.project.ID); err != nil || !settled.Ready {
			m.t.Errorf("the project may not be closed: %+v, %v", settled, err)
		}
		m.must(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, two.ID, order.Refunded{Provider: "re_2"}))
		if o := m.theOrphan("ch_2"); o.State != checkout.OrphanRefunded || o.Refund != "re_2" || m.owed() != 0 {
			m.t.Errorf("made after all: %+v, %d are owed", o, m.owed())
		}
		if told := m.told(); told != "failed pending pending succeeded succeeded" {
			m.t.Errorf("told %q", told)
		}
	})
}

// The provider takes back a refund that had succeeded, and tells it twice. A person gives the money back by another one.
func TestOrphanRefundTakenBack(t *testing.T) {
	onMarkets(t, func(m *market) {
		o := m.orphaned("ch_1")
		m.refundOrphans()
		if got := m.owed(); got != 0 {
			m.t.Fatalf("%d are owed", got)
		}
		for range 2 {
			m.must(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, o.ID, order.RefundFailed{Code: "lost_or_stolen_card"}))
		}
		m.must(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, o.ID, order.Refunded{Provider: "re_" + o.ID})) // late
		back := m.theOrphan("ch_1")
		if back.State != checkout.OrphanFailed || back.Failure != "lost_or_stolen_card" || m.owed() != o.Amount.Minor() {
			m.t.Errorf("%+v, %d are owed", back, m.owed())
		}
		if told := m.told(); told != "failed pending succeeded" {
			m.t.Errorf("told %q", told)
		}
		_, err := m.decideOrphan(o, true, "re_"+o.ID)
		m.refused(err, "refund_taken")
		if given, err := m.decideOrphan(o, true, "re_other"); err != nil || given.State != checkout.OrphanRefunded || m.owed() != 0 {
			m.t.Errorf("%+v, %v, %d are owed", given, err, m.owed())
		}
		m.refused(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, "orphan-unknown", order.RefundFailed{}), "orphan_not_found")
	})
}

// A refund that the provider took back gives nothing back again: neither its own orphaned charge nor another one. And an
// orphan's refund is no refund of an order.
func TestResolveOrphan_usedRefund(t *testing.T) {
	onMarkets(t, func(m *market) {
		one, two, three := m.orphaned("ch_1"), m.orphaned("ch_2"), m.orphaned("ch_3")
		m.purchase.Gateway = silent{m.provider}
		_, _ = m.tryOrphans()
		m.clock.advance(checkout.OrphanDecidableAfter)
		fails := func(refund string) {
			m.must(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, one.ID, order.RefundFailed{Code: "lost_card", Provider: refund}))
		}
		for _, refund := range []string{"re_1", "re_2"} {
			_, err := m.decideOrphan(one, true, refund)
			m.must(err)
			fails(refund)
		}
		for _, o := range []*checkout.Orphan{one, two} {
			_, err := m.decideOrphan(o, true, "re_1")
			m.refused(err, "refund_taken")
		}
		_, err := m.decideOrphan(one, true, "re_3")
		m.must(err)
		_, err = m.decideOrphan(two, true, "") // the sandbox needs no id
		m.must(err)
		_, err = m.decideOrphan(three, true, "re_4")
		m.must(err)
		if n := m.owed(); n != 0 {
			m.t.Errorf("%d are owed", n)
		}

		service := m.aftersales(&cashier{silent: 100, gave: map[string]int64{}})
		o, err := m.store.Orders().ByID(m.t.Context(), m.project.ID, m.mustPay(m.checkout(m.product(2000, 5))))
		m.must(err)
		r, err := giveBack(ports.NewOutbound(m.t.Context()), service, m.project.ID, aftersales.RefundRequest{Payment: o.Payment.ID})
		m.must(err)
		m.clock.advance(order.RefundDecidableAfter)
		m.must(m.purchase.HeardOrphanRefund(m.t.Context(), m.project.ID, three.ID, order.RefundFailed{Code: "lost_card", Provider: "re_4"}))
		for _, taken := range []string{"re_1", "re_3", "re_4"} { // of one and three: replaced, in place and taken back
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

// stripeRefunds sends refunds to an account of the look-alike.
type stripeRefunds struct {
	ports.Gateway
	at adaptertest.Payments
}

func (g stripeRefunds) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	return g.at.Refund(ctx, g.at.Account, r)
}

// connected is an integration with a payment provider.
type connected struct {
	ports.IntegrationsInUse
	ports.Vault
	i *integration.Integration
}

func (c connected) ByWebhook(context.Context, id.Webhook) (*integration.Integration, error) {
	return c.i, nil
}
func (connected) Seal(plain []byte, _ string) []byte           { return plain }
func (connected) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

// Stripe reports by webhook that the refund of an orphaned charge failed which had succeeded.
func TestOrphanRefundTakenBack_stripe(t *testing.T) {
	onMarkets(t, func(m *market) {
		l := openLookalike(m.t)
		p := stripeAt(m.t, l)
		r := chargeRequest(p.Method, l.issue(m.t, "/lookalike/tokens", map[string]any{
			"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "uses": 1,
		}))
		_, same := m.lantern()
		r.Charge.Amount = same.Total()
		outcome, err := p.Charge(ports.NewOutbound(m.t.Context()), p.Account, r)
		m.must(err)
		o := m.orphaned(outcome.(checkout.Paid).Provider)
		if o.Amount != r.Charge.Amount {
			m.t.Fatalf("orphaned are %s of %s", o.Amount, r.Charge.Amount)
		}

		heard := make(chan error, 16)
		var ear payments.Ear
		hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = ear.Hear(ports.NewOutbound(r.Context()), id.Webhook{}, ports.Call{
					Payload: body,
					Header:  r.Header.Get,
					Now:     l.clock.Now(),
				})
			}
			heard <- err
		}))
		defer hooks.Close()
		type registering interface {
			RegisterWebhook(ports.Outbound, ports.PaymentAccount, string) (remote, secret string, err error)
			ports.WebhookReader
		}
		stripe := p.PaymentProvider.(registering)
		_, secret, err := stripe.RegisterWebhook(ports.NewOutbound(m.t.Context()), p.Account, hooks.URL)
		m.must(err)
		in := connected{i: &integration.Integration{Project: m.project.ID, Type: integration.Stripe}}
		in.i.Sealed = integration.Seal(in.i.ID, integration.Credentials{Key: p.Account.Key, Signing: secret}, in.Seal)
		ear = payments.Ear{
			InUse:     in,
			Vault:     in,
			Readers:   map[string]ports.WebhookReader{"stripe": stripe},
			Purchases: m.purchase,
		}

		ctx, stop := context.WithCancel(m.t.Context())
		sending := make(chan error)
		go func() { sending <- l.run(ctx) }()
		defer func() { stop(); <-sending }()

		m.purchase.Gateway = stripeRefunds{m.provider, p}
		m.refundOrphans()
		given := m.theOrphan(o.Charge)
		if given.State != checkout.OrphanRefunded || given.Refund == "" {
			m.t.Fatalf("%+v", given)
		}
		l.tell(m.t, "/lookalike/refunds/fail", map[string]any{"refund": given.Refund, "reason": "lost_or_stolen_card"})
		for m.theOrphan(o.Charge).State == checkout.OrphanRefunded {
			select {
			case err := <-heard:
				m.must(err)
			case <-time.After(20 * time.Second):
				m.t.Fatal("the failure is not recorded")
			}
		}
		back := m.theOrphan(o.Charge)
		if back.State != checkout.OrphanFailed || back.Failure != "lost_or_stolen_card" || m.owed() != o.Amount.Minor() {
			m.t.Errorf("%+v, %d are owed", back, m.owed())
		}
		if told := m.told(); told != "failed pending succeeded" {
			m.t.Errorf("told %q", told)
		}
	})
}
