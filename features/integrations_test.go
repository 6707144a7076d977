package features

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// integrationsContext connects payment providers, and checks their charges.
type integrationsContext struct {
	*scenario

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
func (c *integrationsContext) losesTraffic(what string) {
	c.server.lossy.lost.Store("Bearer "+c.stripeKey(), what)
}

// startProviders starts a fake of both payment providers behind a lossyProxy, and returns the proxy and its URL.
func startProviders(t testing.TB) (*lossyProxy, string) {
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
func (c *integrationsContext) stripeKey() string { return "sk_test_" + c.newSlug }

func (c *integrationsContext) addProviderVars(vars map[string]string) {
	vars["stripe_key"], vars["integration"] = c.stripeKey(), c.integration.ID
	vars["webhook"] = strings.TrimPrefix(c.integration.Webhook.Endpoint, c.app.URL())
}

// connectsAccount connects an account at a payment provider; secret signs its webhooks and may be "".
func (c *integrationsContext) connectsAccount(kind, secret string) error {
	account := merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: c.stripeKey(), Secret: secret}}
	if kind == "PayPal" {
		account = merchant.NewIntegration{Type: "paypal", Credentials: merchant.Credentials{Key: "client-" + c.shop.Slug, Secret: "s"}}
	}
	var err error
	c.integration, err = c.merchant.ConnectAPIKey(c.ctx, account)
	return err
}

func (c *integrationsContext) goesToAnotherShop() error { return c.shops.openShop("Another shop") }

// paysWithGrantedToken pays with a token that the buyer's wallet has granted to the merchant's account.
func (c *integrationsContext) paysWithGrantedToken() error {
	body, _ := json.Marshal(map[string]string{"kind": "stripe", "seller": c.integration.Config.AccountID})
	response, err := http.Post(c.server.providersURL+"/lookalike/tokens", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var granted struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&granted); err != nil {
		return err
	}
	return c.checkouts.pays(acp.PSPToken, granted.Token)
}

// providerCharged checks the number of the account's charges in the provider's ledger.
func (c *integrationsContext) providerCharged(want int) error {
	response, err := http.Get(c.server.providersURL + "/ledger")
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
	for _, charge := range books.Charges {
		if charge.Account == c.integration.Config.AccountID && charge.Status == "succeeded" {
			got++
		}
	}
	if got != want {
		return fmt.Errorf("it has received %d", got)
	}
	return nil
}

func (c *integrationsContext) hasNoIntegration() error {
	list, err := c.merchant.Integrations(c.ctx, merchant.Page{})
	if err == nil && list.Meta.Total != 0 {
		err = fmt.Errorf("it has %+v", list.Data)
	}
	return err
}

// integrationsShow reads the shop's integrations, and checks fields of the answer.
func (c *integrationsContext) integrationsShow(pairs ...string) error {
	if err := c.send("GET", integrationsPath, "", nil); err != nil {
		return err
	}
	return c.answerShows(pairs...)
}

// isOnlyIntegration checks that the shop has one integration, the latest that was connected, with a name that it got earlier.
func (c *integrationsContext) isOnlyIntegration(name string) error {
	return c.integrationsShow("data.*.id", `["$integration"]`, "data.*.name", `["`+name+`"]`, "data.*.status", `["connected"]`)
}

// changes changes the integration: {"name": "Our shop"}.
func (c *integrationsContext) changes(fields string) error {
	return c.merchantSends("PATCH", integrationsPath+"/$integration", fields)
}

// disables turns off the reading of resources, or the writing of orders.
func (c *integrationsContext) disables(settings ...string) error {
	config := map[string]bool{}
	for _, name := range settings {
		config[name] = false
	}
	body, err := json.Marshal(map[string]any{"config": config})
	if err != nil {
		return err
	}
	return c.changes(string(body))
}

// readingSettings are the settings that turn the reading of resources on and off.
func readingSettings(resources string) (settings []string) {
	for _, resource := range namesOf(resources) {
		settings = append(settings, "sync_"+resource)
	}
	return settings
}

func (c *integrationsContext) disconnects() error {
	return c.merchantSends("DELETE", integrationsPath+"/$integration", "")
}

// callIsAnswered checks the answer to a webhook call.
func (c *integrationsContext) callIsAnswered(how string) error {
	return c.statusIs(map[string]int{
		"is accepted":      http.StatusOK,
		"is rejected":      http.StatusUnauthorized,
		"finds no webhook": http.StatusNotFound,
	}[how])
}

// opensLatestSync opens the console's page of the integration's latest sync.
func (c *integrationsContext) opensLatestSync(name string) error {
	if err := c.merchantSends("GET", integrationsPath+"/$integration/sync/history", ""); err != nil {
		return err
	}
	if err := errors.Join(c.unexpectedRefusal(), c.platforms.namesAnswerField("data.0.sync_id", "run")); err != nil {
		return err
	}
	return c.console.opensPage(name, "/console/$slug/integrations/$integration/syncs/$run")
}

func (c *integrationsContext) syncsHourly() error {
	if err := c.merchantSends("GET", integrationsPath+"/$integration", ""); err != nil {
		return err
	}
	return c.answerShows("config.sync_schedule", `"@hourly"`)
}

func (c *integrationsContext) paymentIsDeclined() error {
	return c.answerShows("status", `"payment_failed"`)
}

// accountKeyNotShown searches all answers for the account's key, after it has read every resource that shows an integration.
func (c *integrationsContext) accountKeyNotShown() error {
	for _, path := range []string{"/v1/integrations", "/v1/audit-events", c.shops.shopPath()} {
		if err := c.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	for _, a := range c.recorder.all() {
		if strings.Contains(string(a.body), c.stripeKey()) {
			return fmt.Errorf("%s tells it: %s", a.path, a.body)
		}
	}
	return nil
}

// callsStripeWebhook sends a Stripe event about an unknown payment.
func (c *integrationsContext) callsStripeWebhook(path, secret string) error {
	const event = `{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "data": {"object": {` +
		`"id": "pi_1", "object": "payment_intent", "status": "succeeded", "metadata": {}}}}`
	request, err := http.NewRequestWithContext(c.ctx, "POST", c.app.URL()+c.expand(path), strings.NewReader(event))
	if err != nil {
		return err
	}
	if secret = c.expand(secret); secret != "" {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + "." + event))
		request.Header.Set("Stripe-Signature", "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	response, err := c.recorder.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
