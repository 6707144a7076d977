package features

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

// providerState holds a scenario's account with a payment provider.
type providerState struct {
	integration merchant.Integration
	dispute     string // id at the provider
}

// lossyProxy drops requests with some API keys, or forwards them and drops only the answers.
type lossyProxy struct {
	next http.Handler
	lost sync.Map // "request" or "answer", by Authorization header
}

func (l *lossyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what, lost := l.lost.Load(r.Header.Get("Authorization"))
	switch {
	case !lost:
		l.next.ServeHTTP(w, r)
		return
	case what == "answer":
		l.next.ServeHTTP(httptest.NewRecorder(), r)
	}
	panic(http.ErrAbortHandler) // cuts the connection
}

// losesTraffic drops all requests with the account's key from now on, or the answers to them.
func (w *world) losesTraffic(what string) { w.server.lossy.lost.Store("Bearer "+w.stripeKey(), what) }

// startProviders starts a fake of both payment providers behind a lossyProxy, and returns the proxy and its URL.
func startProviders(t *testing.T) (*lossyProxy, string) {
	t.Helper()
	p, err := provider.Open(provider.Config{Ledger: filepath.Join(t.TempDir(), "provider.ledger")})
	if err != nil {
		t.Fatal(err)
	}
	proxy := &lossyProxy{next: p.Handler()}
	server := httptest.NewServer(proxy)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the payment providers: %v", err)
		}
		server.Close()
		if err := p.Close(); err != nil {
			t.Errorf("closing the payment providers: %v", err)
		}
	})
	return proxy, server.URL
}

// stripeKey returns the API key of the merchant's Stripe account in this scenario.
func (w *world) stripeKey() string { return "sk_test_" + w.newSlug }

func (w *world) addProviderVars(vars map[string]string) {
	vars["stripe_key"], vars["integration"] = w.stripeKey(), w.integration.ID
	vars["webhook"] = strings.TrimPrefix(w.integration.Webhook.Endpoint, w.app.URL())
}

// connectsAccount connects an account at a payment provider; secret signs its webhooks and may be "".
func (w *world) connectsAccount(kind, secret string) error {
	account := merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: w.stripeKey(), Secret: secret}}
	if kind == "PayPal" {
		account = merchant.NewIntegration{Type: "paypal", Credentials: merchant.Credentials{Key: "client-" + w.shop.Slug, Secret: "s"}}
	}
	var err error
	w.integration, err = w.merchant.ConnectAPIKey(w.ctx, account)
	return err
}

func (w *world) goesToAnotherShop() error { return w.openShop("Another shop") }

// paysWithGrantedToken pays with a token that the buyer's wallet has granted to the merchant's account.
func (w *world) paysWithGrantedToken() error {
	body, _ := json.Marshal(map[string]string{"kind": "stripe", "seller": w.integration.Config.AccountID})
	response, err := http.Post(w.server.providersURL+"/lookalike/tokens", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var granted struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&granted); err != nil {
		return err
	}
	return w.pays(acp.PSPToken, granted.Token)
}

// providerCharged checks the number of the account's charges in the provider's ledger.
func (w *world) providerCharged(want int) error {
	response, err := http.Get(w.server.providersURL + "/ledger")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var books struct {
		Charges []struct{ Account, Status string }
	}
	if err := json.NewDecoder(response.Body).Decode(&books); err != nil {
		return err
	}
	got := 0
	for _, c := range books.Charges {
		if c.Account == w.integration.Config.AccountID && c.Status == "succeeded" {
			got++
		}
	}
	if got != want {
		return fmt.Errorf("it has received %d", got)
	}
	return nil
}

func (w *world) hasNoIntegration() error {
	list, err := w.merchant.Integrations(w.ctx, merchant.Page{})
	if err == nil && list.Meta.Total != 0 {
		err = fmt.Errorf("it has %+v", list.Data)
	}
	return err
}

// accountKeyNotShown searches all answers for the account's key, after it has read every resource that shows an integration.
func (w *world) accountKeyNotShown() error {
	for _, path := range []string{"/v1/integrations", "/v1/audit-events", w.shopPath()} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	for _, a := range w.recorder.all() {
		if strings.Contains(string(a.body), w.stripeKey()) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

// callsStripeWebhook sends a Stripe event about an unknown payment.
func (w *world) callsStripeWebhook(path, secret string) error {
	const event = `{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "data": {"object": {` +
		`"id": "pi_1", "object": "payment_intent", "status": "succeeded", "metadata": {}}}}`
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.app.URL()+w.expand(path), strings.NewReader(event))
	if err != nil {
		return err
	}
	if secret = w.expand(secret); secret != "" {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + "." + event))
		request.Header.Set("Stripe-Signature", "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	response, err := w.recorder.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
