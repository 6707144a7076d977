package boot_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// The payment adapters keep their port's contract with providers that look and behave like the real
// ones.

func TestStripeGateway(t *testing.T) {
	adaptertest.Gateway(t, func(t *testing.T) adaptertest.Payments { return stripeAt(t, openLookalike(t)) })
}

func TestPayPalGateway(t *testing.T) {
	adaptertest.Gateway(t, func(t *testing.T) adaptertest.Payments { return paypalAt(t, openLookalike(t)) })
}

// lookalike is a provider on a port of its own, and a client of it that can lose answers.
type lookalike struct {
	url    string
	losing atomic.Bool
	clock  *shiftedClock
	run    func(context.Context) error // sends webhooks
}

func openLookalike(t *testing.T) *lookalike { return openLagging(t, 0) }

// openLagging is a lookalike whose report of transactions comes that much later.
func openLagging(t *testing.T, lag time.Duration) *lookalike {
	t.Helper()
	clock := &shiftedClock{}
	p, err := standin.Open(standin.Config{Ledger: filepath.Join(t.TempDir(), "ledger"), Now: clock.Now, ReportingLag: lag})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		p.Close()
	})
	return &lookalike{url: server.URL, clock: clock, run: p.Run}
}

// shiftedClock is the system's clock, set forward.
type shiftedClock struct{ forward atomic.Int64 }

func (c *shiftedClock) Now() time.Time {
	return system.Clock{}.Now().Add(time.Duration(c.forward.Load()))
}

// RoundTrip loses answers to requests that move money.
func (l *lookalike) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !l.losing.Load() || r.Method != http.MethodPost {
		return answer, err
	}
	for _, end := range []string{"/payment_intents", "/refunds", "/capture", "/refund"} {
		if strings.HasSuffix(r.URL.Path, end) {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			return nil, errors.New("the answer was lost")
		}
	}
	return answer, nil
}

// issue makes a token or an agreement, and returns it.
func (l *lookalike) issue(t *testing.T, path string, limits map[string]any) string {
	t.Helper()
	return l.tell(t, path, limits)
}

// tell tells the look-alike what to do, and returns the id in its answer.
func (l *lookalike) tell(t *testing.T, path string, what map[string]any) string {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(l.url+path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.ID == "" {
		t.Fatalf("%s: %d, %v", path, answer.StatusCode, err)
	}
	return made.ID
}

func stripeAt(t *testing.T, l *lookalike) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:insufficient_funds", adaptertest.TokenFinal: "decline:stolen_card",
	}
	return adaptertest.Payments{
		PaymentProvider: stripe.New(stripe.Config{URL: l.url, HTTP: &http.Client{Transport: l}, Clock: l.clock}),
		Account:         ports.PaymentAccount{Key: "sk_test_merchant"}, Method: project.SharedPaymentToken, Lose: l.losing.Store,
		Token: func(t *testing.T, fate adaptertest.TokenFate) string {
			if fate == adaptertest.TokenUnknown {
				return "spt_unknown"
			}
			return l.stripeToken(t, scripts[fate])
		},
	}
}

func (l *lookalike) stripeToken(t *testing.T, script string) string {
	return l.issue(t, "/lookalike/tokens", map[string]any{
		"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "max_amount": 5000,
		"script": script, "expires_at": l.clock.Now().Add(time.Hour).Unix(),
	})
}

func paypalAt(t *testing.T, l *lookalike) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:INSTRUMENT_DECLINED", adaptertest.TokenFinal: "decline:PAYER_ACCOUNT_LOCKED_OR_CLOSED",
	}
	return adaptertest.Payments{
		PaymentProvider: paypal.New(paypal.Config{URL: l.url, HTTP: &http.Client{Transport: l}, Clock: l.clock}),
		Account:         ports.PaymentAccount{Key: "client", Secret: "secret"}, Method: project.BillingAgreement, Lose: l.losing.Store,
		Token: func(t *testing.T, fate adaptertest.TokenFate) string {
			if fate == adaptertest.TokenUnknown {
				return "B-UNKNOWN"
			}
			return l.agreement(t, scripts[fate])
		},
	}
}

func (l *lookalike) agreement(t *testing.T, script string) string {
	return l.issue(t, "/lookalike/agreements", map[string]any{
		"seller": standin.PayPalMerchant("client"), "currency": "USD", "script": script,
	})
}

// faultyCase is a provider that misbehaves while it charges.
type faultyCase struct {
	script   string
	patience time.Duration
	charged  string // what Charge says: paid, unknown or declined
	resolved string // and what Resolve says after it: paid, not charged or unknown
}

