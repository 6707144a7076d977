package boottest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

// Provider is a simulated payment provider: Stripe and PayPal at one URL.
type Provider struct {
	URL string
	Run func(context.Context) error // sends webhooks

	now func() time.Time
}

// StartProvider starts a provider until the test ends.
func StartProvider(tb testing.TB, change ...func(*provider.Config)) *Provider {
	tb.Helper()
	config := provider.Config{
		Ledger: filepath.Join(tb.TempDir(), "ledger"),
		Now:    time.Now,
	}
	for _, c := range change {
		c(&config)
	}
	p, err := provider.Open(config)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	tb.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		p.Close()
	})
	return &Provider{
		URL: server.URL,
		Run: p.Run,
		now: config.Now,
	}
}

// StripeToken issues a token of up to 50.00 for the seller with the key sk_test_merchant. The script decides how its charges
// end: "decline:stolen_card"; an empty one lets them succeed.
func (p *Provider) StripeToken(tb testing.TB, script string) string {
	tb.Helper()
	return p.Post(tb, "/lookalike/tokens", map[string]any{
		"kind": "stripe", "seller": provider.StripeAccount("sk_test_merchant"), "currency": "usd", "max_amount": 5000,
		"script": script, "expires_at": p.now().Add(time.Hour).Unix(),
	})
}

// Agreement issues a PayPal billing agreement for the seller with the client id "client".
func (p *Provider) Agreement(tb testing.TB, script string) string {
	tb.Helper()
	return p.Post(tb, "/lookalike/agreements", map[string]any{
		"seller": provider.PayPalMerchant("client"), "currency": "USD", "script": script,
	})
}

// Post posts JSON to a control endpoint and returns the id in the response.
func (p *Provider) Post(tb testing.TB, path string, what map[string]any) string {
	tb.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := http.Post(p.URL+path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.ID == "" {
		tb.Fatalf("%s: %d, %v", path, answer.StatusCode, err)
	}
	return made.ID
}
