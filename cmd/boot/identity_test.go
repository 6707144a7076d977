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

// newIdentityService returns the identity service of a configuration.
func newIdentityService(t testing.TB, c boot.Config) *identity.Service {
	t.Helper()
	service, err := boot.OpenIdentity(c, system.Clock{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func identify(t testing.TB, s *identity.Service, profile string) error {
	t.Helper()
	_, err := s.Identify(ports.NewOutbound(t.Context()), identity.Request{Profile: profile, Business: shopServes})
	return err
}

// listener starts a server that counts connections and closes them.
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

// Profile URLs that lead to this machine or its network are refused without a connection, however they are written.
func TestOpenIdentity_hostileURLs(t *testing.T) {
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
			if err := identify(t, newIdentityService(t, config), url); !fault.Is(err, "invalid_profile_url") || fault.KindOf(err) != fault.Malformed {
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

// Profile servers that redirect, hang, or send too much or no profile lead to an error of a few seconds at most, which does not
// name internal addresses.
func TestOpenIdentity_hostileServers(t *testing.T) {
	t.Parallel()
	compressed := &bytes.Buffer{}
	zip := gzip.NewWriter(compressed)
	if _, err := io.CopyN(zip, zeroReader{}, 64<<20); err != nil {
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
			err := identify(t, newIdentityService(t, boot.Config{Env: "sandbox", AllowLoopback: true}), server.URL+"/profile.json")
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
		if err := identify(t, newIdentityService(t, boot.Config{Env: "sandbox", AllowLoopback: true}), server.URL); !fault.Is(err, "profile_unreachable") {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if reached.Load() != 0 {
			t.Error("a redirect was followed")
		}
	})
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Identify returns when its context is canceled, even if the profile's server hangs.
func TestOpenIdentity_callerCancels(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	service := newIdentityService(t, boot.Config{Env: "sandbox", AllowLoopback: true})
	_, err := service.Identify(ports.NewOutbound(ctx), identity.Request{Profile: server.URL, Business: shopServes})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// agentKey returns a key, and a profile of UCP 2026-08-25 with the key under its thumbprint.
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

// signedRequest returns a request to a shop, signed now.
func signedRequest(t testing.TB, key signing.Private, profile string) ports.SignedRequest {
	t.Helper()
	body := []byte(`{"line_items":[]}`)
	header := http.Header{}
	header.Set("UCP-Agent", `profile="`+profile+`"`)
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", "550e8400-e29b-41d4-a716-446655440000")
	header.Set("Content-Digest", httpsig.Digest(body))
	m := httpsig.Message{
		Method:    "POST",
		Authority: "shops.example.com",
		Path:      "/p/demo/ucp/checkout-sessions",
		Header:    header,
	}
	covered := []string{"@method", "@authority", "@path", "ucp-agent", "idempotency-key", "content-digest", "content-type"}
	if err := httpsig.Sign(m, "sig1", covered, time.Now(), key); err != nil {
		t.Fatal(err)
	}
	return ports.SignedRequest{
		Method:    m.Method,
		Authority: m.Authority,
		Path:      m.Path,
		Header:    header,
		Body:      body,
	}
}

// After an agent has rotated its keys, the new key is accepted although the cached profile lacks it, and old and unpublished
// keys are refused. The profile is fetched again only once.
func TestOpenIdentity_keyRotation(t *testing.T) {
	t.Parallel()
	var serves atomic.Value
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "public, max-age=86400")
		_, _ = io.WriteString(w, serves.Load().(string))
	}))
	t.Cleanup(server.Close)
	service := newIdentityService(t, boot.Config{Env: "sandbox", AllowLoopback: true})
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

// A valid signature is accepted. Another agent's key, another host and another body are refused.
func TestOpenIdentity_signatures(t *testing.T) {
	t.Parallel()
	old, profile := agentKey(t, 1)
	stranger, _ := agentKey(t, 3)
	file := filepath.Join(t.TempDir(), "platforms.json")
	const known = "https://agent.example/profile.json"
	if err := os.WriteFile(file, []byte(`{"`+known+`":`+profile+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	service := newIdentityService(t, boot.Config{Env: "production", UCPPlatforms: file})
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
	if _, err := ask(ports.SignedRequest{
		Method:    "GET",
		Authority: "shops.example.com",
		Path:      "/",
	}); !fault.Is(err, "signature_missing") {
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