var faultyCases = []faultyCase{
	{"error_before:2", time.Minute, "paid", "paid"},
	{"error_before:3", time.Minute, "unknown", "not charged"},
	{"error_after", time.Minute, "", "paid"},
	{"rate_limited:2", time.Minute, "paid", "paid"},
	{"in_use:2", time.Minute, "paid", "paid"},
	{"malformed", time.Minute, "paid", "paid"},
	{"reset_after", time.Minute, "paid", "paid"},
	{"hang_after", 5 * time.Second, "unknown", "paid"},
	{"slow:300", time.Minute, "paid", "paid"},
}

func TestStripeFaults(t *testing.T) {
	kept := faultyCase{"error_kept", time.Minute, "unknown", "unknown"} // until Stripe has forgotten the key
	testFaults(t, append(faultyCases, kept), stripeAt, (*lookalike).stripeToken)
}

func TestPayPalFaults(t *testing.T) { testFaults(t, faultyCases, paypalAt, (*lookalike).agreement) }

func testFaults(t *testing.T, cases []faultyCase, open func(*testing.T, *lookalike) adaptertest.Payments,
	token func(*lookalike, *testing.T, string) string) {
	for _, c := range cases {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			l := openLookalike(t)
			p := open(t, l)
			r := chargeRequest(p.Method, token(l, t, c.script))
			ctx, cancel := context.WithTimeout(t.Context(), c.patience)
			defer cancel()
			outcome, err := p.Charge(ports.NewOutbound(ctx), p.Account, r)
			if got := inWords(outcome, err); c.charged != "" && got != c.charged {
				t.Errorf("charged: %s (%#v, %v), want %s", got, outcome, err, c.charged)
			}
			if err != nil && strings.Contains(err.Error(), r.Token) || err != nil && strings.Contains(err.Error(), p.Account.Key) {
				t.Errorf("a secret is in %v", err)
			}
			r.Token = ""
			for range 2 {
				if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, r); inWords(outcome, err) != c.resolved {
					t.Errorf("resolved: %#v, %v, want %s", outcome, err, c.resolved)
				}
			}
			l.wantLedger(t, c.resolved == "paid")
		})
	}
}

func chargeRequest(method project.PaymentMethod, token string) ports.ChargeRequest {
	of := id.New[id.Checkout]([16]byte{7})
	return ports.ChargeRequest{
		Project: id.New[id.Project]([16]byte{8}), Checkout: of, Token: token,
		Charge: checkout.Charge{
			Key: checkout.AttemptKey(of, 1), Amount: money.Of(4990, money.USD), Method: method, Since: system.Clock{}.Now(),
		},
	}
}

func inWords(outcome checkout.Outcome, err error) string {
	switch outcome.(type) {
	case checkout.Paid:
		return "paid"
	case checkout.Declined:
		return "declined"
	case checkout.NotCharged:
		return "not charged"
	}
	if err == nil {
		return "nothing"
	}
	return "unknown"
}

// wantLedger reads the provider's own books.
func (l *lookalike) wantLedger(t *testing.T, paid bool) {
	t.Helper()
	answer, err := http.Get(l.url + "/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var books struct{ Charges []struct{ Status string } }
	if err := json.NewDecoder(answer.Body).Decode(&books); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, c := range books.Charges {
		if c.Status == "succeeded" {
			taken++
		}
	}
	if want := map[bool]int{true: 1}[paid]; taken != want {
		t.Errorf("the provider took money %d times, want %d", taken, want)
	}
}

// When the provider has forgotten the key, what it did is found all the same.
func TestOldKeys(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *lookalike) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openLookalike(t)
			p := open(t, l)
			paid := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid))
			first, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, paid)
			if inWords(first, err) != "paid" {
				t.Fatalf("%#v, %v", first, err)
			}
			back := ports.RefundRequest{
				Project: paid.Project, Checkout: paid.Checkout, Key: "ref_1", Charge: first.(checkout.Paid).Provider,
				Amount: money.Of(1000, money.USD), Since: paid.Charge.Since,
			}
			given, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
			if err != nil {
				t.Fatal(err)
			}
			l.clock.forward.Store(int64(25 * time.Hour))
			if again, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, paid); err != nil || again != first {
				t.Errorf("resolved a day later to %#v, %v, was %#v", again, err, first)
			}
			if again, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back); err != nil || again != given {
				t.Errorf("refunded a day later as %#v, %v, was %#v", again, err, given)
			}
			never := chargeRequest(p.Method, "")
			never.Charge.Key = checkout.AttemptKey(never.Checkout, 2)
			for range 2 {
				if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, never); err != nil || outcome != (checkout.NotCharged{}) {
					t.Errorf("what was never charged resolved a day later to %#v, %v", outcome, err)
				}
			}
			never.Token = p.Token(t, adaptertest.TokenPaid)
			for r, want := range map[ports.ChargeRequest]checkout.Outcome{paid: first, never: checkout.NotCharged{}} {
				if outcome, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, r); err != nil || outcome != want {
					t.Errorf("charged a day later as %#v, %v, want %#v", outcome, err, want)
				}
			}
			l.wantLedger(t, true)
		})
	}
}

