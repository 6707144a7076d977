package boot_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	shopkeeper "github.com/haggle-commerce/haggle/simulator/merchant"
)

// Each configuration leads to one expected finding, and findings that are not ok have a remedy.
func TestDiagnose_findings(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	used := boottest.Engines[0].URL(t)
	boottest.Start(t, used)
	redis := redisserver.Start(t)
	hanging, secure := hangingAddress(t), httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	model := modelWithKey(t, "right")
	running := boottest.Start(t, boottest.Engines[0].URL(t))
	punctual, fast := providerWithClock(t, 0), providerWithClock(t, 75*time.Second)
	for _, c := range []struct {
		name    string
		change  func(*boot.Config)
		verdict boot.Verdict
		about   string
		says    string
	}{
		{"nothing yet", func(*boot.Config) {}, boot.OK, "database", "does not exist yet"},
		{"a database in use", func(c *boot.Config) { c.DatabaseURL = used }, boot.OK, "schema", "is up to date"},
		{"PostgreSQL", func(c *boot.Config) { c.DatabaseURL = pgserver.Shared(t).Database(t, "") }, boot.Warn, "schema", "haggle migrate"},
		{"no database", func(c *boot.Config) { c.DatabaseURL = "postgres://x@127.0.0.1:1/x" }, boot.Fail, "database", "cannot connect to PostgreSQL at 127.0.0.1:1: connection refused (HAGGLE_DATABASE_URL)"},
		{"the database's clock", func(c *boot.Config) { c.DatabaseURL = used }, boot.OK, "clock", "ahead of the clock of this machine"},
		{"a provider's clock", func(c *boot.Config) { c.DatabaseURL, c.StripeURL = used, punctual.URL }, boot.OK, "Stripe clock", "agrees"},
		{"a wrong provider's clock", func(c *boot.Config) { c.DatabaseURL, c.PayPalURL = used, fast.URL }, boot.Warn, "PayPal clock", "refuses payments"},
		{"a provider that is away", func(c *boot.Config) { c.DatabaseURL, c.PayPalURL = used, "http://127.0.0.1:1" }, boot.Fail, "PayPal clock", "cannot read it: connection refused"},
		{"Redis", func(c *boot.Config) { c.RedisURL = redis.URL() }, boot.OK, "Redis", "responds"},
		{"no Redis", func(c *boot.Config) { c.RedisURL = "redis://127.0.0.1:1" }, boot.Fail, "Redis", "no response: connection refused"},
		{"an address in use", func(c *boot.Config) { c.Addr = busy.Addr().String() }, boot.Warn, "API address", "in use by another program"},
		{"operations for all", func(c *boot.Config) { c.OpsAddr = "0.0.0.0:0" }, boot.Warn, "operations address", "other machines"},
		{"a short master key", func(c *boot.Config) { c.MasterKey = "short" }, boot.Warn, "master key", "has 5 bytes"},
		{"a short master key in production", func(c *boot.Config) { c.Env, c.MasterKey = "production", strings.Repeat("k", 40)+",short" }, boot.Fail, "master key", "key 2 has 5 bytes"},
		{"the sandbox's key in production", func(c *boot.Config) { c.Env, c.MasterKey = "production", vault.SandboxKey }, boot.Fail, "master key", "public key of the sandbox"},
		{"a superuser", func(c *boot.Config) { c.DatabaseURL = superuser(t) }, boot.Warn, "database role", "Remedy: run ALTER ROLE \"postgres\" NOSUPERUSER NOBYPASSRLS"},
		{"a superuser in production", func(c *boot.Config) {
			c.Env, c.MasterKey, c.DatabaseURL = "production", strings.Repeat("k", 40), superuser(t)
		}, boot.Fail, "database role", "superuser"},
		{"keys in the open", func(c *boot.Config) {
			c.Env, c.MasterKey, c.PublicURL = "production", strings.Repeat("k", 40), "http://shops.example.com"
		}, boot.Warn, "public URL", "not https"},
		{"a proxy that is not named", func(c *boot.Config) { c.PublicURL = "https://shops.example.com" }, boot.Warn, "proxies", "HAGGLE_TRUSTED_PROXIES"},
		{"look-alikes", func(*boot.Config) {}, boot.OK, "Shopify", "haggle-sandbox at http://127.0.0.1:8095/shopify"},
		{"an OAuth app", func(c *boot.Config) { c.HubSpotID, c.HubSpotSecret = "app-1", "s" }, boot.OK, "HubSpot", "OAuth app app-1"},
		{"no OAuth app is configured", func(c *boot.Config) { c.Env, c.MasterKey = "production", strings.Repeat("k", 40) }, boot.Warn, "HubSpot", "no OAuth app is configured"},
		{"tokens in the open", func(c *boot.Config) {
			c.Env, c.MasterKey = "production", strings.Repeat("k", 40)
			c.ShopifyID, c.ShopifySecret, c.ShopifyURL = "app-1", "s", "http://proxy.example.com"
		}, boot.Warn, "Shopify", "not https"},
		{"a Redis that hangs", func(c *boot.Config) { c.RedisURL = "redis://" + hanging }, boot.Fail, "Redis", "no response within 2 s"},
		{"a database that hangs", func(c *boot.Config) { c.DatabaseURL = "postgres://x@" + hanging + "/x" }, boot.Fail, "database", "no response"},
		{"no NATS", func(c *boot.Config) { c.NATSURL = "nats://127.0.0.1:1" }, boot.Fail, "NATS", "connection refused"},
		{"a NATS that hangs", func(c *boot.Config) { c.NATSURL = "nats://" + hanging }, boot.Fail, "NATS", "no response"},
		{"no mail server", func(c *boot.Config) { c.SMTPURL = "smtp://127.0.0.1:1?from=a@example.com" }, boot.Fail, "SMTP", "connection refused"},
		{"a mail server that hangs", func(c *boot.Config) { c.SMTPURL = "smtp://" + hanging + "?from=a@example.com" }, boot.Fail, "SMTP", "no response within 2 s"},
		{"a model", func(c *boot.Config) { c.OpenAIURL, c.OpenAIKey = model.URL, "right" }, boot.OK, "OpenAI", "responds"},
		{"a model's wrong key", func(c *boot.Config) { c.OpenAIURL, c.OpenAIKey = model.URL, "wrong" }, boot.Fail, "OpenAI", "rejects the API key (status 401)"},
		{"another model's wrong key", func(c *boot.Config) { c.AnthropicURL, c.AnthropicKey = model.URL, "wrong" }, boot.Fail, "Anthropic", "rejects the API key (status 401)"},
		{"embeddings", func(c *boot.Config) { c.EmbeddingsURL, c.EmbeddingsKey = model.URL, "right" }, boot.OK, "embeddings", "text-embedding-3-small at " + model.URL + " responds"},
		{"no model", func(c *boot.Config) { c.EmbeddingsURL = "http://127.0.0.1:1" }, boot.Fail, "embeddings", "connection refused"},
		{"a platform's proxy that hangs", func(c *boot.Config) { c.ShopifyURL = "http://" + hanging }, boot.Fail, "Shopify", "no response within 2 s"},
		{"a public URL", func(c *boot.Config) { c.PublicURL = running.URL() }, boot.OK, "public URL", "responds"},
		{"another server's URL", func(c *boot.Config) { c.PublicURL = model.URL }, boot.Warn, "public URL", "/docs responds with status 404"},
		{"an unknown certificate", func(c *boot.Config) { c.PublicURL = secure.URL }, boot.Fail, "public URL", "certificate signed by unknown authority"},
		{"no such name", func(c *boot.Config) { c.PublicURL = "https://shops.invalid" }, boot.Fail, "public URL", "does not resolve"},
		{"a ready server", func(c *boot.Config) { c.OpsAddr = strings.TrimPrefix(running.OpsURL(), "http://") }, boot.OK, "operations address", "the server is ready"},
		{"an OpenID provider that is none", func(c *boot.Config) { c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = model.URL, "id", "s" }, boot.Fail, "OpenID Connect", "(status 404)"},
		{"space", func(*boot.Config) {}, boot.OK, "disk", "GB free in"},
		{"a bad value", func(c *boot.Config) { c.ACPRate = "fast" }, boot.Fail, "configuration", "HAGGLE_ACP_RATE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := boot.Config{
				Addr:        "127.0.0.1:0",
				OpsAddr:     "127.0.0.1:0",
				Env:         "sandbox",
				DatabaseURL: "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
			}
			c.change(&config)
			findings := boot.Diagnose(t.Context(), config)
			for _, f := range findings {
				if f.Verdict == c.verdict && f.About == c.about && strings.Contains(f.Says+". Remedy: "+f.Remedy, c.says) {
					if f.Verdict != boot.OK && f.Remedy == "" {
						t.Errorf("%v has no remedy", f)
					}
					return
				}
			}
			t.Errorf("no %s about the %s that says %q in %v", c.verdict, c.about, c.says, findings)
		})
	}
}

