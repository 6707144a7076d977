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

// In these tests one merchant's agent handler, model, platform or payment provider hangs. The other merchant's requests must all
// be served, about as fast as before.

// hangingServer is an external server that hangs.
type hangingServer struct {
	url     string
	waits   atomic.Int64 // unanswered requests
	release func()
}

// startHangingServer starts a server that hangs at the requests for which at returns true and serves others with others.
func startHangingServer(t *testing.T, at func(*http.Request) bool, others http.Handler) *hangingServer {
	t.Helper()
	h, released := &hangingServer{}, make(chan struct{})
	h.release = sync.OnceFunc(func() { close(released) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !at(r) {
			others.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that its client disconnects
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

func anyRequest(*http.Request) bool { return true }

// requestGroup is a group of concurrent requests.
type requestGroup struct {
	all      sync.WaitGroup
	mu       sync.Mutex
	statuses map[int]int
	answered int
}

// sendAll sends n requests concurrently and does not wait for them. They end with the test at the latest.
func sendAll(t *testing.T, n int, of func(i int) *http.Request) *requestGroup {
	t.Helper()
	c := &requestGroup{statuses: map[int]int{}}
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

// waitUntilWaiting waits until places of the n requests hang, or until every request hangs or is answered.
func (c *requestGroup) waitUntilWaiting(t *testing.T, h *hangingServer, n, places int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d requests that wait", places), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		waits := int(h.waits.Load())
		return waits >= places || waits+c.answered >= n
	})
}

func (c *requestGroup) count(status int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statuses[status]
}

// expectAll sends n requests concurrently and expects all of them to return status.
func expectAll(t *testing.T, n, status int, of func(i int) *http.Request) {
	t.Helper()
	c := sendAll(t, n, of)
	c.all.Wait()
	if c.count(status) != n {
		t.Errorf("of %d requests of the other merchant: %v, want all of them %d", n, c.statuses, status)
	}
}

// testShop is a client of a shop with one product.
type testShop struct {
	apiClient
	acp, project, product string
}

func openTestShop(t *testing.T, app *boot.App, slug string) testShop {
	t.Helper()
	return openShopOf(apiClient{t, app.URL(), boottest.Key}, slug)
}

// openShopOf opens a shop of a merchant.
func openShopOf(of apiClient, slug string) testShop {
	of.Helper()
	s := testShop{apiClient: of, acp: of.url + "/p/" + slug}
	s.project = "X-Project-ID: " + s.openShop(slug, false)
	s.product = fmt.Sprint(s.call(201, "POST", "/v1/catalog/products",
		`{"name": "Lantern", "sku": "L-1", "price": 100, "category": "lights", "quantity": 100}`, s.project)["id"])
	return s
}

// patchAgent changes the shop's agent.
func (s testShop) patchAgent(change string) {
	s.Helper()
	agent := fmt.Sprint(s.call(200, "GET", "/v1/agents", "", s.project)["data"].([]any)[0].(map[string]any)["id"])
	s.call(200, "POST", "/v1/agents/"+agent+"/rotate-secret", "", s.project)
	s.call(200, "PATCH", "/v1/agents/"+agent, change, s.project)
}

// offer returns the i-th offer of a new buyer, each at another price.
func (s testShop) offer(i int) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": %d.%02d}`, s.product, 70+i, i))
}

// trustLoopbackProxies has the server accept X-Forwarded-For from this machine.
func trustLoopbackProxies(c *boot.Config) { c.TrustedProxies = "127.0.0.0/8" }

// fromBuyer sends a request from the n-th buyer's address, because an address may have few payments in flight.
func fromBuyer(n int, r *http.Request) *http.Request {
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.0.%d.%d", n/200, n%200))
	return r
}

func (s testShop) checkout() string {
	s.Helper()
	buyer := apiClient{s.T, s.acp, ""}
	session := buyer.call(200, "POST", "/acp/search", `{"query": "lantern"}`)["session_id"]
	opened := buyer.call(200, "POST", "/acp/checkout/init", fmt.Sprintf(
		`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1}], "shipping_address": {"name": "A", "line1": "1 St", "city": "X", "state": "CA", "postal_code": "9", "country": "US"}}`, session, s.product))
	return fmt.Sprint(opened["checkout_id"])
}

func (s testShop) finalize(checkout, token string) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": %q}, "buyer_email": "a@example.com"}`, checkout, token))
}

// sendOffers sends offers of each buyers at every shop, alternating between the shops.
func sendOffers(t *testing.T, each int, shops ...testShop) *requestGroup {
	t.Helper()
	return sendAll(t, each*len(shops), func(i int) *http.Request { return shops[i%len(shops)].offer(i / len(shops)) })
}

// lanePlaces is the size of the buyers' lane.
const lanePlaces = 12

// Buyers at two shops wait for hanging handlers. They could fill the buyers' lane, but each handler has only 8 questions under way.
func TestOpenAgents_hangingHandler(t *testing.T) {
	t.Parallel()
	h := startHangingServer(t, anyRequest, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.AllowLoopback = true })
	first, second, third := openTestShop(t, app, "first"), openTestShop(t, app, "second"), openTestShop(t, app, "third")
	first.patchAgent(fmt.Sprintf(`{"handlers": {"quote": {"type": "remote", "url": %q}}}`, h.url+"/first"))
	second.patchAgent(fmt.Sprintf(`{"handlers": {"quote": {"type": "remote", "url": %q}}}`, h.url+"/second"))
	quiet := measureBaseline(t, 19, 19, 200, third.offer)
	buyers := sendOffers(t, 20, first, second)
	buyers.waitUntilWaiting(t, h, 40, lanePlaces)
	quiet.expectUnaffected()
	if waits := h.waits.Load(); waits > 2*8 {
		t.Errorf("%d questions wait for two handlers", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 40 { // by the built-in agent
		t.Errorf("the shops whose handlers hang answer %v", buyers.statuses)
	}
}

// Buyers at two shops wait for a hanging language model. Each shop has only 16 questions under way.
func TestOpenAgents_hangingModel(t *testing.T) {
	t.Parallel()
	h := startHangingServer(t, anyRequest, nil)
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.OpenAIURL = h.url })
	first, second, third := openTestShop(t, app, "first"), openTestShop(t, app, "second"), openTestShop(t, app, "third")
	first.patchAgent(`{"model": {"provider": "openai", "name": "m", "wording": true}}`)
	second.patchAgent(`{"model": {"provider": "openai", "name": "m", "wording": true}}`)
	quiet := measureBaseline(t, 19, 19, 200, third.offer)
	buyers := sendOffers(t, 20, first, second)
	buyers.waitUntilWaiting(t, h, 40, lanePlaces)
	quiet.expectUnaffected()
	if waits := h.waits.Load(); waits > 2*16 {
		t.Errorf("%d questions of two shops wait for models", waits)
	}
	h.release()
	buyers.all.Wait()
	if buyers.count(200) != 40 {
		t.Errorf("the shops whose model hangs answer %v", buyers.statuses)
	}
}

