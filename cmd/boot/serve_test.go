package boot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// These tests check a whole server from outside: its addresses, its limits, and how it starts and stops.

func sqlite(t *testing.T) string { return boottest.Engines[0].URL(t) }

// httpAnswer is a response with its body read.
type httpAnswer struct {
	*http.Response
	body string
}

func send(t *testing.T, r *http.Request) httpAnswer {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(r) // follows no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return httpAnswer{response, string(body)}
}

func get(t *testing.T, url string) httpAnswer { return send(t, request(t, "GET", url, "")) }

func request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (s httpAnswer) expect(t *testing.T, status int) httpAnswer {
	t.Helper()
	if s.StatusCode != status {
		t.Errorf("%d %s, want %d", s.StatusCode, s.body, status)
	}
	return s
}

// openShop creates a project over the API and returns its endpoints.
func openShop(t *testing.T, url, key, slug string) (endpoints map[string]string) {
	t.Helper()
	r := request(t, "POST", url+"/v1/projects", fmt.Sprintf(`{"name": "Shop", "slug": %q}`, slug))
	r.Header.Set("Authorization", "Bearer "+key)
	created := send(t, r).expect(t, http.StatusCreated)
	var p struct{ Endpoints map[string]string }
	if err := json.Unmarshal([]byte(created.body), &p); err != nil {
		t.Fatal(err)
	}
	return p.Endpoints
}

// Liveness does not depend on the database. Readiness fails while the database is down, and recovers with the first probe.
func TestOpsHandler_health(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if err := server.CreateDatabase("haggle", ""); err != nil {
		t.Fatal(err)
	}
	ops := boottest.Start(t, server.URL("haggle")).OpsURL()
	get(t, ops+"/livez").expect(t, http.StatusOK)
	get(t, ops+"/readyz").expect(t, http.StatusOK)
	if err := server.Stop(false); err != nil {
		t.Fatal(err)
	}
	get(t, ops+"/livez").expect(t, http.StatusOK)
	if sick := get(t, ops+"/readyz").expect(t, http.StatusServiceUnavailable); !strings.HasPrefix(sick.body, "database: no response\n") {
		t.Errorf("it tells %q", sick.body)
	}
	if err := server.Restart(false); err != nil {
		t.Fatal(err)
	}
	get(t, ops+"/readyz").expect(t, http.StatusOK) // the first probe after the restart already
}

// Without a domain, a shop's address is a path of the server, and host names have no effect.
func TestACPAddress_path(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	endpoints := openShop(t, app.URL(), boottest.Key, "lamps")
	if endpoints["acp"] != app.URL()+"/p/lamps" || endpoints["api"] != app.URL()+"/v1" {
		t.Errorf("%v", endpoints)
	}
	get(t, endpoints["acp"]+"/.well-known/acp/manifest.json").expect(t, http.StatusOK)
	hosted := request(t, "GET", app.URL()+"/.well-known/acp/manifest.json", "")
	hosted.Host = "lamps.acp.example.com"
	send(t, hosted).expect(t, http.StatusNotFound) // without a domain the host has no effect
}

// With a domain, a shop's address is its own host name, and paths of other shops and APIs are not found there.
func TestACPAddress_host(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.ACPDomain = "acp.example.com" })
	endpoints := openShop(t, app.URL(), boottest.Key, "lamps")
	if endpoints["acp"] != "https://lamps.acp.example.com" {
		t.Errorf("%v", endpoints)
	}
	const manifest = "/.well-known/acp/manifest.json"
	for _, test := range []struct {
		host, path string
		status     int
	}{
		{"lamps.acp.example.com", manifest, http.StatusOK},
		{"lamps.acp.example.com:8443", manifest, http.StatusOK},
		{"Lamps.ACP.Example.com", manifest, http.StatusOK},
		{"lamps.acp.example.com", "/", http.StatusOK},
		{"lamps.acp.example.com", "/llms.txt", http.StatusOK},
		{"lamps.acp.example.com", "/acp/openapi.json", http.StatusOK},
		{"lamps.acp.example.com", "/v1/projects", http.StatusNotFound},
		{"lamps.acp.example.com", "/p/lamps" + manifest, http.StatusNotFound},
		{"chairs.acp.example.com", manifest, http.StatusNotFound},
		{"a.lamps.acp.example.com", manifest, http.StatusNotFound},
		{"acp.example.com", manifest, http.StatusNotFound},
		{"acp.example.com", "/p/lamps" + manifest, http.StatusOK},
		{"lamps.elsewhere.com", manifest, http.StatusNotFound},
		{"lamps.elsewhere.com", "/p/lamps" + manifest, http.StatusOK},
	} {
		r := request(t, "GET", app.URL()+test.path, "")
		r.Host = test.host
		if got := send(t, r); got.StatusCode != test.status {
			t.Errorf("%s on %s: %d, want %d", test.path, test.host, got.StatusCode, test.status)
		}
	}
}

