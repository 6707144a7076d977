package boot_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

func TestTheDoctorSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	used := boottest.Engines[0].URL(t)
	boottest.Start(t, used)
	redis := redisserver.Start(t)
	punctual, fast := providerWithClock(t, 0), providerWithClock(t, 75*time.Second)
	for _, c := range []struct {
		name    string
		change  func(*boot.Config)
		verdict boot.Verdict
		about   string
		says    string
	}{
		{"nothing yet", func(*boot.Config) {}, boot.Fine, "database", "is new"},
		{"a database in use", func(c *boot.Config) { c.DatabaseURL = used }, boot.Fine, "schema", "is current"},
		{"PostgreSQL", func(c *boot.Config) { c.DatabaseURL = pgserver.Shared(t).Database(t, "") }, boot.Doubt, "schema", "haggle migrate"},
		{"no database", func(c *boot.Config) { c.DatabaseURL = "postgres://x@127.0.0.1:1/x" }, boot.Trouble, "database", "refused"},
		{"the database's clock", func(c *boot.Config) { c.DatabaseURL = used }, boot.Fine, "clock", "ahead of this machine's"},
		{"a provider's clock", func(c *boot.Config) { c.DatabaseURL, c.StripeURL = used, punctual.URL }, boot.Fine, "Stripe clock", "agrees"},
		{"a wrong provider's clock", func(c *boot.Config) { c.DatabaseURL, c.PayPalURL = used, fast.URL }, boot.Doubt, "PayPal clock", "refused"},
		{"a provider that is away", func(c *boot.Config) { c.DatabaseURL, c.PayPalURL = used, "http://127.0.0.1:1" }, boot.Doubt, "PayPal clock", "not known"},
		{"Redis", func(c *boot.Config) { c.RedisURL = redis.URL() }, boot.Fine, "Redis", "answers"},
		{"no Redis", func(c *boot.Config) { c.RedisURL = "redis://127.0.0.1:1" }, boot.Trouble, "Redis", "does not answer"},
		{"an address in use", func(c *boot.Config) { c.Addr = busy.Addr().String() }, boot.Doubt, "API address", "not free"},
		{"operations for all", func(c *boot.Config) { c.OpsAddr = "0.0.0.0:0" }, boot.Doubt, "operations address", "other machines"},
		{"a short master key", func(c *boot.Config) { c.MasterKey = "short" }, boot.Doubt, "master key", "has 5 bytes"},
		{"a short master key in production", func(c *boot.Config) { c.Env, c.MasterKey = "production", strings.Repeat("k", 40)+",short" }, boot.Trouble, "master key", "key 2 has 5 bytes"},
		{"the sandbox's key in production", func(c *boot.Config) { c.Env, c.MasterKey = "production", vault.SandboxKey }, boot.Trouble, "master key", "is public"},
		{"a superuser", func(c *boot.Config) { c.DatabaseURL = superuser(t) }, boot.Doubt, "database role", "superuser"},
		{"a superuser in production", func(c *boot.Config) {
			c.Env, c.MasterKey, c.DatabaseURL = "production", strings.Repeat("k", 40), superuser(t)
		}, boot.Trouble, "database role", "superuser"},
		{"keys in the open", func(c *boot.Config) {
			c.Env, c.MasterKey, c.PublicURL = "production", strings.Repeat("k", 40), "http://shops.example.com"
		}, boot.Doubt, "public URL", "not https"},
		{"a proxy that is not named", func(c *boot.Config) { c.PublicURL = "https://shops.example.com" }, boot.Doubt, "proxies", "HAGGLE_TRUSTED_PROXIES"},
		{"look-alikes", func(*boot.Config) {}, boot.Fine, "Shopify", "haggle-sandbox at http://127.0.0.1:8095/shopify"},
		{"an OAuth app", func(c *boot.Config) { c.HubSpotID, c.HubSpotSecret = "app-1", "s" }, boot.Fine, "HubSpot", "OAuth app app-1"},
		{"no OAuth app", func(c *boot.Config) { c.Env, c.MasterKey = "production", strings.Repeat("k", 40) }, boot.Doubt, "HubSpot", "no OAuth app"},
		{"tokens in the open", func(c *boot.Config) {
			c.Env, c.MasterKey = "production", strings.Repeat("k", 40)
			c.ShopifyID, c.ShopifySecret, c.ShopifyURL = "app-1", "s", "http://proxy.example.com"
		}, boot.Doubt, "Shopify", "not https"},
		{"a bad value", func(c *boot.Config) { c.ACPRate = "fast" }, boot.Trouble, "configuration", "HAGGLE_ACP_RATE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := boot.Config{
				Addr: "127.0.0.1:0", OpsAddr: "127.0.0.1:0", Env: "sandbox",
				DatabaseURL: "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
			}
			c.change(&config)
			findings := boot.Diagnose(t.Context(), config)
			for _, f := range findings {
				if f.Verdict == c.verdict && f.About == c.about && strings.Contains(f.Says, c.says) {
					return
				}
			}
			t.Errorf("no %s about the %s that says %q in %v", c.verdict, c.about, c.says, findings)
		})
	}
}

// providerWithClock answers nothing but the time.
func providerWithClock(t *testing.T, ahead time.Duration) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	return server
}
