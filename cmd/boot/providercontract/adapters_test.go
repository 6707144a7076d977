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

	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

var (
	account = ports.PaymentAccount{Key: merchant}
	wallet  = ports.PaymentAccount{Key: "client", Secret: "secret"}
)

func (l *lookalike) stripe() *stripe.Provider {
	return stripe.New(stripe.Config{URL: l.url, HTTP: l.client(), Clock: l.ours})
}

func (l *lookalike) paypal() *paypal.Provider {
	return paypal.New(paypal.Config{URL: l.url, HTTP: l.client(), Clock: l.ours})
}

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// A charge whose answer is lost is found or unknown, never taken for none, whatever our clock and that of the
// database tell: of two attempts at most one is charged.
func TestNoDoubleChargeByWrongClocks(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{0, 4 * time.Minute, 6 * time.Minute, 10 * time.Minute, 3 * time.Hour, -6 * time.Minute, -10 * time.Minute, -3 * time.Hour} {
		for _, stamped := range []string{"by our clock", "by the provider's"} {
			t.Run(fmt.Sprint(skew, " ", stamped), func(t *testing.T) {
				t.Parallel()
				l := open(t, standin.Config{SearchLag: time.Hour})
				l.ours.set(skew)
				since := time.Now()
				if stamped == "by our clock" {
					since = l.ours.Now()
				}
				p, token := l.stripe(), l.token(t, "")
				l.losing.Store(true)
				if outcome, err := p.Charge(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, token, 1, since)); err == nil {
					t.Fatalf("%#v although the answer was lost", outcome)
				}
				l.losing.Store(false)
				outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, "", 1, since))
				if _, ok := outcome.(checkout.NotCharged); ok || err != nil {
					t.Errorf("resolved: %#v, %v", outcome, err)
				}
				if ok := outcome == (checkout.NotCharged{}); ok { // as the purchase would
					_, _ = p.Charge(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, token, 2, since))
				}
				if n := l.taken(t); n != 1 {
					t.Errorf("charged %d times", n)
				}
			})
		}
	}
}

// What never reached Stripe is void with one request and its canceling, however busy the account is.
func TestAttemptThatNeverArrivedOnABusyAccount(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{SearchLag: time.Hour})
	since := time.Now().Add(-15 * time.Minute)
	l.tell(t, "intents", map[string]any{"account": standin.StripeAccount(merchant), "count": 8000, "from": since.Unix(), "to": time.Now().Unix()})
	outcome, err := l.stripe().Resolve(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, "", 1, since))
	if outcome != (checkout.NotCharged{}) || err != nil || l.count("GET /v1/payment_intents") != 0 {
		t.Errorf("%#v, %v after %d lists", outcome, err, l.count("GET /v1/payment_intents"))
	}
}

// A charge among 8,000 other intents is found although there is time for 40 pages at once: each try goes on from where
// the last one ended.
func TestChargeOnABusyAccountIsFound(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{SearchLag: time.Hour})
	p, token := l.stripe(), l.token(t, "")
	began := time.Now().Add(-15 * time.Minute)
	l.clock.set(-15 * time.Minute)
	l.ours.set(-15 * time.Minute)
	l.losing.Store(true)
	r := request(project.SharedPaymentToken, token, 1, began)
	if _, err := p.Charge(ports.NewOutbound(t.Context()), account, r); err == nil {
		t.Fatal("the answer was not lost")
	}
	l.losing.Store(false)
	l.clock.set(0)
	l.ours.set(0)
	l.tell(t, "intents", map[string]any{"account": standin.StripeAccount(merchant), "count": 8000, "from": began.Unix() + 2, "to": time.Now().Unix()})
	for try := 1; ; try++ {
		ctx, cancel := context.WithCancel(t.Context())
		l.mu.Lock()
		l.left, l.outOfTime = 40, cancel
		l.mu.Unlock()
		outcome, err := p.Resolve(ports.NewOutbound(ctx), account, r)
		cancel()
		var looking ports.StillLooking
		if errors.As(err, &looking) && looking.Progress != "" && looking.Progress != r.Charge.Progress && try < 5 {
			r.Charge.Progress = looking.Progress
			continue
		}
		if _, paid := outcome.(checkout.Paid); !paid || err != nil {
			t.Errorf("try %d: %#v, %v", try, outcome, err)
		}
		break
	}
	if n := l.taken(t); n != 1 {
		t.Errorf("charged %d times", n)
	}
}

