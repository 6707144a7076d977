package boot_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// One merchant's handler, model, platform or provider hangs, and the other merchant's requests are all served.

// hanging is a server outside that hangs.
type hanging struct {
	url     string
	waits   atomic.Int64 // requests that it has not answered
	release func()
}

// hang serves with others what it does not hang at.
func hang(t *testing.T, at func(*http.Request) bool, others http.Handler) *hanging {
	t.Helper()
	h, released := &hanging{}, make(chan struct{})
	h.release = sync.OnceFunc(func() { close(released) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !at(r) {
			others.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that its client has gone
		h.waits.Add(1)
		defer h.waits.Add(-1)
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		h.release()
		server.CloseClientConnections()
		server.Close()
	})
	h.url = server.URL
	return h
}

func everything(*http.Request) bool { return true }

// crowd is many requests at once.
type crowd struct {
	all      sync.WaitGroup
	mu       sync.Mutex
	statuses map[int]int
	answered int
}

// gather sends n requests. They end with the test at the latest.
func gather(t *testing.T, n int, of func(i int) *http.Request) *crowd {
	t.Helper()
	c := &crowd{statuses: map[int]int{}}
	client := &http.Client{Transport: &http.Transport{}}
	for i := range n {
		r := of(i)
		c.all.Go(func() {
			answer, err := client.Do(r)
			if err != nil {
				return
			}
			answer.Body.Close()
			c.mu.Lock()
			defer c.mu.Unlock()
			c.statuses[answer.StatusCode]++
			c.answered++
		})
	}
	t.Cleanup(client.CloseIdleConnections)
	return c
}

// until waits until so many of the crowd hold what they can get, or all of the others have their answers.
func (c *crowd) until(t *testing.T, h *hanging, n, places int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d requests that wait", places), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		waits := int(h.waits.Load())
		return waits >= places || waits+c.answered >= n
	})
}

func (c *crowd) count(status int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statuses[status]
}

// neighbour sends n requests side by side, all of which succeed.
func neighbour(t *testing.T, n, status int, of func(i int) *http.Request) {
	t.Helper()
	c := gather(t, n, of)
	c.all.Wait()
	if c.count(status) != n {
		t.Errorf("of %d requests of the other merchant: %v, want all of them %d", n, c.statuses, status)
	}
}

// stand is a shop with one product.
type stand struct {
	merchant
	acp, project, product string
}

func standAt(t *testing.T, app *boot.App, slug string) stand {
	t.Helper()
	s := stand{merchant: merchant{t, app.URL(), boottest.Key}, acp: app.URL() + "/p/" + slug}
	s.project = "X-Project-ID: " + s.openShop(slug, false)
	s.product = fmt.Sprint(s.call(201, "POST", "/v1/catalog/products",
		`{"name": "Lantern", "sku": "L-1", "price": 100, "category": "lights", "quantity": 100}`, s.project)["id"])
	return s
}

// serve changes the shop's agent.
func (s stand) serve(change string) {
	s.Helper()
	agent := fmt.Sprint(s.call(200, "GET", "/v1/agents", "", s.project)["data"].([]any)[0].(map[string]any)["id"])
	s.call(200, "POST", "/v1/agents/"+agent+"/rotate-secret", "", s.project)
	s.call(200, "PATCH", "/v1/agents/"+agent, change, s.project)
}

// offer is a keyless buyer's, each of another price.
func (s stand) offer(i int) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %d.%02d}`, s.product, 70+i, i))
}

func (s stand) checkout() string {
	s.Helper()
	buyer := merchant{s.T, s.acp, ""}
	session := buyer.call(200, "POST", "/acp/search", `{"query": "lantern"}`)["session_id"]
	opened := buyer.call(200, "POST", "/acp/checkout/init", fmt.Sprintf(
		`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1}], "shipping_address": {"name": "A", "line1": "1 St", "city": "X", "state": "CA", "postal_code": "9", "country": "US"}}`, session, s.product))
	return fmt.Sprint(opened["checkout_id"])
}

func (s stand) finalize(checkout, token string) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": %q}, "buyer_email": "a@example.com"}`, checkout, token))
}

