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
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// One merchant's handler, model, platform or provider hangs, and the other merchant's requests are all served, about as
// fast as before.

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
	return standOf(merchant{t, app.URL(), boottest.Key}, slug)
}

// standOf is a shop of a merchant.
func standOf(of merchant, slug string) stand {
	of.Helper()
	s := stand{merchant: of, acp: of.url + "/p/" + slug}
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

// proxied has the server believe who sent a request.
func proxied(c *boot.Config) { c.TrustedProxies = "127.0.0.0/8" }

// from is a request of the n-th buyer. Each may have few payments in flight.
func from(n int, r *http.Request) *http.Request {
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.0.%d.%d", n/200, n%200))
	return r
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

// crowds are so many buyers at each of these shops, one after the other.
func crowds(t *testing.T, each int, shops ...stand) *crowd {
	t.Helper()
	return gather(t, each*len(shops), func(i int) *http.Request { return shops[i%len(shops)].offer(i / len(shops)) })
}

// lanePlaces are those of buyers' requests.
const lanePlaces = 12

// The waiting of the first two shops would take all places of the buyers' lane.
func TestAHangingHandlerCostsNobodyElse(t *testing.T) {
	t.Parallel()
	h := hang(t, everything, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.AllowLoopback = true })
	first, second, third := standAt(t, app, "first"), standAt(t, app, "second"), standAt(t, app, "third")
	first.serve(fmt.Sprintf(`{"handlers": {"quote": {"type": "remote", "url": %q}}}`, h.url+"/first"))
	second.serve(fmt.Sprintf(`{"handlers": {"quote": {"type": "remote", "url": %q}}}`, h.url+"/second"))
	quiet := calmly(t, 19, 19, 200, third.offer)
	buyers := crowds(t, 20, first, second)
	buyers.until(t, h, 40, lanePlaces)
	quiet.undisturbed()
	if waits := h.waits.Load(); waits > 2*8 {
		t.Errorf("%d questions wait for two handlers", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 40 { // by the house
		t.Errorf("the shops whose handlers hang answer %v", buyers.statuses)
	}
}

func TestAHangingModelCostsNobodyElse(t *testing.T) {
	t.Parallel()
	h := hang(t, everything, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.OpenAIURL = h.url })
	first, second, third := standAt(t, app, "first"), standAt(t, app, "second"), standAt(t, app, "third")
	first.serve(`{"model": {"provider": "openai", "name": "m", "wording": true}}`)
	second.serve(`{"model": {"provider": "openai", "name": "m", "wording": true}}`)
	quiet := calmly(t, 19, 19, 200, third.offer)
	buyers := crowds(t, 20, first, second)
	buyers.until(t, h, 40, lanePlaces)
	quiet.undisturbed()
	if waits := h.waits.Load(); waits > 2*16 {
		t.Errorf("%d questions of two shops wait for models", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 40 {
		t.Errorf("the shops whose model hangs answer %v", buyers.statuses)
	}
}

// Each merchant of the crowds connects other accounts at the platform, in several shops: only the share of a Haggle
// account keeps the two from taking all the places to wait in.
func TestAHangingPlatformCostsNobodyElse(t *testing.T) {
	t.Parallel()
	lookalike, err := url.Parse(openLookalike(t).url)
	if err != nil {
		t.Fatal(err)
	}
	h := hang(t, func(r *http.Request) bool { return strings.Contains(r.Header.Get("Authorization"), "hanging") },
		httputil.NewSingleHostReverseProxy(lookalike))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	merchants := [3]merchant{{t, app.URL(), boottest.Key}}
	const shops = 4
	var projects [3][shops]string
	for i := range merchants {
		if i > 0 {
			made, err := app.IssueKey(t.Context(), boot.KeyRequest{
				Name:       "other",
				Scopes:     []string{"*"},
				NewAccount: "Other",
			})
			if err != nil {
				t.Fatal(err)
			}
			merchants[i] = merchant{t, app.URL(), made.Secret}
		}
		for n := range projects[i] {
			projects[i][n] = merchants[i].openShop(fmt.Sprintf("shop-%d-%d", i, n), false)
		}
	}
	askIn := func(i, shop int, method, path, body string) *http.Request {
		r := request(t, method, app.URL()+path, body)
		r.Header.Set("Authorization", "Bearer "+merchants[i].key)
		r.Header.Set("X-Project-ID", projects[i][shop])
		return r
	}
	ask := func(i int, method, path, body string) *http.Request { return askIn(i, 0, method, path, body) }
	connect := func(i, shop int, key string) *http.Request {
		return askIn(i, shop, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(`{"type": "stripe", "credentials": {"api_key": %q}}`, key))
	}
	const each, share = 40, 8
	quiet := calmly(t, 19, 19, 200, func(int) *http.Request { return ask(2, "GET", "/v1/projects/"+projects[2][0], "") })
	crowd := gather(t, 2*each, func(i int) *http.Request { return connect(i%2, i/2%shops, fmt.Sprintf("sk_test_hanging_%d", i)) })
	crowd.until(t, h, 2*each, 2*each)
	quiet.undisturbed()
	neighbour(t, 5, 201, func(i int) *http.Request {
		return ask(2, "POST", "/v1/catalog/products", fmt.Sprintf(`{"name": "Mug", "sku": "M-%d", "price": 5}`, i))
	})
	neighbour(t, 1, 201, func(int) *http.Request { return connect(2, 0, "sk_test_merchant") })
	neighbour(t, 5, 200, func(int) *http.Request { return ask(0, "GET", "/v1/projects/"+projects[0][0], "") })
	if waits := h.waits.Load(); waits > 2*share {
		t.Errorf("%d requests of two accounts wait", waits)
	}
	h.release()
	crowd.all.Wait()
	if crowd.count(503) != 2*each {
		t.Errorf("connecting with a platform that hangs: %v", crowd.statuses)
	}
}

// Payments of a shop that has an account at a provider that hangs leave places for its payments through another account
// (here the sandbox), and for those of other shops.
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
	app := boottest.Start(t, sqlite(t), proxied, func(c *boot.Config) { c.StripeURL = h.url })
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	first.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, first.project)
	const share, ofShop = 32, 64
	own, others := make([]string, ofShop+16), make([]string, 11)
	for i := range own {
		own[i] = first.checkout()
	}
	for i := range others {
		others[i] = second.checkout()
	}
	quiet := calmly(t, 5, 5, 200, func(int) *http.Request {
		others = others[1:]
		return second.finalize(others[0], "spt_sandbox_ok")
	})
	const through = 5 // payments through the other account
	buyers := gather(t, len(own)-through, func(i int) *http.Request {
		return from(i, first.finalize(own[i], "spt_some_token"))
	})
	buyers.until(t, h, len(own)-through, share)
	neighbour(t, through, 200, func(i int) *http.Request {
		return request(t, "POST", first.acp+"/acp/checkout/finalize", fmt.Sprintf(
			`{"checkout_id": %q, "payment": {"method": "wallet_ba", "token": "ba_sandbox_ok"}, "buyer_email": "a@example.com"}`, own[len(own)-1-i]))
	})
	quiet.undisturbed()
	if waits := h.waits.Load(); waits == 0 || waits > share {
		t.Errorf("%d payments wait for the provider, want some, and %d at most", waits, share)
	}
	h.release()
	buyers.all.Wait()
}

// After charges without an outcome the shop's checkouts are refused before their stock is taken, and the other shop
// with the same provider sells.
func TestABreakerRefusesBeforeStockIsTaken(t *testing.T) {
	t.Parallel()
	provider := openLookalike(t)
	lookalike, err := url.Parse(provider.url)
	if err != nil {
		t.Fatal(err)
	}
	var failing atomic.Bool
	h := hang(t, func(*http.Request) bool { return false }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents") &&
			strings.Contains(r.Header.Get("Authorization"), "failing") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		httputil.NewSingleHostReverseProxy(lookalike).ServeHTTP(w, r)
	}))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	shop, other := standAt(t, app, "first"), standAt(t, app, "second")
	shop.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_failing"}}`, shop.project)
	other.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, other.project)
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
	if left := shop.stock(); left < 95 {
		t.Errorf("%d pieces are left, want what five payments without an outcome leave", left)
	}
	if metrics := get(t, app.OpsURL()+"/metrics").body; !strings.Contains(metrics, `haggle_circuits_open{of="payments"} 1`) {
		t.Error("the metrics do not tell of it")
	}
	checkout := other.checkout()
	token := provider.issue(t, "/lookalike/tokens", map[string]any{
		"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "max_amount": 500_00,
		"expires_at": provider.clock.Now().Add(time.Hour).Unix(),
	})
	neighbour(t, 1, 200, func(int) *http.Request { return other.finalize(checkout, token) })
	if left := other.stock(); left != 99 {
		t.Errorf("the other shop has %d pieces left, want 99", left)
	}
	failing.Store(false)
	// The attempts that began are looked up whatever the breaker says.
	eventually(t, "the outcome of what began", func() bool { return shop.stock() == 100 })
}

// stock is how many pieces the shop has left.
func (s stand) stock() int {
	s.Helper()
	levels := s.call(200, "GET", "/v1/catalog/inventory?sku=L-1", "", s.project)
	n, err := strconv.Atoi(fmt.Sprint(levels["data"].([]any)[0].(map[string]any)["quantity"]))
	if err != nil {
		s.Fatal(err)
	}
	return n
}