// Two merchants connect many accounts at a hanging platform, in several shops. Only the limit for a Haggle account keeps them
// from taking all the places.
func TestPlatformShares_hangingPlatform(t *testing.T) {
	t.Parallel()
	lookalike, err := url.Parse(boottest.StartProvider(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	h := startHangingServer(t, func(r *http.Request) bool { return strings.Contains(r.Header.Get("Authorization"), "hanging") },
		httputil.NewSingleHostReverseProxy(lookalike))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	merchants := [3]apiClient{{t, app.URL(), boottest.Key}}
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
			merchants[i] = apiClient{t, app.URL(), made.Secret}
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
	quiet := measureBaseline(t, 19, 19, 200, func(int) *http.Request { return ask(2, "GET", "/v1/projects/"+projects[2][0], "") })
	crowd := sendAll(t, 2*each, func(i int) *http.Request { return connect(i%2, i/2%shops, fmt.Sprintf("sk_test_hanging_%d", i)) })
	crowd.waitUntilWaiting(t, h, 2*each, 2*each)
	quiet.expectUnaffected()
	expectAll(t, 5, 201, func(i int) *http.Request {
		return ask(2, "POST", "/v1/catalog/products", fmt.Sprintf(`{"name": "Mug", "sku": "M-%d", "price": 5}`, i))
	})
	expectAll(t, 1, 201, func(int) *http.Request { return connect(2, 0, "sk_test_merchant") })
	expectAll(t, 5, 200, func(int) *http.Request { return ask(0, "GET", "/v1/projects/"+projects[0][0], "") })
	if waits := h.waits.Load(); waits > 2*share {
		t.Errorf("%d requests of two accounts wait", waits)
	}
	h.release()
	crowd.all.Wait()
	if crowd.count(503) != 2*each {
		t.Errorf("connecting with a platform that hangs: %v", crowd.statuses)
	}
}

// A shop's payments through a hanging provider leave places for its payments through another account (here the sandbox), and
// for the payments of other shops.
func TestOpenProviders_hangingProvider(t *testing.T) {
	t.Parallel()
	lookalike, err := url.Parse(boottest.StartProvider(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	charges := func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents")
	}
	h := startHangingServer(t, charges, httputil.NewSingleHostReverseProxy(lookalike))
	app := boottest.Start(t, sqlite(t), trustLoopbackProxies, func(c *boot.Config) { c.StripeURL = h.url })
	first, second := openTestShop(t, app, "first"), openTestShop(t, app, "second")
	first.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, first.project)
	const share, ofShop = 32, 64
	own, others := make([]string, ofShop+16), make([]string, 11)
	for i := range own {
		own[i] = first.checkout()
	}
	for i := range others {
		others[i] = second.checkout()
	}
	quiet := measureBaseline(t, 5, 5, 200, func(int) *http.Request {
		others = others[1:]
		return second.finalize(others[0], "spt_sandbox_ok")
	})
	const through = 5 // payments through the other account
	buyers := sendAll(t, len(own)-through, func(i int) *http.Request {
		return fromBuyer(i, first.finalize(own[i], "spt_some_token"))
	})
	buyers.waitUntilWaiting(t, h, len(own)-through, share)
	expectAll(t, through, 200, func(i int) *http.Request {
		return request(t, "POST", first.acp+"/acp/checkout/finalize", fmt.Sprintf(
			`{"checkout_id": %q, "payment": {"method": "wallet_ba", "token": "ba_sandbox_ok"}, "buyer_email": "a@example.com"}`, own[len(own)-1-i]))
	})
	quiet.expectUnaffected()
	if waits := h.waits.Load(); waits == 0 || waits > share {
		t.Errorf("%d payments wait for the provider, want some, and %d at most", waits, share)
	}
	h.release()
	buyers.all.Wait()
}

// After five charges without an outcome the circuit is open: the shop's checkouts are refused before their stock is reserved.
// The other shop at the same provider still sells.
func TestOpenProviders_openBreaker(t *testing.T) {
	t.Parallel()
	provider := boottest.StartProvider(t)
	lookalike, err := url.Parse(provider.URL)
	if err != nil {
		t.Fatal(err)
	}
	var failing atomic.Bool
	h := startHangingServer(t, func(*http.Request) bool { return false }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents") &&
			strings.Contains(r.Header.Get("Authorization"), "failing") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		httputil.NewSingleHostReverseProxy(lookalike).ServeHTTP(w, r)
	}))
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.StripeURL = h.url })
	shop, other := openTestShop(t, app, "first"), openTestShop(t, app, "second")
	shop.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_failing"}}`, shop.project)
	other.call(201, "POST", "/v1/integrations/connect/api-key", `{"type": "stripe", "credentials": {"api_key": "sk_test_merchant"}}`, other.project)
	failing.Store(true)
	checkouts := make([]string, 6)
	for i := range checkouts {
		checkouts[i] = shop.checkout()
	}
	failed := sendAll(t, 5, func(i int) *http.Request { return shop.finalize(checkouts[i], "spt_some_token") })
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
	token := provider.Post(t, "/lookalike/tokens", map[string]any{
		"kind": "stripe", "seller": standin.StripeAccount("sk_test_merchant"), "currency": "usd", "max_amount": 500_00,
		"expires_at": time.Now().Add(time.Hour).Unix(),
	})
	expectAll(t, 1, 200, func(int) *http.Request { return other.finalize(checkout, token) })
	if left := other.stock(); left != 99 {
		t.Errorf("the other shop has %d pieces left, want 99", left)
	}
	failing.Store(false)
	// Attempts that began are resolved even while the circuit is open.
	eventually(t, "the outcome of what began", func() bool { return shop.stock() == 100 })
}

// stock returns how many pieces the shop has left.
func (s testShop) stock() int {
	s.Helper()
	levels := s.call(200, "GET", "/v1/catalog/inventory?sku=L-1", "", s.project)
	n, err := strconv.Atoi(fmt.Sprint(levels["data"].([]any)[0].(map[string]any)["quantity"]))
	if err != nil {
		s.Fatal(err)
	}
	return n
}
