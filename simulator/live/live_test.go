package live

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/internal/shoptest"
)

// stub answers quotes by a script and records the requests.
type stub struct {
	mu       sync.Mutex
	quotes   []string // answers, one after the other; "503" is a busy server
	asked    []string // bodies of the quote requests
	keys     []string // and their idempotency keys
	notFound int      // how many reads of the product are answered with 404
	gone     []string // products taken off sale

	patched string // the latest change of the agent
}

const (
	project  = `{"id": "proj_1", "name": "P", "slug": "demo", "settings": {}, "status": "active"}`
	object   = `{"responses": {"default": {"description": "any", "content": {"application/json": {"schema": {"type": "object"}}}}}}`
	document = `{"openapi": "3.1.0", "paths": {
		"/v1/projects": {"get": ` + object + `, "post": ` + object + `}, "/v1/projects/{id}/settings": {"patch": ` + object + `},
		"/v1/agents": {"get": ` + object + `}, "/v1/agents/{id}": {"patch": ` + object + `},
		"/v1/catalog/products": {"post": ` + object + `}, "/v1/catalog/products/{id}": {"delete": ` + object + `},
		"/p/{slug}/.well-known/acp/manifest.json": {"get": ` + object + `}, "/p/{slug}/acp/products/{id}": {"get": ` + object + `},
		"/p/{slug}/acp/quote": {"post": ` + object + `}}}`
)