// A charge at the last moment is not taken for none while PayPal has forgotten its key, but not reported
// it yet.
func TestLateChargesAreReportedLater(t *testing.T) {
	t.Parallel()
	l := openLagging(t, 3*time.Hour)
	p := paypalAt(t, l)
	paid, never := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid)), chargeRequest(p.Method, "")
	never.Charge.Key = checkout.AttemptKey(never.Checkout, 2)
	at := func(age time.Duration) { l.clock.forward.Store(int64(age)) }
	at(5*time.Hour - 5*time.Minute)
	first, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, paid)
	if inWords(first, err) != "paid" {
		t.Fatalf("%#v, %v", first, err)
	}
	for _, test := range []struct {
		age         time.Duration
		paid, never string
	}{{6 * time.Hour, "unknown", "unknown"}, {8 * time.Hour, "paid", "unknown"}, {9*time.Hour + time.Minute, "paid", "not charged"}} {
		at(test.age)
		for r, want := range map[ports.ChargeRequest]string{paid: test.paid, never: test.never} {
			if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, r); inWords(outcome, err) != want {
				t.Errorf("after %s: %#v, %v, want %s", test.age, outcome, err, want)
			}
		}
	}
	l.wantLedger(t, true)
}

// Refused credentials are told apart, and nothing was done with them.
func TestRefusedCredentials(t *testing.T) {
	accounts := map[string]string{"stripe": standin.StripeAccount("sk_test_merchant"), "paypal": "client"}
	refused := map[string]ports.PaymentAccount{"stripe": {Key: "sk_test_refused"}, "paypal": {Key: "refused_client", Secret: "secret"}}
	for name, open := range map[string]func(*testing.T, *lookalike) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openLookalike(t)
			p := open(t, l)
			r := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid))
			_, charged := p.Charge(ports.NewOutbound(t.Context()), refused[name], r)
			_, resolved := p.Resolve(ports.NewOutbound(t.Context()), refused[name], r)
			_, back := p.Refund(ports.NewOutbound(t.Context()), refused[name], ports.RefundRequest{Key: "ref_1", Charge: "x", Amount: r.Charge.Amount, Since: r.Charge.Since})
			platform := p.PaymentProvider.(ports.PaymentPlatform)
			_, _, inspected := platform.Inspect(ports.NewOutbound(t.Context()), refused[name])
			for what, err := range map[string]error{"charge": charged, "resolve": resolved, "refund": back, "inspect": inspected} {
				if !errors.Is(err, ports.ErrCredentialsRefused) || strings.Contains(err.Error(), refused[name].Key) {
					t.Errorf("%s: %v", what, err)
				}
			}
			l.wantLedger(t, false)
			account, live, err := platform.Inspect(ports.NewOutbound(t.Context()), p.Account)
			if err != nil || account != accounts[name] || live {
				t.Errorf("the account is %q, live %t, %v", account, live, err)
			}
		})
	}
}

// A refund whose answer is lost on the way there or back is given once.
func TestRefundFaults(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *lookalike) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		for _, script := range []string{"error_before:4", "error_after", "malformed", "reset_after", "rate_limited:2", "in_use:4"} {
			t.Run(name+" "+script, func(t *testing.T) {
				t.Parallel()
				l := openLookalike(t)
				p := open(t, l)
				token := l.stripeToken
				if name == "paypal" {
					token = l.agreement
				}
				r := chargeRequest(p.Method, token(t, "refund."+script))
				paid, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, r)
				if inWords(paid, err) != "paid" {
					t.Fatalf("%#v, %v", paid, err)
				}
				back := ports.RefundRequest{
					Project: r.Project, Checkout: r.Checkout, Key: "ref_1", Charge: paid.(checkout.Paid).Provider,
					Amount: money.Of(1000, money.USD), Since: r.Charge.Since,
				}
				outcome, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
				if err != nil {
					outcome, err = p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
				}
				if _, ok := outcome.(order.Refunded); !ok || err != nil {
					t.Errorf("refund: %#v, %v", outcome, err)
				}
				given := 0
				statement := ports.StatementRequest{From: r.Charge.Since.Add(-time.Hour), To: r.Charge.Since.Add(time.Hour)}
				if err := p.Statement(ports.NewOutbound(t.Context()), p.Account, statement, func(m ports.Movement) error {
					if m.Refund {
						given++
					}
					return nil
				}); err != nil || given != 1 {
					t.Errorf("given %d times, %v", given, err)
				}
			})
		}
	}
}