// Search spares the lists once it knows the intent.
func TestSearchSparesLists(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p := l.stripe()
	since := time.Now().Add(-2 * time.Minute)
	l.losing.Store(true)
	_, _ = p.Charge(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, l.token(t, ""), 1, since))
	l.losing.Store(false)
	outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, "", 1, since))
	if _, paid := outcome.(checkout.Paid); !paid || err != nil || l.count("GET /v1/payment_intents") != 0 || l.count("GET /v1/payment_intents/search") != 1 {
		t.Errorf("%#v, %v after %d lists", outcome, err, l.count("GET /v1/payment_intents"))
	}
}

// A key that was used without an intent stays unknown as long as Stripe remembers it, and the repeat of the identical
// charge changes nothing. Then the list decides.
func TestUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p, token, since := l.stripe(), l.token(t, "error_kept:1;ok"), time.Now()
	r := request(project.SharedPaymentToken, token, 1, since)
	for _, age := range []time.Duration{0, time.Minute, time.Hour, 5*time.Hour - time.Minute, 12 * time.Hour, 19 * time.Hour} {
		l.clock.set(age)
		l.ours.set(age)
		charged, err := p.Charge(ports.NewOutbound(t.Context()), account, r)
		if charged != nil || err == nil {
			t.Errorf("charged after %s: %#v, %v", age, charged, err)
		}
		if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, r); outcome != nil || err == nil {
			t.Errorf("resolved after %s: %#v, %v", age, outcome, err)
		}
		r.Again = true
	}
	l.clock.set(25 * time.Hour)
	l.ours.set(25 * time.Hour)
	if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), account, r); outcome != (checkout.NotCharged{}) || err != nil {
		t.Errorf("a day later: %#v, %v", outcome, err)
	}
	if n := l.taken(t); n != 0 {
		t.Errorf("charged %d times", n)
	}
}

// A repeat of the identical charge gets the first one's answer, also one that was lost.
func TestRepeatOfTheIdenticalCharge(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"paid": "ok", "declined": "decline:insufficient_funds"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, standin.Config{})
			for method, p := range map[project.PaymentMethod]ports.PaymentProvider{project.SharedPaymentToken: l.stripe(), project.BillingAgreement: l.paypal()} {
				a, token := account, ""
				if method == project.SharedPaymentToken {
					token = l.token(t, script)
				} else {
					a, token = wallet, l.agreement(t, strings.Replace(script, "insufficient_funds", "PAYER_CANNOT_PAY", 1))
				}
				r := request(method, token, 1, time.Now())
				l.losing.Store(true)
				if outcome, err := p.Charge(ports.NewOutbound(t.Context()), a, r); err == nil {
					t.Errorf("%s: %#v although the answer was lost", method, outcome)
				}
				l.losing.Store(false)
				r.Again = true
				outcome, err := p.Charge(ports.NewOutbound(t.Context()), a, r)
				_, paid := outcome.(checkout.Paid)
				if err != nil || outcome == nil || paid != (name == "paid") {
					t.Errorf("%s: %#v, %v", method, outcome, err)
				}
			}
			if n := l.taken(t); n != map[string]int{"paid": 2}[name] {
				t.Errorf("charged %d times", n)
			}
		})
	}
}