// UCP and MCP of the root shop are also served at the root, and hide none of the server's own routes.
func TestServeRootShop(t *testing.T) {
	t.Parallel()
	const tools = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.RootShop, c.ACPDomain = "lamps", "acp.example.com" })
	for path, status := range map[string]int{"/.well-known/ucp": http.StatusNotFound, "/docs": http.StatusOK} {
		if got := get(t, app.URL()+path); got.StatusCode != status {
			t.Errorf("%s before there is the shop: %d", path, got.StatusCode)
		}
	}
	for _, slug := range []string{"lamps", "chairs"} {
		openShop(t, app.URL(), boottest.Key, slug)
	}
	for _, test := range []struct {
		host, path, body string
		status           int
		says             string
	}{
		{"", "/.well-known/ucp", "", http.StatusOK, "https://lamps.acp.example.com/ucp"},
		{"", "/2026-04-08/.well-known/ucp", "", http.StatusOK, "https://lamps.acp.example.com/2026-04-08/ucp"},
		{"", "/ucp/catalog/search", `{"query": "lamp"}`, http.StatusOK, `"products":`},
		{"", "/2026-04-08/ucp/catalog/search", `{"query": "lamp"}`, http.StatusUnprocessableEntity, "This business supports 2026-04-08."},
		{"", "/mcp", tools, http.StatusOK, "search_catalog"},
		{"", "/2026-04-08/mcp", tools, http.StatusOK, "search_catalog"},
		{"chairs.acp.example.com", "/.well-known/ucp", "", http.StatusOK, "https://chairs.acp.example.com/ucp"},
		{"", "/ucp/schemas/negotiation.json", "", http.StatusOK, "haggle-negotiation/1"},
		{"", "/docs", "", http.StatusOK, ""},
		{"", "/v1/projects", "", http.StatusUnauthorized, ""},
		{"", "/p/chairs/.well-known/ucp", "", http.StatusOK, "https://chairs.acp.example.com/ucp"},
		{"", "/ucp", "", http.StatusNotFound, ""},
		{"", "/mcp/elsewhere", tools, http.StatusNotFound, ""},
		{"", "/acp/search", `{"query": "lamp"}`, http.StatusNotFound, ""},
	} {
		method := "GET"
		if test.body != "" {
			method = "POST"
		}
		r := request(t, method, app.URL()+test.path, test.body)
		r.Header.Set("UCP-Agent", `profile="https://haggle.invalid/agent"`)
		if test.host != "" {
			r.Host = test.host
		}
		if got := send(t, r); got.StatusCode != test.status || !strings.Contains(got.body, test.says) {
			t.Errorf("%s %s: %d %.300s", test.host, test.path, got.StatusCode, got.body)
		}
	}
}

// In production a shop without integrations offers no payment methods, and keys of the sandbox are refused.
func TestOpenProviders_noSandboxInProduction(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.Env, c.MasterKey, c.BootstrapKey = "production", digits40, liveKey })
	acp := openShop(t, app.URL(), liveKey, "lamps")["acp"]
	manifest := get(t, acp+"/.well-known/acp/manifest.json").expect(t, http.StatusOK)
	if !strings.Contains(manifest.body, `"payment_methods":[]`) {
		t.Errorf("the manifest is %s", manifest.body)
	}
	paid := send(t, request(t, "POST", acp+"/acp/checkout/finalize",
		`{"checkout_id": "chk_00000000000000000000000000", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`))
	paid.expect(t, http.StatusUnprocessableEntity)
	if !strings.Contains(paid.body, `"payment.method"`) {
		t.Errorf("finalize answers %s", paid.body)
	}
	r := request(t, "GET", app.URL()+"/v1/projects", "")
	r.Header.Set("Authorization", "Bearer "+boottest.Key)
	send(t, r).expect(t, http.StatusUnauthorized)
}