func TestAHangingHandlerCostsNobodyElse(t *testing.T) {
	t.Parallel()
	h := hang(t, everything, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.AllowLoopback = true })
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	first.serve(fmt.Sprintf(`{"handlers": {"quote": {"type": "remote", "url": %q}}}`, h.url))
	buyers := gather(t, 20, first.offer)
	buyers.until(t, h, 20, 16)
	neighbour(t, 19, 200, second.offer)
	if waits := h.waits.Load(); waits > 8 {
		t.Errorf("%d questions wait for one handler", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 20 { // by the house
		t.Errorf("the shop whose handler hangs answers %v", buyers.statuses)
	}
}

func TestAHangingModelCostsNobodyElse(t *testing.T) {
	t.Parallel()
	h := hang(t, everything, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.OpenAIURL = h.url })
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	first.serve(`{"model": {"provider": "openai", "name": "m", "wording": true}}`)
	buyers := gather(t, 40, first.offer)
	buyers.until(t, h, 40, 16)
	neighbour(t, 19, 200, second.offer)
	if waits := h.waits.Load(); waits > 16 {
		t.Errorf("%d questions of one shop wait for models", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 40 {
		t.Errorf("the shop whose model hangs answers %v", buyers.statuses)
	}
}

func TestAHangingPlatformCostsNobodyElse(t *testing.T) {
	t.Parallel()
	h := hang(t, everything, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	first := standAt(t, app, "first")
	made, err := app.IssueKey(t.Context(), boot.KeyRequest{Name: "other", Scopes: []string{"*"}, NewAccount: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	other := merchant{t, app.URL(), made.Secret}
	project := other.openShop("second", false)
	ask := func(m merchant, method, path, body, project string) *http.Request {
		r := request(t, method, m.url+path, body)
		r.Header.Set("Authorization", "Bearer "+m.key)
		r.Header.Set("X-Project-ID", project)
		return r
	}
	_, own, _ := strings.Cut(first.project, ": ")
	merchants := gather(t, 20, func(int) *http.Request {
		return ask(first.merchant, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, own)
	})
	merchants.until(t, h, 20, 16)
	neighbour(t, 19, 200, func(int) *http.Request { return ask(other, "GET", "/v1/projects/"+project, "", "") })
	neighbour(t, 5, 201, func(i int) *http.Request {
		return ask(other, "POST", "/v1/catalog/products", fmt.Sprintf(`{"name": "Mug", "sku": "M-%d", "price": 5}`, i), project)
	})
	neighbour(t, 5, 200, func(int) *http.Request { return ask(first.merchant, "GET", "/v1/projects/"+own, "", "") })
	if waits := h.waits.Load(); waits > 8 {
		t.Errorf("%d requests of one account wait", waits)
	}
	h.release()
	merchants.all.Wait()
	if merchants.count(503) != 20 {
		t.Errorf("connecting with a platform that hangs: %v", merchants.statuses)
	}
}

func TestAHangingPaymentProviderCostsNobodyElse(t *testing.T) {
	t.Parallel()
	lookalike, err := url.Parse(openLookalike(t).url)
	if err != nil {
		t.Fatal(err)
	}
	charges := func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents")
	}
	h := hang(t, charges, httputil.NewSingleHostReverseProxy(lookalike))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	first.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, first.project)
	checkout := first.checkout()
	others := make([]string, 5)
	for i := range others {
		others[i] = second.checkout()
	}
	buyers := gather(t, 320, func(int) *http.Request { return first.finalize(checkout, "spt_some_token") })
	eventually(t, "payments that are turned away", func() bool { return shed(t, app, "payments") >= 20 && h.waits.Load() > 0 })
	neighbour(t, len(others), 200, func(i int) *http.Request { return second.finalize(others[i], "spt_sandbox_ok") })
	if h.waits.Load() == 0 {
		t.Error("the provider hangs no more")
	}
	h.release()
	buyers.all.Wait()
}

// shed is how many requests a lane has turned away.
func shed(t *testing.T, app *boot.App, lane string) int {
	t.Helper()
	_, after, _ := strings.Cut(get(t, app.OpsURL()+"/metrics").body, fmt.Sprintf("haggle_shed_total{lane=%q} ", lane))
	count, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.Atoi(count) // no line: none
	return n
}

// After charges without an outcome the shop's checkouts are refused before their stock is taken, and the other shop
// with the same provider sells.
func TestABreakerRefusesBeforeStockIsTaken(t *testing.T) {
	t.Parallel()
	lookalike, err := url.Parse(openLookalike(t).url)
	if err != nil {
		t.Fatal(err)
	}
	var failing atomic.Bool
	h := hang(t, func(*http.Request) bool { return false }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		httputil.NewSingleHostReverseProxy(lookalike).ServeHTTP(w, r)
	}))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	shop := standAt(t, app, "first")
	shop.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, shop.project)
	failing.Store(true)
	checkouts := make([]string, 6)
	for i := range checkouts {
		checkouts[i] = shop.checkout()
	}
	failed := gather(t, 5, func(i int) *http.Request { return shop.finalize(checkouts[i], "spt_some_token") })
	failed.all.Wait()
	if failed.count(503) != 5 {
		t.Fatalf("%v", failed.statuses)
	}
	refused := send(t, shop.finalize(checkouts[5], "spt_some_token"))
	if refused.StatusCode != 503 || !strings.Contains(refused.body, "payment_unavailable") || refused.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", refused.StatusCode, refused.Header, refused.body)
	}
	if metrics := get(t, app.OpsURL()+"/metrics").body; !strings.Contains(metrics, `haggle_circuits_open{of="payments"} 1`) {
		t.Error("the metrics do not tell of it")
	}
	failing.Store(false)
	// The attempts that began are looked up whatever the breaker says.
	eventually(t, "the outcome of what began", func() bool {
		levels := shop.call(200, "GET", "/v1/catalog/inventory?sku=L-1", "", shop.project)
		return fmt.Sprint(levels["data"].([]any)[0].(map[string]any)["quantity"]) == "100"
	})
}