// providerWithClock starts a server whose Date header is ahead, and which answers 401.
func providerWithClock(t *testing.T, ahead time.Duration) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	return server
}

// hangingAddress returns the address of a listener that accepts connections and never answers.
func hangingAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		var open []net.Conn // closed with the listener
		for {
			conn, err := l.Accept()
			if err != nil {
				for _, c := range open {
					c.Close()
				}
				return
			}
			open = append(open, conn)
		}
	}()
	return l.Addr().String()
}

// modelWithKey starts a server that lists models to clients with the key, as OpenAI and Anthropic do.
func modelWithKey(t *testing.T, key string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/models" && r.URL.Path != "/v1/models":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("Authorization") != "Bearer "+key && r.Header.Get("X-Api-Key") != key:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// If every service hangs, Diagnose takes one timeout of two seconds in all.
func TestDiagnose_allHang(t *testing.T) {
	t.Parallel()
	hanging := hangingAddress(t)
	web := "http://" + hanging
	began := time.Now()
	findings := boot.Diagnose(t.Context(), boot.Config{
		Addr:          hanging,
		OpsAddr:       hanging,
		PublicURL:     web,
		Env:           "sandbox",
		DatabaseURL:   "postgres://x@" + hanging + "/x?sslmode=disable",
		RedisURL:      "redis://" + hanging,
		NATSURL:       "nats://" + hanging,
		SMTPURL:       "smtp://" + hanging + "?from=a@example.com",
		StripeURL:     web,
		PayPalURL:     web,
		ShopifyURL:    web,
		HubSpotURL:    web,
		EmbeddingsURL: web,
		OpenAIURL:     web,
		AnthropicURL:  web,
		OIDCIssuer:    web,
		OIDCClientID:  "id",
		OIDCSecret:    "s",
	})
	if took := time.Since(began); took > 3500*time.Millisecond {
		t.Errorf("it took %s", took)
	}
	failed := 0
	for _, f := range findings {
		if f.Verdict == boot.Fail {
			failed++
		}
	}
	if failed < 11 {
		t.Errorf("%d checks failed: %v", failed, findings)
	}
}

// Connected accounts are checked with their stored credentials.
func TestDiagnose_accounts(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database, lookalike := engine.URL(t), boottest.StartProvider(t).URL
			app := boottest.Start(t, database, func(c *boot.Config) { c.StripeURL, c.AllowLoopback = lookalike, true })
			owner := shopkeeper.New(exchange.NewClient(exchange.Config{URL: app.URL()}), boottest.Key, "")
			shop, err := owner.CreateProject(t.Context(), shopkeeper.NewProject{Name: "Shop", Slug: "shop"})
			if err != nil {
				t.Fatal(err)
			}
			owner = owner.In(shop.ID)
			if _, err := owner.ConnectAPIKey(t.Context(), shopkeeper.NewIntegration{Type: "stripe", Credentials: shopkeeper.Credentials{Key: "sk_test_1"}}); err != nil {
				t.Fatal(err)
			}
			refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error": {"type": "invalid_request_error", "message": "Invalid API Key provided"}}`)
			}))
			t.Cleanup(refusing.Close)
			handler := "http://" + hangingAddress(t) + "/agent"
			agents, err := owner.Agents(t.Context(), shopkeeper.Page{})
			if err != nil {
				t.Fatal(err)
			}
			rotate, err := http.NewRequestWithContext(t.Context(), "POST", app.URL()+"/v1/agents/"+agents.Data[0].ID+"/rotate-secret", nil)
			if err != nil {
				t.Fatal(err)
			}
			rotate.Header = http.Header{"Authorization": {"Bearer " + boottest.Key}, "X-Project-Id": {shop.ID}, "Idempotency-Key": {"rotate"}}
			if answer, err := http.DefaultClient.Do(rotate); err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%+v, %v", answer, err)
			} else {
				answer.Body.Close()
			}
			remote := shopkeeper.Patch{"handlers": map[string]any{"quote": map[string]any{"type": "remote", "url": handler}}}
			if _, err := owner.PatchAgent(t.Context(), agents.Data[0].ID, remote); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				address, key string
				verdict      boot.Verdict
				about, says  string
			}{
				{lookalike, "", boot.OK, "Stripe", "is connected as acct_"},
				{lookalike, "", boot.OK, "stored credentials", "decrypts all 1"},
				{refusing.URL, "", boot.Fail, "Stripe", "the platform rejected the credentials"},
				{"http://" + hangingAddress(t), "", boot.Fail, "Stripe", "no response within 2 s"},
				{lookalike, "", boot.Fail, "remote agent", "at " + handler + ": no response within 2 s"},
				{lookalike, "another", boot.Fail, "stored credentials", "cannot decrypt 1 of 1"},
			} {
				began := time.Now()
				findings := boot.Diagnose(t.Context(), boot.Config{
					Addr:        "127.0.0.1:0",
					OpsAddr:     "127.0.0.1:0",
					Env:         "sandbox",
					DatabaseURL: database,
					StripeURL:   c.address,
					MasterKey:   c.key,

					AllowLoopback: true,
				})
				if took := time.Since(began); took > 6*time.Second {
					t.Errorf("it took %s", took)
				}
				if !slices.ContainsFunc(findings, func(f boot.Finding) bool {
					return f.Verdict == c.verdict && f.About == c.about && strings.Contains(f.Says, c.says)
				}) {
					t.Errorf("no %s about %s that says %q in %v", c.verdict, c.about, c.says, findings)
				}
			}
		})
	}
}
