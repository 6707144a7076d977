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

// accounts is what a scenario knows of accounts with payment providers.
type accounts struct {
	integration merchant.Integration
	dispute     string // the provider's id of it
}

// lossy loses requests with some keys, or only the answers to them: then what they ask for is done.
type lossy struct {
	next http.Handler
	lost sync.Map // request or answer, by authorization
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// loses has every request with the account's key lost from now on, or every answer to it.
func (w *world) loses(what string) { w.server.lossy.lost.Store("Bearer "+w.stripeKey(), what) }

// startProviders starts a look-alike of both payment providers and returns its address.
func startProviders(t *testing.T) (*lossy, string) {
	t.Helper()
	p, err := provider.Open(provider.Config{Ledger: filepath.Join(t.TempDir(), "provider.ledger")})
	if err != nil {
		t.Fatal(err)
	}
	between := &lossy{next: p.Handler()}
	listening := httptest.NewServer(between)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the payment providers: %v", err)
		}
		listening.Close()
		if err := p.Close(); err != nil {
			t.Errorf("closing the payment providers: %v", err)
		}
	})
	return between, listening.URL
}

// stripeKey is the key of the account that the merchant has in this scenario.
func (w *world) stripeKey() string { return "sk_test_" + w.newSlug }

func (w *world) nameAccounts(known map[string]string) {
	known["stripe_key"], known["integration"] = w.stripeKey(), w.integration.ID
	known["webhook"] = strings.TrimPrefix(w.integration.Webhook.Endpoint, w.app.URL())
}

// connects connects an account; secret is what its webhooks are signed with, or "".
func (w *world) connects(kind, secret string) error {
	account := merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: w.stripeKey(), Secret: secret}}
	if kind == "PayPal" {
		account = merchant.NewIntegration{Type: "paypal", Credentials: merchant.Credentials{Key: "client-" + w.shop.Slug, Secret: "s"}}
	}
	var err error
	w.integration, err = w.merchant.ConnectAPIKey(w.ctx, account)
	return err
}

func (w *world) goesToAnotherShop() error { return w.openShop("Another shop") }

// paysWithGranted pays with a token that the buyer's wallet grants to the merchant's account.
func (w *world) paysWithGranted() error {
	asked, _ := json.Marshal(map[string]string{"kind": "stripe", "seller": w.integration.Config.AccountID})
	response, err := http.Post(w.server.providers+"/lookalike/tokens", "application/json", bytes.NewReader(asked))
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

// hasReceived asks the provider's own books.
func (w *world) hasReceived(want int) error {
	response, err := http.Get(w.server.providers + "/ledger")
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

// keyIsNowhere also asks for everything that shows an integration.
func (w *world) keyIsNowhere() error {
	for _, path := range []string{"/v1/integrations", "/v1/audit-events", w.shopPath()} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	for _, a := range w.tape.all() {
		if strings.Contains(string(a.body), w.stripeKey()) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

// callsHook sends an event in Stripe's form, about a payment that nobody knows.
func (w *world) callsHook(path, secret string) error {
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
	response, err := w.tape.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
