package providercontract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

var (
	account = ports.PaymentAccount{Key: merchant}
	wallet  = ports.PaymentAccount{Key: "client", Secret: "secret"}
)

func (l *fakeProvider) stripe() *stripe.Provider {
	return stripe.New(stripe.Config{
		URL:   l.url,
		HTTP:  l.client(),
		Clock: l.ours,
	})
}

func (l *fakeProvider) paypal() *paypal.Provider {
	return paypal.New(paypal.Config{
		URL:   l.url,
		HTTP:  l.client(),
		Clock: l.ours,
	})
}

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// A charge whose response is lost is found or stays unknown, and is never declared not charged, however wrong our clock and the
// database's are: of two attempts at most one is charged.
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
				if ok := outcome == (checkout.NotCharged{}); ok { // as the purchase decides
					_, _ = p.Charge(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, token, 2, since))
				}
				if n := l.taken(t); n != 1 {
					t.Errorf("charged %d times", n)
				}
			})
		}
	}
}

// An attempt that never reached Stripe is void after one request with its key and the cancellation of that intent, however busy
// the account is.
func TestAttemptThatNeverArrivedOnABusyAccount(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{SearchLag: time.Hour})
	since := time.Now().Add(-15 * time.Minute)
	l.control(t, "intents", map[string]any{"account": standin.StripeAccount(merchant), "count": 8000, "from": since.Unix(), "to": time.Now().Unix()})
	outcome, err := l.stripe().Resolve(ports.NewOutbound(t.Context()), account, request(project.SharedPaymentToken, "", 1, since))
	if outcome != (checkout.NotCharged{}) || err != nil || l.count("GET /v1/payment_intents") != 0 {
		t.Errorf("%#v, %v after %d lists", outcome, err, l.count("GET /v1/payment_intents"))
	}
}

// A charge among 8,000 other intents is found although a request has time for only 40 pages: each call continues where the last
// one ended.
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
	l.control(t, "intents", map[string]any{"account": standin.StripeAccount(merchant), "count": 8000, "from": began.Unix() + 2, "to": time.Now().Unix()})
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

// Once search has found the intent, lists are not read.
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

// A key that was used without an intent stays unknown as long as Stripe remembers the key, and repeating the identical charge
// changes nothing. After that the list decides.
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

// A repeat of the identical charge gets the first response, even if that was lost.
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

// While Stripe is processing the charge, its outcome is unknown, and the attempt is not voided.
func TestResolveWhileTheChargeIsAtWork(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	p := l.stripe()
	r := request(project.SharedPaymentToken, l.token(t, ""), 1, time.Now())
	l.control(t, "faults", map[string]any{"fault": "slow:3000", "operation": "charge"})
	charged := make(chan checkout.Outcome, 1)
	go func() {
		outcome, _ := p.Charge(ports.NewOutbound(context.Background()), account, r)
		charged <- outcome
	}()
	for l.waiting(t) > 0 { // then the simulator holds the key
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

// waiting returns the number of ordered faults that no request has met yet.
func (l *fakeProvider) waiting(t *testing.T) int {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, l.url+"/lookalike/faults", nil)
	faults, _ := do(t, r).body["faults"].([]any)
	return len(faults)
}

// The adapters measure the difference between each provider's clock and ours with the first response.
func TestSkewIsKnown(t *testing.T) {
	t.Parallel()
	l := open(t, standin.Config{})
	l.control(t, "clock", map[string]any{"ahead_ms": -600_000})
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