func TestHandler_openAPIDocument(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, sqlite(t)).URL()
	document := get(t, url+"/openapi.yaml").expect(t, http.StatusOK)
	if !strings.Contains(document.body, "openapi: 3.1") || !strings.Contains(document.body, "/p/{slug}/acp/checkout/finalize:") {
		t.Errorf("no document: %.200s", document.body)
	}
}

// Headers of 15 KiB are accepted and of 20 KiB refused. The limit is 16 KiB, to which net/http adds a read-ahead.
func TestMaxHeader(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, sqlite(t)).URL()
	for _, test := range []struct{ kib, status int }{
		{15, http.StatusOK}, {20, http.StatusRequestHeaderFieldsTooLarge},
	} {
		r := request(t, "GET", url+"/openapi.yaml", "")
		r.Header.Set("X-Padding", strings.Repeat("x", test.kib<<10))
		if got := send(t, r); got.StatusCode != test.status {
			t.Errorf("%d KiB: %d, want %d", test.kib, got.StatusCode, test.status)
		}
	}
}

func TestListen_addressInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	config := boot.Config{
		Addr:        "127.0.0.1:0",
		OpsAddr:     taken.Addr().String(),
		DatabaseURL: sqlite(t),
		Env:         "sandbox",
	}
	if _, err := boot.New(t.Context(), config, slog.New(slog.DiscardHandler)); err == nil || err.Error() != "HAGGLE_OPS_ADDR: address "+taken.Addr().String()+" is already in use" {
		t.Errorf("got %v", err)
	}
}

// A request that is half sent when the server begins to stop is answered. New connections are refused.
func TestRun_gracefulShutdown(t *testing.T) {
	t.Parallel()
	config := boot.Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		DatabaseURL:  sqlite(t),
		Env:          "sandbox",
		BootstrapKey: boottest.Key,
	}
	app, err := boot.New(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	openShop(t, app.URL(), boottest.Key, "lamps")

	host := strings.TrimPrefix(app.URL(), "http://")
	conn, answers := sendSearchHeader(t, host, "/p/lamps/acp/search")
	stop()
	for { // until the listener is gone
		extra, err := net.Dial("tcp", host)
		if err != nil {
			break
		}
		extra.Close()
	}
	if _, err := io.WriteString(conn, searchBody); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the request in flight was answered %s", answer.Status)
	}
	conn.Close()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
}

const searchBody = `{"query": "lamp"}`

// sendSearchHeader sends the header of a search and returns when the server waits for the body.
func sendSearchHeader(t *testing.T, host, path string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		path, host, len(searchBody))
	answers := bufio.NewReader(conn)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := answers.ReadString('\n'); err != nil || line != want {
			t.Fatalf("the server says %q, %v; want %q", line, err, want)
		}
	}
	return conn, answers
}

// The root page of a production server names no shop. CORS allows other origins on buyers' operations only.
func TestHandler_rootAndCORS(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.Env, c.MasterKey, c.BootstrapKey = "production", digits40, liveKey })
	openShop(t, app.URL(), liveKey, "lamps")
	for _, path := range []string{"/", "/llms.txt"} {
		if page := get(t, app.URL()+path).expect(t, http.StatusOK); strings.Contains(page.body, "lamps") || strings.Contains(page.body, "/p/demo") {
			t.Errorf("%s names a shop: %s", path, page.body)
		}
	}
	if page := get(t, app.URL()+"/p/lamps").expect(t, http.StatusOK); !strings.Contains(page.body, "<h1>Shop</h1>") {
		t.Errorf("the page is %s", page.body)
	}
	for path, open := range map[string]bool{
		"/p/lamps/acp/search": true, "/p/lamps/.well-known/acp/manifest.json": true, "/llms.txt": true, "/v1/projects": false, "/hooks/wh_1": false,
	} {
		r := request(t, "OPTIONS", app.URL()+path, "")
		r.Header.Set("Origin", "https://agent.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		answer := send(t, r)
		if got := answer.Header.Get("Access-Control-Allow-Origin"); (got == "*") != open || (answer.StatusCode == http.StatusNoContent) != open {
			t.Errorf("OPTIONS %s: %d, allows %q", path, answer.StatusCode, got)
		}
	}
}
