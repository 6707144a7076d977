package providercontract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// listener receives the webhooks that a provider sends after each step, and parses them with its adapter.
type listener struct {
	l      *fakeProvider
	reader ports.WebhookReader
	a      ports.PaymentAccount
	secret string
	remote string
}

func listen(t *testing.T, l *fakeProvider, a ports.PaymentAccount, p interface {
	ports.WebhookReader
	ports.WebhookPlatform
}) *listener {
	t.Helper()
	remote, secret, err := p.RegisterWebhook(ports.NewOutbound(t.Context()), a, l.receivedAt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return &listener{l, p, a, secret, remote}
}

// next returns the parsed events of the next n relevant webhooks.
func (w *listener) next(t *testing.T, n int) (all []ports.PaymentEvent) {
	t.Helper()
	for len(all) < n {
		select {
		case d := <-w.l.deliveries:
			call := ports.Call{Payload: d.payload, Header: d.header.Get}
			news, err := w.reader.ReadWebhook(ports.NewOutbound(t.Context()), w.a, call, w.secret)
			if err != nil {
				t.Fatalf("%v: %s", err, d.payload)
			}
			if !reflect.DeepEqual(news, ports.PaymentEvent{}) {
				all = append(all, news)
				tampered := ports.Call{Payload: []byte(strings.TrimSuffix(string(d.payload), "}") + " }"), Header: d.header.Get}
				if _, err := w.reader.ReadWebhook(ports.NewOutbound(t.Context()), w.a, tampered, w.secret); !fault.Is(err, "invalid_signature") {
					t.Errorf("tampered with: %v", err)
				}
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d news: %+v", len(all), n, all)
		}
	}
	return all
}

func TestStripeWebhooks(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p := l.stripe()
	w := listen(t, l, account, p)
	r := request(project.SharedPaymentToken, l.token(t, ""), 1, time.Now())
	outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, r)
	paid, ok := outcome.(checkout.Paid)
	if !ok {
		t.Fatal(outcome, err)
	}
	if news := w.next(t, 1)[0]; news.Key != r.Charge.Key || news.Charge.(checkout.Paid).Provider != paid.Provider {
		t.Errorf("paid: %+v", news)
	}
	ours := id.New[id.Refund]([16]byte{5}).String()
	given, err := p.Refund(ports.NewOutbound(t.Context()), account, ports.RefundRequest{
		Key:    ours,
		Charge: paid.Provider,
		Amount: usd(1000),
		Since:  time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if news := w.next(t, 2)[1]; news.Key != ours || news.Refund != given {
		t.Errorf("refunded: %+v", news)
	}
	l.control(t, "refunds/fail", map[string]any{"refund": given.(order.Refunded).Provider, "reason": "expired_or_canceled_card"})
	if news := w.next(t, 1)[0]; news.Key != ours || news.Refund.(order.RefundFailed).Code != "expired_or_canceled_card" {
		t.Errorf("failed after success: %+v", news)
	}
	elsewhere := l.control(t, "refunds", map[string]any{"charge": paid.Provider, "amount": 500})["id"].(string)
	if e := w.next(t, 2)[0].External; e == nil || e.Charge != paid.Provider || e.Provider != elsewhere || e.Amount != usd(500) || e.Outcome != (order.Refunded{Provider: elsewhere}) {
		t.Errorf("refunded elsewhere: %+v", e)
	}
	dispute := l.control(t, "disputes", map[string]any{"charge": paid.Provider})["id"].(string)
	for i, want := range []money.Amount{usd(0), usd(4990)} {
		if d := w.next(t, 1)[0].Dispute; d == nil || d.Charge != paid.Provider || d.Provider != dispute || d.Status != order.DisputeOpen || d.Withdrawn != want {
			t.Errorf("disputed, %d: %+v", i, d)
		}
	}
	l.control(t, "disputes/close", map[string]any{"dispute": dispute, "outcome": "won"})
	for _, news := range w.next(t, 2) {
		if d := news.Dispute; d == nil || d.Status != order.DisputeWon || d.Withdrawn != usd(0) || d.Fee != usd(1500) {
			t.Errorf("won: %+v", d)
		}
	}
	l.control(t, "payouts", map[string]any{"provider": "stripe", "account": standin.StripeAccount(merchant), "currency": "usd", "amount": 2000})
	reported := wantBalance(t, p, account, map[string]int64{
		"fee " + paid.Provider:     -(4990*29/1000 + 30),
		"dispute " + paid.Provider: -1500, // the withdrawn amount came back, without the fee
		"payout ":                  -2000,
	})
	var again []string // according to webhooks
	for _, news := range reported {
		switch {
		case news.Dispute != nil && news.Dispute.Status == order.DisputeWon && news.Dispute.Withdrawn == usd(0):
			again = append(again, news.Dispute.Provider)
		case news.External != nil:
			again = append(again, news.External.Provider)
		case news.Refund != nil:
			again = append(again, news.Key+" "+news.Refund.(order.RefundFailed).Code)
		}
	}
	slices.Sort(again)
	want := slices.Sorted(slices.Values([]string{dispute, dispute, elsewhere, ours + " expired_or_canceled_card", ours + " expired_or_canceled_card"}))
	if !slices.Equal(again, want) {
		t.Errorf("the balance reports %q, want %q", again, want)
	}
	if err := p.RemoveWebhook(ports.NewOutbound(t.Context()), account, w.remote); err != nil {
		t.Error(err)
	}
}

// wantBalance compares the sums of the balance report by kind and charge, and returns the same events as webhooks report them.
func wantBalance(t *testing.T, p ports.BalanceReader, a ports.PaymentAccount, want map[string]int64) (news []ports.PaymentEvent) {
	t.Helper()
	got := map[string]int64{}
	span := ports.StatementRequest{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	if err := p.BalanceChanges(ports.NewOutbound(t.Context()), a, span, func(c ports.BalanceChange) error {
		if c.Kind == ports.BalanceNews {
			news = append(news, c.News)
			return nil
		}
		got[c.Kind.String()+" "+c.Charge] += c.Amount.Minor()
		return nil
	}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the balance changed by %v, %v, want %v", got, err, want)
	}
	return news
}

func TestPayPalWebhooks(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p := l.paypal()
	w := listen(t, l, wallet, p)
	r := request(project.BillingAgreement, l.agreement(t, ""), 1, time.Now())
	outcome, err := p.Charge(ports.NewOutbound(t.Context()), wallet, r)
	paid, ok := outcome.(checkout.Paid)
	if !ok {
		t.Fatal(outcome, err)
	}
	if news := w.next(t, 1)[0]; news.Key != r.Charge.Key || news.Charge != outcome {
		t.Errorf("paid: %+v", news)
	}
	ours := id.New[id.Refund]([16]byte{5}).String()
	given, err := p.Refund(ports.NewOutbound(t.Context()), wallet, ports.RefundRequest{
		Key:    ours,
		Charge: paid.Provider,
		Amount: usd(1000),
		Since:  time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if news := w.next(t, 1)[0]; news.Key != ours || news.Refund != given {
		t.Errorf("refunded: %+v", news)
	}
	elsewhere := l.control(t, "refunds", map[string]any{"charge": paid.Provider, "amount": 500})["id"].(string)
	if e := w.next(t, 1)[0].External; e == nil || e.Charge != paid.Provider || e.Provider != elsewhere || e.Amount != usd(500) {
		t.Errorf("refunded elsewhere: %+v", e)
	}
	dispute := l.control(t, "disputes", map[string]any{"charge": paid.Provider, "amount": 3490})["id"].(string)
	if d := w.next(t, 1)[0].Dispute; d == nil || d.Charge != paid.Provider || d.Provider != dispute || d.Status != order.DisputeOpen || d.Amount != usd(3490) {
		t.Errorf("disputed: %+v", d)
	}
	l.control(t, "disputes/close", map[string]any{"dispute": dispute, "outcome": "lost"})
	news := w.next(t, 2)
	if e := news[0].External; e == nil || e.Charge != paid.Provider || e.Amount != usd(3490) {
		t.Errorf("reversed: %+v", news[0])
	}
	if d := news[1].Dispute; d == nil || d.Status != order.DisputeLost || d.Withdrawn != usd(0) {
		t.Errorf("lost: %+v", news[1])
	}
	l.control(t, "payouts", map[string]any{"provider": "paypal", "account": standin.PayPalMerchant("client"), "currency": "USD", "amount": 2000})
	wantBalance(t, p, wallet, map[string]int64{"fee " + paid.Provider: -(4990*349/10_000 + 49), "payout ": -2000})
	refunds := map[string]bool{}
	span := ports.StatementRequest{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	if err := p.Statement(ports.NewOutbound(t.Context()), wallet, span, func(m ports.Movement) error {
		if m.Refund {
			refunds[fmt.Sprint(m.Amount, " ", m.Key)] = true
		}
		return nil
	}); err != nil || !reflect.DeepEqual(refunds, map[string]bool{"10.00 " + ours: true, "5.00 ": true, "34.90 ": true}) {
		t.Errorf("refunds of the statement: %v, %v", refunds, err)
	}
	if again, _, err := p.RegisterWebhook(ports.NewOutbound(t.Context()), wallet, l.receivedAt); err != nil || again != w.remote {
		t.Errorf("registered again as %s, %v", again, err)
	}
	if err := p.RemoveWebhook(ports.NewOutbound(t.Context()), wallet, w.remote); err != nil {
		t.Error(err)
	}
}

// A pending PayPal capture stays unknown until a webhook decides it.
func TestPendingCaptureIsDecidedByWebhook(t *testing.T) {
	t.Parallel()
	for _, denied := range []bool{false, true} {
		l := open(t, standin.Config{})
		p := l.paypal()
		w := listen(t, l, wallet, p)
		r := request(project.BillingAgreement, l.agreement(t, "pending"), 1, time.Now())
		if outcome, err := p.Charge(ports.NewOutbound(t.Context()), wallet, r); outcome != nil || err == nil {
			t.Fatalf("%#v, %v although it is pending", outcome, err)
		}
		_, err := p.Resolve(ports.NewOutbound(t.Context()), wallet, r)
		var looking ports.StillLooking
		if !errors.As(err, &looking) {
			t.Errorf("resolved: %v", err)
		}
		capture := l.capture(t)
		l.control(t, "captures/settle", map[string]any{"capture": capture, "denied": denied})
		news := w.next(t, 1)[0]
		if _, paid := news.Charge.(checkout.Paid); news.Key != r.Charge.Key || paid == denied {
			t.Errorf("denied %t: %+v", denied, news)
		}
	}
}

// capture returns the ledger's only capture.
func (l *fakeProvider) capture(t *testing.T) string {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, l.url+"/ledger", nil)
	charges, _ := do(t, r).body["charges"].([]any)
	if len(charges) != 1 {
		t.Fatalf("%d charges", len(charges))
	}
	return (reply{body: charges[0].(map[string]any)}).at("id")
}
