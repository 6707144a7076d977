package usecases

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// providerServer is a simulated payment provider, and an HTTP transport to it that can lose responses.
type providerServer struct {
	*boottest.Provider

	loseAnswers atomic.Bool
	clock       *shiftedClock
}

func startProvider(t *testing.T) *providerServer { return startLaggingProvider(t, 0) }

// startLaggingProvider starts a provider whose transaction report lags by that much.
func startLaggingProvider(t *testing.T, lag time.Duration) *providerServer {
	t.Helper()
	clock := &shiftedClock{}
	return &providerServer{
		Provider: boottest.StartProvider(t, func(c *standin.Config) { c.Now, c.ReportingLag = clock.Now, lag }),
		clock:    clock,
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

func stripeAt(t *testing.T, l *providerServer) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:insufficient_funds", adaptertest.TokenFinal: "decline:stolen_card",
	}
	return adaptertest.Payments{
		PaymentProvider: stripe.New(stripe.Config{
			URL:   l.URL,
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
			return l.StripeToken(t, scripts[fate])
		},
	}
}

func paypalAt(t *testing.T, l *providerServer) adaptertest.Payments {
	scripts := map[adaptertest.TokenFate]string{
		adaptertest.TokenDecline: "decline:INSTRUMENT_DECLINED", adaptertest.TokenFinal: "decline:PAYER_ACCOUNT_LOCKED_OR_CLOSED",
	}
	return adaptertest.Payments{
		PaymentProvider: paypal.New(paypal.Config{
			URL:   l.URL,
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
			return l.Agreement(t, scripts[fate])
		},
	}
}

// expectCharged checks in the provider's ledger whether it charged once or never.
func (l *providerServer) expectCharged(t *testing.T, paid bool) {
	t.Helper()
	answer, err := http.Get(l.URL + "/ledger")
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