// While the charge is at work nobody knows, and nothing is given up.
func TestResolveWhileTheChargeIsAtWork(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p := l.stripe()
	r := request(project.SharedPaymentToken, l.token(t, ""), 1, time.Now())
	l.tell(t, "faults", map[string]any{"fault": "slow:3000", "operation": "charge"})
	charged := make(chan checkout.Outcome, 1)
	go func() {
		outcome, _ := p.Charge(ports.NewOutbound(context.Background()), account, r)
		charged <- outcome
	}()
	for l.waiting(t) > 0 { // then the look-alike holds the key
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if outcome, err := p.Resolve(ports.NewOutbound(ctx), account, r); outcome != nil || err == nil {
		t.Errorf("%#v, %v while the charge is at work", outcome, err)
	}
	if outcome, ok := (<-charged).(checkout.Paid); !ok {
		t.Errorf("%#v", outcome)
	}
}

// waiting is how many ordered faults nobody has met yet.
func (l *lookalike) waiting(t *testing.T) int {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, l.url+"/lookalike/faults", nil)
	faults, _ := do(t, r).body["faults"].([]any)
	return len(faults)
}

// listen is the news of the webhooks that a provider sends after each step, as its adapter reads them.
type listener struct {
	l      *lookalike
	reader ports.WebhookReader
	a      ports.PaymentAccount
	secret string
	remote string
}

