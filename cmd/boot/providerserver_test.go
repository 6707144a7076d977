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
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// providerServer is a simulated payment provider, and an HTTP transport to it that can lose responses.
type providerServer struct {
	url         string
	loseAnswers atomic.Bool
	clock       *shiftedClock
	run         func(context.Context) error // sends webhooks
}

func startProvider(t *testing.T) *providerServer { return startLaggingProvider(t, 0) }

// startLaggingProvider starts a provider whose transaction report lags by that much.
func startLaggingProvider(t *testing.T, lag time.Duration) *providerServer {
	t.Helper()
	clock := &shiftedClock{}
	p, err := standin.Open(standin.Config{
		Ledger:       filepath.Join(t.TempDir(), "ledger"),
		Now:          clock.Now,
		ReportingLag: lag,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		p.Close()
	})
	return &providerServer{
		url:   server.URL,
		clock: clock,
		run:   p.Run,
	}
}

// shiftedClock is the system's clock, which can be set forward.
type shiftedClock struct{ forward atomic.Int64 }

func (c *shiftedClock) Now() time.Time {
	return system.Clock{}.Now().Add(time.Duration(c.forward.Load()))
}

// RoundTrip loses responses to requests that move money while loseAnswers is set.
func (l *providerServer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !l.loseAnswers.Load() || r.Method != http.MethodPost {
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

// issue creates a token or an agreement and returns it.
func (l *providerServer) issue(t *testing.T, path string, limits map[string]any) string {
	t.Helper()
	return l.post(t, path, limits)
}

// post posts JSON to the provider's control endpoint at path and returns the id in the response.
func (l *providerServer) post(t *testing.T, path string, what map[string]any) string {
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

func stripeAt(t *testing.T, l *providerServer) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:insufficient_funds", adaptertest.TokenFinal: "decline:stolen_card",
	}
	return adaptertest.Payments{
		PaymentProvider: stripe.New(stripe.Config{
			URL:   l.url,
			HTTP:  &http.Client{Transport: l},
			Clock: l.clock,
		}),
		Account: ports.PaymentAccount{Key: "sk_test_merchant"},
		Method:  project.SharedPaymentToken,
		Lose:    l.loseAnswers.Store,
		Token: func(t *testing.T, fate adaptertest.TokenFate) string {
			if fate == adaptertest.TokenUnknown {
				return "spt_unknown"
			}
			return l.stripeToken(t, scripts[fate])
		},
	}
}

func (l *providerServer) stripeToken(t *testing.T, script string) string {
	return l.issue(t, "/lookalike/tokens", map[string]any{
		"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "max_amount": 5000,
		"script": script, "expires_at": l.clock.Now().Add(time.Hour).Unix(),
	})
}

func paypalAt(t *testing.T, l *providerServer) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:INSTRUMENT_DECLINED", adaptertest.TokenFinal: "decline:PAYER_ACCOUNT_LOCKED_OR_CLOSED",
	}
	return adaptertest.Payments{
		PaymentProvider: paypal.New(paypal.Config{
			URL:   l.url,
			HTTP:  &http.Client{Transport: l},
			Clock: l.clock,
		}),
		Account: ports.PaymentAccount{Key: "client", Secret: "secret"},
		Method:  project.BillingAgreement,
		Lose:    l.loseAnswers.Store,
		Token: func(t *testing.T, fate adaptertest.TokenFate) string {
			if fate == adaptertest.TokenUnknown {
				return "B-UNKNOWN"
			}
			return l.agreement(t, scripts[fate])
		},
	}
}

func (l *providerServer) agreement(t *testing.T, script string) string {
	return l.issue(t, "/lookalike/agreements", map[string]any{
		"seller": standin.PayPalMerchant("client"), "currency": "USD", "script": script,
	})
}

// expectCharged checks in the provider's ledger whether it charged once or never.
func (l *providerServer) expectCharged(t *testing.T, paid bool) {
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
