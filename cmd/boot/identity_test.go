package boot_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

var shopServes = []capability.Set{
	capability.Served(capability.V20260825, capability.Name{}),
	capability.Served(capability.V20260408, capability.Name{}),
}

// whoAsks is the service of a configuration.
func whoAsks(t testing.TB, c boot.Config) *identity.Service {
	t.Helper()
	service, err := boot.OpenIdentity(c, system.Clock{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func asks(t testing.TB, s *identity.Service, profile string) error {
	t.Helper()
	_, err := s.Identify(ports.NewOutbound(t.Context()), identity.Request{Profile: profile, Business: shopServes})
	return err
}

// listener is a server that counts who connects, whatever they want.
func listener(t *testing.T) (address string, reached *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	reached = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), reached
}

// No URL of a profile leads to this machine, or into its network, however it is written.
func TestIdentity_hostileURLs(t *testing.T) {
	t.Parallel()
	address, reached := listener(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []boot.Config{{Env: "sandbox"}, {Env: "production"}} {
		for _, written := range []string{
			"", "agent", "/profile.json", "//agent.example/profile.json", "https:", "https://", "https:///profile.json", "https:agent.example",
			"http://agent.example/profile.json", "HTTP://127.0.0.1:PORT/", "ftp://127.0.0.1:PORT/", "file:///etc/passwd", "gopher://127.0.0.1:PORT/", "data:application/json,{}", "javascript:alert(1)", "unix:///run/x.sock",
			"http://127.0.0.1:PORT/", "https://127.0.0.1:PORT/", "https://localhost:PORT/", "https://LOCALHOST.:PORT/", "https://a.localhost:PORT/", "https://127.1:PORT/", "https://127.0.0.1.:PORT/",
			"https://2130706433:PORT/", "https://0x7f000001:PORT/", "https://0177.0.0.1:PORT/", "https://0x7f.1:PORT/", "https://017700000001:PORT/", "https://①②⑦.⓪.⓪.①:PORT/", "https://127。0。0。1:PORT/",
			"https://[::1]:PORT/", "https://[::ffff:127.0.0.1]:PORT/", "https://[::ffff:7f00:1]:PORT/", "https://[::127.0.0.1]:PORT/", "https://[64:ff9b::7f00:1]:PORT/", "https://[2002:7f00:1::]:PORT/", "https://[fe80::1%25lo]:PORT/", "https://[::]:PORT/", "https://0.0.0.0:PORT/", "https://0:PORT/",
			"https://169.254.169.254/latest/meta-data/", "https://[fd00:ec2::254]/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://198.18.0.1/", "https://224.0.0.1/", "https://255.255.255.255/", "https://[fc00::1]/", "https://[ff02::1]/",
			"https://metadata.google.internal/", "https://printer.local/", "https://nas.home.arpa/", "https://router/",
			"https://agent.example@127.0.0.1:PORT/", "https://127.0.0.1:PORT@agent.example/", "https://agent.example\\@127.0.0.1:PORT/", "https://127.0.0.1:PORT#@agent.example/", "https://agent.example/#x", "https://agent.example/\n", "https://agent.example/\x00", "https://127.0.0.1 :PORT/", "https://127.0.0.1%2f@agent.example/", "https://127.0.0.1:PORT\t/",
			"https://agent.example/" + strings.Repeat("x", 2048),
		} {
			url := strings.ReplaceAll(written, "PORT", port)
			begin := time.Now()
			if err := asks(t, whoAsks(t, config), url); !fault.Is(err, "invalid_profile_url") || fault.KindOf(err) != fault.Malformed {
				t.Errorf("%s: %q: %v", config.Env, url, err)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("%q took %s", url, took)
			}
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("this machine was reached %d times", n)
	}
}

// A name that looks like any other leads to this machine only when a connection is made: it gets the answer of a server that
// cannot be reached.
func TestIdentity_hostileServers(t *testing.T) {
	t.Parallel()
	compressed := &bytes.Buffer{}
	zip := gzip.NewWriter(compressed)
	if _, err := io.CopyN(zip, zeros{}, 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	_, reached := listener(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(elsewhere.Close)
	const unreachable, malformed = "profile_unreachable", "profile_malformed"
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"redirecting": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, unreachable},
		"redirecting for good": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/.well-known/ucp", http.StatusPermanentRedirect)
		}, unreachable},
		"refreshing": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Refresh", "0; url="+elsewhere.URL) }, malformed},
		"slow":       {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, unreachable},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"ucp":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, unreachable},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 4096)); err != nil {
					return
				}
			}
		}, malformed},
		"huge header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 64<<10)) }, unreachable},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"x":"`+strings.Repeat("x", 300<<10)+`"}`)
		}, malformed},
		"deep": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("[", 200<<10)) }, malformed},
		"compressed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(compressed.Bytes())
		}, malformed},
		"compressed, and does not say it": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(compressed.Bytes()[:1000]) }, malformed},
		"HTML": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<script>")
		}, malformed},
		"hanging up":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, unreachable},
		"not there":   {http.NotFound, unreachable},
		"failing":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, unreachable},
		"empty":       {func(http.ResponseWriter, *http.Request) {}, malformed},
		"asking back": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.serve)
			t.Cleanup(server.Close)
			begin := time.Now()
			err := asks(t, whoAsks(t, boot.Config{Env: "sandbox", AllowLoopback: true}), server.URL+"/profile.json")
			if took := time.Since(begin); !fault.Is(err, test.want) || took > 8*time.Second {
				t.Errorf("%v after %s", err, took)
			}
			if strings.Contains(fmt.Sprint(err.(*fault.Error).Message), "127.0.0.1") {
				t.Errorf("%v tells of our network", err)
			}
		})
	}
	t.Run("its own certificate", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		server.StartTLS()
		t.Cleanup(server.Close)
		if err := asks(t, whoAsks(t, boot.Config{Env: "sandbox", AllowLoopback: true}), server.URL); !fault.Is(err, "profile_unreachable") {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if reached.Load() != 0 {
			t.Error("a redirect was followed")
		}
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A caller that leaves does not wait for a server that hangs.
func TestIdentity_callerLeaves(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	service := whoAsks(t, boot.Config{Env: "sandbox", AllowLoopback: true})
	_, err := service.Identify(ports.NewOutbound(ctx), identity.Request{Profile: server.URL, Business: shopServes})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// agentKey is a key, and a profile of 2026-08-25 that has it under its thumbprint.
func agentKey(t testing.TB, n byte) (signing.Private, string) {
	t.Helper()
	key, err := signing.ParsePrivate(bytes.Repeat([]byte{n}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	x, y := key.Public().Coordinates()
	return key, fmt.Sprintf(`{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{},"capabilities":{"dev.ucp.shopping.checkout":[{"version":"2026-08-25",
		"spec":"https://ucp.dev/","schema":"https://ucp.dev/"}]}},"keys":[{"kid":%q,"kty":"EC","crv":"P-256","x":%q,"y":%q}]}`, key.Public().Thumbprint(), x, y)
}

// signedRequest is a request to a shop that a key signed now.
func signedRequest(t testing.TB, key signing.Private, profile string) ports.SignedRequest {
	t.Helper()
	body := []byte(`{"line_items":[]}`)
	header := http.Header{}
	header.Set("UCP-Agent", `profile="`+profile+`"`)
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", "550e8400-e29b-41d4-a716-446655440000")
	header.Set("Content-Digest", httpsig.Digest(body))
	m := httpsig.Message{Method: "POST", Authority: "shops.example.com", Path: "/p/demo/ucp/checkout-sessions", Header: header}
	covered := []string{"@method", "@authority", "@path", "ucp-agent", "idempotency-key", "content-digest", "content-type"}
	if err := httpsig.Sign(m, "sig1", covered, time.Now(), key); err != nil {
		t.Fatal(err)
	}
	return ports.SignedRequest{Method: m.Method, Authority: m.Authority, Path: m.Path, Header: header, Body: body}
}

// An agent that rotates its keys signs with one that its profile did not have when it was read.
func TestIdentity_rotation(t *testing.T) {
	t.Parallel()
	var serves atomic.Value
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "public, max-age=86400")
		_, _ = io.WriteString(w, serves.Load().(string))
	}))
	t.Cleanup(server.Close)
	service := whoAsks(t, boot.Config{Env: "sandbox", AllowLoopback: true})
	ask := func(key signing.Private) error {
		_, err := service.Identify(ports.NewOutbound(t.Context()), identity.Request{
			Profile:  server.URL,
			Signed:   signedRequest(t, key, server.URL),
			Business: shopServes,
		})
		return err
	}
	first, before := agentKey(t, 1)
	second, after := agentKey(t, 2)
	third, _ := agentKey(t, 3)
	serves.Store(before)
	if err := ask(first); err != nil {
		t.Fatal(err)
	}
	serves.Store(after)
	for range 3 {
		if err := ask(second); err != nil {
			t.Errorf("the new key: %v", err)
		}
		if err := ask(third); !fault.Is(err, "key_not_found") {
			t.Errorf("a key that was never published: %v", err)
		}
		if err := ask(first); !fault.Is(err, "key_not_found") {
			t.Errorf("the old key: %v", err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the profile was fetched %d times", n)
	}
}

// Another's key, another host, another body are refused.
func TestIdentity_signatures(t *testing.T) {
	t.Parallel()
	old, profile := agentKey(t, 1)
	stranger, _ := agentKey(t, 3)
	file := filepath.Join(t.TempDir(), "platforms.json")
	const known = "https://agent.example/profile.json"
	if err := os.WriteFile(file, []byte(`{"`+known+`":`+profile+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	service := whoAsks(t, boot.Config{Env: "production", UCPPlatforms: file})
	ask := func(r ports.SignedRequest) (identity.Caller, error) {
		return service.Identify(ports.NewOutbound(t.Context()), identity.Request{
			Profile:  known,
			Signed:   r,
			Business: shopServes,
			Needs:    capability.Checkout,
			MustSign: true,
		})
	}
	request := signedRequest(t, old, known)
	got, err := ask(request)
	if err != nil || !got.Agent.Verified || got.Agent.Profile != known || got.Agent.Key != old.Public().Thumbprint() || len(got.Active.All()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ask(signedRequest(t, stranger, known)); !fault.Is(err, "key_not_found") {
		t.Errorf("a foreign key: %v", err)
	}
	if _, err := ask(ports.SignedRequest{Method: "GET", Authority: "shops.example.com", Path: "/"}); !fault.Is(err, "signature_missing") {
		t.Errorf("no signature: %v", err)
	}
	request.Authority = "other.example.com"
	if _, err := ask(request); !fault.Is(err, "signature_invalid") {
		t.Errorf("replayed to another host: %v", err)
	}
	request.Body = []byte(`{}`)
	if _, err := ask(request); !fault.Is(err, "digest_mismatch") {
		t.Errorf("another body: %v", err)
	}
}

// What a sandbox knows from the start can do everything, and proves nothing. Production knows nobody.
func TestIdentity_sandboxAgents(t *testing.T) {
	t.Parallel()
	for public, authority := range map[string]string{
		"":                             "com.haggle",
		"http://shops.example.com":     "com.haggle",
		"https://127.0.0.1:8443":       "com.haggle",
		"https://localhost":            "com.haggle",
		"https://shops.example.com/on": "com.example.shops",
	} {
		name, _ := capability.Negotiation(authority)
		service := whoAsks(t, boot.Config{Env: "sandbox", PublicURL: public})
		for profile, release := range map[string]capability.Version{
			"https://haggle.invalid/agent":            capability.V20260825,
			"https://haggle.invalid/2026-04-08/agent": capability.V20260408,
		} {
			all := capability.Served(release, name)
			got, err := service.Identify(ports.NewOutbound(t.Context()), identity.Request{Profile: profile, Business: []capability.Set{all}, Needs: name})
			if err != nil || len(got.Active.All()) != len(all.Capabilities) || got.Agent.Verified {
				t.Errorf("%q: %s: %+v, %v", public, profile, got, err)
			}
		}
	}
	known, err := boot.KnownAgents(boot.Config{Env: "production"})
	if err != nil || len(known) != 0 {
		t.Errorf("production knows %v (%v)", known, err)
	}
}

// A server does not start with a file that it cannot read, and says what is wrong. The doctor says it before.
func TestKnownAgents(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "platforms.json")
	if err := os.WriteFile(file, []byte(`{"https://agent.example/p":{"ucp":{"version":"2026-08-25"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	config := boot.Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		Env:          "sandbox",
		DatabaseURL:  "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		UCPPlatforms: file,
	}
	want := "HAGGLE_UCP_PLATFORMS: " + file + `: "https://agent.example/p": profile_malformed: The agent's profile is malformed: ucp.services is required.`
	if _, err := boot.New(t.Context(), config, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(strings.TrimPrefix(config.DatabaseURL, "sqlite://")); !os.IsNotExist(err) {
		t.Error("the database was opened before")
	}
	_, profile := agentKey(t, 1)
	for body, verdict := range map[string]boot.Verdict{`{"https://agent.example/p":` + profile + `}`: boot.Fine, `[]`: boot.Trouble} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range boot.Diagnose(t.Context(), config) {
			found = found || f.About == "agents' profiles" && f.Verdict == verdict
		}
		if !found {
			t.Errorf("the doctor does not say %s of %s", verdict, body)
		}
	}
}

// What it costs a request to be somebody's: of a profile that is known, unsigned and signed.
func BenchmarkIdentify(b *testing.B) {
	key, profile := agentKey(b, 1)
	file := filepath.Join(b.TempDir(), "platforms.json")
	const known = "https://agent.example/profile.json"
	if err := os.WriteFile(file, []byte(`{"`+known+`":`+profile+`}`), 0o600); err != nil {
		b.Fatal(err)
	}
	service := whoAsks(b, boot.Config{Env: "sandbox", UCPPlatforms: file})
	for name, r := range map[string]identity.Request{
		"sandbox": {Profile: "https://haggle.invalid/agent", Business: shopServes},
		"signed":  {Profile: known, Business: shopServes, Signed: signedRequest(b, key, known)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := ports.NewOutbound(b.Context())
			for b.Loop() {
				if _, err := service.Identify(ctx, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