func listen(t *testing.T, l *lookalike, a ports.PaymentAccount, p interface {
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

// next are the news of the next n webhooks that say something.
func (w *listener) next(t *testing.T, n int) (all []ports.PaymentNews) {
	t.Helper()
	for len(all) < n {
		select {
		case d := <-w.l.deliveries:
			call := ports.Call{Payload: d.payload, Header: d.header.Get}
			news, err := w.reader.ReadWebhook(ports.NewOutbound(t.Context()), w.a, call, w.secret)
			if err != nil {
				t.Fatalf("%v: %s", err, d.payload)
			}
			if !reflect.DeepEqual(news, ports.PaymentNews{}) {
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
	given, err := p.Refund(ports.NewOutbound(t.Context()), account, ports.RefundRequest{Key: ours, Charge: paid.Provider, Amount: usd(1000), Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if news := w.next(t, 2)[1]; news.Key != ours || news.Refund != given {
		t.Errorf("refunded: %+v", news)
	}
	l.tell(t, "refunds/fail", map[string]any{"refund": given.(order.Refunded).Provider, "reason": "expired_or_canceled_card"})
	if news := w.next(t, 1)[0]; news.Key != ours || news.Refund.(order.RefundFailed).Code != "expired_or_canceled_card" {
		t.Errorf("failed after success: %+v", news)
	}
	elsewhere := l.tell(t, "refunds", map[string]any{"charge": paid.Provider, "amount": 500})["id"].(string)
	if e := w.next(t, 2)[0].External; e == nil || e.Charge != paid.Provider || e.Provider != elsewhere || e.Amount != usd(500) || e.Outcome != (order.Refunded{Provider: elsewhere}) {
		t.Errorf("refunded elsewhere: %+v", e)
	}
	dispute := l.tell(t, "disputes", map[string]any{"charge": paid.Provider})["id"].(string)
	for i, want := range []money.Amount{usd(0), usd(4990)} {
		if d := w.next(t, 1)[0].Dispute; d == nil || d.Charge != paid.Provider || d.Provider != dispute || d.Status != order.DisputeOpen || d.Withdrawn != want {
			t.Errorf("disputed, %d: %+v", i, d)
		}
	}
	l.tell(t, "disputes/close", map[string]any{"dispute": dispute, "outcome": "won"})
	for _, news := range w.next(t, 2) {
		if d := news.Dispute; d == nil || d.Status != order.DisputeWon || d.Withdrawn != usd(0) || d.Fee != usd(1500) {
			t.Errorf("won: %+v", d)
		}
	}
	l.tell(t, "payouts", map[string]any{"provider": "stripe", "account": standin.StripeAccount(merchant), "currency": "usd", "amount": 2000})
	reported := wantBalance(t, p, account, map[string]int64{
		"fee " + paid.Provider:     -(4990*29/1000 + 30),
		"dispute " + paid.Provider: -1500, // what was withdrawn came back, but for the fee
		"payout ":                  -2000,
	})
	var again []string // what the webhooks reported
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

// wantBalance compares the sums of the balance report by kind and charge, and returns what webhooks report.
func wantBalance(t *testing.T, p ports.BalanceReader, a ports.PaymentAccount, want map[string]int64) (news []ports.PaymentNews) {
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
	given, err := p.Refund(ports.NewOutbound(t.Context()), wallet, ports.RefundRequest{Key: ours, Charge: paid.Provider, Amount: usd(1000), Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if news := w.next(t, 1)[0]; news.Key != ours || news.Refund != given {
		t.Errorf("refunded: %+v", news)
	}
	elsewhere := l.tell(t, "refunds", map[string]any{"charge": paid.Provider, "amount": 500})["id"].(string)
	if e := w.next(t, 1)[0].External; e == nil || e.Charge != paid.Provider || e.Provider != elsewhere || e.Amount != usd(500) {
		t.Errorf("refunded elsewhere: %+v", e)
	}
	dispute := l.tell(t, "disputes", map[string]any{"charge": paid.Provider, "amount": 3490})["id"].(string)
	if d := w.next(t, 1)[0].Dispute; d == nil || d.Charge != paid.Provider || d.Provider != dispute || d.Status != order.DisputeOpen || d.Amount != usd(3490) {
		t.Errorf("disputed: %+v", d)
	}
	l.tell(t, "disputes/close", map[string]any{"dispute": dispute, "outcome": "lost"})
	news := w.next(t, 2)
	if e := news[0].External; e == nil || e.Charge != paid.Provider || e.Amount != usd(3490) {
		t.Errorf("reversed: %+v", news[0])
	}
	if d := news[1].Dispute; d == nil || d.Status != order.DisputeLost || d.Withdrawn != usd(0) {
		t.Errorf("lost: %+v", news[1])
	}
	l.tell(t, "payouts", map[string]any{"provider": "paypal", "account": standin.PayPalMerchant("client"), "currency": "USD", "amount": 2000})
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

// A capture that is pending is unknown until PayPal's webhook decides it.
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
		l.tell(t, "captures/settle", map[string]any{"capture": capture, "denied": denied})
		news := w.next(t, 1)[0]
		if _, paid := news.Charge.(checkout.Paid); news.Key != r.Charge.Key || paid == denied {
			t.Errorf("denied %t: %+v", denied, news)
		}
	}
}

// capture is the only one in the ledger.
func (l *lookalike) capture(t *testing.T) string {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, l.url+"/ledger", nil)
	charges, _ := do(t, r).body["charges"].([]any)
	if len(charges) != 1 {
		t.Fatalf("%d charges", len(charges))
	}
	return (reply{body: charges[0].(map[string]any)}).at("id")
}

// The clocks of both providers are compared with ours by their first answer.
func TestSkewIsKnown(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	l.tell(t, "clock", map[string]any{"ahead_ms": -600_000})
	for name, p := range map[string]ports.RemoteClock{"stripe": l.stripe(), "paypal": l.paypal()} {
		if _, known := p.Skew(); known {
			t.Errorf("%s: known before the first answer", name)
		}
		a := map[string]ports.PaymentAccount{"stripe": account, "paypal": wallet}[name]
		if _, _, err := p.(ports.PaymentPlatform).Inspect(ports.NewOutbound(t.Context()), a); err != nil {
			t.Fatal(err)
		}
		if skew, known := p.Skew(); !known || (skew+10*time.Minute).Abs() > 5*time.Second {
			t.Errorf("%s: %s, %t", name, skew, known)
		}
	}
}