func (s *stub) serve(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(shoptest.New(t, nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	toShop := httputil.NewSingleHostReverseProxy(at)
	mux, respond := http.NewServeMux(), func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { write(w, r, http.StatusOK, body) }
	}
	mux.HandleFunc("GET /openapi.json", respond(document))
	mux.HandleFunc("GET /v1/projects", respond(`{"data": [`+project+`], "meta": {"total": 1}}`))
	mux.HandleFunc("POST /v1/projects", respond(project))
	mux.HandleFunc("PATCH /v1/projects/{id}/settings", respond(`{}`))
	mux.HandleFunc("GET /v1/agents", respond(`{"data": [{"id": "agent_1", "status": "active"}], "meta": {"total": 1}}`))
	mux.HandleFunc("PATCH /v1/agents/agent_1", s.patch)
	mux.HandleFunc("POST /v1/catalog/products", respond(`{"id": "prod_1", "price": 100, "name": "x", "sku": "x", "category": "c"}`))
	mux.HandleFunc("DELETE /v1/catalog/products/{id}", s.remove)
	mux.HandleFunc("GET /p/demo/acp/products/{id}", s.product(toShop))
	mux.HandleFunc("POST /p/demo/acp/quote", s.quote)
	mux.Handle("/", toShop)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func (s *stub) remove(w http.ResponseWriter, r *http.Request) {
	s.gone = append(s.gone, r.PathValue("id"))
	w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
	w.WriteHeader(http.StatusNoContent)
}

func (s *stub) patch(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.patched = string(body)
	write(w, r, http.StatusOK, `{"id": "agent_1", "status": "active"}`)
}

func write(w http.ResponseWriter, r *http.Request, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (s *stub) product(shop http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.notFound--; s.notFound >= 0 {
			write(w, r, http.StatusNotFound, `{"status": "error", "error": "product_not_found", "message": "no", "request_id": "r"}`)
			return
		}
		shop.ServeHTTP(w, r)
	}
}

func (s *stub) quote(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.asked, s.keys = append(s.asked, string(body)), append(s.keys, r.Header.Get("Idempotency-Key"))
	answer := s.quotes[0]
	s.quotes = s.quotes[1:]
	status := http.StatusOK
	if answer == "503" {
		w.Header().Set("Retry-After", "1")
		status, answer = http.StatusServiceUnavailable, `{"status": "error", "error": "busy", "message": "later", "request_id": "r"}`
	}
	write(w, r, status, answer)
}

func (s *stub) enter(t *testing.T, own string) *Shop {
	t.Helper()
	shop, err := Enter(t.Context(), Config{
		URL:         s.serve(t),
		Key:         "k",
		Project:     own,
		List:        decimal.FromInt(100),
		MaxDiscount: decimal.FromInt(20),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := shop.Stock([]Item{{List: 10000, Cost: 5000}}); err != nil {
		t.Fatal(err)
	}
	return shop
}

const (
	rejected = `{"status": "reject", "session_id": "s", "quote_id": "q", "reason": "low", "floor_hint": "85", "offered_price": 97.5, "valid_until": "2126-01-01T00:00:00Z", "next_actions": ["accept", "counter", "decline"]}`
	lastOne  = `{"status": "counter_offer", "session_id": "s", "quote_id": "q", "product": {"id": "prod_1", "name": "x"}, "original_price": 100, "your_offer": 86.01,
		"counter_price": 90.01, "discount_applied": "9.9%", "reasoning": "r", "valid_until": "2126-01-01T00:00:00Z", "next_actions": ["accept", "decline"]}`
	accepted = `{"status": "accept", "session_id": "s", "quote_id": "q", "final_price": 90.01, "message": "m", "checkout_token": "t", "valid_until": "2126-01-01T00:00:00Z", "next_actions": ["init_checkout"]}`
)

func TestShop_Open_negotiation(t *testing.T) {
	t.Parallel()
	s := &stub{notFound: 2, quotes: []string{rejected, "503", lastOne, accepted}}
	shop := s.enter(t, "demo")
	negotiation := shop.Open(Item{List: 10000, Cost: 5000})
	for _, c := range []struct {
		offer int64
		want  Answer
		asked string
	}{
		{6000, Answer{
			Kind:         Rejected,
			Price:        8500,
			CurrentPrice: 9750,
		}, `{"product_id":"prod_1","quantity":1,"offer_price":60}`},
		{8601, Answer{
			Kind:  Countered,
			Price: 9001,
			Over:  true,
		}, `{"session_id":"s","quote_id":"q","offer_price":86.01}`},
		{9001, Answer{
			Kind:  Accepted,
			Price: 9001,
			Over:  true,
		}, `{"session_id":"s","quote_id":"q","offer_price":90.01}`},
	} {
		if got := negotiation.Offer(c.offer); got != c.want || !sameJSON(s.asked[len(s.asked)-1], c.asked) {
			t.Errorf("offer %d: %+v, asked %s", c.offer, got, s.asked[len(s.asked)-1])
		}
	}
	if len(s.keys) != 4 || s.keys[1] != s.keys[2] || s.keys[0] == s.keys[1] || s.keys[2] == s.keys[3] || slices.Contains(s.keys, "") {
		t.Errorf("idempotency keys %q", s.keys)
	}
	v := shop.Verdict()
	if !v.OK() || v.Waits != 1 || v.Checked < 8 || !strings.Contains(v.String(), "Told to wait 1 times") {
		t.Errorf("%s", v)
	}
	if shop.Least() != 8000 || shop.List() != 10000 || shop.Leave() != nil || len(s.gone) != 1 {
		t.Errorf("least %d, list %d, gone %q", shop.Least(), shop.List(), s.gone)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func TestShop_Verdict_brokenServer(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]struct {
		answer string
		want   Kind
	}{
		`Failed: buyer`:                  {`{"status": "expired", "session_id": "s", "next_actions": ["ask_price"]}`, NoAnswer},
		`answered by "expired"`:          {`{"status": "expired", "session_id": "s", "next_actions": ["ask_price"]}`, NoAnswer},
		`the answer has no offered_pric`: {strings.Replace(rejected, `"offered_price": 97.5, `, "", 1), Rejected},
		`Invariant: the price that`:      {strings.Replace(rejected, "97.5", "60", 1), Rejected},
		`got array`:                      {`[]`, NoAnswer},
	} {
		s := &stub{quotes: []string{c.answer}}
		shop := s.enter(t, "")
		got := shop.Open(Item{List: 10000, Cost: 5000}).Offer(6000)
		if v := shop.Verdict(); got.Kind != c.want || v.OK() || !strings.Contains(v.String(), says) {
			t.Errorf("%s: %+v, %s", says, got, v)
		}
		if shop.Leave() != nil || len(s.gone) > 0 {
			t.Errorf("a project of its own lost %q", s.gone)
		}
		if !sameJSON(s.patched, `{"policy": {"probing": {"product": 0}}}`) {
			t.Errorf("the agent of a project of its own was changed by %s", s.patched)
		}
	}
}

func TestEnter_refused(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]Config{
		`none is named "other"`: {Project: "other", List: decimal.FromInt(100)},
		"has no price of":       {Project: "demo", List: decimal.MustParse("9.999")},
	} {
		c.URL = (&stub{}).serve(t)
		if _, err := Enter(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
